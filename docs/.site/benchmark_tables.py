"""Fill the numbers of the benchmarks into README and the documentation; `make bench-docs` runs this.

The numbers come from benchmarks/results/benchmarks.csv. A place to fill stands between two comments, of which
the first says what belongs there:

    <!-- times SCRIPT | CASES | WHO; WHO -->    one row per case, one column per contestant: podium's seconds,
                                                and the others as multiples of them
    <!-- memory SCRIPT | CASES -->              the same with the memory of everyone
    <!-- lines SCRIPT | CASE -->                one row per contestant of one case, with what it reached
    <!-- notes SCRIPT | CASES -->               the same for cases whose notes matter more than the ratios
    <!-- speed -->                              README's table, which is listed below
    <!-- ratio SCRIPT | CASE | WHO -->          one number in a sentence, such as 18×
    <!-- seconds SCRIPT | CASE | WHO -->        the same, such as 0.12 s

and then <!-- end -->. CASES is a pattern as for files; without WHO, there is a column for everyone.
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from measuring.table import TABLE, Results, Row, memory_text, ratio_text  # noqa: E402
from podium.writing.atomic import write_whole  # noqa: E402

PLACE = re.compile(
    r"(<!-- (times|memory|lines|notes|speed|ratio|seconds)( [^>]*?)? -->)(.*?)(<!-- end -->)", re.DOTALL
)
INLINE = {"ratio", "seconds"}
SPEED = (
    ("`BradleyTerry`, 10,000 items, 1M rows", "bradley_terry.py", "10,000 items, 1M rows"),
    ("`DynamicBradleyTerry`, 26,523 games", "dynamics.py", "smoother, 26,523 games of the NBA"),
    (
        "`PlackettLuce`, 100,000 rankings of 5 of 1,000 items",
        "rankings.py",
        "1,000 items, 100,000 rankings of 5",
    ),
    ("`SVMCompare`, 5,000 pairs, C = 1", "svm_compare.py", "5,000 pairs, C = 1, γ = 0.0625"),
    (
        "`LinearCompare`, 1M pairs, 50 features, hinge loss",
        "linear_compare.py",
        "1M pairs, 50 features, hinge",
    ),
    ("`SwappedPairsSVM`, 100,000 rows, 5 labels", "ranking.py", "100,000 rows, 5 labels"),
    ("`OrdinalSVM`, 10,000 rows", "ordinal.py", "10,000 rows"),
    ("`PreferenceGame`, 39,799 preferences", "preference_game.py", "w8a, ridge 1: 39,799 preferences"),
    ("`couple`, 10,000 rows of 26 classes, one-vs-one", "coupling.py", "couple, one-vs-one, case (c)"),
)
CODE = {"np.unique", "np.sort", "np.argsort", "SVC", "LinearSVC", "LogisticRegression", "SGDClassifier"}


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def filled(text: str, results: Results) -> str:
    """The text with all its places filled."""

    def fill(place: re.Match[str]) -> str:
        begin, kind, arguments, _, end = place.groups()
        words = [word.strip() for word in (arguments or "").split("|")] if arguments else []
        content = KINDS[kind](results, *words)
        return f"{begin}{content}{end}" if kind in INLINE else f"{begin}\n\n{content}\n\n{end}"

    return PLACE.sub(fill, text)


# ------------------------------------------------------------------------------------ tables


def times(results: Results, script: str, cases: str = "*", columns: str = "", memory: bool = False) -> str:
    chosen = by_case(results, script, cases)
    present = dict.fromkeys(who for rows in chosen.values() for who in rows if who != "podium")
    others = [who.strip() for who in columns.split(";")] if columns else list(present)
    lines = []
    for case, rows in chosen.items():
        own = rows["podium"]
        cells = [own.outcome, *(ratio_text(rows[who], own) if who in rows else "–" for who in others)]
        if memory:
            used = (memory_text(rows[who].memory) if who in rows else "–" for who in ("podium", *others))
            cells = [cell for pair in zip(cells, used, strict=True) for cell in pair]
        lines.append([case, *cells])
    names = ["podium", *map(shown, others)]
    return table(["", *(cell for name in names for cell in ([name, "memory"] if memory else [name]))], lines)


def with_memory(results: Results, script: str, cases: str = "*") -> str:
    return times(results, script, cases, memory=True)


def contestants(results: Results, script: str, case: str) -> str:
    """Columns that nobody has a number for are left out."""
    rows = by_case(results, script, case)[case]
    facts: dict[str, Callable[[Row], str]] = {
        "gap": lambda row: f"{row.gap:.0e}",
        "gradient": lambda row: f"{row.gradient:.0e}",
        "error": lambda row: f"{100 * row.error:.2f} %",
        "memory": lambda row: memory_text(row.memory),
    }
    known = [name for name in facts if any(getattr(row, name) >= 0 for row in rows.values())]
    lines = []
    for who, row in rows.items():
        reached = [facts[name](row) if getattr(row, name) >= 0 else "–" for name in known]
        lines.append(
            [shown(who), row.outcome, "" if who == "podium" else ratio_text(row, rows["podium"]), *reached]
        )
    return table(["", "time", "beside podium", *known], lines)


def with_notes(results: Results, script: str, cases: str = "*") -> str:
    lines = [
        [case if who == next(iter(rows)) else "", shown(who), row.outcome, row.note if row.ended else ""]
        for case, rows in by_case(results, script, cases).items()
        for who, row in rows.items()
    ]
    return table(["", "", "time", ""], lines)


def speed(results: Results) -> str:
    lines = []
    for title, script, case in SPEED:
        rows = by_case(results, script, case)[case]
        own = rows["podium"]
        others = [f"{shown(who)} {ratio_text(row, own)}" for who, row in rows.items() if not row.is_podium]
        lines.append([title, own.outcome, ", ".join(text for text in others if not text.endswith("–"))])
    return table(["", "podium", "others"], lines)


def ratio(results: Results, script: str, case: str, who: str) -> str:
    rows = by_case(results, script, case)[case]
    return ratio_text(rows[who], rows["podium"])


def seconds(results: Results, script: str, case: str, who: str) -> str:
    return by_case(results, script, case)[case][who].outcome


KINDS: dict[str, Callable[..., str]] = {
    "times": times,
    "memory": with_memory,
    "lines": contestants,
    "notes": with_notes,
    "speed": speed,
    "ratio": ratio,
    "seconds": seconds,
}


def by_case(results: Results, script: str, pattern: str) -> dict[str, dict[str, Row]]:
    """The rows of the cases that match, by case and contestant."""
    found: dict[str, dict[str, Row]] = {}
    for row in results.rows.values():
        if row.script == script and (row.case == pattern or fnmatchcase(row.case, pattern)):
            found.setdefault(row.case, {})[row.who] = row
    if not found:
        raise ValueError(f"no case of {script} in {TABLE.name} is called {pattern!r}; run make bench")
    return found


def shown(who: str) -> str:
    return f"`{who}`" if who in CODE else who


def table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows)


def main() -> None:
    results = Results.read(TABLE)
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (new := filled(text, results)) != text:
            write_whole(page, new.encode())
            print(f"filled {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
