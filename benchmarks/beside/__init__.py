"""Models, and the faults that are put into their .onnx files."""
