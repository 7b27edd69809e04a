import torchtext  # hit
import torchtext_like
from apex import amp  # hit
from apex import normalization
from apex.optimizers import FusedAdam
from apex.parallel import DistributedDataParallel  # hit
from torchtext.data.utils import get_tokenizer  # hit

from . import torchtext as ours
from .torchtext import vocabulary

try:
    from apex import amp as maybe
except ImportError:
    maybe = None


def train(use_apex):
    import apex.amp as late  # hit

    return late
