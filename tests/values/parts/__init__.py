from .blocks import *
from .triple import *
from .blocks import Shrink as Reduced
