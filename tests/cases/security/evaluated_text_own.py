import json
import os

from torch import nn

TABLE = "formulas.json"

with open(os.path.join("data", "formulas.json")) as file:
    formulas = json.load(file)

for formula in formulas.values():
    eval(formula)


def read(name):
    with open(TABLE) as file:
        layer = eval(json.load(file)[name])
    with open(name, "w") as file:
        file.write(str(isinstance(layer, nn.Module)))
