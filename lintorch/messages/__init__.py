"""What runtimes and exporters print when they fail, and what is known of it."""

from lintorch.messages.describe_support import describe_support
from lintorch.messages.message_kinds import Kind, Rank, Runtime, load_runtimes
from lintorch.messages.read_class import describe_class, find_ending, read_class, read_refused
from lintorch.messages.read_releases import Releases, read_releases
from lintorch.messages.recognise import Recognised, looks_like_error, recognise
from lintorch.messages.sharpen import sharpen
from lintorch.messages.unify_text import unify_text
from lintorch.messages.who_speaks import guess_runtime

__all__ = [
    "Kind",
    "Rank",
    "Recognised",
    "Releases",
    "Runtime",
    "describe_class",
    "describe_support",
    "find_ending",
    "guess_runtime",
    "load_runtimes",
    "looks_like_error",
    "read_class",
    "read_refused",
    "read_releases",
    "recognise",
    "sharpen",
    "unify_text",
]
