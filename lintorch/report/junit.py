"""The findings as failed tests, one suite for each file, as CI servers show them."""

from __future__ import annotations

import os
import re
from itertools import groupby
from typing import TextIO
from xml.etree import ElementTree

from lintorch.core.finding import Finding
from lintorch.report.places import find_start, shown_path, write_location
from lintorch.report.result import Result
from lintorch.report.wording import write_message

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no document of XML 1.0 may hold, not even escaped."""


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the document in ASCII; without findings it holds one test that passed."""
    number = str(len(report.findings))
    counts = {"tests": number if report.findings else "1", "failures": number, "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "lintorch", **counts})
    for path, found in groupby(report.findings, key=lambda finding: finding.place.path):
        _add_suite(root, path, list(found), report)
    if not report.findings:
        suite = ElementTree.SubElement(root, "testsuite", {"name": "lintorch", **counts})
        ElementTree.SubElement(suite, "testcase", {"name": "lintorch", "classname": "lintorch"})
    ElementTree.indent(root)
    document = ElementTree.tostring(root, "us-ascii", xml_declaration=True).decode("ascii")
    out.write(document + "\n")


def _add_suite(root: ElementTree.Element, path: str, found: list[Finding], report: Result) -> None:
    name, number = _clean(shown_path(path)), str(len(found))
    counts = {"tests": number, "failures": number, "errors": "0", "skipped": "0"}
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": name, "package": "lintorch", **counts}
    )
    for finding in found:
        place = ":".join(map(str, find_start(finding.place)))
        case = {
            "name": f"{finding.code} {finding.name} {place}",
            "classname": os.path.splitext(name)[0],
        }
        added = ElementTree.SubElement(suite, "testcase", case)
        said = _clean(write_message(finding))
        kind = f"{finding.severity} {finding.code}"
        failure = ElementTree.SubElement(added, "failure", {"message": said, "type": kind})
        url = report.urls.get(finding.code, "")
        failure.text = "\n".join(filter(None, (_clean(write_location(finding.place)), said, url)))


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
