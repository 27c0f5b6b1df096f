"""Record named cases of the frozen answers anew: ``python -m tests.frozen.record "BradleyTerry: half" ...``.

Answers are recorded again only if they change on purpose, and the commit says why. There is no way to record
all of them: ``--new`` records the cases that have no answers yet.
"""

import argparse
import sys

from tests.frozen.answers import differences, stored
from tests.frozen.cases import CASES, answers_of
from tests.frozen.store import read, write


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.frozen.record", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a case to record anew")
    parser.add_argument("--new", action="store_true", help="record the cases that have no answers yet")
    parser.add_argument("--list", action="store_true", help="list the cases")
    given = parser.parse_args(arguments)
    recorded = read()
    if given.list:
        print(*CASES, sep="\n")
        return 0
    unknown = [name for name in given.names if name not in CASES]
    if unknown:
        parser.error(f"there is no case {unknown[0]!r}; --list shows all cases")
    names = [*given.names, *(name for name in CASES if given.new and name not in recorded)]
    if not names:
        parser.error("name the cases to record anew, or give --new; there is no way to record all of them")
    for name in names:
        answers = answers_of(name)
        old = recorded.get(name, {})
        print(name if old else f"{name} (new)")
        for part in sorted(answers.keys() & old.keys()):
            for difference in differences(part, answers[part], old[part]):
                print(f"  {difference}")
        recorded[name] = {part: stored(answer) for part, answer in answers.items()}
    write({name: recorded[name] for name in CASES if name in recorded})
    return 0


if __name__ == "__main__":
    sys.exit(main())
