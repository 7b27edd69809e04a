"""Models that take several inputs of different kinds are fed what each of them takes."""

from __future__ import annotations

from pathlib import Path

from examining import examine_files, write_files
from reported import failure_of, model_of, subject_of

from lintorch.record.input_notation import parse_input, write_arguments, write_input
from lintorch.record.model_options import ModelLimits

HEAD = """
    import torch
    from torch import nn
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
"""


def feed_models(folder: Path, text: str) -> dict[str, list[object]]:
    """What each model of a file is fed, by class, without the first values of sizes."""
    files = write_files(folder, {"net": HEAD + text})
    reports = examine_files(files, folder, trace=False, limits=ModelLimits(seconds=60))
    found = {}
    for report in reports:
        assert report.failure is None, report.failure
        model = model_of(report)
        found[subject_of(report).qualname] = write_arguments(model.inputs, {})
    return found


def test_lengths_are_those_of_the_input_they_speak_of(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(40, 24)
            self.rnn = nn.LSTM(24, 24, batch_first=True)
            self.conv = nn.Conv1d(20, 24, 3, padding=1)

        def forward(self, text, text_lengths, spec, spec_lengths):
            packed = pack_padded_sequence(self.words(text), text_lengths.cpu(), batch_first=True)
            memory, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
            seen = torch.arange(spec.size(2))[None] < spec_lengths[:, None]
            return memory.mean(1) + (self.conv(spec) * seen.unsqueeze(1)).sum(2)


    class Synthesizer(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.prenet = nn.Embedding(40, 24), nn.Linear(20, 24)
            self.rnn = nn.LSTM(24, 24, batch_first=True)

        def forward(self, inputs):
            text, text_lengths, mels, mel_lengths = inputs
            packed = pack_padded_sequence(self.words(text), text_lengths, batch_first=True)
            memory, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
            padded = torch.arange(mels.size(2))[None] >= mel_lengths[:, None]
            frames = self.prenet(mels.transpose(1, 2)).masked_fill(padded.unsqueeze(-1), 0.0)
            return frames + memory.mean(1, keepdim=True)
    """,
    )

    parts = [
        "int64[batch, sequence] in 0..38",
        "int64[batch] down from sequence",
        "float32[batch, 20, length]",
        "int64[batch] down from length",
    ]
    assert fed == {"Encoder": parts, "Synthesizer": [parts]}


def test_each_error_changes_the_input_that_it_is_about(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Embedding(nn.Module):
        def __init__(self):
            super().__init__()
            self.values = nn.Conv1d(7, 24, 3, padding=1, padding_mode="circular")
            self.marks = nn.Linear(4, 24)

        def forward(self, x, mark):
            return self.values(x.permute(0, 2, 1)).transpose(1, 2) + self.marks(mark)


    class Forecaster(nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.after = Embedding(), Embedding()

        def forward(self, x_enc, x_mark_enc, x_dec, x_mark_dec):
            return self.before(x_enc, x_mark_enc) + self.after(x_dec, x_mark_dec)


    class Captioner(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.signal = nn.Embedding(30, 24), nn.Conv1d(5, 24, 1)

        def forward(self, tokens, signal, hidden):
            words = self.words(tokens).masked_fill(hidden.unsqueeze(-1), 0.0)
            return words.mean(1) + self.signal(signal).mean(2)
    """,
    )

    sides = ["float32[batch, length, 7]", "float32[batch, length, 4]"]
    words = "[batch, sequence]"
    assert fed == {
        "Forecaster": sides * 2,
        "Captioner": [f"int64{words} in 0..28", "float32[batch, 5, length]", f"bool{words}"],
    }


def test_features_that_a_loop_counts_through_are_a_list(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Decoder(nn.Module):
        def __init__(self, num_ch_enc=(16, 32, 64)):
            super().__init__()
            self.ups = nn.ModuleList(
                nn.Conv2d(took, gave, 1) for took, gave in ((64, 32), (32, 16), (16, 1))
            )

        def forward(self, features):
            x = features[-1]
            for i in range(2, -1, -1):
                x = self.ups[2 - i](x)
                if i > 0:
                    x = nn.functional.interpolate(x, scale_factor=2) + features[i - 1]
            return x
    """,
    )

    levels = ((16, 64), (32, 32), (64, 16))
    assert fed == {"Decoder": [[f"float32[batch, {c}, {s}, {s}]" for c, s in levels]]}


def test_a_width_varies_where_the_height_may_not(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 8, (32, 3))
            self.rnn = nn.LSTM(8, 8)

        def forward(self, line):
            assert line.size(2) == 32
            return self.rnn(self.conv(line).squeeze(2).permute(2, 0, 1))[0]
    """,
    )

    assert fed == {"Reader": ["float32[batch, 1, 32, width]"]}


def test_places_learned_for_one_size_say_which_size_is_fed(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Prior(nn.Module):
        def __init__(self):
            super().__init__()
            self.places = nn.Parameter(torch.randn(1, 2, 40, 40))
            self.conv = nn.Conv2d(22, 24, 3, padding=1)

        def forward(self, codes):
            batch, height, width = codes.shape
            x = nn.functional.one_hot(codes, 20).permute(0, 3, 1, 2).float()
            places = self.places[:, :, :height].expand(batch, 2, height, width)
            return self.conv(torch.cat((x, places), 1))
    """,
    )

    assert fed == {"Prior": ["int64[batch, sequence, 40] in 0..1"]}


def test_an_argument_that_timm_has_removed_may_still_be_none(tmp_path: Path) -> None:
    (tmp_path / "timm" / "models").mkdir(parents=True)
    (tmp_path / "timm" / "models" / "vision_transformer.py").write_text(
        "from torch import nn\n\n\nclass Block(nn.Linear):\n"
        "    def __init__(self, dim, num_heads):\n        super().__init__(dim, dim)\n"
    )
    fed = feed_models(
        tmp_path,
        """
    from timm.models.vision_transformer import Block


    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.block = Block(24, 4, qk_scale=None)

        def forward(self, x):
            return self.block(x)
    """,
    )

    assert fed == {"Encoder": ["float32[batch, 24]"]}


def test_lengths_are_read_as_they_are_written() -> None:
    for text in ("int64[batch=2] down from sequence", "int64[3] down from 16"):
        given, sizes = parse_input(text)
        assert write_input(given, sizes) == text


def test_what_stands_apart_from_the_first_input_is_fed_too(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3)

        def forward(self, x):
            return self.conv(x[:, :3]) - self.conv(x[:, 3:])


    class Graph(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(8, 6))
            self.towards = nn.Parameter(torch.randn(6, 1))

        def forward(self, nodes, edges):
            nodes = torch.mm(nodes, self.weight)
            sent = torch.matmul(nodes, self.towards)
            weights = torch.where(edges > 0, sent + sent.T, -9e15 * torch.ones_like(sent + sent.T))
            return torch.matmul(weights.softmax(1), nodes)


    class Speller(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = nn.GRU(16, 16, batch_first=True)
            self.out = nn.Linear(16 + 12, 12)

        def forward(self, memory, text):
            hot = torch.zeros(memory.size(0), 12).scatter_(1, text[:, :1], 1)
            return self.out(torch.cat([self.rnn(memory)[0].mean(1), hot], 1))
    """,
    )

    assert fed == {
        "Pair": ["float32[batch, 6, height, width]"],
        "Graph": ["float32[batch, 8]", "float32[batch, batch]"],
        "Speller": ["float32[batch, sequence, 16]", "int64[batch, sequence_text] in 0..1"],
    }


def test_series_that_are_alike_are_turned_together(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Embedded(nn.Module):
        def __init__(self):
            super().__init__()
            self.values, self.marks = nn.Conv1d(7, 24, 3, padding=1), nn.Linear(4, 24)

        def forward(self, x, mark):
            return self.values(x.permute(0, 2, 1)).transpose(1, 2) + self.marks(mark)


    class Forecaster(nn.Module):
        def __init__(self):
            super().__init__()
            self.past, self.future = Embedded(), Embedded()

        def forward(self, x_enc, x_mark_enc, x_dec, x_mark_dec):
            mean = x_enc.mean(1, keepdim=True).repeat(1, 8, 1)
            blank = torch.zeros(x_dec.shape[0], 8, x_dec.shape[2])
            start = torch.cat([x_enc[:, :4], mean[:, :4] + blank[:, :4]], 1)
            seen = self.past(x_enc, x_mark_enc).mean(1, keepdim=True)
            return self.future(x_dec, x_mark_dec) + seen + start.mean()
    """,
    )

    parts = ["float32[batch, length, 7]", "float32[batch, length, 4]"]
    assert fed == {"Forecaster": [*parts, *parts]}


def test_what_is_lacking_is_told_and_not_the_inputs_before(tmp_path: Path) -> None:
    text = """
    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3)

        def forward(self, x):
            return correlate(self.conv(x[:, :3]), self.conv(x[:, 3:]))
    """
    files = write_files(tmp_path, {"net": HEAD + text})
    (report,) = examine_files(files, tmp_path, trace=False, limits=ModelLimits(seconds=60))
    assert failure_of(report).stage == "run"
    assert failure_of(report).cause == f"NameError: name 'correlate' is not defined ({files[0]}:12)"


def test_what_stands_beside_a_context_makes_up_its_features(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.steps = nn.GRU(12, 30, batch_first=True)
            self.head = nn.Linear(31, 1)

        def forward(self, series, history):
            context = self.steps(series)[0][:, -1]
            return self.head(torch.cat([context, history[:, -1]], dim=1))
    """,
    )
    series, history = map(str, fed["Net"])
    assert series.endswith(", 12]")
    assert history.endswith(", 1]")


def test_masks_of_words_meet_what_heads_give_each_word(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Attention(nn.Module):
        def forward(self, words, mask):
            parts = words.unflatten(-1, (4, 6)).transpose(1, 2)
            scores = parts @ parts.transpose(-2, -1)
            scores = scores.masked_fill(mask == 0, -1e9)
            return (scores.softmax(-1) @ parts).transpose(1, 2).flatten(2)


    class Translator(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.attention = nn.Embedding(40, 24), Attention()

        def forward(self, source_tokens, source_mask):
            return self.attention(self.words(source_tokens), source_mask)


    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.attention = nn.Embedding(40, 24), Attention()

        def forward(self, source_tokens, source_mask):
            return self.attention(self.words(source_tokens), source_mask.unsqueeze(1))
    """,
    )
    assert fed == {
        "Translator": ["int64[batch, sequence] in 0..38", "bool[batch, 1, 1, sequence]"],
        "Encoder": ["int64[batch, sequence] in 0..38", "bool[batch, 1, sequence]"],
    }


def test_steps_before_channels_that_forward_turns_leave_other_inputs_alone(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Series(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.values = nn.Conv2d(5, 24, 1), nn.Conv1d(7, 24, 3, padding=1)

        def forward(self, x, steps):
            turned = self.values(steps.permute(0, 2, 1)).mean(-1)
            return self.first(x).mean((2, 3)) + turned
    """,
    )
    assert fed == {"Series": ["float32[batch, 5, height, width]", "float32[batch, sequence, 7]"]}


def test_the_try_that_came_furthest_tells_why_a_model_is_not_fed(tmp_path: Path) -> None:
    text = """
    class Broken(nn.Module):
        def __init__(self):
            super().__init__()
            self.values = nn.Linear(7, 24)

        def forward(self, x):
            seen = self.values(x.transpose(1, 2).flip(1))
            return seen + self.lost
    """
    files = write_files(tmp_path, {"net": HEAD + text})
    (report,) = examine_files(files, tmp_path, trace=False, limits=ModelLimits(seconds=60))
    assert "has no attribute 'lost'" in failure_of(report).cause


def test_a_forward_that_keeps_what_it_makes_is_said_to_give_nothing(tmp_path: Path) -> None:
    text = """
    class Keeper(nn.Module):
        def __init__(self):
            super().__init__()
            self.prior, self.body = nn.Conv2d(2, 4, 3), nn.Conv2d(1, 4, 3)

        def forward(self, patch, seen):
            self.made = self.prior(torch.cat((patch, seen), 1)).chunk(4, 2)[3] + self.body(patch).chunk(4, 2)[3]
    """
    files = write_files(tmp_path, {"net": HEAD + text})
    (report,) = examine_files(files, tmp_path, trace=False, limits=ModelLimits(seconds=60))
    assert "forward gave NoneType, and no tensor" in failure_of(report).cause


def test_images_that_are_joined_are_so_many_times_as_big_as_another(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Textures(nn.Module):
        def __init__(self):
            super().__init__()
            self.small, self.large = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(3, 8, 3, padding=1)

        def forward(self, lr, ref):
            seen = nn.functional.interpolate(self.small(lr), scale_factor=4)
            return torch.cat([seen, self.large(ref)], 1)


    class Question(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.read = nn.Embedding(50, 16), nn.LSTM(16, 8, batch_first=True)

        def forward(self, question, question_len):
            packed = nn.utils.rnn.pack_padded_sequence(
                self.words(question), question_len, batch_first=True
            )
            return self.read(packed)[1][0]
    """,
    )
    assert fed == {
        "Textures": ["float32[batch, 3, 16, 16]", "float32[batch, 3, 64, 64]"],
        "Question": ["int64[batch, sequence] in 0..48", "int64[batch] down from sequence"],
    }


def test_what_a_batch_is_packed_by_are_lengths_whatever_it_is_called(tmp_path: Path) -> None:
    body = """
        def __init__(self):
            super().__init__()
            self.rnn = nn.{layer}(12, 24, batch_first=True)

        def forward(self, x, words):
            packed = pack_padded_sequence(x, words, batch_first=True, enforce_sorted=False)
            return self.rnn(packed)[1]
    """
    fed = feed_models(
        tmp_path,
        f"""
    class Long(nn.Module):{body.format(layer="LSTM")}

    class Short(nn.Module):{body.format(layer="GRU")}
    """,
    )
    taken = ["float32[batch, sequence, 12]", "int64[batch] down from sequence"]
    assert fed["Long"] == taken
    assert fed["Short"] == taken
