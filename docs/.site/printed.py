"""Whether a command or a script prints what a page shows."""

import doctest
import re

NUMBER = re.compile(r"\d+\.\d{4,}")
MOST = 5e-4  # a model is exact only to its tol, and how close it comes depends on how the processor rounds


class Printed(doctest.OutputChecker):
    """Compare to the letter, but let numbers with four or more decimals differ by ``MOST``."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        shown = NUMBER.findall(want)
        if len(shown) == len(NUMBER.findall(got)):
            numbers = iter(shown)
            got = NUMBER.sub(lambda found: _settled(next(numbers), found[0]), got)
        return super().check_output(want, got, optionflags)


def _settled(shown: str, printed: str) -> str:
    """The number as shown if the printed one agrees with it; otherwise the printed one."""
    same_digits = len(shown.partition(".")[2]) == len(printed.partition(".")[2])
    return shown if same_digits and abs(float(shown) - float(printed)) <= MOST else printed
