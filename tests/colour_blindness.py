"""Colours as colour-blind readers see them (Machado et al. 2009)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

KINDS = {  # severity 1.0
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour: str | Sequence[float]) -> NDArray[np.float64]:
    if isinstance(colour, str):
        colour = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    c = np.asarray(colour, dtype=float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def seen(colour: str, kind: str) -> tuple[float, ...]:
    rgb = np.clip(np.array(KINDS[kind]) @ linear(colour), 0, 1)
    return tuple(np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1 / 2.4) - 0.055))


def lab(colour: str | Sequence[float]) -> NDArray[np.float64]:
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear(colour)
    f = np.cbrt(xyz / [0.9505, 1, 1.089])
    f = np.where(f > 6 / 29, f, (xyz / [0.9505, 1, 1.089]) / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: str | Sequence[float], other: str | Sequence[float]) -> float:
    return float(np.linalg.norm(lab(one) - lab(other)))
