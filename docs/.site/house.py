"""Draw the folders of podium on their floors, with the imports between them; `make house` runs this.

The floors come from the first import-linter contract in pyproject.toml. Lines are imports, including those
that are only for type checking. A line is left out if others imply it: if A imports B and B imports C, the
line from A to C is not drawn.
"""

import tomllib
from collections import Counter
from collections.abc import Collection
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "assets" / "house.svg"
DARK_PICTURE = PICTURE.with_name("house-dark.svg")
BESIDE = {"datasets": 4, "reading": 8}  # not in that contract; the floors to draw them on
COLUMNS = {  # horizontal positions in box widths, chosen so that lines do not cross
    "cli": 3, "vote": 0.5, "web": 2, "plot": 3.5, "evaluation": 2.5, "saving": 0, "datasets": 7,
    "simulation": 1, "bradley_terry": 0, "rankings": 1, "ratings": 2, "comparers": 3, "ordered": 4, "game": 5,
    "classes": 6, "skill": 1, "leaderboard": 1.5, "metrics": 4, "core": 2, "numerics": 3.5, "text": 5.5,
    "reading": 7, "arrays.partitions": 3.5, "writing": 1.5, "comparisons": 4.5, "arrays.devices": 3,
}  # fmt: skip
WIDTH, HEIGHT, GAP, LEFT, STEP = 118, 38, 14, 12, 82
STYLE = """
  text {{ font: 13px system-ui, sans-serif; text-anchor: middle; fill: {ink} }}
  .size {{ font-size: 10px; fill: {soft} }}
  rect {{ fill: {box}; stroke: {edge} }}
  line {{ stroke: {line}; stroke-width: 1.3 }}
"""
LIGHT = {"ink": "#1a1a2e", "soft": "#555", "box": "#eef0fb", "edge": "#3f51b5", "line": "#9fa8da"}
DARK = {"ink": "#e8eaf6", "soft": "#b0b4cc", "box": "#283056", "edge": "#9fa8da", "line": "#5c6bc0"}
Edges = dict[str, set[str]]


def floors() -> list[list[str]]:
    """The folders of each floor, from top to bottom."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    rows = [floor.replace("|", ":").split(":") for floor in contracts[0]["layers"]]
    return [[name.strip().removeprefix("podium.") for name in row] for row in rows]


def module_graph() -> grimp.ImportGraph:
    """All imports within podium, including those for type checking."""
    return grimp.build_graph("podium", exclude_type_checking_imports=False, cache_dir=None)


def folder_of(module: str, folders: Collection[str]) -> str | None:
    """The folder that is drawn for a module; None if it is drawn nowhere."""
    parts = module.split(".")[1:]
    return next((name for name in (".".join(parts[:2]), parts[0]) if name in folders), None)


def folder_imports(graph: grimp.ImportGraph, folders: set[str]) -> Edges:
    """The folders that each folder imports."""
    found: Edges = {name: set() for name in folders}
    for module in graph.modules - {"podium"}:
        for other in graph.find_modules_directly_imported_by(module) - {"podium"}:
            start, end = folder_of(module, folders), folder_of(other, folders)
            if start is not None and end is not None and start != end:
                found[start].add(end)
    return found


def reduced(edges: Edges) -> Edges:
    """The imports without those that others imply."""

    def reach(name: str) -> set[str]:
        return edges[name].union(*(reach(other) for other in edges[name]))

    return {
        name: {end for end in ends if not any(end in reach(other) for other in ends - {end})}
        for name, ends in edges.items()
    }


def drawing(colours: dict[str, str]) -> str:
    rows = floors()
    for name, floor in BESIDE.items():
        rows[floor] = [*rows[floor], name]
    graph = module_graph()
    place = {
        name: (LEFT + COLUMNS[name] * (WIDTH + GAP), LEFT + floor * STEP)
        for floor, row in enumerate(rows)
        for name in row
    }
    files = [module for module in graph.modules - {"podium"} if _is_file(module)]
    size = Counter(folder_of(module, place) for module in files)
    edges = reduced(folder_imports(graph, set(place)))
    lines = [_line(place[a], place[b]) for a in sorted(edges) for b in sorted(edges[a])]
    boxes = [_box(name, *place[name], size[name]) for name in place]
    right = max(x for x, _ in place.values()) + WIDTH + LEFT
    view = f"0 0 {right:.0f} {len(rows) * STEP - HEIGHT + 2 * LEFT:.0f}"
    style = STYLE.format(**colours)
    head = f"<title>The folders of podium, and what each imports</title>\n<style>{style}</style>"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}">', head, *lines, *boxes, "</svg>\n"]
    return "\n".join(parts)


def _is_file(module: str) -> bool:
    return (ROOT / "src" / f"{module.replace('.', '/')}.py").exists()


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    """From the lower edge of a box to the upper edge of one below."""
    x1, x2 = start[0] + WIDTH / 2, end[0] + WIDTH / 2
    return f'<line x1="{x1:.0f}" y1="{start[1] + HEIGHT:.0f}" x2="{x2:.0f}" y2="{end[1]:.0f}"/>'


def _box(name: str, x: float, y: float, files: int) -> str:
    middle, noun = x + WIDTH / 2, "file" if files == 1 else "files"
    label = f'<text x="{middle:.0f}" y="{y + 17:.0f}">{escape(name)}</text>'
    count = f'<text class="size" x="{middle:.0f}" y="{y + 31:.0f}">{files} {noun}</text>'
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>{label}{count}'


if __name__ == "__main__":
    PICTURE.write_text(drawing(LIGHT), encoding="utf-8")
    DARK_PICTURE.write_text(drawing(DARK), encoding="utf-8")
