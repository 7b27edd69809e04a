"""A model beside an .onnx file that exists already: where their numbers part, and why."""
