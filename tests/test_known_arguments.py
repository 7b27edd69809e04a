"""Arguments of constructors that only the project knows: its settings, its words, its blocks."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from examining import examine_files
from reported import model_of, subject_of

from lintorch.host.reports import Report
from lintorch.record.arguments import pick_tensors
from lintorch.record.input_notation import write_arguments
from lintorch.record.model_options import ModelLimits

HEAD = """
import torch
from torch import nn
"""


def examine_project(folder: Path, **files: str) -> dict[str, Report]:
    """Reports by class, of the models in `nets.py` of a project with these files."""
    (folder / "README.md").touch()
    (folder / "LICENSE").touch()
    for name, text in files.items():
        path = folder / re.sub("_(py|yaml|toml)$", r".\1", name.replace("__", "/"))
        path.parent.mkdir(exist_ok=True)
        path.write_text((HEAD if path.suffix == ".py" else "") + textwrap.dedent(text))
    reports = examine_files(
        [folder / "nets.py"], folder, trace=False, limits=ModelLimits(seconds=60)
    )
    return {subject_of(report).qualname: report for report in reports}


def test_settings_come_from_the_set_that_holds_what_is_read(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Words(nn.Module):
            def __init__(self, args):
                super().__init__()
                self.args = args
                sizes = args.kernel_sizes
                self.embed = nn.Embedding(args.vocab, args.embed_dim)
                self.convs = nn.ModuleList(nn.Conv1d(args.embed_dim, 7, k) for k in sizes)
                self.tie = args.static

            def forward(self, x):
                x = self.embed(x).transpose(1, 2)
                return torch.cat([conv(x).amax(2) for conv in self.convs], 1)

        class Staged(nn.Module):
            def __init__(self, cfg, **kwargs):
                super().__init__()
                extra = cfg.MODEL.EXTRA
                self.first = extra["STAGE1"]
                self.stem = nn.Conv2d(3, self.first["CHANNELS"][0], 3)
                self.rest = self.make_rest(extra["STAGE2"], getattr(cfg, "DEEP", False))
                self.head = nn.Conv2d(self.first["CHANNELS"][0], cfg.DATASET.CLASSES, 1)

            def make_rest(self, stage, deep):
                if deep is not False:
                    raise ValueError(deep)
                return nn.Conv2d(stage["CHANNELS"][-1], stage["CHANNELS"][-1], stage["KERNEL"])

            def forward(self, x):
                return self.head(self.rest(self.stem(x)))
        """,
        train_py="""
        import argparse

        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("-embed-dim", type=int, default=48)
            parser.add_argument("--kernel-sizes", type=str, default="3,4,5")
            parser.add_argument("--static", action="store_true")
            parser.add_argument("--epochs", type=int, required=True)
            return parser.parse_args()
        """,
        configs__default_py="""
        from yacs.config import CfgNode as CN

        _C = CN()
        _C.DATASET = CN()
        _C.DATASET.CLASSES = 6
        _C.MODEL = CN()
        _C.MODEL.EXTRA = CN(new_allowed=True)
        """,
        configs__small_yaml="""
        MODEL:
          EXTRA:
            STAGE1:
              CHANNELS: [12, 24]
            STAGE2:
              CHANNELS: [24, 12]
              KERNEL: 3
        """,
    )
    words, staged = model_of(reports["Words"]), model_of(reports["Staged"])
    assert str(words.arguments["args"]).endswith("train.py")
    assert words.parameters == 128 * 48 + 7 * (48 * (3 + 4 + 5) + 3)
    assert str(staged.arguments["cfg"]).endswith("small.yaml")
    assert staged.parameters == 12 * 28 + 12 * (12 * 9 + 1) + 6 * 13


def test_arguments_agree_with_the_text_and_one_another(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        def make_activation(name):
            if name == "none":
                raise ValueError("nothing")
            elif name == "gelu":
                return nn.GELU()
            elif name == "relu":
                return nn.ReLU()
            raise ValueError(name)

        class Block(nn.Module):
            expansion = 2

            def __init__(self, inplanes, planes, downsample=None):
                super().__init__()
                self.conv = nn.Conv2d(inplanes, planes * 2, 3, padding=1)
                self.downsample = downsample

            def forward(self, x):
                return self.conv(x) + (self.downsample(x) if self.downsample else x)

        class Net(nn.Module):
            def __init__(self, block, layers, nonlinearity, depth):
                super().__init__()
                assert depth in (18, 50)
                self.stem = nn.Conv2d(3, 16, 3)
                self.body = nn.ModuleList(self.make(block, count) for count in layers)
                self.act = make_activation(nonlinearity)

            def make(self, block, count):
                return nn.Sequential(*[block(16, 16 // block.expansion) for _ in range(count)])

            def forward(self, x):
                x = self.stem(x)
                for part in self.body:
                    x = self.act(part(x))
                return x

        class Merge(nn.Module):
            def __init__(self, input_resolution, dim):
                super().__init__()
                self.input_resolution = input_resolution
                self.reduce = nn.Linear(4 * dim, dim)

            def forward(self, x):
                h, w = self.input_resolution
                batch, tokens, dim = x.shape
                assert tokens == h * w, "as many tokens as places"
                x = x.view(batch, h // 2, 2, w // 2, 2, dim).transpose(2, 3)
                return self.reduce(x.reshape(batch, -1, 4 * dim))

        class Coder(nn.Module):
            def __init__(self, n_source_vocab, pad_idx, width):
                super().__init__()
                self.embed = nn.Embedding(n_source_vocab, width, padding_idx=pad_idx)

            def forward(self, tokens):
                return self.embed(tokens)
        """,
    )
    given = {name: dict(model_of(report).arguments) for name, report in reports.items()}
    net = given["Net"]
    assert (net["block"], net["nonlinearity"], net["depth"]) == ("Block", "gelu", 18)
    assert given["Coder"] == {"n_source_vocab": 128, "pad_idx": 0, "width": 64}
    merge = model_of(reports["Merge"])
    assert write_arguments(merge.inputs, merge.sizes) == ["float32[batch=2, 4096, 64]"]


def test_a_block_that_adds_its_input_is_as_wide_as_it(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Bottleneck(nn.Module):
            expansion = 4

            def __init__(self, inplanes, planes, stride=1, downsample=None):
                super().__init__()
                self.conv = nn.Conv2d(inplanes, planes * 4, 3, stride, padding=1)
                self.downsample = downsample

            def forward(self, x):
                short = x if self.downsample is None else self.downsample(x)
                return self.conv(x) + short
        """,
    )
    assert dict(model_of(reports["Bottleneck"]).arguments) == {"inplanes": 256, "planes": 64}


def test_states_and_rows_beside_the_input_are_of_the_shapes_their_layers_take(
    tmp_path: Path,
) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Language(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(50, 16)
                self.rnn = nn.LSTM(16, 12, 2)

            def forward(self, tokens, hidden):
                return self.rnn(self.embed(tokens), hidden)

        class Labelled(nn.Module):
            def __init__(self, labels=5):
                super().__init__()
                self.conv = nn.Conv2d(3 + labels, 4, 3)

            def forward(self, x, c):
                c = c.view(c.size(0), c.size(1), 1, 1).expand(-1, -1, x.size(2), x.size(3))
                return self.conv(torch.cat([x, c], 1))

        class Styled(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(16, 4, 3)
                self.scale = nn.Linear(8, 4)

            def forward(self, content, style):
                return self.conv(content) * self.scale(style.flatten(1))[:, :, None, None]

        class Coded(nn.Module):
            def __init__(self, size=7, kinds=5, codes=2):
                super().__init__()
                self.first = nn.Linear(size + kinds + codes, 16)

            def forward(self, noise, labels, code):
                return self.first(torch.cat((noise, labels, code), -1))

        class Base(nn.Module):
            def __init__(self, channels, levels):
                super().__init__()
                self.convs = nn.ModuleList(nn.Conv2d(channels, 4, 3) for i in range(4) if i in levels)

            def forward(self, x):
                return sum(conv(x) for conv in self.convs)

        class Doubled(Base):
            def __init__(self, channels, **kwargs):
                super().__init__(channels * 2, **kwargs)
        """,
    )
    fed = {name: write_arguments((m := model_of(r)).inputs, m.sizes) for name, r in reports.items()}
    state = "float32[2, sequence=16, 12]"
    assert fed["Language"] == ["int64[batch=2, sequence=16] in 0..48", [state, state]]
    assert [each.partition("[")[2].count(",") + 1 for each in fed["Labelled"]] == [4, 2]
    assert fed["Styled"] == ["float32[batch=2, 16, height=64, width=64]", "float32[batch=2, 8]"]
    assert fed["Coded"] == [f"float32[batch=2, {width}]" for width in (6, 4, 4)]
    assert "levels" in model_of(reports["Doubled"]).arguments


def test_settings_are_read_off_the_constructor_of_a_class(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Config:
            def __init__(self, dataset, embedding):
                self.labels = [line.strip() for line in open(dataset + "/labels.txt")]
                self.table = torch.load(embedding) if embedding != "random" else None
                self.device = torch.device("cuda")
                self.n_vocab = 0  # known when the words are read
                self.embed = self.table.size(1) if self.table is not None else 30
                self.filter_sizes = (2, 3)

        class Words(nn.Module):
            def __init__(self, config):
                super().__init__()
                if config.table is not None:
                    self.embedding = nn.Embedding.from_pretrained(config.table)
                else:
                    self.embedding = nn.Embedding(config.n_vocab, config.embed)
                self.convs = nn.ModuleList(nn.Conv1d(config.embed, 5, k) for k in config.filter_sizes)

            def forward(self, x):
                x = self.embedding(x[0]).transpose(1, 2)
                return torch.cat([conv(x).amax(2) for conv in self.convs], 1)
        """,
    )
    words = model_of(reports["Words"])
    assert words.parameters == 128 * 30 + 5 * (30 * (2 + 3) + 2)
    assert write_arguments(words.inputs, {})[0][0] == "int64[batch, sequence] in 0..126"


def test_settings_are_read_of_a_conf_file_that_holds_json(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    written = '{"batch": 24, "model": {"filters": [6, [1, 12]], "nodes": [9, 5]}}'
    (tmp_path / "config" / "net.conf").write_text(written)
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Net(nn.Module):
            def __init__(self, d_args):
                super().__init__()
                filters, nodes = d_args["filters"], d_args["nodes"]
                self.first = nn.Linear(filters[0], filters[1][-1])
                self.last = nn.Linear(filters[-1][-1], nodes[0])

            def forward(self, x):
                return self.last(self.first(x))
        """,
    )
    net = model_of(reports["Net"])
    assert str(net.arguments["d_args"]).endswith("net.conf")
    assert net.parameters == 12 * 7 + 9 * 13


def test_a_class_that_a_configuration_names_gets_what_stands_beside_its_name(
    tmp_path: Path,
) -> None:
    reports = examine_project(
        tmp_path,
        configs__small_yaml="""
        data: {name: Photos}
        model:
          arch:
            name: Detector
            backbone: {name: plain, widths: [12, 24]}
            head: {norm: {kind: BN}, classes: 7}
            unknown: 3
        encoder: {_target_: nets.Encoder, init_args: {width: 20}}
        SERIES: {NAME: Series, PARAM: {steps: 9, channels: 5}}
        Speaker: {wide: 11, act: relu}
        """,
        nets_py="""
        class Detector(nn.Module):
            def __init__(self, backbone, head):
                super().__init__()
                assert backbone.pop("name") == "plain" and head.norm.kind == "BN"
                first, last = backbone["widths"]
                self.stem = nn.Conv2d(3, first, 3)
                self.body = nn.Conv2d(first, last, 3)
                self.head = nn.Conv2d(last, head.classes, 1)

            def forward(self, x):
                return self.head(self.body(self.stem(x)))

        class Series(nn.Module):
            def __init__(self, **model_args):
                super().__init__()
                self.layer = nn.Conv1d(model_args["channels"], model_args["steps"], 1)

            def forward(self, x):
                return self.layer(x)

        class Speaker(nn.Module):
            def __init__(self, wide, act):
                super().__init__()
                self.layer = nn.Linear(wide, 2)

            def forward(self, x):
                return self.layer(x)

        class Encoder(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.layer = nn.Linear(width, 2)

            def forward(self, x):
                return self.layer(x)
        """,
    )
    detector, encoder = model_of(reports["Detector"]), model_of(reports["Encoder"])
    assert detector.parameters == 3 * 12 * 9 + 12 + 12 * 24 * 9 + 24 + 24 * 7 + 7
    assert encoder.arguments["width"] == 20
    series = model_of(reports["Series"])
    assert series.parameters == 5 * 9 + 9
    speaker = model_of(reports["Speaker"])
    assert speaker.arguments["wide"] == 11
    for model in (detector, encoder, series, speaker):
        assert "arguments from configs/small.yaml" in model.assumptions


def test_settings_refer_to_one_another_and_stand_behind_the_name_of_their_class(
    tmp_path: Path,
) -> None:
    reports = examine_project(
        tmp_path,
        config_yaml="""
        data: {length: 12}
        training: {length: "${data.length}", rate: 1e-3, nonlinearity: elu}
        model: nets.Graphs
        model_args: {nodes: 5, graph: line}
        """,
        settings_py="""
        class Config:
            def __init__(self):
                self.width = 20
                self.kernel = 3
                self.inner = Inner()

        class Inner:
            def __init__(self):
                self.steps = 6
        """,
        nets_py="""
        class Steps(nn.Module):
            def __init__(self, config):
                super().__init__()
                assert config["nonlinearity"].lower() == "elu"
                self.rate = 1 + config["rate"]
                self.layer = nn.Linear(config["length"], 2)

            def forward(self, x):
                return self.layer(x) * self.rate

        class Graphs(nn.Module):
            def __init__(self, nodes=3, graph=None):
                super().__init__()
                if graph is None:
                    raise ValueError()
                self.layer = nn.Linear(nodes, 2)

            def forward(self, x):
                return self.layer(x)

        class Inside(nn.Module):
            def __init__(self, configs):
                super().__init__()
                self.width = configs.width
                self.layer = nn.Linear(self.width, configs.inner.steps)

            def forward(self, x):
                return self.layer(x)

        class Levels(nn.Module):
            def __init__(self, width=10, levels=(8)):
                super().__init__()
                self.layer = nn.Linear(width, 2 if width in levels else 3)

            def forward(self, x):
                return self.layer(x)
        """,
    )
    parameters = {name: model_of(report).parameters for name, report in reports.items()}
    assert parameters == {"Steps": 26, "Graphs": 12, "Inside": 126, "Levels": 33}


def test_what_is_dropped_is_a_share(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Drops(nn.Module):
            def __init__(self, in_channels, p_dropout, attn_drop):
                super().__init__()
                self.layer, self.drop = nn.Conv2d(in_channels, 4, 1), nn.Dropout(p_dropout + attn_drop)

            def forward(self, x):
                return self.drop(self.layer(x))
        """,
    )
    arguments = model_of(reports["Drops"]).arguments
    assert (arguments["p_dropout"], arguments["attn_drop"]) == (0.1, 0.1)


def test_words_are_those_of_the_mapping_that_lacks_the_one_made_up(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Base(nn.Module):
            kinds = {"relu": nn.ReLU, "gelu": nn.GELU}

            def __init__(self, kind):
                super().__init__()
                self.act = self.kinds[kind.lower()]()

        class Chosen(Base):
            def __init__(self, in_channels: int, extractor: str, max_action):
                super().__init__(extractor)
                self.layer, self.most = nn.Conv2d(in_channels, 4, 1), max_action

            def forward(self, x):
                return self.most * self.act(self.layer(x))
        """,
    )
    arguments = model_of(reports["Chosen"]).arguments
    assert (arguments["extractor"], arguments["max_action"]) == ("relu", 8)


def test_settings_are_read_of_several_documents_and_of_data_by_one_name(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        config__net_yaml="""
        audio: {bands: 13}
        ---
        model: {width: 24}
        """,
        nets_py="""
        class Net(nn.Module):
            def __init__(self, hp, data):
                super().__init__()
                self.columns = data.m
                self.first = nn.Linear(hp.audio.bands, hp.model.width)
                self.last = nn.Linear(hp.model.width, self.columns)

            def forward(self, x):
                return self.last(self.first(x))
        """,
    )
    net = model_of(reports["Net"])
    assert str(net.arguments["hp"]).endswith("net.yaml")
    assert write_arguments(net.inputs, {}) == ["float32[batch, 13]"]


def test_settings_in_toml_and_arguments_that_are_typed_or_called(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        speech__config_toml="""
        [train]
        batch = 4

        [model.encoder]
        size = 20
        width = 12

        [model.decoder]
        width = 7
        """,
        configs__voice_yaml="""
        Model:
          Narrow: {size: 9, width: 5}
        """,
        nets_py="""
        from typing import Any, Dict

        class Speech(nn.Module):
            def __init__(self, encoder, decoder):
                super().__init__()
                self.encode = nn.Linear(encoder["size"], encoder["width"])
                self.decode = nn.Linear(encoder["width"], decoder["width"])

            def forward(self, x):
                return self.decode(self.encode(x))

        class Voice(nn.Module):
            def __init__(self, config: Dict[str, Any]):
                super().__init__()
                self.layer = nn.Linear(config["Narrow"]["size"], config["Narrow"]["width"])

            def forward(self, x):
                return self.layer(x)

        class Pair(nn.Module):
            def __init__(self, AR, tail):
                super().__init__()
                self.first = nn.Linear(6, 4)
                self.context = AR
                self.rest = tail

            def forward(self, x):
                return self.rest(self.context(self.first(x)))
        """,
    )
    speech = model_of(reports["Speech"])
    assert speech.parameters == 20 * 12 + 12 + 12 * 7 + 7
    assert "arguments from speech/config.toml" in speech.assumptions
    assert model_of(reports["Voice"]).parameters == 9 * 5 + 5
    assert model_of(reports["Pair"]).arguments == {"AR": "Identity()", "tail": "Identity()"}


def test_a_section_of_nothing_but_arguments_is_of_the_class_that_has_them(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        configs__small_yaml="""
        data: {batch: 4, workers: 2, width: 99}
        model:
          share: 0.5
          encoder: {width: 20, act: relu}
          decoder: {width: 6}
        """,
        nets_py="""
        class Part(nn.Module):
            def __init__(self, size, width, act=""):
                super().__init__()
                self.layer, self.width = nn.Linear(size, width), width

            def forward(self, x):
                return self.layer(x)

        class Whole(nn.Module):
            def __init__(self, input_size, share, encoder, decoder):
                super().__init__()
                self.encoder = Part(input_size, **encoder)
                self.decoder = Part(self.encoder.width, **decoder)

            def forward(self, x):
                return self.decoder(self.encoder(x))
        """,
    )
    whole = model_of(reports["Whole"])
    assert whole.parameters == 64 * 20 + 20 + 20 * 6 + 6
    assert "arguments from configs/small.yaml" in whole.assumptions


def test_settings_that_a_file_holds_as_none_are_what_the_project_ships(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        FLAGS = None

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, FLAGS.stem_width, 3)
                self.head = nn.Conv2d(FLAGS.stem_width, FLAGS.kinds, 1)

            def forward(self, image):
                return self.head(self.stem(image))
        """,
        apps__net_yaml="stem_width: 5\nkinds: 4\n",
    )
    model = model_of(reports["Net"])
    assert any(told.startswith("FLAGS, which is None") for told in model.assumptions)


def test_settings_that_a_file_holds_empty_are_what_the_project_ships(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        config_py="""
        class Box(dict):
            def __getattr__(self, name):
                try:
                    return self[name]
                except KeyError as error:
                    raise AttributeError(f"no {name}") from error

        M = Box()
        """,
        nets_py="""
        from config import M

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, M.stem_width, 3)
                self.head = nn.Conv2d(M.stem_width, sum(M.kinds), 1)

            def forward(self, image):
                return self.head(self.stem(image))
        """,
        apps__net_yaml="model:\n  stem_width: 5\n  kinds: [4, 2]\n",
    )
    model = model_of(reports["Net"])
    assert any(told.startswith("M, which is empty") for told in model.assumptions)
    assert model.parameters == 3 * 5 * 9 + 5 + 5 * 6 + 6


def test_a_command_line_of_a_shell_tells_settings(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "net.sh").write_text(
        "python run.py --model Other --width 3 --depth 1\n"
        "python run.py --model Net --width 4 --depth 2\n"
    )
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Net(nn.Module):
            def __init__(self, configs):
                super().__init__()
                assert configs.width == 2 * configs.depth, "twice as wide as deep"
                self.stem = nn.Conv2d(3, configs.width, 3)

            def forward(self, image):
                return self.stem(image)
        """,
        run_py="""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--model", required=True)
        parser.add_argument("--width", type=int, default=8)
        parser.add_argument("--depth", type=int, default=8)
        """,
    )
    assert model_of(reports["Net"]).arguments["configs"].endswith("run.py")


def test_a_class_that_wants_models_is_made_by_its_own_method(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Tokens(nn.Module):
            def __init__(self, many, width):
                super().__init__()
                self.weight = nn.Parameter(torch.rand(many, width))

            def forward(self, x):
                return self.weight[None] * x[..., None]

        class Layers(nn.Module):
            def __init__(self, *, width, heads, depth_of_all, kind):
                super().__init__()
                assert kind in KINDS
                self.inner = nn.MultiheadAttention(width, heads, batch_first=True)
                self.last = nn.Linear(width, 2)

            def forward(self, x):
                return self.last(self.inner(x, x, x)[0].mean(1))

        KINDS = {"plain-kind": 1}

        class Tabular(nn.Module):
            def __init__(self, tokenizer, transformer):
                super().__init__()
                self.tokenizer, self.transformer = tokenizer, transformer

            @classmethod
            def from_pretrained(cls, path):
                return cls(*torch.load(path))

            @classmethod
            def make_default(cls, n_features):
                layers = Layers(width=16, heads=4, depth_of_all=1, kind="plain-kind")
                return cls(Tokens(n_features, 16), layers)

            def forward(self, x):
                return self.transformer(self.tokenizer(x))
        """,
    )
    model = model_of(reports["Tabular"])
    assert model.arguments["factory"] == "Tabular.make_default"
    (given,) = pick_tensors(model.inputs)
    assert len(given.shape) == 2


def test_numbers_are_large_enough_for_what_the_constructor_divides_them_by(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        nets_py="""
        class Painter(nn.Module):
            def __init__(self, z_dim, size, nfilter=4):
                super().__init__()
                self.s0 = size // 32
                self.nf = nfilter
                self.first = nn.Linear(z_dim, nfilter * self.s0 * self.s0)
                self.last = nn.Conv2d(nfilter, 3, 3)

            def forward(self, z):
                out = self.first(z).view(z.size(0), self.nf, self.s0, self.s0)
                return self.last(nn.functional.interpolate(out, scale_factor=2.0))

        class Halving(nn.Module):
            def __init__(self, side, count):
                super().__init__()
                self.layer = nn.Linear(int(side / 16), count // 2**4)

            def forward(self, x):
                return self.layer(x)
        """,
    )
    assert model_of(reports["Painter"]).arguments["size"] == 64
    assert model_of(reports["Halving"]).parameters == 2 * 2 + 2


def test_keys_are_settings_though_a_module_has_a_method_of_that_name(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        configs__base_yaml="""
        train: {rate: 0.5, steps: 3}
        data: {width: 12}
        """,
        nets_py="""
        class Short(nn.Module):
            def __init__(self, hp):
                super().__init__()
                self.rate = hp["train"]["rate"]
                self.layer = nn.Linear(hp["data"]["width"], 2)

            def forward(self, x):
                return self.layer(x) * self.rate

        class Named(nn.Module):
            def __init__(self, told):
                super().__init__()
                self.rate = told["train"]["rate"]
                self.layer = nn.Linear(told["data"]["width"], 3)

            def forward(self, x):
                return self.layer(x) * self.rate
        """,
    )
    assert model_of(reports["Short"]).parameters == 12 * 2 + 2
    assert model_of(reports["Named"]).parameters == 12 * 3 + 3


def test_what_an_object_counts_by_a_method_is_made_up(tmp_path: Path) -> None:
    reports = examine_project(
        tmp_path,
        configs__run_yaml="""
        model: Items
        dataset: books
        hidden_size: 12
        """,
        nets_py="""
        class Base(nn.Module):
            def __init__(self, config, dataset):
                super().__init__()
                self.n_items = dataset.num(config["ITEM_FIELD"])

        class Items(Base):
            def __init__(self, config, dataset):
                super().__init__(config, dataset)
                self.table = nn.Embedding(self.n_items, config["hidden_size"])

            def forward(self, item_seq):
                return self.table(item_seq).mean(1)
        """,
    )
    items = model_of(reports["Items"])
    assert items.parameters == 8 * 12
