"""Predicted probabilities against observed frequencies: an SVG picture, and a table of its numbers.

It is not drawn with matplotlib, so it follows the light or dark colours of the page and needs no extra
package.
"""

import numpy as np

from podium.leaderboard.calibration import Calibration, CalibrationCurve
from podium.web.text import shown, tick_texts

LEFT, TOP, SIDE = 44, 10, 300  # position and size of the frame, in units of the picture
TICKS = np.linspace(0, 1, 6)


def calibration_section(calibration: Calibration | str) -> str:
    """The picture and its numbers, or a sentence that explains why there is none."""
    if isinstance(calibration, str):
        return f"<p>{shown(calibration)}</p>"
    if side := calibration.winner:
        return (
            f"<p>The winner is always on the {side}, so how often predictions came true cannot be shown.</p>"
        )
    return (
        f"<p>{shown(calibration.how)} Predictions with a probability of 70 % should come true "
        f"70 times in 100: that is the dotted line.</p>"
        f"{calibration_picture(calibration)}{calibration_table(calibration)}"
    )


def calibration_picture(calibration: Calibration) -> str:
    """The curves with 95 % intervals; the dotted diagonal is perfect calibration."""
    curves = "".join(map(_curve, calibration.curves))
    legend = "".join(
        f'<li><svg viewBox="0 0 12 12" style="color:var(--{curve.role})" aria-hidden="true">'
        f'<circle cx="6" cy="6" r="4"/></svg>{curve.title}</li>'
        for curve in calibration.curves
    )
    return (
        f'<svg class="calibration" viewBox="0 0 {LEFT + SIDE + 16} {TOP + SIDE + 42}" role="img" '
        f'aria-label="Predicted probability against observed frequency; the numbers follow in a table">'
        f'{_axes()}{curves}</svg><ul class="legend">{legend}</ul>'
    )


def _x(share: float) -> str:
    return f"{LEFT + SIDE * share:.1f}"


def _y(share: float) -> str:
    return f"{TOP + SIDE * (1 - share):.1f}"


def _axes() -> str:
    grid = "".join(f"M{_x(tick)} {_y(0)}V{_y(1)}M{_x(0)} {_y(tick)}H{_x(1)}" for tick in TICKS)
    up = {TOP + SIDE * (1 - tick): f"{100 * tick:.0f}" for tick in TICKS}
    across = {LEFT + SIDE * tick: f"{100 * tick:.0f}" for tick in TICKS}
    middle = f"{TOP + SIDE / 2:.1f}"
    return (
        f'<path class="grid" d="{grid}"/><path class="diagonal" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>'
        f"{tick_texts(LEFT, up, TOP + SIDE + 17, across)}"
        f'<text x="{_x(0.5)}" y="{TOP + SIDE + 36}" text-anchor="middle">predicted, %</text>'
        f'<text x="11" y="{middle}" text-anchor="middle" transform="rotate(-90 11 {middle})">'
        "came true, %</text>"
    )


def _curve(curve: CalibrationCurve) -> str:
    predicted, observed, low, high, _ = curve.bins
    points = [(_x(p), _y(seen)) for p, seen in zip(predicted, observed, strict=True)]
    line = "L".join(f"{x} {y}" for x, y in points)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="4"/>' for x, y in points)
    bars = "".join(
        f"M{x} {_y(bottom)}V{_y(top)}" for (x, _), bottom, top in zip(points, low, high, strict=True)
    )
    paths = f'<path class="bars" d="{bars}"/><path class="line" d="M{line}"/>'
    return f'<g style="color:var(--{curve.role})">{paths}{dots}</g>'


def calibration_table(calibration: Calibration) -> str:
    """The numbers of the picture, also for screen readers."""
    rows = "".join(
        f'<tr><th scope="row" class="text">{curve.title}</th><td class="number">{100 * p:.1f}</td>'
        f'<td class="number">{100 * seen:.1f}</td><td class="number">{100 * low:.1f} to {100 * high:.1f}</td>'
        f'<td class="number">{weight:,.6g}</td></tr>'
        for curve in calibration.curves
        for p, seen, low, high, weight in zip(*curve.bins, strict=True)
    )
    titles = ("predicted, %", "came true, %", "95 % interval", "rows")
    head = "".join(f'<th scope="col" class="number">{title}</th>' for title in titles)
    return (
        "<details><summary>The numbers</summary>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Calibration">'
        f'<table><thead><tr><th scope="col" class="text">outcome</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div></details>"
    )
