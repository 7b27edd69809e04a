"""Data and rows of tensors that Python has read: what tracers take for constants."""

import torch
from torch import nn



