"""The classes and functions that `torch.load(weights_only=True)` takes in a file, as torch 2.13 has them.

Measured: `tests/test_checkpoint_torch.py` asks the torch that is installed for each of them.
"""

from __future__ import annotations

from itertools import product

_KINDS = "Half Float Double Char Byte Short Int Long BFloat16"
_DTYPES = """
    float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex128 complex64 complex32
    qint8 qint32 quint8 quint4x2 quint2x4 uint16 uint32 uint64 bits8 bits16 bits1x8 bits2x4 bits4x2
    float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2
    uint1 uint2 uint3 uint4 uint5 uint6 uint7 int1 int2 int3 int4 int5 int6 int7
"""
_SCHEMES = "per_tensor_affine per_tensor_symmetric per_channel_affine per_channel_symmetric per_channel_affine_float_qparams"
_REBUILD = """
    parameter parameter_with_state qtensor tensor tensor_v2 tensor_v3 sparse_tensor
    meta_tensor_no_storage nested_tensor wrapper_subclass device_tensor_from_numpy
    device_tensor_from_cpu_tensor
"""
_OTHERS = """
    collections.OrderedDict collections.Counter torch.nn.parameter.Parameter torch.Size torch.Tensor
    torch.device torch.serialization._get_layout _codecs.encode builtins.bytearray builtins.set
    builtins.complex torch.storage.TypedStorage torch.storage.UntypedStorage
    torch._tensor._rebuild_from_type_v2 torch.nested._internal.nested_tensor.NestedTensor
    torch.nested._internal.nested_tensor._rebuild_njt torch.distributed._mesh_layout._FlatLayout
    torch.distributed._mesh_layout._MeshLayout
"""
_ON_CUDA = f"{_KINDS} Bool ComplexDouble ComplexFloat"
_STORAGES = f"{_ON_CUDA} QInt8 QUInt8 QInt32 QUInt4x2 QUInt2x4"

ADMITTED = frozenset(
    [
        *_OTHERS.split(),
        *(f"torch.{name}" for name in f"{_DTYPES} {_SCHEMES}".split()),
        *(f"torch._utils._rebuild_{name}" for name in _REBUILD.split()),
        *(f"torch.{kind}Tensor" for kind in f"{_KINDS} Bool".split()),
        *(f"torch.cuda.{kind}Tensor" for kind in f"{_KINDS} Bool".split()),
        *(
            f"torch.{where}sparse.{kind}Tensor"
            for where, kind in product(("", "cuda."), _KINDS.split())
        ),
        *(f"torch.{kind}Storage" for kind in _STORAGES.split()),
        *(f"torch.cuda.{kind}Storage" for kind in _ON_CUDA.split()),
    ]
)
WITH_IMPORT = {
    **dict.fromkeys(
        (
            "torch.distributed.device_mesh.DeviceMesh",
            "torch.distributed.tensor.DTensor",
            "torch.distributed.tensor._dtensor_spec.DTensorSpec",
            "torch.distributed.tensor._dtensor_spec.ShardOrderEntry",
            "torch.distributed.tensor._dtensor_spec.TensorMeta",
            "torch.distributed.tensor.placement_types.Partial",
            "torch.distributed.tensor.placement_types.Replicate",
            "torch.distributed.tensor.placement_types.Shard",
            "torch.distributed.tensor.placement_types._StridedShard",
        ),
        "torch.distributed.tensor",
    ),
    "torch._dynamo.decorators._DimRange": "torch._dynamo",
}
"""What is taken once a module is imported, by that module."""
BLOCKED_MODULES = frozenset({"sys", "os", "posix", "nt"})
"""Of these nothing is taken, whatever is asked for."""
_OPCODES = """
    APPEND APPENDS BINFLOAT BINGET BININT BININT1 BININT2 BINPERSID BINPUT BINUNICODE BUILD
    EMPTY_DICT EMPTY_LIST EMPTY_SET EMPTY_TUPLE GLOBAL LONG1 LONG_BINGET LONG_BINPUT MARK NEWFALSE
    NEWOBJ NEWTRUE NONE PROTO REDUCE SETITEM SETITEMS SHORT_BINSTRING STOP TUPLE TUPLE1 TUPLE2 TUPLE3
"""
SUPPORTED_OPCODES = frozenset(_OPCODES.split())
"""Those of pickle that are taken, by their names in pickletools."""
