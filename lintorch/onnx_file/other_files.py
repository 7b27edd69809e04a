"""What people give in place of an .onnx file, told by its first bytes."""

from __future__ import annotations

_HEADS = (
    (b"version https://git-lfs", "a pointer of Git LFS: fetch the file itself by `git lfs pull`"),
    (b"PK\x03\x04", "a zip file, such as a checkpoint or torch.export's .pt2: `lintorch checkpoint`"
     " reads checkpoints"),
    (b"\x80\x02", "a pickle, such as an old checkpoint: `lintorch checkpoint` reads it"),
    (b"<", "a page of HTML or XML"),
    (b"{", "JSON"),
    (b"\x1f\x8b", "a gzip file: unpack it"),
)  # fmt: skip


def name_other_format(head: bytes) -> str:
    """What a file is by its first bytes, where it is no .onnx file; "" where it may be one."""
    if not head:
        return "empty"
    if head[4:8] == b"ORTM":
        return (
            "a model in ONNX Runtime's own format (.ort): name the .onnx file that it was made of"
        )
    return next((name for begin, name in _HEADS if head.startswith(begin)), "")
