from __future__ import annotations

import torch


def kind(value: torch.JitType2) -> torch.Nothing:
    other: torch.Nowhere = value
    return torch.Nonsense(other)  # hit
