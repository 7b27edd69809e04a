from .blocks import *
from .blocks import Shrink as Reduced
