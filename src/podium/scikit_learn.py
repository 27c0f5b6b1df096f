"""Import scikit-learn without `scipy.stats` and pandas, which take longer to load than all the rest it needs.

Only `sklearn.utils.fixes` imports them at the start, for functions that podium does not call. If podium is
the first to import that module, both wait until they are used: ``import scipy.stats`` gives `scipy`, which
loads its parts on demand, and ``import pandas`` gives a stand-in that loads pandas on demand. Only the import
statements of that one module are answered in this way, and only while it is loaded. `sys.modules` never holds
a stand-in, so all other code and all other threads import as always.
"""

import builtins
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

IMPORTS_TOO_MUCH = "sklearn.utils.fixes"


@contextmanager
def quick_scikit_learn() -> Iterator[None]:
    """Make scikit-learn quick to import within the block, if it is not imported yet."""
    if IMPORTS_TOO_MUCH in sys.modules:
        yield
        return
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Finder:
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != IMPORTS_TOO_MUCH:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader:  # installed in an unusual way
            return None
        spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        names = vars(builtins) | {"__import__": _import_on_demand}
        module.__dict__["__builtins__"] = names
        try:
            super().exec_module(module)
        finally:
            names["__import__"] = builtins.__import__  # for the module's functions


def _import_on_demand(
    name: str, globals: Any = None, locals: Any = None, fromlist: Sequence[str] | None = (), level: int = 0
) -> ModuleType:
    if not fromlist and name not in sys.modules:
        if name == "scipy.stats":
            name = "scipy"
        elif name == "pandas":
            stand_in = ModuleType(name)
            stand_in.__getattr__ = lambda attribute: getattr(import_module(name), attribute)  # type: ignore[method-assign]
            return stand_in
    return builtins.__import__(name, globals, locals, fromlist or (), level)
