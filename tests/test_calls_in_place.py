"""A model is called as another is in its place: by a mapping of classes, in a branch, by a star import."""

from __future__ import annotations

from pathlib import Path

from test_project_calls import fed, run_net

OTHER = """
    import torch
    from torch import nn

    class Other(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.conv = nn.Conv2d(width, 2, 1)

        def forward(self, image):
            return self.conv(image)
"""


def test_a_class_out_of_a_mapping_is_called_as_any_of_them(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        nets__other_py=OTHER,
        train_py="""
        import argparse
        from nets.net import Net
        from nets.other import Other

        class Trainer:
            def __init__(self, opt):
                self.net = opt.kind(opt.width)

        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--name", default="other")
            parser.add_argument("--width", type=int, default=7)
            opt = parser.parse_args()
            kinds = {"net": Net, "other": Other}
            opt.kind = kinds[opt.name]
            Trainer(opt)

        if __name__ == "__main__":
            main()
        """,
    )
    assert model.arguments["width"] == 7


def test_what_another_class_is_fed_in_its_place_is_fed_to_it(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        nets__other_py=OTHER,
        demo_py="""
        import argparse
        import torch
        from nets.net import Net
        from nets.other import Other

        parser = argparse.ArgumentParser()
        parser.add_argument("--net", default="other")
        args = parser.parse_args()
        if args.net == "other":
            net = Other(5)
        else:
            net = Net(5)
        net(torch.randn(4, 5, 40, 48))
        """,
    )
    assert model.arguments["width"] == 5
    assert "float32[batch=4, 5, height=40, width=48]" in str(fed(model))


def test_a_star_import_brings_the_class(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        train_py="""
        from nets.net import *

        width = 6
        net = Net(width, classes=4)
        """,
    )
    assert model.arguments == {"width": 6, "classes": 4}


def test_a_table_of_word_vectors_is_as_wide_as_the_settings_say(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        net="""
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, embedding_matrix, opt):
                super().__init__()
                table = torch.tensor(embedding_matrix, dtype=torch.float)
                self.words = nn.Embedding.from_pretrained(table)
                self.rnn = nn.GRU(opt.embed_dim, 8, batch_first=True)

            def forward(self, text):
                return self.rnn(self.words(text))[0]
        """,
        train_py="""
        import argparse
        from nets.net import Net

        parser = argparse.ArgumentParser()
        parser.add_argument("--embed_dim", type=int, default=40)
        opt = parser.parse_args()
        model = Net(load_vectors("vectors.txt"), opt)
        """,
    )
    assert model.arguments["embedding_matrix"].startswith("ndarray")
    assert "int64[batch=2, sequence=16]" in str(fed(model))


def test_what_is_asked_for_something_of_tensors_becomes_one(tmp_path: Path) -> None:
    model = run_net(
        tmp_path,
        net="""
        import torch
        from torch import nn

        class Inner(nn.Module):
            def __init__(self, width, groups):
                super().__init__()
                self.groups = groups.to(groups.device)
                self.layer = nn.Linear(width, 4)

            def forward(self, x):
                return self.layer(x @ self.groups)


        class Net(nn.Module):
            def __init__(self, input_dim, group_matrix=[]):
                super().__init__()
                self.inner = Inner(
                    input_dim,
                    group_matrix,
                )

            def forward(self, x):
                return self.inner(x)
        """,
    )
    assert model.arguments["input_dim"] == 64
    assert model.arguments["group_matrix"].startswith("Tensor")
