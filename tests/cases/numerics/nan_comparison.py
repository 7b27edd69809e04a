import math

import numpy as np
import torch
from numpy import nan


def check(x: torch.Tensor, value, default=np.nan):
    a = x == float("nan")  # hit
    a = x != float("NaN")  # hit
    a = x == np.nan  # hit
    a = math.nan == x  # hit
    a = x is np.nan  # hit
    a = x == torch.nan  # hit
    a = x == torch.tensor(float("nan"))  # hit
    a = value == nan  # hit
    a = value == "nan"
    a = value is np.nan
    a = x != x
    a = x == float("inf")
    a = x == float(value)
    a = np.nan in x
    a = torch.isnan(x)
    a = x == float()
    a = (x == 1) is True
    a = 1 < float("nan") < 2
    return a


MISSING = float("nan")


def is_missing(value, mark):
    return value == mark  # hit


def counted(table: torch.Tensor, zero=0.0):
    fill = {"mark": MISSING}
    found = is_missing(table, fill["mark"])
    return found, table != torch.tensor(MISSING), table == zero  # hit


def masked(labels: torch.Tensor, null=np.nan):
    mask = ~torch.isnan(labels) if np.isnan(null) else labels != null
    if not math.isnan(null):
        mask = mask & (labels != null)
    return mask.float()


def is_number(rows):
    total = float("nan")
    found = rows == total  # hit
    return found, total == total
