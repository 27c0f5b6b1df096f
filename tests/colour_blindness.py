"""Colours as people with a colour vision deficiency see them, how far colours are apart, and their contrast.

The matrices are those of Machado, Oliveira & Fernandes, "A Physiologically-based Model for Simulation of
Color Vision Deficiency" (2009), for a complete lack of one kind of cone (severity 1.0). They apply to linear
RGB.
"""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SEEN_BY: dict[str, Floats] = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def seen(colour: str, kind: str = "usual") -> Floats:
    """A colour such as "#1f62a6" as somebody sees it, in linear RGB from 0 to 1."""
    return np.asarray(np.clip(SEEN_BY[kind] @ linear(colour), 0, 1))


def linear(colour: str) -> Floats:
    """The light of the three channels of an sRGB colour."""
    share = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(rgb: Floats) -> Floats:
    """Linear RGB in CIELAB, in which equal distances look about equally large."""
    xyz = TO_XYZ @ rgb / TO_XYZ.sum(axis=1)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: str, other: str, kind: str = "usual") -> float:
    """How far two colours are apart in CIELAB; about 2 can just be told apart side by side."""
    return float(np.linalg.norm(lab(seen(one, kind)) - lab(seen(other, kind))))


def closest(colours: Iterable[str]) -> tuple[float, str, str, str]:
    """The two colours that are hardest to tell apart: their distance, the kind of vision, and the colours."""
    pairs = list(combinations(colours, 2))
    return min((distance(a, b, kind), kind, a, b) for kind in SEEN_BY for a, b in pairs)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG, from 1 to 21."""
    light = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)
