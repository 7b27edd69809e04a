"""Recurrent layers as classes of the user's own file, whose steps torch.export keeps as a loop.

torch.export unrolls LSTM, GRU and RNN as often as the example has steps, and refuses a length that is
declared dynamic. `scan`, which it keeps as an operator, is written as Scan in ONNX. Measured on torch
2.13 at four lengths and three batch sizes: torch.export and onnx are right but for rounding (up to
1e-6) of one and two layers, both directions, both layouts, with and without biases and first states.
Eager mode, training and the tracers run what they ran: the class asks whether torch.export is at work.
"""

from __future__ import annotations

import libcst as cst

from lintorch.core.finding import Fix
from lintorch.evaluator.events import Called
from lintorch.facts.exporting.layer_rewrites import WritesLayers, write_class

_CLASS = '''class Scanned{kind}({{base}}):
    """Its base, whose steps torch.export keeps as a loop, at every length."""

    def forward(self, input, hx=None):
        if not {{exporting}}() or input.dim() != 3 or self.proj_size:
            return super().forward(input, hx)
        from torch._higher_order_ops import scan

        steps = input.transpose(0, 1) if self.batch_first else input
        ways = 2 if self.bidirectional else 1
        if hx is None:
            size = len(self.all_weights), steps.shape[1], self.hidden_size
            hx = {zeros}
        outs, ends = [], []
        for place, weights in enumerate(self.all_weights):
            if place and place % ways == 0:
                joined = {{cat}}(outs, 2)
                steps, outs = {{dropout}}(joined, self.dropout, self.training), []

            def step(state, given, weights=weights):
{step}

            begin = {begin}
            given = {{linear}}(steps, *weights[::2])
            end, out = scan(step, begin, given, dim=0, reverse=place % ways == 1)
            outs.append(out)
            ends.append(end)
        out = {{cat}}(outs, 2)
        return out.transpose(0, 1) if self.batch_first else out, {ends}

'''
_ONE = {
    "zeros": "steps.new_zeros(size)",
    "begin": "hx[place]",
    "ends": "{stack}(ends)",
}
_TWO = {
    "zeros": "steps.new_zeros(size), steps.new_zeros(size)",
    "begin": "hx[0][place], hx[1][place]",
    "ends": "tuple(map({stack}, zip(*ends)))",
}
_STEPS = {
    "LSTM": (
        "hidden, cell = state",
        "given = given + {linear}(hidden, *weights[1::2])",
        "enter, keep, new, leave = given.chunk(4, 1)",
        "cell = keep.sigmoid() * cell + enter.sigmoid() * new.tanh()",
        "hidden = leave.sigmoid() * cell.tanh()",
        "return (hidden, cell), hidden.clone()",
    ),
    "GRU": (
        "reset, keep, new = given.chunk(3, 1)",
        "own = {linear}(state, *weights[1::2]).chunk(3, 1)",
        "keep = (keep + own[1]).sigmoid()",
        "new = (new + (reset + own[0]).sigmoid() * own[2]).tanh()",
        "state = new + keep * (state - new)",
        "return state, state.clone()",
    ),
    "RNN": (
        "given = given + {linear}(state, *weights[1::2])",
        'state = given.tanh() if self.nonlinearity == "tanh" else given.relu()',
        "return state, state.clone()",
    ),
}
_ASKED = {
    "exporting": "torch.compiler.is_exporting",
    "cat": "torch.cat",
    "stack": "torch.stack",
    "linear": "torch.nn.functional.linear",
    "dropout": "torch.nn.functional.dropout",
}


def scan_steps(event: Called, source: WritesLayers) -> Fix | None:
    """`ScannedLSTM(8, 16)` for `nn.LSTM(8, 16)`, by the call that makes it."""
    call = source.call_at(event)
    kind = event.name.rpartition(".")[2]
    if call is None or kind not in _STEPS or not _is_named(call, event, source):
        return None
    text = _CLASS.format(
        kind=kind,
        step="\n".join(" " * 16 + line for line in _STEPS[kind]),
        **(_TWO if kind == "LSTM" else _ONE),
    )
    return write_class(f"Scanned{kind}", {"base": event.name, **_ASKED}, text, call, source)


def _is_named(call: cst.Call, event: Called, source: WritesLayers) -> bool:
    """Whether the constructor is called by its own name."""
    return source.name(call.func) == event.name
