"""LT706: a download whose host nobody checks, in code that loads weights."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT706",
    summary="a download without a check of the certificate",
    why="""
        Weights and data that are fetched with `verify=False`, or after the default context of ssl was made one that
        checks nothing, come from whoever sits on the line: they may be other weights, or a pickle that runs code
        when torch.load reads it. `ssl._create_default_https_context` is of the whole process: every later download
        of torch.hub and others is unchecked too. Install the certificates that are missing (`pip install certifi`,
        the program "Install Certificates" of Python on macOS), and give the hash of the file:
        `load_state_dict_from_url(url, check_hash=True)`.
    """,
    bad="""
        import io

        import requests
        import torch


        def weights(url):
            answer = requests.get(url, verify=False)
            return torch.load(io.BytesIO(answer.content), weights_only=True)
    """,
    good="""
        import io

        import requests
        import torch


        def weights(url):
            answer = requests.get(url)
            return torch.load(io.BytesIO(answer.content), weights_only=True)
    """,
    remedy="leave the check on, and install the certificates that are missing",
    unproven="""
        It takes somebody on the line.
    """,
)

UNCHECKED = ("ssl._create_unverified_context", "ssl._create_stdlib_context")
FETCHING = ("requests.", "httpx.", "urllib3.")


@rule.source(cst.Assign, needs=("ssl",))
def of_process(assign: cst.Assign, source: Source) -> Iterator[Hit]:
    """`ssl._create_default_https_context = ssl._create_unverified_context`."""
    target = source.code(assign.targets[0].target)
    if target == "ssl._create_default_https_context" and source.name(assign.value) in UNCHECKED:
        yield Hit(assign, "from here on nothing that is downloaded over https is checked")


@rule.source(cst.Call, needs=("verify=False", "verify = False"))
def of_request(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`requests.get(url, verify=False)`."""
    fetches = source.name(call.func).startswith(FETCHING) and not source.is_test
    verify = [e for e in call.args if e.keyword is not None and e.keyword.value == "verify"]
    if fetches and verify and source.code(verify[0].value) == "False":
        yield Hit(call, "what comes may be from anybody: the certificate is not checked")
