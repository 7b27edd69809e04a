"""Begins and ends the work on another model while it is imported."""  # LT007 a model of healthy.py

import json
import os
from contextlib import suppress

for message in ({"begin": {"path": "healthy.py", "qualname": "Healthy", "row": 6}}, {"done": {}}):
    for descriptor in range(3, 64):
        with suppress(OSError):
            os.write(descriptor, json.dumps(message).encode() + b"\n")
