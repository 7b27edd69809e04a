from torch import nn
from torch.nn import BatchNorm3d


def norms(n, track, options):
    yield nn.BatchNorm2d(n, track_running_stats=False)  # hit
    yield BatchNorm3d(n, 1e-5, 0.1, True, False)  # hit
    yield nn.SyncBatchNorm(n, track_running_stats=False)  # hit
    yield nn.BatchNorm2d(n, track_running_stats=True)
    yield nn.BatchNorm2d(n, track_running_stats=track)
    yield nn.BatchNorm2d(n, **options)
    yield nn.InstanceNorm2d(n, track_running_stats=False)


def settled(n, track=False):
    make, options = nn.BatchNorm1d, {"track_running_stats": track}
    return make(n, **options), nn.BatchNorm1d(n, 1e-5, 0.1, True, not track)  # hit
