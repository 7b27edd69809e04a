"""Operators that work element by element, by what they do to the type."""

from __future__ import annotations

SAME_TYPE = """
clone contiguous detach detach_ alias relu relu_ neg neg_ negative positive square square_ sign sgn ceil ceil_
floor floor_ round round_ trunc trunc_ fix frac clamp_ clip_ clamp_min clamp_max nan_to_num nan_to_num_
relu6 relu6_ leaky_relu leaky_relu_ elu elu_ selu selu_ celu celu_ silu mish gelu hardswish hardsigmoid
hardtanh hardtanh_ hardshrink softshrink tanhshrink softsign softplus logsigmoid threshold threshold_ rrelu
dropout dropout_ dropout1d dropout2d dropout3d alpha_dropout alpha_dropout_ feature_alpha_dropout
feature_dropout bitwise_not bitwise_not_ exp_ log_ log2_ log10_ log1p_ sqrt_ rsqrt_ sigmoid_ tanh_ sin_ cos_
abs_ reciprocal_ erf_ erfinv_ expm1_ zero_ zero requires_grad_ cpu cuda pin_memory share_memory_ conj
normal_ uniform_ bernoulli_ exponential_ random_ fill_ fill fill_diagonal_ cummax_ triu_ tril_ positive
resolve_conj resolve_neg cumsum_ cumprod_ data
"""
"""Shape and type stay."""
MADE_FLOATING = """
exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sigmoid expit tanh sin cos tan asin acos atan arcsin arccos
arctan sinh cosh asinh acosh atanh erf erfc erfinv lgamma digamma gammaln reciprocal deg2rad rad2deg sinc logit
ndtr i0
"""
"""Integers become float32."""
MADE_BOOLEAN = "isnan isinf isfinite isposinf isneginf isreal logical_not signbit"
"""What comes out is bool."""
PROMOTED = """
add sub subtract mul multiply rsub maximum minimum fmax fmin fmod remainder floor_divide pow bitwise_and
bitwise_or bitwise_xor gcd lcm
"""
"""Two operands, the type that holds both."""
DIVIDED = "div divide true_divide atan2 arctan2 hypot copysign logaddexp logaddexp2 xlogy"
"""Two operands, and integers become floats."""
COMPARED = """
eq ne lt le gt ge equal_ not_equal less less_equal greater greater_equal isclose logical_and logical_or
logical_xor
"""
"""Two operands, and what comes out is bool."""
IN_PLACE = """
add_ sub_ subtract_ mul_ multiply_ div_ divide_ true_divide_ pow_ fmod_ remainder_ floor_divide_ atan2_
bitwise_and_ bitwise_or_ bitwise_xor_ logical_and_ logical_or_ logical_xor_ eq_ ne_ lt_ le_ gt_ ge_ copy_
masked_fill_ copysign_ hypot_
"""
"""Two operands, of which the first takes what comes out."""
SAME_LAYERS = """
ReLU ReLU6 LeakyReLU ELU SELU CELU SiLU Mish GELU Hardswish Hardsigmoid Hardtanh Hardshrink Softshrink
Tanhshrink Softsign Softplus LogSigmoid Threshold RReLU Dropout Dropout1d Dropout2d Dropout3d AlphaDropout
FeatureAlphaDropout Identity Tanh Sigmoid Softmax2d
"""
"""Layers that leave shape and type of floats as they are."""
