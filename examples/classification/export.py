"""Writes the trained classifier for the phone app and for the server."""

import torch

from net import SlimNet


def main():
    model = SlimNet()
    model.load_state_dict(torch.load("slim.pt"))
    example = torch.randn(2, 3, 224, 224)
    sizes = {0: torch.export.Dim("batch"), 2: torch.export.Dim("height"), 3: torch.export.Dim("width")}

    program = torch.export.export(model, (example,), dynamic_shapes={"image": sizes})
    torch.export.save(program, "slim.pt2")

    model.eval()
    torch.onnx.export(
        model,
        (example,),
        "slim.onnx",
        dynamo=False,
        opset_version=17,
        dynamic_axes={"image": {0: "batch", 2: "height", 3: "width"}},
    )


if __name__ == "__main__":
    main()
