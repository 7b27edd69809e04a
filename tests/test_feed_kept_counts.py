"""Models that keep counts: how many samples they take, how wide a file's arrays are, sizes in settings."""

from __future__ import annotations

from pathlib import Path

from test_feed_several import feed_models


def test_a_state_for_as_many_samples_as_the_model_keeps(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Session(nn.Module):
        def __init__(self, batch_size=6):
            super().__init__()
            self.batch_size = batch_size
            self.gru, self.out = nn.GRU(40, 24, 2), nn.Linear(24, 40)
            self.held = torch.zeros(batch_size, 40)

        def forward(self, input, hidden):
            seen, hidden = self.gru(self.encode(input).unsqueeze(0), hidden)
            return self.out(seen.view(-1, 24)), hidden

        def encode(self, input):
            return self.held.zero_().scatter_(1, input.view(-1, 1), 1)

        def init_hidden(self):
            return torch.zeros(2, self.batch_size, 24)
    """,
    )
    assert fed["Session"][0] in ("int64[6] in 0..39", "int64[6] in 0..7", "int64[6] in 0..1")
    assert fed["Session"][1] == "float32[2, 6, 24]"


def test_an_array_is_as_wide_as_its_file_says(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    d_word = 50
    char_dim = 20


    class Embed(nn.Module):
        def __init__(self, word_mat, char_mat):
            super().__init__()
            self.words = nn.Embedding.from_pretrained(torch.Tensor(word_mat))
            self.chars = nn.Embedding.from_pretrained(torch.Tensor(char_mat))
            self.out = nn.Linear(d_word + char_dim, 8)

        def forward(self, wid, cid):
            seen = torch.cat((self.words(wid), self.chars(cid)), -1)
            return self.out(seen)
    """,
    )
    assert fed["Embed"] == ["int64[batch, sequence] in 0..126", "int64[batch, sequence] in 0..126"]


def test_keywords_that_are_read_by_name_are_made_up(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    LAYERS = {18: (2, 2), 34: (3, 4)}


    class Head(nn.Module):
        def __init__(self, **kwargs):
            super().__init__()
            first, second = LAYERS[kwargs["resnet_layers"]]
            self.convs = nn.Sequential(*(nn.Conv2d(3, 3, 3) for _ in range(first + second)))
            self.out = nn.Conv2d(3, kwargs["num_classes"], 1)

        def forward(self, x):
            return self.out(self.convs(x))
    """,
    )
    assert fed["Head"] == ["float32[batch, 3, height, width]"]


def test_rows_of_a_view_tell_how_many_channels_there_are(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Speak(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.lin = nn.Embedding(40, 8), nn.Linear(20, 8)

        def forward(self, characters, mel_input):
            many = mel_input.size(0)
            rows = mel_input.transpose(1, 2).contiguous().view(-1, 20)
            seen = self.lin(rows).view(many, -1, 8)
            return seen @ self.table(characters).mT
    """,
    )
    assert str(fed["Speak"][1]).startswith("float32[batch, 20, ")


def test_a_size_that_a_comment_names_is_that_of_kept_settings(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "audio: {num_freq: 33, emb_dim: 12}\nmodel: {fc_dim: 8}\n"
    )
    fed = feed_models(
        tmp_path,
        """
    class Filter(nn.Module):
        def __init__(self, hp):
            super().__init__()
            self.hp = hp
            self.conv = nn.Conv2d(1, 4, 3, padding=1)
            self.lstm = nn.LSTM(4 * hp.audio.num_freq + hp.audio.emb_dim, hp.model.fc_dim, batch_first=True)

        def forward(self, x, dvec):
            # x: [B, T, num_freq]
            x = self.conv(x.unsqueeze(1)).transpose(1, 2).contiguous()
            x = x.view(x.size(0), x.size(1), -1)
            # dvec: [B, emb_dim]
            dvec = dvec.unsqueeze(1).repeat(1, x.size(1), 1)
            return self.lstm(torch.cat((x, dvec), dim=2))[0]
    """,
    )
    assert fed["Filter"] == ["float32[batch, sequence, 33]", "float32[batch, 12]"]


def test_what_is_packed_steps_first_has_its_samples_second(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Clicks(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.gru = nn.Embedding(40, 24), nn.GRU(24, 24)

        def forward(self, seq, lengths):
            packed = pack_padded_sequence(self.table(seq), lengths)
            seen, hidden = self.gru(packed, torch.zeros(1, seq.size(1), 24))
            return pad_packed_sequence(seen)[0].permute(1, 0, 2).sum(1) + hidden[-1]
    """,
    )
    assert fed["Clicks"] == ["int64[sequence, batch] in 0..38", "int64[batch] down from sequence"]


def test_rows_that_are_taken_for_one_sample_get_an_axis(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Mesh(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(12, 24), nn.Linear(24, 1)
            self.held = nn.Parameter(torch.rand(24))

        def forward(self, x):
            seen = self.first(x) + self.held[None, None, :]
            return self.last(seen + seen.softmax(-2))
    """,
    )
    assert fed["Mesh"] == ["float32[batch, sequence, 12]"]


def test_shapes_that_a_part_tells_are_those_of_what_it_gets(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Hyper:
        n_mels = 20

    hp = Hyper


    class Reference(nn.Module):
        '''
        inputs --- [N, T/r, n_mels*2]  mels
        '''

        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(20, 8)

        def forward(self, inputs):
            many = inputs.size(0)
            return self.lin(inputs.view(many, 1, -1, hp.n_mels)).sum(2)


    class Style(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = Reference()

        def forward(self, mels):
            return self.encoder(mels)


    class Pairs(nn.Module):
        '''
        Shapes:
            uids: (B).
            pads: (B, SeqMaxLen, 2).
        '''

        def __init__(self):
            super().__init__()
            self.users, self.items = nn.Embedding(40, 8), nn.Embedding(60, 8)
            self.marks = nn.Embedding(6, 8)

        def forward(self, uids, pads):
            seen = self.items(pads[:, :, 0]) + self.marks(pads[:, :, 1])
            return (torch.cat([seen.sum(1), self.users(uids)], 1)).sum(1)
    """,
    )
    style = str(fed["Style"][0])
    assert style.startswith("float32[batch, ")
    assert style.endswith(", 40]")
    assert str(fed["Pairs"][0]).startswith("int64[batch] in 0..")
    assert str(fed["Pairs"][1]).startswith("int64[batch, sequence, 2] in 0..")


def test_a_setting_that_a_loop_counts_through_is_several(tmp_path: Path) -> None:
    (tmp_path / "parse.py").write_text(
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--drops', default='[0.1,0.2]')\n"
        "parser.add_argument('--width_of_all', type=int, default=24)\n"
    )
    fed = feed_models(
        tmp_path,
        """
    class Drops(nn.Module):
        def __init__(self, args):
            super().__init__()
            self.drops = args.drops
            self.lin = nn.Linear(args.width_of_all, 8)

        def forward(self, x):
            for k in range(2):
                x = nn.Dropout(self.drops[k])(x)
            return self.lin(x)
    """,
    )
    assert fed["Drops"] == ["float32[batch, 24]"]


def test_a_default_of_several_words_is_what_a_command_line_would_hold(tmp_path: Path) -> None:
    (tmp_path / "parse.py").write_text(
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('-shares', nargs='+', type=float, default='0.5 0.25')\n"
        "parser.add_argument('-width_of_all', type=int, default=24)\n"
    )
    fed = feed_models(
        tmp_path,
        """
    class Part(nn.Module):
        def __init__(self, shares):
            super().__init__()
            self.lin = nn.Linear(24, int(shares[1] * 8))

        def forward(self, x):
            return self.lin(x)

    class Shares(nn.Module):
        def __init__(self, args):
            super().__init__()
            self.part, self.first = Part(args.shares), nn.Linear(args.width_of_all, 24)

        def forward(self, x):
            return self.part(self.first(x))
    """,
    )
    assert fed["Shares"] == ["float32[batch, 24]"]


def test_settings_begin_with_what_a_function_of_another_file_gives(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "base.py").write_text(
        "import ml_collections\n\n\ndef get_default_configs():\n"
        "    config = ml_collections.ConfigDict()\n"
        "    config.data = data = ml_collections.ConfigDict()\n"
        "    data.channels_of_all = 5\n"
        "    config.model = ml_collections.ConfigDict()\n"
        "    return config\n"
    )
    (tmp_path / "configs" / "small.py").write_text(
        "from configs.base import get_default_configs\n\n\ndef get_config():\n"
        "    config = get_default_configs()\n"
        "    model = config.model\n"
        "    model.act_of_all = 'swish'\n"
        "    model.width_of_all = 24\n"
        "    return config\n"
    )
    fed = feed_models(
        tmp_path,
        """
    class Score(nn.Module):
        def __init__(self, config):
            super().__init__()
            if config.model.act_of_all.lower() != "swish":
                raise NotImplementedError(config.model.act_of_all)
            self.lin = nn.Conv2d(config.data.channels_of_all, config.model.width_of_all, 1)

        def forward(self, x):
            return self.lin(x)
    """,
    )
    assert fed["Score"] == ["float32[batch, 5, height, width]"]


def test_of_choices_the_first_is_taken_where_the_default_is_none_of_them(tmp_path: Path) -> None:
    (tmp_path / "parse.py").write_text(
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--coder_of_all', default='fold', choices=['folded', 'graph'])\n"
        "parser.add_argument('--width_of_all', type=int, default=24)\n"
    )
    fed = feed_models(
        tmp_path,
        """
    class Coded(nn.Module):
        def __init__(self, args):
            super().__init__()
            if args.coder_of_all == "folded":
                self.coder = nn.Linear(args.width_of_all, 4)
            elif args.coder_of_all == "graph":
                self.coder = nn.Linear(2 * args.width_of_all, 4)

        def forward(self, x):
            return self.coder(x)
    """,
    )
    assert fed["Coded"] == ["float32[batch, 24]"]


def test_the_weights_of_a_table_are_as_many_and_wide_as_it(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Words(nn.Module):
        def __init__(self, vocab_size, embedding_length, weights):
            super().__init__()
            self.table = nn.Embedding(vocab_size, embedding_length)
            self.table.weight = nn.Parameter(weights, requires_grad=False)
            self.lstm = nn.LSTM(embedding_length, 4, batch_first=True)

        def forward(self, words):
            return self.lstm(self.table(words))[0]
    """,
    )
    assert fed["Words"] == ["int64[batch, sequence] in 0..126"]
