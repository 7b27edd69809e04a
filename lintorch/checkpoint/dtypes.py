"""Types of numbers: the bytes of each, and the names that files give them."""

from __future__ import annotations

BYTES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2,
    "int8": 1, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complex128": 16,
    "complex64": 8, "complex32": 4, "qint8": 1, "quint8": 1, "qint32": 4, "quint4x2": 1,
    "quint2x4": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1,
    "float8_e8m0fnu": 1, "float4_e2m1fn_x2": 1, "bits8": 1, "bits16": 2,
}  # fmt: skip
"""Of one number of each type of torch."""
OF_STORAGES = {
    "Double": "float64", "Float": "float32", "Half": "float16", "BFloat16": "bfloat16",
    "Long": "int64", "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8",
    "Bool": "bool", "ComplexDouble": "complex128", "ComplexFloat": "complex64", "QInt8": "qint8",
    "QUInt8": "quint8", "QInt32": "qint32", "QUInt4x2": "quint4x2", "QUInt2x4": "quint2x4",
    "Untyped": "uint8",
}  # fmt: skip
"""What `torch.FloatStorage` and its like hold; an UntypedStorage counts bytes."""
OF_SAFETENSORS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64",
    "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "U16": "uint16", "U32": "uint32",
    "U64": "uint64", "BOOL": "bool", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
    "F8_E8M0": "float8_e8m0fnu", "C64": "complex64",
}  # fmt: skip
"""By their names in the header of a safetensors file."""


def storage_dtype(name: str) -> str:
    """`FloatStorage` and `FloatTensor` hold float32. "" where the name is none of these."""
    for ending in ("Storage", "Tensor"):
        if name.endswith(ending):
            return OF_STORAGES.get(name.removesuffix(ending), "")
    return ""
