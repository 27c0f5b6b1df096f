"""podium count: the distinct rows of large files, with how often each occurs."""

from pathlib import Path
from typing import Annotated

from podium.cli.fit import describe
from podium.cli.options.reading import Files, check_names, option, reads
from podium.cli.output.errors import sentences
from podium.cli.output.outputs import Outputs
from podium.cli.output.screen import busy, console, plain
from podium.options import FeatureReading, Reading


@reads
def count(
    files: Files,
    reading: Reading,
    out: Annotated[Path, option("Where to save the counts: a .parquet file.")],
    by: Annotated[str | None, option("Column of the category, if boards are to be made by it.")] = None,
) -> None:
    """Count the equal rows of files, so that the next board need not read them again.

    The counts have the columns of the files that are used, as they are spelled there, and a column 'count'.
    'podium rank counts.parquet new/*.parquet' reads them together with new files, whose rows count once, and
    makes the board of all rows.
    """
    from podium.reading.comparisons import counts_from

    screen = console()
    with sentences():
        outputs = Outputs(files, counts=out)
        if reading.drop_ties:
            raise ValueError("--drop-ties is for those who read the counts, such as 'podium rank'")
        with busy(screen, "counting", "rows") as progress:
            c, table = counts_from(files, FeatureReading(**reading.said(), category=by), progress)
        check_names(c)
        screen.print(plain(f"columns: {c.columns}"))
        screen.print(plain(f"counted {describe(c)}"))
        outputs.add_table(table.to_pandas(strings_to_categorical=True, integer_object_nulls=True), "counts")
        outputs.write(screen)
