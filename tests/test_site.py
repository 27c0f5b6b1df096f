"""The build of the site fails on pages that would be broken. `make docs` runs this; it needs Sphinx."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pydata_sphinx_theme") is None, reason="the site needs the extra docs"
)
TITLE = "# A title\n\nA page about something.\n\n## A part\n\n"
BROKEN = {  # page: what is wrong with it, and what the build says about it
    "old_snippet": ('```python\n--8<-- "examples/ties.py"\n```\n', "shows raw markup: '--8<"),
    "formatted_snippet": ('```python\n--8 < --"examples/ties.py"\n```\n', "shows raw markup: '--8 <"),
    "raw_fence": ("`:::{note}`\n", "shows raw markup: ':::"),
    "raw_role": ("`{py:class}`\n", "shows raw markup: '{py:"),
    "missing_snippet": ("```{literalinclude} nowhere.py\n```\n", "nowhere.py' not found"),
    "missing_include": ("```{include} nowhere.md\n```\n", "file not found: "),
    "missing_picture": ("![A picture](nowhere.png)\n", "image file not readable: nowhere.png"),
    "silent_picture": ("![](board.png)\n", "board.png has no text for those"),
    "html_picture": ('<img src="nowhere.png" alt="A picture">\n', "in HTML may be dead"),
    "html_link": ('<a href="nowhere.html">a page</a>\n', "in HTML may be dead"),
    "missing_page": ("[a page](nowhere.md)\n", "cross-reference target not found: 'nowhere.md'"),
    "missing_part": ("[a part](index.md#nowhere)\n", "'nowhere'"),
    "missing_name": ("{py:class}`podium.Nowhere`\n", "target not found: podium.Nowhere"),
    "wrong_directive": (":::{nothing}\nText.\n:::\n", "Unknown directive type: 'nothing'"),
}


def build(folder: Path, pages: dict[str, str]) -> tuple[int, str]:
    """Build pages with the configuration of the site; return the exit code and the warnings."""
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(TITLE + text, encoding="utf-8")
    strict = ("-W", "--keep-going", "-n", "-q")
    places = ("-c", ROOT / "docs/.site", "-d", folder / "doctrees", folder, folder / "site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *strict, *places],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )
    return done.returncode, done.stderr


def toctree(names: list[str]) -> str:
    return "```{toctree}\n" + "\n".join(names) + "\n```\n"


def test_a_good_page_is_built_with_both_pictures_and_a_description(tmp_path: Path) -> None:
    for name in ("board.png", "board-dark.png"):
        (tmp_path / name).write_bytes((ROOT / "docs/gallery/ties.png").read_bytes())
    tables = "| | |\n|---|---|\n| a | b |\n\n| | B |\n|---|---|\n| a | b |\n"
    page = f"![The board](board.png) [a part](#a-part)\n\n{tables}"
    assert build(tmp_path, {"index": page}) == (0, "")
    built = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    for part in (
        'class="only-light" src="_images/board.png"',
        'class="only-dark" src="_images/board-dark.png"',
    ):
        assert f'<img alt="The board" {part}' in built
    assert '<meta name="description" content="A page about something.">' in built
    assert built.count("<thead>") == 1
    assert '<td class="head"></td>' in built


def test_broken_pages_fail(tmp_path: Path) -> None:
    (tmp_path / "board.png").write_bytes((ROOT / "docs/gallery/ties.png").read_bytes())
    pages = {name: text for name, (text, _) in BROKEN.items()}
    code, said = build(tmp_path, pages | {"index": toctree(list(BROKEN)), "forgotten": ""})
    assert code != 0
    for name, (_, expected) in BROKEN.items():
        assert any(f"{name}.md:" in line and expected in line for line in said.splitlines()), (name, said)
    assert "forgotten.md: WARNING: document isn't included in any toctree" in said
    assert "index.md" not in said.replace("'index.md", "")
