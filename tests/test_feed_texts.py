"""Models of texts and sounds are fed tokens, segments, lengths and pairs, as their own text takes them."""

from __future__ import annotations

from pathlib import Path

from test_feed_several import feed_models

from lintorch.guest.feed.guess_lengths import find_longest
from lintorch.record.input_notation import parse_input

WORDS = "int64[batch, sequence] in 0..38"


def test_labels_beside_tokens_are_no_target(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.segments = nn.Embedding(40, 24), nn.Embedding(3, 24)
            self.register_buffer("places", torch.randn(1, 512, 24))

        def forward(self, x, segment_label):
            seen = (x > 0).unsqueeze(1).repeat(1, x.size(1), 1)
            words = self.words(x) + self.places[:, : x.size(1)] + self.segments(segment_label)
            return seen.float() @ words
    """,
    )

    assert fed == {"Bert": [WORDS, "int64[batch, sequence] in 0..2"]}


def test_a_greatest_length_is_the_size_that_lengths_go_down_from(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Speaks(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(40, 24)

        def forward(self, texts, src_lens, max_src_len):
            places = torch.arange(0, max_src_len).unsqueeze(0)
            padded = places >= src_lens.unsqueeze(1).expand(-1, max_src_len)
            return self.words(texts).masked_fill(padded.unsqueeze(-1), 0.0)
    """,
    )

    assert fed == {"Speaks": [WORDS, "int64[batch] down from sequence", "= sequence"]}


def test_what_is_taken_apart_or_only_counted_through_is_a_pair(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Apart(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.pool = nn.Embedding(40, 24), nn.MaxPool1d(32)
            self.out = nn.Linear(24, 5)

        def forward(self, x):
            x, _ = x
            return self.out(self.pool(self.words(x).transpose(1, 2)).squeeze(2))


    class Counted(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(40, 24)

        def forward(self, x):
            return self.words(x[0]).mean(1)
    """,
    )

    other = WORDS.replace("sequence", "sequence_x_1")
    assert fed == {name: [[WORDS, other]] for name in ("Apart", "Counted")}


def test_axes_that_forward_adds_are_not_fed(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Emphasis(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("filter", torch.tensor([[[-0.97, 1.0]]]))

        def forward(self, sound):
            padded = nn.functional.pad(sound.unsqueeze(1), (1, 0), "reflect")
            return nn.functional.conv1d(padded, self.filter).squeeze(1)


    class Spectra(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.out = nn.Conv2d(1, 8, 3, 2), nn.Linear(8 * 39, 8)

        def forward(self, frames):
            maps = self.conv(frames.unsqueeze(1))
            return self.out(maps.transpose(1, 2).flatten(2))
    """,
    )

    assert [len(parse_input(str(given))[0].shape) for (given,) in fed.values()] == [2, 3]


def test_the_longest_is_that_of_the_input_of_its_name() -> None:
    written = {
        "texts": "int64[batch, sequence]",
        "src_lens": "int64[batch] down from sequence",
        "mels": "float32[batch, length, 80]",
        "mel_lens": "int64[batch] down from length",
    }
    inputs = [parse_input(text, name)[0] for name, text in written.items()]
    names = ("max_src_len", "max_mel_len", "max_len", "max_length", "maximum", "max_iter")
    found = [find_longest(name, inputs) for name in names]
    assert found == ["sequence", "length", "sequence", "sequence", "", ""]


def test_the_length_of_sounds_that_a_project_feeds_varies(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Sound(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(1, 8, 16, stride=8)

        def forward(self, x):
            return self.conv(x.unsqueeze(1))


    class Flat(nn.Module):
        def __init__(self):
            super().__init__()
            self.out = nn.Linear(100, 8)

        def forward(self, x):
            return self.out(x)


    if __name__ == "__main__":
        Sound()(torch.rand(4, 3200))
        Flat()(torch.rand(4, 100))
    """,
    )

    assert fed == {"Sound": ["float32[batch, length]"], "Flat": ["float32[batch, 100]"]}
