"""Time one contestant in a process of its own, in which nothing else runs.

The process is a fork, so that it has the problem without making or loading it again. Its clock and its memory
start after the imports, a small problem and the contestant's own preparations.
"""

import ctypes
import gc
import math
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from measuring.cases import Case, Clocked, Contestant
from measuring.table import MISSED, seconds_text

PREPARATION = 150.0  # seconds for everything that is not timed
CALLS, QUICK = 5, 0.3  # a run is called up to so many times, until it has taken so many seconds
FORK = multiprocessing.get_context("fork")
Found = dict[str, Any]


def measured_alone(case: Case, who: str, problem: Any) -> Found:
    """The fields of a row that one run gives: the seconds and what was reached, the limit, or a note."""
    contestant = case.contestants[who]
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_send, args=(sender, case, contestant, problem))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # BLAS has threads, which do not survive a fork
        process.start()
    sender.close()
    found: Found = {"note": "failed: its preparations take too long"}
    if receiver.poll(PREPARATION + contestant.patience * max(len(contestant.efforts), 1)):
        try:
            found = receiver.recv()
        except EOFError:
            process.join()
            stopped = process.exitcode == -signal.SIGALRM
            found = (
                {"limit": contestant.patience} if stopped else {"note": f"failed: exit {process.exitcode}"}
            )
    process.kill()
    process.join()
    return found


def _send(sender: Any, case: Case, contestant: Contestant, problem: Any) -> None:
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    warnings.simplefilter("ignore")  # some contestants stop early on purpose
    try:
        found = _measured(case, contestant, problem)
    except Exception as error:
        found = {"note": reason(error)}
    sender.send(found)


def reason(error: Exception) -> str:
    """Why something was not measured, in one line."""
    if isinstance(error, ModuleNotFoundError):
        return f"not installed: {error.name}"
    first = (str(error).splitlines() or [""])[0]
    return f"failed: {type(error).__name__}: {first}"[:120]


def _measured(case: Case, contestant: Contestant, problem: Any) -> Found:
    efforts: list[tuple[Any, ...]] = [(effort,) for effort in contestant.efforts] or [()]
    if case.small is not None:
        contestant.run(contestant.prepare(case.small()), *efforts[0])
    prepared = contestant.prepare(problem)
    for effort in efforts:
        run = partial(contestant.run, prepared, *effort)
        found, result = _timed(run, contestant.patience, 1 if case.first_call else CALLS)
        facts = case.check(problem, result)
        if case.reached(facts):
            break
    else:
        found["note"] = f"{MISSED} {case.goal:g} in {seconds_text(found['seconds'])}"
    return found | facts


def _timed(run: Callable[[], Any], patience: float, calls: int) -> tuple[Found, Any]:
    """Call it, several times if that is quick; the best time counts, and the memory of the first call.

    After the limit the system ends this process, even if it is inside compiled code.
    """
    gc.collect()
    before = _restarted_peak()
    signal.setitimer(signal.ITIMER_REAL, patience)
    result, times = _call(run)
    memory = _peak() - before
    while len(times) < calls and sum(times) < QUICK and not isinstance(result, Clocked):
        times += _call(run)[1]
    signal.setitimer(signal.ITIMER_REAL, 0)
    if isinstance(result, Clocked):
        return {"seconds": result.seconds, "note": result.note}, result.result
    return {"seconds": min(times), "memory": memory}, result


def _call(run: Callable[[], Any]) -> tuple[Any, list[float]]:
    start = time.perf_counter()
    result = run()
    return result, [time.perf_counter() - start]


def _restarted_peak() -> float:
    """The memory in use, in MiB, from which the peak is now counted; nan if the system cannot do that."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)  # or the run would use what was freed before, and not grow
        Path("/proc/self/clear_refs").write_text("5")
        return _peak()
    return math.nan


def _peak() -> float:
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    return math.nan
