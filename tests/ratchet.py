"""Count what should not grow: ``python -m tests.ratchet`` prints the counts, by folder too, and their limits.

Code lines are neither blank nor comments nor docstrings. A solver number is a number with a capital name at
the top of a module or class in a solver's folder: a tolerance, or a switch between algorithms.

The files on two walks are also counted, without a limit: those with a function that runs when ``podium rank``
makes a board of six games, and when a process fits SVMCompare and predicts for the second time.
"""

import ast
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "podium"
LIMITS = Path(__file__).with_name("ratchet.json")
SOLVERS = {
    "core", "numerics", "skill", "bradley_terry", "rankings", "ratings", "comparers", "ordered", "game",
    "classes",
}  # fmt: skip
LAYOUT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
COMPILER = re.compile(r"(^|\.|_)(njit|jit|register_jitable|vectorize|guvectorize|stencil|cfunc)$|^compiled$")
HOOK = re.compile(
    r"sys\.meta_path|sys\.path_hooks|__import__\W|\bPathFinder\b|\bSourceFileLoader\b|\bdef find_spec\b"
)


class Source(NamedTuple):
    path: Path  # in the package
    text: str
    tree: ast.Module

    @property
    def folder(self) -> str:
        return self.path.parts[0] if len(self.path.parts) > 1 else "(top)"


def sources() -> list[Source]:
    files = ((path, path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py")))
    return [Source(path.relative_to(PACKAGE), text, ast.parse(text)) for path, text in files]


def limits() -> dict[str, int]:
    found: dict[str, int] = json.loads(LIMITS.read_text(encoding="utf-8"))
    return found


def counts() -> dict[str, int]:
    """The numbers that have a limit."""
    every = sources()
    solvers = [source for source in every if source.folder in SOLVERS]
    return {
        "code lines": sum(map(code_lines, every)),
        "modules": len(every),
        "solver numbers": sum(named_numbers(source.tree.body) for source in solvers),
        "compiled functions": sum(map(compiled_functions, every)),
        "options of podium rank --help": len(options()),
    }


# ------------------------------------------------------------------------------------------- what is counted


def code_lines(source: Source) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(source.text).readline)
    lines = {k for t in tokens if t.type not in LAYOUT for k in range(t.start[0], t.end[0] + 1)}
    return len(lines - set(_docstring_lines(source.tree)))


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str())) as text, *_]:
                    yield from range(text.lineno, (text.end_lineno or text.lineno) + 1)


def named_numbers(body: Iterable[ast.stmt]) -> int:
    """How many numbers have a name in capitals; a tuple of numbers with one name is one."""
    found = 0
    for node in body:
        match node:
            case ast.Assign(targets=targets, value=value):
                found += sum(_numbers(target, value) for target in targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                found += _numbers(target, value)
            case ast.ClassDef():
                found += named_numbers(node.body)
            case ast.If() | ast.Try():
                found += named_numbers(node.body) + named_numbers(node.orelse)
    return found


def _numbers(target: ast.expr, value: ast.expr) -> int:
    match target, value:
        case ast.Tuple(elts=names) | ast.List(elts=names), ast.Tuple(elts=values) | ast.List(elts=values):
            return sum(_is_capital(a) and _is_number(b) for a, b in zip(names, values, strict=False))
        case ast.Name(), ast.Tuple(elts=values) | ast.List(elts=values):
            return int(_is_capital(target) and bool(values) and all(map(_is_number, values)))
    return int(_is_capital(target) and _is_number(value))


def _is_capital(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.strip("_").isupper()


def _is_number(node: ast.expr) -> bool:
    """Also an expression of numbers, such as ``2**30`` and ``np.log(2)``."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.UnaryOp(operand=operand):
            return _is_number(operand)
        case ast.BinOp(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.Call(args=[_, *_] as arguments, keywords=[]):
            return all(map(_is_number, arguments))
    return False


def compiled_functions(source: Source) -> int:
    """Functions with one of numba's decorators, and calls such as ``f = njit(g)``."""
    return sum(_compiles(node, source.path) for node in ast.walk(source.tree))


def _compiles(node: ast.AST, path: Path) -> bool:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return any(COMPILER.search(ast.unparse(d).split("(")[0]) for d in node.decorator_list)
        case ast.Assign(value=ast.Call(func=called)) | ast.Return(value=ast.Call(func=called)):
            name = re.sub(r"\(.*\)$", "", ast.unparse(called), flags=re.DOTALL)
            return bool(re.search(r"(^|\.)(njit|jit|vectorize)$", name)) and path.name != "compiled.py"
    return False


def options() -> set[str]:
    """The options on the first page of help of ``podium rank``."""
    plain = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    page = _python(["-m", "podium", "rank", "--help"], plain)
    return set(re.findall(r"^[\s│|]*\*?\s*(?:-\w,\s*)?(--[a-z][a-z-]*)", page, re.M)) - {
        "--help",
        "--help-all",
    }


# ------------------------------------------------------------------------------------- what is only reported


def import_hooks(source: Source) -> bool:
    return source.folder != "cli" and bool(HOOK.search(source.text))


def rewritten_messages(source: Source) -> Iterator[str]:
    """Where a regular expression changes the text of an error; in the command line, where any is used."""
    errors = {n.name for n in ast.walk(source.tree) if isinstance(n, ast.ExceptHandler) and n.name}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sub":
            names = {x.id for a in node.args for x in ast.walk(a) if isinstance(x, ast.Name)}
            if source.folder == "cli" or names & errors:
                yield f"{source.path}:{node.lineno}"


WATCH = """
import contextlib, io, os, sys, threading
import podium
root, seen = os.path.dirname(podium.__file__) + os.sep, set()
def watch(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and code.co_filename.startswith(root):  # 1: a function
        seen.add(code.co_filename)
def start():
    threading.setprofile(watch), sys.setprofile(watch)
def stop():
    sys.setprofile(None), threading.setprofile(None)
"""
BOARD = """
from podium.__main__ import main
sys.argv, page = ["podium", "rank", sys.argv[1]], io.StringIO()
with contextlib.redirect_stdout(page), contextlib.suppress(SystemExit):
    start()
    main()
stop()
assert "ann" in page.getvalue(), page.getvalue()
print(len(seen))
"""
PAIR = """
from podium import SVMCompare
X = [[[0.0, 0.0], [3.0, 3.0]], [[2.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 2.0]], [[1.0, 1.0], [1.0, 1.01]]]
for count in (lambda: None, start):
    count()
    found = SVMCompare(C=10).fit(X, [1, 0, 1, 0]).predict(X)
stop()
assert list(found) == [1, 0, 1, 0], found
print(len(seen))
"""
GAMES = (
    "white,black,result\n" + "ann,bob,1-0\nbob,cat,0-1\ncat,ann,0-1\nann,bob,0-1\nbob,cat,1-0\ncat,ann,1-0\n"
)


def walks() -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder, "games.csv")
        games.write_text(GAMES, encoding="utf-8")
        _python(["-m", "podium", "rank", str(games)])  # compiles what is missing
        return {
            "files from a CSV row to a board": int(_python(["-c", WATCH + BOARD, str(games)])),
            "files from a pair to a prediction": int(_python(["-c", WATCH + PAIR])),
        }


def _python(arguments: list[str], environment: dict[str, str] | None = None) -> str:
    found = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
    )
    if found.returncode:
        raise RuntimeError(f"{' '.join(arguments[:4])} failed:\n{found.stderr[-2000:]}")
    return found.stdout


# ------------------------------------------------------------------------------------------ on the terminal


def main() -> None:
    every, limit = sources(), limits()
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for source in every:
        lines[source.folder] += code_lines(source)
        modules[source.folder] += 1
    print(f"{'folder':20}{'code lines':>12}{'modules':>10}")
    for folder, n in lines.most_common():
        print(f"{folder:20}{n:12,}{modules[folder]:10}")
    print(f"\n{'count':36}{'now':>8}{'limit':>8}")
    for name, n in counts().items():
        print(f"{name:36}{n:8,}{limit[name]:8,}")
    for name, n in walks().items():
        print(f"{name:36}{n:8,}")
    print("\nimport hooks:", *(str(source.path) for source in every if import_hooks(source)))
    print("messages rewritten:", *(place for source in every for place in rewritten_messages(source)))


if __name__ == "__main__":
    main()
