"""Arguments that parts take apart, that a mode hands on, that an assertion names; models that training starts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_feed_several import feed_models

from lintorch.guest.feed.fix_dtype import lower_integers
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.record.models import Input


def test_what_a_part_takes_apart_is_a_graph(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Layer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.lin = nn.Linear(width, 12)

        def forward(self, data):
            node_features, edge_index = data
            seen = self.lin(node_features)
            source, target = edge_index[0], edge_index[1]
            out = torch.zeros_like(seen).index_add(0, target, seen[source])
            return out, edge_index


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(Layer(24), Layer(12))

        def forward(self, data):
            return self.net(data)[0]
    """,
    )
    assert fed["Net"] == [["float32[nodes, 24]", "int64[2, edges] in 0..3"]]


def test_a_mode_that_is_told_by_name_chooses_what_is_fed(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Rank(nn.Module):
        def __init__(self):
            super().__init__()
            self.user_table, self.item_table = nn.Embedding(40, 8), nn.Embedding(60, 8)

        def loss(self, user_ids, pos_ids, neg_ids):
            user = self.user_table(user_ids)
            return (user * (self.item_table(neg_ids) - self.item_table(pos_ids))).sum()

        def score(self, user_ids, item_ids):
            return self.user_table(user_ids) @ self.item_table(item_ids).t()

        def forward(self, *input, mode):
            if mode == "train":
                return self.loss(*input)
            if mode == "predict":
                return self.score(*input)


    class Flagged(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(24, 1)

        def loss(self, better, worse):
            return (self.lin(worse) - self.lin(better)).mean()

        def score(self, values):
            return self.lin(values)

        def forward(self, *input, is_train):
            if is_train:
                return self.loss(*input)
            else:
                return self.score(*input)
    """,
    )
    assert fed["Rank"] == ["int64[batch] in 0..39", "int64[batch] in 0..59"]
    assert fed["Flagged"] == ["float32[batch, 24]"]


def test_an_assertion_names_what_is_fed_though_it_has_a_default(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Vocode(nn.Module):
        def __init__(self):
            super().__init__()
            self.wave, self.mel = nn.Conv1d(1, 16, 1), nn.Conv1d(20, 16, 1)

        def forward(self, audio, mel=None):
            assert (mel is None and self.mel is None) or \\
                   (mel is not None and self.mel is not None)
            return self.wave(audio).mean(2) + self.mel(mel).mean(2)
    """,
    )
    assert fed["Vocode"] == ["float32[batch, 1, length]", "float32[batch, 20, length_mel]"]


def test_what_there_is_for_two_places_of_a_sequence_has_both(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Times(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.times = nn.Embedding(40, 8), nn.Embedding(20, 8)

        def forward(self, items, time_matrix):
            seen, apart = self.table(items), self.times(time_matrix)
            scores = seen @ seen.mT + (apart @ seen.unsqueeze(-1)).squeeze(-1)
            return scores.softmax(-1) @ seen
    """,
    )
    assert fed["Times"][0] == "int64[batch, sequence] in 0..38"
    assert str(fed["Times"][1]).startswith("int64[batch, sequence, sequence]")


def test_a_model_that_training_starts_has_been_trained_for_a_run(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class ActNorm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.scale, self.started = nn.Parameter(torch.zeros(1, width, 1, 1)), False

        def forward(self, x):
            assert x.size(1) == self.scale.size(1), (
                f"takes {self.scale.size(1)} channels")
            if not self.started:
                if not self.training:
                    raise ValueError("in eval mode, but not initialized")
                self.scale.data.copy_(1 / x.std((0, 2, 3), keepdim=True))
                self.started = True
            return x * self.scale


    class Flow(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.conv = ActNorm(12), nn.Conv2d(12, 12, 1)

        def forward(self, x):
            return self.conv(self.norm(nn.functional.pixel_unshuffle(x, 2)))
    """,
    )
    assert fed["Flow"] == ["float32[batch, 3, height, width]"]


def test_rows_are_as_many_as_the_model_says(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    fed = feed_models(
        tmp_path,
        """
    class Joined(nn.Module):
        def __init__(self, norm_adj, n_user=40, n_item=60, width=8):
            super().__init__()
            self.n_user, self.n_item = n_user, n_item
            self.rows = nn.Parameter(torch.rand(n_user + n_item, width))
            found = norm_adj.tocoo()
            places = torch.tensor([found.row.tolist(), found.col.tolist()])
            values = torch.tensor(found.data.tolist())
            self.joined = torch.sparse_coo_tensor(places, values, found.shape)

        def forward(self, users, items):
            seen = torch.sparse.mm(self.joined, self.rows)
            return (seen[: self.n_user][users] * seen[self.n_user :][items]).sum(1)
    """,
    )
    assert fed["Joined"] == ["int64[batch] in 0..39", "int64[batch] in 0..59"]


def test_a_method_that_a_mode_names_by_default_is_handed_the_arguments(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Caption(nn.Module):
        def __init__(self):
            super().__init__()
            self.picture, self.table = nn.Linear(24, 8), nn.Embedding(20, 8)

        def forward(self, *args, **kwargs):
            mode = kwargs.get("mode", "forward")
            if "mode" in kwargs:
                del kwargs["mode"]
            return getattr(self, "_" + mode)(*args, **kwargs)

        def _forward(self, features, words):
            return self.picture(features)[:, None] + self.table(words)
    """,
    )
    assert fed["Caption"] == ["float32[batch, 24]", "int64[batch, sequence] in 0..18"]


def test_what_a_part_uses_as_a_tensor_is_no_number_whatever_another_calls_it(
    tmp_path: Path,
) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Embed(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(7, 8, 3, padding=1)

        def forward(self, x):
            return self.conv(x.permute(0, 2, 1)).transpose(1, 2)


    class Smooth(nn.Module):
        def forward(self, seen, level):
            return seen.mean(2, keepdim=True) + level


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.smooth = Embed(), Smooth()

        def forward(self, series):
            return self.smooth(self.embed(series), series)
    """,
    )
    assert fed["Net"] == ["float32[batch, length, 7]"]


def test_a_mapping_has_the_words_that_loops_go_through(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    OF_USERS = ["age", "gender"]


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.more = ("past",)
            self.head = nn.Linear(15, 2)

        def forward(self, features):
            found = []
            for feature in OF_USERS:
                found.append(features[feature])
            for feature in self.more:
                found.append(features[feature])
            return self.head(found[0] + found[1] * found[2])
    """,
    )
    (found,) = fed["Net"]
    assert isinstance(found, dict)
    assert [*found] == ["age", "gender", "past"]


def test_a_volume_is_in_proportion_to_the_shape_that_a_model_was_built_for(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Warp(nn.Module):
        def __init__(self, shape=(6.0, 5.0, 4.0)):
            super().__init__()
            self.shape = shape
            self.register_buffer("grid", torch.zeros([int(n) for n in shape]))
            self.conv = nn.Conv3d(2, 1, 3, stride=4, padding=1)

        def forward(self, moving, fixed):
            return self.conv(torch.cat((moving, fixed), 1)) + self.grid
    """,
    )
    assert fed["Warp"] == 2 * ["float32[batch, 1, 24, 20, 16]"]


def test_helpers_and_layers_of_a_loop_tell_of_what_they_are_handed(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Judge(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.net = nn.Embedding(5, 8), nn.Linear(16, 1)

        def forward(self, states, actions):
            return torch.sigmoid(self.get_logits(states, actions))

        def get_logits(self, states, actions):
            actions = self.table(actions.long())
            return self.net(torch.cat([states, actions], dim=-1))


    class Related(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.lin = nn.Linear(width, width)

        def forward(self, x, relation):
            '''x: seq_len x bsz x width
               relation: tgt_len x src_len x bsz x width
            '''
            told = self.lin(relation).view(len(x), len(x), -1, x.shape[-1])
            return x + (told * x[None]).sum(1)


    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([Related(8), Related(8)])

        def forward(self, x, relation):
            for number, layer in enumerate(self.layers):
                x = layer(x, relation)
            return x


    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.cell = nn.Linear(6, 10), nn.GRUCell(10 + 7, 4)

        def forward(self, x, memory, max_memory_len):
            seen = self.cell(torch.cat((self.first(x), memory.mean(1)), -1))
            return nn.functional.pad(seen, (0, max_memory_len[0] - memory.shape[1]))
    """,
    )
    assert fed["Judge"] == ["float32[batch, 8]", "int64[batch] in 0..4"]
    assert fed["Stack"][0] == "float32[sequence, batch, 8]"
    assert str(fed["Stack"][1]).endswith("batch, 8]")
    assert str(fed["Stack"][1]).count(",") == 3
    assert str(fed["Cell"][1]).endswith(", 7]")
    assert str(fed["Cell"][2]).startswith("int64[batch] down from ")


def test_a_kind_beside_a_code_is_looked_up_and_a_graph_is_twice_its_nodes(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Painter(nn.Module):
        def __init__(self, z_dim=6):
            super().__init__()
            self.table, self.net = nn.Embedding(5, 12), nn.Linear(z_dim + 12, 4)

        def forward(self, z, y):
            if y.dtype is torch.int64:
                y = self.table(y)
            return self.net(torch.cat([z, y / torch.norm(y, dim=1, keepdim=True)], 1))


    class Session(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(50, 24)
            self.inner, self.outer = nn.Linear(24, 24), nn.Linear(24, 24)

        def forward(self, inputs, A):
            hidden = self.table(inputs)
            many = A.shape[1]
            inner = torch.matmul(A[:, :, :many], self.inner(hidden))
            return inner + torch.matmul(A[:, :, many : 2 * many], self.outer(hidden))
    """,
    )
    assert fed["Painter"] == ["float32[batch, 6]", "int64[batch] in 0..4"]
    assert fed["Session"] == ["int64[batch, sequence] in 0..48", "float32[batch, sequence, 32]"]


def test_a_length_that_a_method_uses_as_a_tensor_is_one_for_each_sample(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(30, 8)

        def pick(self, output, place):
            place = place.view(-1, 1, 1).expand(-1, -1, output.shape[-1])
            return output.gather(dim=1, index=place).squeeze(1)

        def forward(self, item_seq, item_seq_len):
            return self.pick(self.table(item_seq), item_seq_len - 1)
    """,
    )
    assert fed["Last"] == ["int64[batch, sequence] in 0..28", "int64[batch] down from sequence"]


def test_fractions_are_never_bounded_so_that_all_are_nothing() -> None:
    image = Input("x", "float32", ("batch", 3, "height", "width"), 0, 2)
    guess = Guess((image, Input("y", "int64", ("batch",), 0, 2)), {"batch": 2})
    told = re.search("range", "index out of range")
    assert told is not None
    found = [*lower_integers(guess, told)]
    assert [2, 1] in [[given.high for given in each.inputs] for each in found]
    assert all(each.inputs[0].high != 1 for each in found)
