"""podium school: from the comparative judgements of teachers to marks."""

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli.options.reading import Files, judge_column, option, reads
from podium.cli.options.skill import read_for, scores_in
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs, ReportOptions
from podium.cli.output.report import frames_page
from podium.cli.output.screen import Column, busy, console, names_in, plain, show_table
from podium.cli.predict import Out
from podium.options import RankingReading, Reading

if TYPE_CHECKING:
    import pandas as pd

CHOSEN = (
    "Pairs were chosen by earlier results, which makes the reliability too high: in simulations it was 0.93 "
    "although all scripts were equally good. Have random pairs judged to know it."
)
READ = "Low to high are the likely marks (95 %). Grades are in per cent. Infit above 1: judges disagree."


@reads
def school(
    files: Files,
    reading: Reading,
    report: ReportOptions,
    marks: Annotated[str, option("The lowest and the highest mark.", metavar="LOW:HIGH")] = "0:100",
    mean: Annotated[float | None, option("Mean of the marks; by default the middle.")] = None,
    spread: Annotated[
        float | None, option("Their standard deviation; by default a sixth of the range.", min=0)
    ] = None,
    anchor: Annotated[str | None, option("Known marks: a FILE of an earlier --out.", metavar="FILE")] = None,
    boundary: Annotated[
        list[str] | None, option("Lowest mark of a grade. Repeat for all.", metavar="GRADE=MARK")
    ] = None,
    out: Out = None,
) -> None:
    """Turn comparative judgements into marks: which of two scripts is better, judged many times.

    The file has a row per judgement, with columns judge, chosen and not_chosen (or winner and loser, or any
    that --left, --right and --outcome name). Marks have the mean and spread that you give, or follow the
    known marks of some scripts (--anchor). --report writes a page to print, with a line per script.
    """
    from podium.bradley_terry.model import BradleyTerry
    from podium.reading.files import open_table
    from podium.skill.fit import ExistenceWarning

    screen, model = console(), BradleyTerry()
    with sentences() as said:
        outputs = Outputs([*files, anchor], table=out, page=report.report)
        with busy(screen, "reading"):
            opened = open_table(files, reading.encoding, reading.sheet or None)
            reading = replace(reading, group=reading.group or judge_column(opened.header))
            c: Any = read_for(opened, reading, RankingReading(), "bradley-terry", model)
        with busy(screen, "judging"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ExistenceWarning)  # teachers get sentences of their own
            model.fit(c)
            if model.components_.any():
                raise ValueError(
                    "some scripts were never compared with the others, not even by way of a third"
                )
            scripts = _scripts(model, c, marks, mean, spread, anchor, boundary or [])
            told, judges = _told(model, c, scripts)
        cells = [Column(title, [*map("{:.3g}".format, scripts[title])]) for title in scripts.columns[1:-1]]
        cells = [Column("script", names_in(scripts["script"]), "name"), *cells]
        show_table(screen, [*cells, Column("look again", scripts["look again"].tolist(), "text")])
        screen.print(plain("\n".join([f"columns: {c.columns}", *told])))
        outputs.add_table(scripts)
        if report.report is not None:
            frames = {"Marks": scripts} | ({} if judges is None else {"Judges": judges})
            report.add(outputs, frames_page(files, " ".join([*told, READ]), frames, model, said))
        outputs.write(screen)


def _scripts(model: Any, c: Any, marks: str, mean: Any, spread: Any, anchor: Any, grades: Any) -> Any:
    """One line per script, the best first."""
    import numpy as np
    import pandas as pd

    from podium.bradley_terry.marks import grade_chances, marks_by_anchors, marks_by_spread

    try:
        low, high = map(float, marks.split(":"))
        bounds = {name: float(mark) for name, mark in (one.rsplit("=", 1) for one in grades)}
    except ValueError:
        what = "--marks is LOW:HIGH, such as 0:40, and --boundary is GRADE=MARK, such as A=32"
        raise ValueError(what) from None
    if not -np.inf < low < high < np.inf:
        raise ValueError(f"--marks {marks} has no lowest mark below a highest mark; give it as 0:40")
    if anchor is None:
        middle, width = (low + high) / 2 if mean is None else mean, spread or (high - low) / 6
        mark, error = marks_by_spread(model.log_skill_, model.standard_error_, middle, width)
    else:
        known = scores_in(anchor, c, also=("script", "mark"))
        at = np.flatnonzero([item in known for item in model.items_.tolist()])
        exact = np.array([known[item] for item in model.items_[at].tolist()])
        mark, error = marks_by_anchors(model.log_skill_, model.standard_error_, at, exact)
    infit = model.fit_statistics().set_index("item").infit.reindex(model.items_).to_numpy()
    odd = infit > np.nanmean(infit) + 2 * np.nanstd(infit)
    ends = {"mark": mark, "low": mark - 1.96 * error, "high": mark + 1.96 * error}
    columns = {name: np.clip(end, low, high).round(1) for name, end in ends.items()}
    chances = {f"{name} %": (100 * p).round() for name, p in grade_chances(mark, error, bounds).items()}
    columns |= {"error": error.round(1), **chances, "judgements": model.fit_.record["games"]}
    columns |= {"infit": infit.round(2), "look again": np.where(odd, "judges disagree", "")}
    frame = pd.DataFrame({"script": model.items_, **columns})
    return frame.sort_values("mark", ascending=False, kind="stable", ignore_index=True)


def _told(model: Any, c: Any, scripts: "pd.DataFrame") -> tuple[list[str], "pd.DataFrame | None"]:
    """What to know about the marks, in sentences, and the judges."""
    from podium.comparisons.summary import CHANCE
    from podium.web.judges import in_order

    found, n, enough = model.reliability(), float(c.mass.sum()), 0.8
    ssr = found["ssr"]
    judged = c.groups is not None and len(c.groups) > 1
    judges = in_order(model.judges())[["judge", "votes", "agreement", "reason"]] if judged else None
    by = "" if judges is None else f" by {len(judges):,} judges"
    sure = f"95 % interval {found['ssr_low']:.2f} to {found['ssr_high']:.2f}"
    told = [f"{n:,.0f} judgements of {len(scripts):,} scripts{by}.", f"Reliability (SSR): {ssr:.2f}, {sure}."]
    if found["splits"]:
        told.append(f"Two halves of the judgements agree to {found['split_half']:.2f} (correlation).")
    if 0 < ssr < enough:
        more = n * (enough / (1 - enough) * (1 - ssr) / ssr - 1)
        told.append(f"About {more:,.0f} more judgements would bring the reliability to {enough}.")
    record = model.fit_.record
    if extreme := int(((record["wins"] == 0) | (record["losses"] == 0)).sum()):
        told.append(
            f"Always or never chosen: {extreme}. How far ahead or behind these scripts are is a guess."
        )
    if c.columns is not None and CHANCE in c.columns.unused:
        told.append(CHOSEN)
    if judges is not None and (odd := judges.judge[judges.reason != ""].astype(str).tolist()):
        told.append(f"Talk to {', '.join(odd)}: their judgements differ from the others'.")
    return told, judges
