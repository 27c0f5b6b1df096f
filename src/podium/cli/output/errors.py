"""How the command line ends when something is wrong: one sentence on stderr and exit code 2, no traceback.

That holds for bad options, bad files, full disks and missing extras alike. After Ctrl-C the code is 130. A
stdout or stderr that cannot be written to does not keep a command from writing its files.
"""

import _thread
import errno
import io
import os
import signal
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from threading import Event
from typing import Any

import typer
from typer.core import TyperGroup

from podium.options import FeatureReading, RankingReading, flag_of
from podium.writing.label_text import printable

WRONG, INTERRUPTED = 2, 130
WRITTEN: list[Path] = []  # by this run of a command, for the sentence that ends one that is interrupted
ON_SCREEN: set[str] = set()  # notes below a board, which are not said again as warnings
WRONG_INPUT = (ValueError, TypeError, ArithmeticError, RuntimeError)  # the last: a solver gave up
OPTIONS = {  # what the arguments of Python are called on the command line
    **{field.name: flag_of(field) for kind in (FeatureReading, RankingReading) for field in fields(kind)},
    "anytime=True": "--anytime",
    "bad_rows='skip'": "--skip-invalid",
    "counted=True": "'podium count'",
    "higher_is_better=False": "--lower-is-better",
    "memory=, or counted=False,": "--memory",
    "outcome= (False if there is none)": "--outcome (twice for two scores)",
    "use order_effect=False": "leave out --order-effect",
    "y is text": "the label is text",
}


class PlainGroup(TyperGroup):
    """A group of commands that reports misuse of its options in one sentence."""

    def main(self, args: Any = None, *, standalone_mode: bool = True, **options: Any) -> Any:  # type: ignore[override]
        """Run a command, as typer does, but for errors."""
        try:
            code = super().main(args, standalone_mode=False, **options)
        except (typer.Abort, KeyboardInterrupt):
            code = INTERRUPTED
        except Exception as error:
            if hasattr(error, "format_message"):  # what all errors of the option parser have
                code = self._misuse(error)
            elif not INTERRUPTS.pressed:
                raise
        if INTERRUPTS.pressed or code == INTERRUPTED:  # which typer returns in silence
            INTERRUPTS.heard.set()
            code = INTERRUPTED
            complain(_interrupted())
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else 0)
        return code

    def get_help_option(self, ctx: Any) -> Any:
        """``--help`` is off unless given. Typer would load pydantic to convert its usual default, None."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.default = False
        return option

    def _misuse(self, error: Any) -> int:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return WRONG
        context = getattr(error, "ctx", None)
        where = context.command_path if context is not None else "podium"
        words = " ".join(error.format_message().split()).rstrip(".")
        return complain(f"{words[:1].lower()}{words[1:]}; see '{where} --help'")


class Interrupts:
    """Ctrl-C raises KeyboardInterrupt again and again until it is heard.

    Compiled code loses exceptions, such as pyarrow while it imports pandas, or makes others of them. So an
    error after Ctrl-C is taken for it.
    """

    def __init__(self) -> None:
        self.pressed, self._by_hand = False, True
        self.heard = Event()

    def watch(self) -> None:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # otherwise the caller ignores it
            signal.signal(signal.SIGINT, self._press)

    def _press(self, *_: Any) -> None:
        by_hand, self._by_hand = self._by_hand, True
        if not self.pressed:
            self.pressed = True
            sys.unraisablehook = lambda _: None  # what is lost is not printed either
            sys.excepthook = lambda *_: None
            _thread.start_new_thread(self._repeat, ())  # a Thread takes locks, which the main one may have
        if not self.heard.is_set() and (by_hand or not _is_on_its_way(sys.exception())):
            raise KeyboardInterrupt

    def _repeat(self) -> None:
        while not self.heard.wait(0.1):  # so that it is heard as if at once
            self._by_hand = False
            _thread.interrupt_main()


def _is_on_its_way(error: BaseException | None) -> bool:
    """Whether an exception, which files are being closed for, comes from Ctrl-C."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


INTERRUPTS = Interrupts()


def complain(sentence: str) -> int:
    typer.secho(f"podium: {_on_one_line(sentence)}", err=True, fg="red")
    return WRONG


def _interrupted() -> str:
    """The sentence after Ctrl-C: which files there are."""
    if not WRITTEN:
        return "interrupted; nothing was written"
    names = " and ".join(f"'{path}'" for path in WRITTEN)
    return f"interrupted; {names} {'was' if len(WRITTEN) == 1 else 'were'} written before"


def in_options(error: Exception | str) -> str:
    """What is wrong, with arguments of Python's spelled as the options of the command line.

    >>> from podium.comparisons.messages import InputError
    >>> in_options(InputError("say {@outcome_format}'score', and give {@ties} or {@bad_rows='skip'}"))
    "say --outcome-format 'score', and give --ties-column or --skip-invalid"
    """
    from podium.comparisons.messages import Sentence

    if not isinstance(error, Sentence):
        return str(error)
    pair = f"--control {error.facts.get('covariate')}=LEFT:RIGHT"
    return error.spelled(_option, pair_given=pair, or_categories="")


def _option(argument: str, has_value: bool) -> str:
    return OPTIONS.get(argument, f"--{argument.replace('_', '-')}") + " " * has_value


def _on_one_line(sentence: str) -> str:
    return printable(" ".join(sentence.split()))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that is spelled most alike, if one is.

    >>> did_you_mean("Gama", ["C", "gamma"])
    "; did you mean 'gamma'?"
    """
    folded = {one.casefold(): one for one in known}
    close = get_close_matches(word.casefold(), folded, n=1)
    return f"; did you mean '{folded[close[0]]}'?" if close else ""


@contextmanager
def sentences() -> Iterator[list[warnings.WarningMessage]]:
    """Bad input ends in one sentence; warnings, a list that grows, are sentences too, each said once."""
    WRITTEN.clear()
    ON_SCREEN.clear()
    try:
        with _warnings_shown() as caught:
            yield caught
    except (*WRONG_INPUT, OSError, ImportError, MemoryError) as error:
        if INTERRUPTS.pressed:
            raise KeyboardInterrupt from None
        raise typer.Exit(complain(_sentence(error))) from None


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; use fewer rows or a linear model"
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"'{error.filename}' cannot be used: {error.strerror.lower()}"
    return in_options(error) or type(error).__name__


@contextmanager
def located(where: str) -> Iterator[None]:
    """Warnings that a solver stopped early say where that was, such as in which fold."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            yield
    finally:
        for one in caught:
            text = f"{where}: {one.message}" if _stopped_early(one) else one.message
            warnings.warn(text, one.category, stacklevel=2)


def _stopped_early(warning: warnings.WarningMessage) -> bool:
    return warning.category.__name__ == "NotConverged"  # whose module takes long to import


def _said(caught: list[warnings.WarningMessage]) -> Iterator[str]:
    """The warnings as sentences; if solvers stopped early several times, the first time and how often."""
    early = [one for one in caught if _stopped_early(one)]
    more = f"; so did {len(early) - 1:,} other fits" if early[1:] else ""
    for one in caught:
        if one not in early[1:]:
            yield in_options(one.message) + (more if one in early else "")


@contextmanager
def _warnings_shown() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for kind in (DeprecationWarning, ResourceWarning):  # for those who write code
            warnings.simplefilter("ignore", kind)
        try:
            yield caught
        finally:
            new = [one for one in caught if str(one.message) not in ON_SCREEN]
            for message in dict.fromkeys(_said(new)):
                print(f"podium: {_on_one_line(message)}", file=sys.stderr)


# ------------------------------------------------------------------------------------ streams


class SteadyStream:
    """A stream that falls silent once it cannot be written to, and keeps the reason."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except OSError as error:
            self._fall_silent(error)
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._fall_silent(error)

    def _fall_silent(self, error: OSError) -> None:
        """Redirect the stream to nowhere, so that what is left in the buffer does not fail at exit."""
        self.failure = error
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), self._stream.fileno())


def steady_streams() -> None:
    """Make sure that a closed pipe or an odd character never ends a command.

    Characters that a terminal cannot print are replaced.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell: >&-
            stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  it stays open
        elif name == "stdout" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
        setattr(sys, name, SteadyStream(stream))


def lost_output() -> str | None:
    """Why stdout failed; None if its reader just closed it early, as `head` does."""
    sys.stdout.flush()
    failure = getattr(sys.stdout, "failure", None)
    return None if failure is None or failure.errno == errno.EPIPE else str(failure.strerror).lower()
