"""The orders in which a training step can run: branches, helpers, loops, and what is not seen."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Number
from lintorch.source import Act, Passage, Source, TrainingRegion


def regions(text: str) -> tuple[TrainingRegion, ...]:
    return Source("train.py", dedent(text)).evaluation.training.regions


def acts(region: TrainingRegion) -> set[tuple[str, ...]]:
    return {tuple(each.act.name for each in passage.actions) for passage in region.passages}


def loop(text: str) -> TrainingRegion:
    return next(region for region in regions(text) if region.is_loop)


def test_arguments_run_before_their_call() -> None:
    region = loop("""
        for x in loader:
            optimizer.step(model(x).mean().backward())
            optimizer.zero_grad()
    """)
    assert acts(region) == {("BACKWARD", "STEP", "ZERO_GRAD")}


def test_branches_go_both_ways_and_the_same_test_the_same_way() -> None:
    region = loop("""
        for x in loader:
            loss = model(x).mean()
            if use_amp:
                scaler.scale(loss).backward()
            else:
                loss.backward()
            if not use_amp:
                optimizer.step()
                optimizer.zero_grad()
            else:
                scaler.step(optimizer)
                scaler.unscale_(optimizer)
    """)
    assert acts(region) == {
        ("SCALE", "BACKWARD", "SCALER_STEP", "UNSCALE"),
        ("BACKWARD", "STEP", "ZERO_GRAD"),
    }


def test_a_test_is_open_again_when_its_name_is_bound_anew() -> None:
    region = loop("""
        for x in loader:
            if ready:
                loss.backward()
            ready = check(x)
            if ready:
                optimizer.step()
                optimizer.zero_grad()
    """)
    assert len(region.passages) == 4


def test_values_of_one_name_exclude_each_other() -> None:
    region = loop("""
        for x in loader:
            if phase == "train":
                loss.backward()
            if phase == "val":
                model.eval()
    """)
    assert acts(region) == {(), ("BACKWARD",), ("EVAL",)}


def test_helpers_run_in_place_of_their_call_with_what_they_are_given() -> None:
    region = loop("""
        def update(loss, opt, clip=None):
            opt.zero_grad()
            loss.backward()
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(opt, clip)
            opt.step()

        def fit(model, loader, optimizer):
            for x in loader:
                update(model(x), optimizer)
    """)
    assert acts(region) == {("ZERO_GRAD", "BACKWARD", "STEP")}
    assert {e.on.key for e in region.actions if e.act is Act.STEP and e.on} == {"<optimizer>"}


def test_methods_split_over_a_class() -> None:
    region = loop("""
        class Trainer:
            def fit(self, loader):
                for x in loader:
                    self.clear()
                    self.model(x).backward()
                    self.optimizer.step()

            def clear(self):
                self.optimizer.zero_grad()
    """)
    assert acts(region) == {("ZERO_GRAD", "BACKWARD", "STEP")}


def test_a_loss_scaled_under_a_name() -> None:
    region = loop("""
        import torch

        scaler = torch.amp.GradScaler("cuda")
        for x in loader:
            loss = model(x)
            if amp:
                loss = scaler.scale(loss)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    """)
    backward = {each.by is None for each in region.list_acts(Act.BACKWARD)}
    assert backward == {True, False}


def test_early_ends() -> None:
    region = loop("""
        for x in loader:
            loss = model(x)
            if skip(x):
                continue
            if broken(x):
                raise ValueError
            if done(x):
                break
            loss.backward()
    """)
    assert {(passage.end, len(passage.actions)) for passage in region.passages} == {
        ("continue", 0),
        ("break", 0),
        ("", 1),
    }


def test_contexts_are_left_where_their_block_ends() -> None:
    region = loop("""
        import torch

        for x in loader:
            with torch.autocast("cuda"):
                if skip(x):
                    continue
                loss.backward()
    """)
    assert acts(region) == {("ENTER",), ("ENTER", "BACKWARD", "LEAVE")}


def test_what_is_handed_to_unseen_code_is_told() -> None:
    region = loop("""
        for x in loader:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            adjust(optimizer)
    """)
    assert [str(e.on) for e in region.actions if e.act is Act.PASSED] == ["optimizer"]


def test_frameworks_and_wide_regions_are_unknown() -> None:
    assert regions("import accelerate\nfor x in y:\n    loss.backward()\n") == ()
    tests = "\n".join(f"    if a{n}:\n        loss.backward()" for n in range(8))
    assert regions(f"for x in y:\n{tests}\n") == ()


def test_lasting_tests_tie_iterations_together() -> None:
    region = loop("""
        for x in loader:
            if amp:
                loss.backward()
            if x > 0:
                model.eval()
    """)

    def answers(passage: Passage) -> set[tuple[str, bool]]:
        return {(each.key, each.holds) for each in passage.answers}

    amp = [p for p in region.passages if ("amp", True) in answers(p)]
    plain = [p for p in region.passages if ("amp", False) in answers(p)]
    assert amp
    assert plain
    assert all(one.precedes(other) for one in amp for other in amp)
    assert not any(one.precedes(other) for one in amp for other in plain)


def test_odd_syntax_does_no_harm() -> None:
    text = """
        async def train(*args, **kwargs):
            async for x in loader:
                async with context() as (a, *b):
                    if (loss := model(x)) is not None:
                        loss.backward(*args, **kwargs)
                match x:
                    case [1, *_]:
                        optimizer.step()
                    case {"a": b}:
                        optimizer.zero_grad(**kwargs)
                    case _:
                        scaler.update()
                [o.step() for o in optimizers]
                (lambda: optimizer.step())()
                f"{loss.backward() if f'{x}' else 1}"
            else:
                pass
            while True:
                try:
                    loss.backward()
                except* ValueError:
                    optimizer.step()
                else:
                    break
                finally:
                    optimizer.zero_grad()
            clip_grad_norm_()
            clip_grad_norm_(*args)
            train(*args)
    """
    assert regions(text)


def test_gradients_are_recorded_behind_a_function_that_takes_too_long_to_follow() -> None:
    text = dedent("""
        import torch

        @torch.no_grad()
        def measure(model, x):
            total = x
            {long}
            return total

        def train(model, batches, optimizer):
            for x in batches:
                measure(model, x)
                loss = model(x).mean()
                loss.backward()
                optimizer.step()

        model = torch.nn.Linear(3, 3)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        batches = [torch.ones(2, 3)]
        for epoch in range(4):
            train(model, batches, optimizer)
        for x in batches:
            measure(model, x)
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
    """)
    source = Source(
        "train.py", text.replace("{long}", "\n    ".join(["total = total + x * total"] * 80))
    )
    backward = [
        action
        for region in source.evaluation.training.regions
        for passage in region.passages
        for action in passage.actions
        if action.act is Act.BACKWARD
    ]
    cuts = source.evaluation.cuts
    assert backward
    assert [cuts[each.at.way.root].find_cuts(each.value) for each in backward] == [None] * len(
        backward
    )


def test_the_size_of_what_its_use_proves_to_be_a_tensor_is_a_number() -> None:
    text = dedent("""
        def train(batches, model, optimizer):
            for batch in batches:
                loss = model(batch).mean() / batch.size(0)
                loss.backward()
                optimizer.step()
    """)
    events = Source("train.py", text).evaluation.list_events(("torch.Tensor.size",))
    asked = [each.result for _, each in events if isinstance(each, Called)]
    assert asked
    assert all(isinstance(each, Number) for each in asked)


def test_what_builds_a_model_in_another_file_takes_no_step_from_the_loop(tmp_path: Path) -> None:
    """The function is followed once more, without what others do at length."""
    terms = " + ".join(["each"] * 200)
    (tmp_path / "nets.py").write_text(
        f"import torch\n\n\ndef build():\n    total = 0\n    for each in range(60):\n"
        f"        total = {terms}\n    return torch.nn.Linear(4, 1), total\n"
    )
    text = """
        import torch
        from nets import build

        def main(loader):
            model, scale = build()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x in loader:
                loss = model(x).sum() * scale
                loss.backward()
                optimizer.step()
    """
    path = tmp_path / "train.py"
    path.write_text(dedent(text))
    source = Source(str(path), dedent(text))
    loops = [each for each in source.evaluation.training.regions if each.is_loop]
    assert [acts(each) for each in loops] == [{("BACKWARD", "STEP")}]


HELPER = """
import torch
from torch import nn


class Player(nn.Module):
    def play(self, steps):
        with torch.no_grad():
            while len(steps) < 10:
                {body}
        return steps.mean()
"""
LOOP = """
import torch

from player import Player


class Trainer:
    def __init__(self):
        self.model = Player()

    def fit(self, steps):
        optimizer = torch.optim.Adam(self.model.parameters())
        for _ in range(10):
            optimizer.zero_grad()
            loss = self.model.play(steps)
            loss.backward()
            optimizer.step()
"""


def test_a_loop_that_is_not_followed_to_its_end_holds_nothing_of_its_callers(
    tmp_path: Path,
) -> None:
    line = "steps = torch.cat([steps, torch.relu(steps) * 2 + 1])"
    body = "\n                ".join([line] * 3000)
    (tmp_path / "player.py").write_text(HELPER.format(body=body))
    source = Source(str(tmp_path / "train.py"), LOOP)
    found = {type(each.node).__name__: each for each in source.evaluation.training.regions}
    assert found, "it trains"
    assert "While" not in found
