"""The summary of a fit, as papers print it: estimates with errors and tests, and the likelihood."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import quoted
from podium.skill.board import standings
from podium.skill.certainty import chance_below, quantile
from podium.skill.fit import SkillFit
from podium.skill.quasi_variances import quasi_error, quasi_variances
from podium.writing.atomic import checked_path, write_whole
from podium.writing.frames import as_csv, as_json, as_parquet
from podium.writing.label_text import LONGEST_NAME, label_text, printable_name, short_names
from podium.writing.tables import (
    html_table,
    latex_table,
    latex_text,
    markdown_table,
    markdown_text,
    text_lines,
)

if TYPE_CHECKING:
    import pandas as pd

LEFT = ("parameter",)  # columns aligned left
OF_PARAMETERS = ("kind", "estimate", "error", "z", "p", "low", "high", "quasi_error")
SHOWN_ITEMS = 20  # items that a terminal or a notebook shows
COVARIANCES = {
    "model": "from the information",
    "robust": "from the sandwich",
    "cluster": "from the sandwich by group",
}
TIE_TESTS = {
    "davidson": "log ν = 0 means that two equal items tie with probability 1/3",
    "rao-kupper": "log κ = 0 means that ties are impossible, so the test of it says nothing",
    "auto": "log δ = 0 means that equal items tie for first place as often as one of them is first alone",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Summary:
    """All parameters of a fit with their errors and tests, and how well the fit explains the comparisons.

    Print it, or write it with `to_markdown`, `to_latex`, `to_frame` or `save`.

    Attributes
    ----------
    parameter : ndarray
        The items, then the names of the other parameters: tie parameter, effects, order effect.
    kind : ndarray of str
        "item" or "effect".
    estimate : ndarray
        The log-skill of each item minus the mean of its component, then the other parameters.
    error : ndarray
        The standard errors.
    z, p : ndarray
        The estimate divided by its error, and the two-sided p-value of the test that the parameter is 0. The
        test is normal, or Student's if errors are clustered.
    low, high : ndarray
        The confidence intervals.
    quasi_error : ndarray or None
        The quasi-error of each item, nan for other parameters; see `BradleyTerry.quasi_variances`.
    log_likelihood : float
        The sum of log P(outcome) over the comparisons, without the prior.
    n_comparisons : float
        The number of comparisons; a row counts with its weight.
    n_parameters : int
        The number of free parameters; the log-skills of a component add up to 0.
    residual_df : float
        ``n_comparisons`` minus ``n_parameters``.
    aic, bic : float
        2 (AIC) or log(n_comparisons) (BIC) for each parameter, minus twice the log-likelihood; nan if there
        is no likelihood.
    covariance : {"model", "robust", "cluster"}
        Where the errors come from: the information, or the sandwich.
    level : float
        The confidence level of the intervals.
    notes : tuple of str
        What to keep in mind.
    unit : str
        What ``n_comparisons`` counts: comparisons, or the choices of rankings.
    verdict : str
        One sentence: who leads, and how surely; see `Leaderboard.verdict`.
    """

    parameter: NDArray[Any]
    kind: NDArray[np.str_]
    estimate: Floats
    error: Floats
    z: Floats
    p: Floats
    low: Floats
    high: Floats
    quasi_error: Floats | None
    log_likelihood: float
    n_comparisons: float
    n_parameters: int
    residual_df: float
    aic: float
    bic: float
    covariance: str
    level: float
    notes: tuple[str, ...]
    unit: str = "comparison"
    verdict: str = ""

    def __len__(self) -> int:
        return len(self.parameter)

    @property
    def n_items(self) -> int:
        return int((self.kind == "item").sum())

    def to_frame(self) -> "pd.DataFrame":
        """One row per parameter, with all digits.

        Returns
        -------
        pandas.DataFrame
            The columns parameter, kind, estimate, error, z, p, low and high, and quasi_error if there is one.
        """
        import pandas as pd

        columns = {"parameter": pd.Series(self.parameter, dtype=self.parameter.dtype).array}
        return pd.DataFrame(columns | self._columns)

    @property
    def _columns(self) -> dict[str, NDArray[Any]]:
        """What there is of each parameter besides its name."""
        columns = {name: getattr(self, name) for name in OF_PARAMETERS}
        return {name: column for name, column in columns.items() if column is not None}

    def to_markdown(self) -> str:
        """The table in Markdown, with the likelihood and the notes below."""
        table = markdown_table(text_cells(self, label_text), LEFT)
        below = [*_facts(self), *(f"Note: {note}" for note in self.notes)]
        head = [markdown_text(_heading(self)), markdown_text(self.verdict)]
        return "\n\n".join([*head, table, *map(markdown_text, below)]) + "\n"

    def to_latex(self) -> str:
        r"""The table in LaTeX, with the likelihood and the notes below.

        It needs ``\usepackage{booktabs}``. Names in other scripts than Latin need XeLaTeX or LuaLaTeX.
        """
        rules = [self.n_items] * (self.n_items < len(self))
        table = latex_table(text_cells(self, label_text), LEFT, rules)
        below = [f"{self.verdict}.", *_facts(self), *(f"Note: {note}." for note in self.notes)]
        lines = [
            f"% {latex_text(_heading(self))}",
            table,
            "",
            *(f"{latex_text(line)}\\par" for line in below),
        ]
        return "\n".join(lines) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the summary to a file. The file is written completely or not at all.

        Parameters
        ----------
        path : str or path
            The suffix selects the format: ``.csv``, ``.json`` and ``.parquet`` have the columns of
            `to_frame`, ``.md``, ``.tex`` and ``.txt`` the table with the likelihood and the notes.
        """
        path = checked_path(path, WRITERS)
        write_whole(path, WRITERS[path.suffix.lower()](self))

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        shown = _first_items(self)
        table = html_table(text_cells(self, label_text, shown), LEFT, _heading(self))
        below = [*_left_out(self, shown), *_facts(self), *_remarks(self)]
        return f"<p>{escape(self.verdict)}</p>{table}" + "".join(f"<p>{escape(line)}</p>" for line in below)


# ------------------------------------------------------------------------------------ from a fit


def summary_of(fit: SkillFit, level: float, quasi: bool, sort: str = "item") -> Summary:
    """The summary of a fit, with quasi-errors if asked for."""
    if sort not in ("item", "estimate"):
        raise ValueError(f"sort is 'item' or 'estimate', not {quoted(sort)}")
    width = quantile(level, fit.degrees)  # first: it may raise an error
    found = quasi_variances(fit) if quasi else None
    k, extras = len(fit.items), len(fit.extra_names)
    units = np.append(np.ones(k), fit.extra_units)
    estimate = fit.solution * units
    error = np.append(fit.standard_error, fit.errors_of(np.arange(k, k + extras))) * np.abs(units)
    z = np.divide(estimate, error, out=np.full(k + extras, np.nan), where=error > 0)
    parameter = np.empty(k + extras, dtype=object)
    parameter[:] = [*fit.items.tolist(), *fit.extra_names]
    summary = Summary(
        parameter=parameter,
        kind=np.repeat(["item", "effect"], [k, extras]),
        estimate=estimate,
        error=error,
        z=z,
        p=2 * chance_below(-np.abs(z), fit.degrees),
        low=estimate - width * error,
        high=estimate + width * error,
        quasi_error=None if found is None else np.append(quasi_error(found), np.full(extras, np.nan)),
        log_likelihood=fit.log_likelihood,
        n_comparisons=fit.n_comparisons,
        n_parameters=fit.n_parameters,
        residual_df=fit.n_comparisons - fit.n_parameters,
        aic=fit.aic,
        bic=fit.bic,
        covariance=fit.errors_from,
        level=level,
        notes=(*_notes(fit), *_quasi_note(found), *fit.notes, *fit.remarks, *fit.few_groups),
        unit=fit.unit,
        verdict=standings(fit, level, "log", None, 0, None, "simultaneous").verdict,
    )
    return summary if sort == "item" else _best_first(summary, fit.component)


def _best_first(summary: Summary, component: NDArray[Any]) -> Summary:
    """The items of each component by their estimates, then the effects."""
    k = summary.n_items
    rows = np.append(np.lexsort((-summary.estimate[:k], component)), np.arange(k, len(summary)))
    ordered: dict[str, Any] = {name: column[rows] for name, column in summary._columns.items()}
    return replace(summary, parameter=summary.parameter[rows], **ordered)


def _notes(fit: SkillFit) -> Iterator[str]:
    several = fit.component.max() > 0
    mean = "the mean of the group that comparisons connect" if several else "the mean of all items"
    yield fit.scale_text or f"log-skills are relative to {mean}"
    if fit.extra_names and fit.extra_names[0].startswith("tie "):
        yield TIE_TESTS[fit.ties]
    if fit.no_likelihood:
        yield f"{fit.no_likelihood}: AIC and BIC are missing"
    if fit.ties == "ignore" and np.any(fit.record["ties"]):
        yield "ties are left out, so the likelihood is that of the other comparisons"
    if fit.has_normal_prior and not fit.no_likelihood:
        yield "skills have a normal prior; the likelihood is marginal, with s and the effects as parameters"
    if fit.largest_prior > 0:
        yield f"the estimates have a prior of {fit.largest_prior:g}, so they do not maximise the likelihood"
    if np.isfinite(fit.degrees):
        yield f"tests and intervals use Student's t distribution with {fit.degrees:,.0f} degrees of freedom"


def _quasi_note(found: Any) -> tuple[str, ...]:
    if found is None or not np.isfinite(found.worst_error).any():
        return ()
    worst = 100 * np.nanmax(found.worst_error)
    return (
        "the error of a difference of two items is √(a² + b²) of their quasi-errors, accurate to "
        f"{worst:.2g} %",
    )


# ------------------------------------------------------------------------------------ cells


def _first_items(summary: Summary) -> NDArray[np.int64]:
    """The rows to show: the first items, and all effects."""
    shown = np.arange(len(summary))
    return np.asarray(shown[(shown < SHOWN_ITEMS) | (summary.kind == "effect")])


def as_text(summary: Summary, *, whole: bool = False) -> str:
    """The summary for a terminal: the first items with short names, or everything if ``whole``."""
    shown = np.arange(len(summary)) if whole else _first_items(summary)
    cells = text_cells(summary, printable_name, shown)
    if not whole:
        cells["parameter"] = short_names(cells["parameter"], LONGEST_NAME)
    lines = [*text_lines(cells, LEFT), *_left_out(summary, shown)]
    return "\n".join([_heading(summary), summary.verdict, *lines, *_facts(summary), *_remarks(summary)])


def text_cells(
    summary: Summary, name_of: Callable[[Any], str], rows: NDArray[np.int64] | None = None
) -> dict[str, list[str]]:
    """The columns as text with rounded numbers; a missing number is a dash."""
    rows = np.arange(len(summary)) if rows is None else rows
    digits = _digits(summary)[rows]

    def rounded(values: Floats) -> list[str]:
        return [_number(value, f"z.{places}f") for value, places in zip(values[rows], digits, strict=True)]

    cells = {"parameter": [name_of(name) for name in summary.parameter[rows]]}
    cells |= {"estimate": rounded(summary.estimate), "error": rounded(summary.error)}
    if summary.quasi_error is not None:
        cells["quasi-error"] = rounded(summary.quasi_error)
    cells["z"] = [_number(value, "z.2f") for value in summary.z[rows]]
    cells["p"] = ["<0.001" if value < 0.001 else _number(value, ".3f") for value in summary.p[rows]]
    return cells | {"low": rounded(summary.low), "high": rounded(summary.high)}


def _digits(summary: Summary) -> NDArray[np.int64]:
    """Decimal places: errors of items have three digits or more, those of effects at least two."""
    error = np.where(np.isfinite(summary.error) & (summary.error > 0), summary.error, 1.0)
    first = -np.floor(np.log10(error)).astype(np.int64)  # the place of the first digit
    items = summary.kind == "item"
    common = int(np.clip(2 + first[items].max(initial=0), 2, 9))
    return np.where(items, common, np.clip(1 + first, common, 9))


def _number(value: float, spec: str) -> str:
    return "–" if np.isnan(value) else format(value, spec)


def _left_out(summary: Summary, shown: NDArray[np.int64]) -> list[str]:
    n = len(summary) - len(shown)
    return [f"… and {n:,} more items"] if n else []


def _remarks(summary: Summary) -> list[str]:
    return [f"Note: {note}" for note in summary.notes]


def _heading(summary: Summary) -> str:
    n = summary.n_comparisons
    plural = "" if n == 1 else "s"
    return f"Summary: {_amount(n)} {summary.unit}{plural} of {summary.n_items:,} items"


def _amount(number: float) -> str:
    """A sum of weights as text, with one decimal unless it is a whole number or hardly anything."""
    if abs(number) < 10 or abs(number - round(number)) < 1e-9 * abs(number):
        return f"{number:,.10g}" if number == round(number) else f"{number:,.3g}"
    return f"{number:,.1f}"


def _facts(summary: Summary) -> list[str]:
    is_pseudo = np.isnan(summary.aic)
    kind = "Pseudo-log-likelihood" if is_pseudo else "Log-likelihood"
    criteria = "" if is_pseudo else f", AIC {summary.aic:.2f}, BIC {summary.bic:.2f}"
    plural = "" if summary.n_parameters == 1 else "s"
    return [
        f"{kind} {summary.log_likelihood:.2f} with {summary.n_parameters:,} parameter{plural} and "
        f"{_amount(summary.residual_df)} residual degrees of freedom{criteria}",
        f"Errors {COVARIANCES[summary.covariance]}, {100 * summary.level:g} % intervals",
    ]


# ------------------------------------------------------------------------------------ files


def _csv(summary: Summary) -> bytes:
    """The frame as CSV; infinite bounds are empty cells, since spreadsheets do not know inf."""
    return as_csv(summary.to_frame().replace([np.inf, -np.inf], np.nan))


WRITERS: dict[str, Callable[[Summary], bytes]] = {
    ".csv": _csv,
    ".json": lambda summary: as_json(summary.to_frame()),
    ".parquet": lambda summary: as_parquet(summary.to_frame()),
    ".md": lambda summary: summary.to_markdown().encode(),
    ".tex": lambda summary: summary.to_latex().encode(),
    ".txt": lambda summary: f"{as_text(summary, whole=True)}\n".encode(),
}
