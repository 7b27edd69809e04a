"""What counts of blocks, persons, channels and steps ask of what a model is built with and fed."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from examining import examine_files, write_files
from reported import model_of
from test_feed_asked import feed_models
from test_project_calls import run_net

from lintorch.guest.watch.make_tensors import find_tensors, flatten_output, make_inputs
from lintorch.record.input_notation import parse_input, write_arguments, write_input
from lintorch.record.models import Input


def test_a_depth_leaves_one_block_a_stage(tmp_path: Path) -> None:
    text = """
    import torch
    from torch import nn


    class Deep(nn.Module):
        def __init__(self, depth):
            super().__init__()
            assert (depth - 2) % 6 == 0, "depth should be 6n + 2"
            self.body = nn.Sequential(*(nn.Conv2d(3, 3, 1) for _ in range((depth - 2) // 6)))

        def forward(self, x):
            return self.body(x)
    """
    (report,) = examine_files(write_files(tmp_path, {"net": text}), tmp_path, trace=False)
    assert model_of(report).arguments == {"depth": 8}


def test_persons_that_become_samples_and_channels_are_one(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Joints(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2 * 17)
            self.near, self.out = nn.Conv2d(2, 8, 1), nn.Conv2d(8, 4, 1)
            self.links = torch.ones(5 * 17, 5 * 17)

        def forward(self, x):
            n, c, t, v, m = x.size()
            x = x.permute(0, 4, 3, 1, 2).reshape(n * m, v * c, t)
            x = self.norm(x).view(n * m, v, c, t).permute(0, 2, 3, 1)
            x = self.near(x.reshape(n * m, c, 1, -1))
            x = torch.einsum("ncsv,vw->ncsw", x, self.links)
            return self.out(x.view(n, -1, t, v))
    """,
    )
    assert fed == {"Joints": "['float32[batch=2, 2, 5, 17, 1]']"}


def test_frames_that_are_joined_with_a_state_make_up_the_rest(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Conv2d(1 + 16, 16, 3, padding=1)

        def forward(self, frame, state):
            return self.layer(torch.cat([frame, state], 1))


    class Frames(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = Cell()

        def forward(self, x):
            b, steps, _, h, w = x.size()
            state = torch.zeros(b, 16, h, w)
            for step in range(steps):
                state = self.cell(x[:, step], state)
            return state
    """,
    )
    (frames,) = [text for name, text in fed.items() if name == "Frames"]
    assert ", 1, height=" in frames


def test_keys_of_what_a_part_gives_are_none_of_what_is_fed(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Part(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 4)

        def forward(self, x):
            if x.shape[-1] != 6:
                raise ValueError(
                    f"The number of channels (6) has to be that of the batch ({x.shape[-1]})"
                )
            return {"last": self.layer(x)}


    class Whole(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = Part()

        def forward(self, x):
            x = self.part(x)
            return x["last"]
    """,
    )
    assert fed["Whole"].endswith("6]']")


def test_settings_beside_a_class_of_hyperparameters_are_read(tmp_path: Path) -> None:
    texts = {
        "hparams": """
            class HParams:
                def __init__(self, **given):
                    vars(self).update(given)

            hparams = HParams(width=24, classes=5, depth=2)
        """,
        "net": """
            from torch import nn

            class Net(nn.Module):
                def __init__(self, hparams):
                    super().__init__()
                    self.layer = nn.Linear(hparams.width, hparams.classes)

                def forward(self, x):
                    return self.layer(x)
        """,
    }
    paths = write_files(tmp_path, texts)
    (report,) = examine_files(paths[1:], tmp_path, trace=False)
    assert model_of(report).parameters == 24 * 5 + 5


def test_what_a_project_puts_into_a_configuration_besides_is_made_up(tmp_path: Path) -> None:
    text = """
    from torch import nn

    class SmallConfig:
        model_type = "small"

        def __init__(self, hidden_size=8):
            self.hidden_size = hidden_size

        def to_dict(self):
            return vars(self)


    class Net(nn.Module):
        def __init__(self, config: SmallConfig):
            super().__init__()
            self.head_only = config.head_only
            self.layer = nn.Linear(config.hidden_size, config.num_labels)

        def forward(self, x):
            return self.layer(x)
    """
    (report,) = examine_files(write_files(tmp_path, {"net": text}), tmp_path, trace=False)
    assert model_of(report).parameters == 32 * 10 + 10


def test_a_state_that_a_method_begins_is_begun_first(tmp_path: Path) -> None:
    text = """
    import torch
    from torch import nn


    class Memory(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 4)

        def begin(self, batch_size):
            self.held = torch.zeros(batch_size, 4)

        def forward(self, x):
            self.held = self.held + self.layer(x)
            return self.held
    """
    (report,) = examine_files(write_files(tmp_path, {"net": text}), tmp_path, trace=False)
    model = model_of(report)
    assert "begin(2) was called first, which sets what forward reads" in model.assumptions
    assert str(write_arguments(model.inputs, model.sizes)) == "['float32[2, 6]']"


def test_two_texts_have_lengths_of_their_own(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Answers(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(20, 8)
            self.places = nn.ParameterDict(
                {"context": torch.zeros(40, 8), "question": torch.zeros(25, 8)}
            )

        def forward(self, context_ids, question_ids):
            context = self.table(context_ids) + self.places["context"]
            question = self.table(question_ids) + self.places["question"]
            return context @ question.transpose(1, 2)
    """,
    )
    assert fed == {"Answers": "['int64[batch=2, 40] in 0..18', 'int64[batch=2, 25] in 0..18']"}


def test_a_model_of_one_sample_is_fed_one(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Duel(nn.Module):
        def __init__(self):
            super().__init__()
            self.value, self.gain = nn.Linear(4, 51), nn.Linear(4, 8 * 51)

        def forward(self, x):
            gain = self.gain(x).view(-1, 8, 51)
            return self.value(x) + gain - gain.mean(1, keepdim=True)
    """,
    )
    assert fed == {"Duel": "['float32[1, 4]']"}


def test_a_function_called_like_its_class_builds_it(tmp_path: Path) -> None:
    text = """
    from torch import nn


    class Vit(nn.Module):
        def __init__(self, stem=None):
            super().__init__()
            self.stem = stem

        def forward(self, x):
            return self.stem(x)


    def make(width):
        return Vit(nn.Linear(width, 2))


    def Vit_Small():
        return make(7)
    """
    (report,) = examine_files(write_files(tmp_path, {"net": text}), tmp_path, trace=False)
    assert model_of(report).arguments == {"factory": "Vit_Small"}


def test_a_padding_mask_has_two_axes(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Words(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(32, 4, batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, 1)
            self.head = nn.Linear(32, 3)

        def forward(self, inputs, attn_mask):
            out = self.encoder(inputs, src_key_padding_mask=~attn_mask.bool())
            return self.head((out * attn_mask.unsqueeze(-1)).sum(1))
    """,
    )
    shape = "float32[batch=2, sequence=16"
    assert fed == {"Words": f"['{shape}, 32]', '{shape}]']"}


def test_steps_and_their_mask_that_a_call_feeds_vary_together(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.table, self.last = nn.Embedding(40, 8), nn.Linear(8, 3)

            def forward(self, words, mask, weights):
                found = self.table(words) * mask.unsqueeze(-1)
                return self.last(found) * weights.unsqueeze(1)
        """,
        run_py="""
        import torch
        from nets.net import Net

        words, mask = torch.zeros(2, 12, dtype=torch.long), torch.ones(2, 12)
        print(Net()(words, mask, torch.ones(2, 3)))
        """,
    )
    assert [given.shape for given in model.inputs if isinstance(given, Input)] == [
        ("batch", "sequence"),
        ("batch", "sequence"),
        ("batch", 3),
    ]


def test_fractions_that_become_rows_of_a_table_are_between_0_and_1(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Traffic(nn.Module):
        def __init__(self, num_nodes=9, steps=48):
            super().__init__()
            self.steps, self.times = steps, nn.Parameter(torch.randn(steps, 4))
            self.nodes, self.last = nn.Parameter(torch.randn(num_nodes, 4)), nn.Conv2d(8, 2, 1)

        def forward(self, history):
            # history: (batch, length, nodes, 3)
            when = (history[:, -1, :, 1] * self.steps).long()
            found = torch.cat((self.times[when], self.nodes.expand(len(history), -1, -1)), -1)
            return self.last(found.transpose(1, 2).unsqueeze(-1))
    """,
    )
    assert fed["Traffic"].endswith(", 9, 3] in 0..1']")


def test_bounded_fractions_are_drawn_evenly_between_the_bounds() -> None:
    given, sizes = parse_input("float32[batch, 500] in -2..3")
    (made,) = make_inputs((given,), sizes)
    assert -2 <= made.min() < -1.9
    assert 2.9 < made.max() < 3
    assert write_input(given, sizes) == "float32[batch=2, 500] in -2..3"


@pytest.mark.filterwarnings("ignore:.*nested tensors")
def test_nested_tensors_are_left_out_as_they_have_no_shape() -> None:
    rows = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(1, 3)])
    kept = torch.ones(2)
    assert [*find_tensors((rows, [kept, rows]))] == [kept]
    assert flatten_output({"rows": rows, "kept": kept}) == [kept]


def test_numbers_in_a_docstring_say_how_many_there_are(tmp_path: Path) -> None:
    text = '''
    import torch
    from torch import nn


    class Warp(nn.Module):
        def __init__(self, inshape):
            """
            Parameters:
                inshape: Input shape. e.g. (192, 192, 192)
            """
            super().__init__()
            self.flow = nn.Conv3d(1, len(inshape), 3, padding=1)
            self.grid = torch.zeros(1, len(inshape), *inshape)

        def forward(self, source):
            return self.grid + self.flow(source)
    '''
    (report,) = examine_files(write_files(tmp_path, {"net": text}), tmp_path, trace=False)
    assert model_of(report).arguments == {"inshape": "(32, 32, 32)"}


def test_lengths_under_another_name_are_a_tensor(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    def mask_of(lengths):
        return torch.arange(int(lengths.max())) < lengths.unsqueeze(1)

    class Durations(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(20, 8)

        def forward(self, text, text_len, masked=True):
            x, length = self.table(text), text_len
            return x * mask_of(length).unsqueeze(2)
    """,
    )
    assert fed == {
        "Durations": "['int64[batch=2, sequence=16] in 0..18', 'int64[batch=2] down from sequence']"
    }


def test_what_is_taken_apart_if_it_is_a_tuple_is_a_tensor(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Policy(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.Linear(6, 3)

        def forward(self, x):
            label = None
            if type(x) is tuple:
                x, label = x
            x = self.norm(x)
            return x if label is None else x + label

    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(5, 2)

        def forward(self, batch):
            if isinstance(batch, (list, tuple)):
                batch, _ = batch
            return self.layer(batch)
    """,
    )
    assert fed == {"Policy": "['float32[batch=2, 6]']", "Wrapped": "['float32[batch=2, 5]']"}


def test_a_pool_ahead_of_a_linear_layer_takes_maps(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Probe(nn.Module):
        def __init__(self):
            super().__init__()
            self.pool = nn.AvgPool2d((7, 7))
            self.head = nn.Sequential(nn.Linear(24, 5))

        def forward(self, x):
            return self.head(self.pool(x).squeeze())

    class Gate(nn.Module):
        def __init__(self):
            super().__init__()
            self.pool = nn.AdaptiveAvgPool2d(1)
            self.gate = nn.Linear(24, 24)

        def forward(self, x):
            return x * self.gate(self.pool(x).flatten(1)).sigmoid()[:, :, None, None]
    """,
    )
    assert fed == {
        "Probe": "['float32[batch=2, 24, 7, 7]']",
        "Gate": "['float32[batch=2, 24, height=8, width=8]']",
    }
