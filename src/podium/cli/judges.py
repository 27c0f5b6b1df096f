"""podium judges: which judges to use, calibrate or leave out."""

from typing import Annotated

from podium.cli.options.reading import Files, judge_column, option, reads
from podium.cli.output.board import show_judges
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs, ReportOptions
from podium.cli.output.screen import busy, console, plain
from podium.cli.predict import Out
from podium.options import FeatureReading, Reading


@reads
def judges(
    files: Files,
    reading: Reading,
    report: ReportOptions,
    prompt: Annotated[
        str | None, option("Column of the question; by default 'prompt' or 'question'.")
    ] = None,
    names: Annotated[bool, option("Show the names of the judges in the report.", "--names")] = False,
    level: Annotated[float, option("Confidence level of the intervals.", seldom=True)] = 0.95,
    out: Out = None,
) -> None:
    """Say for every judge whether to use, calibrate or leave out the votes, and why.

    Judges are in the column of --group, or in one called 'judge', 'annotator', 'rater' or 'worker'; without
    it all votes are one judge's. Each is compared with all the others, and with people if --judge-kind names
    the column that says who is 'human'. Where a judge saw the same two answers to a prompt in both orders,
    the share of verdicts that change is shown; --out has its interval, and the sharpness, tie habit and side
    of every judge.

    The report numbers the judges, since it may be published; --names shows who they are.
    """
    from podium.cli.output.report import judges_page
    from podium.evaluation.judging import judge_table
    from podium.reading.comparisons import comparisons_from
    from podium.reading.files import open_table
    from podium.web.judges import in_order

    screen = console()
    with sentences() as said:
        outputs = Outputs(files, table=out, page=report.report)
        with busy(screen, "reading"):
            opened = open_table(files, reading.encoding, reading.sheet or None)
            found = [name for name in ("prompt", "question") if name in opened.header]
            columns = {"category": prompt or next(iter(found), None)}
            columns |= {} if reading.group else {"group": judge_column(opened.header)}
            c = comparisons_from(opened, FeatureReading(**reading.said() | columns), False)
        with busy(screen, "comparing judges", "judges") as progress:
            table = in_order(judge_table(c, level, progress))
        screen.print(plain(f"columns: {c.columns}"))
        show_judges(screen, table)
        outputs.add_table(table)
        if report.report is not None:
            hidden = table.assign(judge=[f"judge {k + 1}" for k in range(len(table))])
            report.add(outputs, judges_page(files, c, table if names else hidden, said))
        outputs.write(screen)
