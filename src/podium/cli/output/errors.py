"""How the command line ends when something is wrong: one sentence on stderr and exit code 2, no traceback.

That holds for bad options, bad files, full disks and missing extras alike. After Ctrl-C the code is 130.
"""

import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from podium.cli.output.outputs import WRITTEN, interrupted
from podium.writing.label_text import printable

WRONG, INTERRUPTED = 2, 130
ON_SCREEN: set[str] = set()  # notes below a board, which are not said again as warnings
WRONG_INPUT = (ValueError, TypeError, ArithmeticError, RuntimeError)  # the last: a solver gave up
CATEGORICAL = ", or pandas.Categorical(y, categories=[...], ordered=True), the lowest label first"
ARGUMENT = re.compile(  # of podium.read_comparisons and podium.read_rankings
    r"\b(left|right|outcome|outcome_format|wins|ties_column|count|weight|group|time|neutral|team_separator|items|item_key"
    r"|feature|encoding|sheet|dates|where|since|memory|at|dedup|drop_ties|kind|rank_column|ballot|item|place|dnf|unranked"
    r"|ranking_column|chosen|alternatives|separator)"
    r"=(?!=)(?=(['\"\w]?))"  # and whether its value comes next
)


class PlainGroup(TyperGroup):
    """A group of commands that reports misuse of its options in one sentence."""

    def main(self, args: Any = None, *, standalone_mode: bool = True, **options: Any) -> Any:  # type: ignore[override]
        """Run a command, as typer does, but for errors."""
        try:
            code = super().main(args, standalone_mode=False, **options)
        except (typer.Abort, KeyboardInterrupt):
            code = INTERRUPTED
        except Exception as error:
            if not hasattr(error, "format_message"):  # what all errors of the option parser have
                raise
            code = self._misuse(error)
        if code == INTERRUPTED:  # which typer returns in silence
            complain(interrupted())
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


def complain(sentence: str) -> int:
    typer.secho(f"podium: {as_options(sentence)}", err=True, fg="red")
    return WRONG


def as_options(sentence: str) -> str:
    """In one line, and with arguments of Python's spelled as the options of the command line.

    >>> as_options("the outcome could be y or z; choose with outcome= (False if there is none)")
    'the outcome could be y or z; choose with --outcome (twice for two scores)'
    >>> as_options("say how it is, for example encoding='latin-1'")
    "say how it is, for example --encoding 'latin-1'"
    >>> as_options("no column pair for covariate 'bold'; give {'bold': (left column, right column)}")
    "no column pair for covariate 'bold'; give --control bold=LEFT:RIGHT"
    >>> as_options("a larger memory=, or counted=False, loads all rows")
    'a larger --memory loads all rows'
    >>> as_options(f"y is text, such as 'good', which has no order to rank by; give numbers{CATEGORICAL}")
    "the label is text, such as 'good', which has no order to rank by; give numbers"
    """
    line = " ".join(sentence.split()).replace("(False if there is none)", "(twice for two scores)")
    line = line.replace(" memory=, or counted=False,", " --memory")
    line = line.replace("features=", "feature=").replace("bad_rows='skip'", "--skip-invalid")
    line = re.sub(r"\bties=(?!')", "ties_column=", line)  # not a model's ties
    line = re.sub(r"\branking=", "ranking_column=", line).replace("ranks=", "rank_column=")
    line = line.replace("y is text", "the label is text").replace(CATEGORICAL, "")
    line = line.replace("higher_is_better=False", "--lower-is-better")
    line = line.replace("use order_effect=False", "leave out --order-effect")
    line = re.sub(r"\{'([^']*)': \(left column, right column\)\}", r"--control \1=LEFT:RIGHT", line)

    def option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}{' ' if found[2] else ''}"

    return printable(ARGUMENT.sub(option, line))


def said_already(warned: list[warnings.WarningMessage], notes: Iterable[str]) -> None:
    """Drop the warnings that the screen has shown as notes."""
    notes = set(notes)
    warned[:] = [warning for warning in warned if str(warning.message) not in notes]


@contextmanager
def sentences() -> Iterator[list[warnings.WarningMessage]]:
    """Bad input ends in one sentence; warnings, a list that grows, are sentences too, each said once."""
    WRITTEN.clear()
    ON_SCREEN.clear()
    try:
        with _warnings_shown() as caught:
            yield caught
    except (*WRONG_INPUT, OSError, ImportError, MemoryError) as error:
        raise typer.Exit(complain(_sentence(error))) from None


def _sentence(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; use fewer rows or a linear model"
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"'{error.filename}' cannot be used: {error.strerror.lower()}"
    return str(error) or type(error).__name__


@contextmanager
def _warnings_shown() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for kind in (DeprecationWarning, ResourceWarning):  # for those who write code
            warnings.simplefilter("ignore", kind)
        try:
            yield caught
        finally:
            messages = dict.fromkeys(str(warning.message) for warning in caught)
            for message in (message for message in messages if message not in ON_SCREEN):
                print(f"podium: {as_options(message)}", file=sys.stderr)
