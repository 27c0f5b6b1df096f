"""The API reference: which names are public, and which members of a class its page shows."""

import inspect
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PAPER = re.compile(r"\[(SVMcompare|Lecture|SwappedPairs|PreferenceGame|GeneralizedBT)\](?!`)")
GENERATED = "api/generated"  # the pages that autosummary writes; see the toctree option in api/index.md


def public_names() -> dict[str, str]:
    """The public classes with their full names, which parameter types link to."""
    import podium

    return {
        name: f"{place.__name__}.{name}"
        for place in (podium, podium.evaluation)
        for name in place.__all__
        if name[0].isupper()  # a class; to load them all takes seconds
    }


def skip_member(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out members without a docstring of podium, such as those of scikit-learn's base classes."""
    function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "func", None) or member)
    module = getattr(function, "__module__", None) or ""
    return None if module.startswith("podium") and inspect.getdoc(member) else True


def mark_equations(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Indented lines before the first section of a docstring are equations, shown as on the pages."""
    first_section = next((i for i, line in enumerate(lines) if line.startswith("---")), len(lines))
    marked: list[str] = []
    for before, line in pairwise(["", *lines[:first_section]]):
        if line.startswith("    ") and not before:
            marked += [".. code-block:: equation", ""]
        marked.append(line)
    lines[:first_section] = marked


def link_papers(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """The key of a paper, such as [SVMcompare], leads to the table of papers."""
    lines[:] = [PAPER.sub(r":ref:`[\1] <papers-by-key>`", line) for line in lines]


def remove_old_pages(app: Sphinx) -> None:
    """Pages of names that no longer exist would otherwise stay."""
    shutil.rmtree(Path(app.srcdir) / GENERATED, ignore_errors=True)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-docstring", mark_equations, priority=100)  # before numpydoc
    app.connect("autodoc-process-docstring", link_papers, priority=900)  # after numpydoc
    app.connect("builder-inited", remove_old_pages, priority=100)  # before autosummary writes them
    return {"parallel_read_safe": True, "parallel_write_safe": True}
