"""Models that transformers and diffusers would fetch: built from what their class or name says of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from lintorch.guest.imports.project_reads import find_in_project
from lintorch.guest.imports.stand_in import Missing, StandIn
from lintorch.guest.imports.user_frames import get_user_code
from lintorch.guest.weights.nothing_to_load import MissingWeightsError, note_missed

_MODELS = (
    ("transformers.modeling_utils", "PreTrainedModel"),
    ("diffusers.models.modeling_utils", "ModelMixin"),
)
_AUTO_MODELS = (("transformers.models.auto.auto_factory", "_BaseAutoModelClass"),)
_CONFIGS = (
    ("transformers.configuration_utils", "PreTrainedConfig"),
    ("transformers.configuration_utils", "PretrainedConfig"),
)
_AUTO_CONFIGS = (("transformers.models.auto.configuration_auto", "AutoConfig"),)
_OTHERS = (
    ("transformers.tokenization_utils_base", "PreTrainedTokenizerBase"),
    ("transformers.models.auto.tokenization_auto", "AutoTokenizer"),
    ("transformers.models.auto.processing_auto", "AutoProcessor"),
    ("transformers.models.auto.feature_extraction_auto", "AutoFeatureExtractor"),
    ("transformers.models.auto.image_processing_auto", "AutoImageProcessor"),
    ("transformers.processing_utils", "ProcessorMixin"),
    ("transformers.feature_extraction_utils", "FeatureExtractionMixin"),
)
_done: set[Any] = set()


def build_pretrained_from_config() -> None:
    """Have classes that are loaded by now build what the user's code would fetch, with random weights."""
    for places, make in (
        (_MODELS, _make_model),
        (_AUTO_MODELS, _make_auto_model),
        (_CONFIGS, _make_config),
        (_AUTO_CONFIGS, _make_auto_config),
        (_OTHERS, _make_stand_in),
    ):
        for module, name in places:
            kind = vars(sys.modules[module]).get(name) if module in sys.modules else None
            for each in _list_classes(kind) if kind is not None else ():
                if each not in _done:
                    _done.add(each)
                    each.from_pretrained = classmethod(_make_method(each.from_pretrained, make))


def _list_classes(kind: Any) -> Iterator[Any]:
    """A class, and those derived from it that fetch in a way of their own."""
    if "from_pretrained" in vars(kind):
        yield kind
    for each in type.__subclasses__(kind):
        yield from _list_classes(each)


def _make_method(before: Any, make: Any) -> Any:
    def from_pretrained(cls: Any, name: Any = None, *args: Any, **kwargs: Any) -> Any:
        code = get_user_code()
        place = code.name_place() if code is not None else ""
        folder = find_in_project(name)
        if not place or (isinstance(folder, (str, os.PathLike)) and os.path.isdir(folder)):
            return before.__func__(cls, folder, *args, **kwargs)
        return make(cls, str(name), place, *args, **kwargs)

    from_pretrained.__module__ = before.__module__  # who asks is told that a package builds it
    return from_pretrained


def _make_model(
    cls: Any, name: str, place: str, *args: Any, config: Any = None, **kwargs: Any
) -> Any:
    note_missed(name, place)
    kind = getattr(cls, "config_class", None)
    if kind is None:
        return cls(**kwargs) if not hasattr(cls, "from_config") else cls.from_config({})
    if config is None or isinstance(config, (str, os.PathLike)):
        config = kind()
    return cls(_change_config(config, kwargs), *args)


def _make_auto_model(
    cls: Any, name: str, place: str, *args: Any, config: Any = None, **kwargs: Any
) -> Any:
    note_missed(name, place)
    if config is None or isinstance(config, (str, os.PathLike)):
        config = _guess_config(name)
    return cls.from_config(_change_config(config, kwargs))


def _make_config(cls: Any, name: str, place: str, **kwargs: Any) -> Any:
    note_missed(f"the configuration of {name}", place)
    return _change_config(cls(), kwargs)


def _make_auto_config(cls: Any, name: str, place: str, **kwargs: Any) -> Any:
    note_missed(f"the configuration of {name}", place)
    return _change_config(_guess_config(name), kwargs)


def _make_stand_in(cls: Any, name: str, place: str, *args: Any, **kwargs: Any) -> Any:
    return StandIn(Missing(f"the {cls.__name__} of {name}", "is not here"), name)


def _guess_config(name: str) -> Any:
    """The usual configuration of the kind of model that is named. Raises MissingWeightsError."""
    kinds = sys.modules["transformers"].CONFIG_MAPPING
    words = name.lower().replace("_", "-")
    fitting = [kind for kind in kinds if kind.replace("_", "-") in words]
    if not fitting:
        raise MissingWeightsError(f"needs the configuration of {name}, which is not fetched")
    return kinds[max(fitting, key=len)]()


def _change_config(config: Any, given: Any) -> Any:
    for name, value in given.items():
        if name == "num_labels" or name in vars(config):
            setattr(config, name, value)
    return config
