import torch


def shifts(a: torch.Tensor, n: int):
    b = a << -2  # hit
    b = a >> -1  # hit
    b = a << 64  # hit
    b = a << 2
    b = 8 << n
    b = n << -1
    b = torch.bitwise_left_shift(a, -1)  # hit
    b = torch.bitwise_left_shift(a, 1)
    b = a.bitwise_right_shift(-1)  # hit
    b = a << n
    a <<= -1  # hit
    a >>= 1
    return b


def shift_by(codes, count):
    return codes >> count  # hit


class Settings:
    down = -1


def shifted(codes: torch.Tensor, settings=Settings()):
    shift = codes.bitwise_left_shift
    match settings:
        case _:
            return shift_by(codes, -3), shift(settings.down), shift(2)  # hit
