"""What all rules about TorchScript say in the same way."""

from __future__ import annotations

from lintorch.core.finding import Harm

SCRIPT = {"torchscript-script": Harm.REFUSED}
"""The compiler refuses it."""
TYPES = {bool: "bool", int: "int", float: "float", str: "str"}
"""The plain types that it knows, by name."""
