"""The orders in which a training step can run: branches, helpers, loops, and what is not seen."""

from __future__ import annotations

from textwrap import dedent

from lintorch.facts.training.conditions import Condition
from lintorch.source import Act, Region, Source


def regions(text: str) -> tuple[Region, ...]:
    """Only a file that steps is looked into; what is tested here need not."""
    return Source("train.py", f"{dedent(text)}\n# optimizer.step()\n").paths.regions


def acts(region: Region) -> set[tuple[str, ...]]:
    return {tuple(event.act.name for event in path.events) for path in region.paths}


def loop(text: str) -> Region:
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
    assert len(region.paths) == 4


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

        for x in loader:
            update(model(x), optimizer)
    """)
    assert acts(region) == {("ZERO_GRAD", "BACKWARD", "STEP")}
    assert {e.on for e in region.events if e.act is Act.STEP} == {"optimizer"}


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
        scaler = torch.amp.GradScaler("cuda")
        for x in loader:
            loss = model(x)
            if amp:
                loss = scaler.scale(loss)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    """)
    backward = {e.by for e in region.events if e.act is Act.BACKWARD}
    assert backward == {"scaler", ""}


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
    assert {(path.end, len(path.events)) for path in region.paths} == {
        ("continue", 0),
        ("break", 0),
        ("", 1),
    }


def test_contexts_are_left_however_their_block_ends() -> None:
    region = loop("""
        import torch

        for x in loader:
            with torch.autocast("cuda"):
                if skip(x):
                    continue
                loss.backward()
    """)
    assert acts(region) == {("ENTER", "LEAVE"), ("ENTER", "BACKWARD", "LEAVE")}


def test_what_is_handed_to_unseen_code_is_told() -> None:
    region = loop("""
        for x in loader:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            adjust(optimizer)
    """)
    assert [e.on for e in region.events if e.act is Act.PASSED] == ["optimizer"]


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
    amp = [p for p in region.paths if Condition("amp", True) in p.conditions]
    plain = [p for p in region.paths if Condition("amp", False) in p.conditions]
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
