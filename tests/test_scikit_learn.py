"""What podium postpones when it imports scikit-learn is there as soon as somebody uses it."""

import subprocess
import sys

USES = [
    "assert fixes._mode([3, 1, 3]).mode == [3]",
    "assert fixes.pd.Series([1]).sum() == 1; import pandas; assert fixes.pd.Series is pandas.Series",
    "import scipy.stats; assert scipy.stats.norm.cdf(0) == 0.5; assert fixes.scipy.stats is scipy.stats",
    "from scipy.stats import norm; assert norm.cdf(0) == 0.5",
    "import scipy; assert scipy.stats.norm.cdf(0) == 0.5",
    "import pandas; assert sys.modules['pandas'] is pandas; assert pandas.Series([1]).sum() == 1",
    "from sklearn.metrics import roc_auc_score; assert roc_auc_score([0, 1], [0, 1]) == 1",
    "import importlib; importlib.reload(fixes); import pandas; assert fixes.pd is pandas",
    "import inspect; assert 'scipy.stats' in inspect.getsource(fixes)",
    "import pickle; m = podium.BradleyTerry(tol=0.1); assert pickle.loads(pickle.dumps(m)).tol == 0.1",
    "assert fixes._mode.__builtins__['__import__'] is __import__",
]


def run(code: str) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert not done.returncode, done.stderr


def test_what_is_postponed_loads_at_its_first_use() -> None:
    run(f"""
import os, sys
import podium
finders = list(sys.meta_path)
podium.BradleyTerry
assert sys.meta_path == finders
assert not {{"scipy.stats", "pandas"}} & set(sys.modules)
from sklearn.utils import fixes
for use in {USES}:  # each in a process of its own, in which nothing else was used before
    child = os.fork()
    if not child:
        exec(use)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, use
""")


def test_what_is_loaded_already_stays() -> None:
    run("""
import scipy.stats, pandas, podium
podium.BradleyTerry
from sklearn.utils import fixes
assert fixes.pd is pandas
assert fixes.scipy.stats is scipy.stats
""")


def test_other_threads_import_as_always() -> None:
    run("""
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
import podium
uses = [
    lambda: podium.BradleyTerry,
    lambda: podium.SVMRank,
    lambda: import_module("scipy.stats").norm.cdf(0),
    lambda: import_module("pandas").Series([1]).sum(),
    lambda: import_module("sklearn.isotonic").IsotonicRegression,
]
with ThreadPoolExecutor(10) as pool:
    for done in [pool.submit(use) for use in uses * 2]:
        done.result()
""")
