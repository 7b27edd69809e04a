"""One spelling for names that torch offers under several."""

from __future__ import annotations


def canonical_name(dotted: str) -> str:
    """`torch.nn.Linear` of `torch.nn.modules.linear.Linear`; any other name as it is."""
    if dotted.startswith("torch.nn.modules."):
        last = dotted.rpartition(".")[2]
        return f"torch.nn.{last}" if last[:1].isupper() else dotted
    return dotted
