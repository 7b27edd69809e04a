"""Rows that matrices of a model's own are multiplied with, settings of a dataclass, and keywords that are got."""

from __future__ import annotations

from pathlib import Path

from test_feed_asked import feed_models


def test_nodes_and_a_matrix_over_them_are_fed_to_layers_of_an_own_weight(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Layer(nn.Module):
        def __init__(self, in_ch, out_ch):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(in_ch, out_ch))

        def forward(self, x, G):
            return G.matmul(x.matmul(self.weight))

    class Net(nn.Module):
        def __init__(self, in_ch, n_class):
            super().__init__()
            self.first, self.last = Layer(in_ch, 8), Layer(8, n_class)

        def forward(self, x, G):
            return self.last(torch.relu(self.first(x, G)), G)
    """,
    )
    assert fed == {"Net": "['float32[nodes=16, 3]', 'float32[nodes=16, nodes=16]']"}


def test_graphs_of_a_batch_are_fed_where_nodes_are_its_second_axis(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    class Layer(nn.Module):
        def __init__(self, width, out):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(width, out))

        def forward(self, x, adj):
            return torch.matmul(torch.matmul(adj, x) + x, self.weight)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.head = Layer(6, 8), nn.Linear(16, 2)

        def forward(self, x, adj):
            x = torch.cat([self.layer(x, adj), self.layer(x, adj)], dim=2)
            return self.head(x.max(dim=1)[0])
    """,
    )
    matrix = "float32[batch=2, sequence=16, sequence=16]"
    assert fed == {"Net": f"['float32[batch=2, sequence=16, 6]', '{matrix}']"}


def test_a_dataclass_of_settings_is_made_by_its_fields(tmp_path: Path) -> None:
    fed = feed_models(
        tmp_path,
        """
    from dataclasses import dataclass

    @dataclass
    class Settings:
        d_model: int
        vocab_size: int
        rank: "Union[int, str]" = "auto"

        def __post_init__(self):
            self.inner = 2 * self.d_model

    @dataclass
    class Huge:
        dim: int = 8192
        vocab_size: int = -1

    class Words(nn.Module):
        def __init__(self, args: 'Settings'):
            super().__init__()
            self.table = nn.Embedding(args.vocab_size, args.d_model)
            self.head = nn.Linear(args.d_model, args.inner)

        def forward(self, ids):
            return self.head(self.table(ids))

    class Large(nn.Module):
        def __init__(self, params: Huge):
            super().__init__()
            self.table = nn.Embedding(params.vocab_size, params.dim)

        def forward(self, ids):
            return self.table(ids)
    """,
    )
    assert set(fed) == {"Words", "Large"}
    assert set(fed.values()) == {"['int64[batch=2, sequence=16] in 0..97']"}


def test_keywords_that_are_got_are_those_that_the_project_ships(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text("model: {nodes_kept: 7, units: 5}\n", encoding="utf-8")
    fed = feed_models(
        tmp_path,
        """
    class Cell(nn.Module):
        def __init__(self, **kwargs):
            super().__init__()
            self.nodes, self.units = int(kwargs.get("nodes_kept", 1)), int(kwargs.get("units"))
            self.weight = nn.Parameter(torch.randn(self.nodes, self.nodes))

        def forward(self, inputs):
            batch, _ = inputs.size()
            rows = torch.reshape(inputs, (batch, self.nodes, -1))
            return torch.einsum("nm,bmf->bnf", self.weight, rows).reshape(batch, -1)

    class Told(nn.Module):
        def __init__(self, nodes_kept=4, units=3):
            super().__init__()
            self.nodes_kept, self.units = nodes_kept, units

        def forward(self, inputs):
            \"\"\":param inputs: shape (batch_size, self.nodes_kept * self.units)\"\"\"
            return inputs.reshape(-1, self.nodes_kept, self.units).sum(1)
    """,
    )
    assert fed == {"Cell": "['float32[batch=2, 7]']", "Told": "['float32[batch=2, 12]']"}
