import torchvision.transforms as T

train = T.Compose(
    [
        T.RandomResizedCrop(224),
        T.ToTensor(),
        T.RandomErasing(),
        T.Normalize(mean=(123.675, 116.28, 103.53), std=(58.395, 57.12, 57.375)),  # hit
    ]
)
bytes_again = T.Compose([T.ToTensor(), T.Lambda(lambda x: x * 255), T.Normalize([127.5], [127.5])])
plain = T.Compose([T.ToTensor(), T.Normalize([0.5], [0.5])])
of_bytes = T.Compose([T.PILToTensor(), T.ConvertImageDtype(None), T.Normalize([0.5], [0.5])])
