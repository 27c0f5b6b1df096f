"""The table of judges."""

import re

import pandas as pd

from podium.web.judges import in_order, judges_section


def test_the_most_surprising_judges_come_first_with_their_p() -> None:
    shares = dict.fromkeys(("agreement", "ties", "left", "log_loss", "chance"), 0.5)
    judges = pd.DataFrame(
        {
            "judge": ["many", "odd", "few", "odder"],
            "votes": [90.0, 20, 10, 30],
            **shares,
            "flagged": [False, True, False, True],
            "p_value": [1.0, 0.04, 1.0, 1e-9],
            "reason": ["", "calls too many ties", "", "prefers the left side"],
        }
    )
    judges.attrs["krippendorff_alpha"] = 0.3
    assert in_order(judges)["judge"].tolist() == ["odder", "odd", "many", "few"]
    section = judges_section(judges)
    assert re.findall(r'aria-sort="ascending"><button[^>]*><span>(.*?)<', section) == ["p"]
    assert [section.count(p) for p in ("&lt;0.001", ">0.040<", ">1.000<")] == [1, 1, 2]
