"""The file of the frozen answers: one line per answer, so that a diff shows which ones changed."""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("answers.json")


def read() -> dict[str, dict[str, Any]]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def write(answers: dict[str, dict[str, Any]]) -> None:
    cases = []
    for case, parts in answers.items():
        lines = [
            f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in parts.items()
        ]
        cases.append(f"{json.dumps(case)}: {{\n" + ",\n".join(lines) + "\n}")
    FILE.write_text("{\n" + ",\n".join(cases) + "\n}\n", encoding="utf-8")
