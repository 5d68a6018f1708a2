"""Which numbers share a mean: the axes that batch norm and layer norm average over.

What      y = gain (x - mean) / sqrt(variance + e) + shift; mean and variance over the texts (for each
          step and each unit), over texts and steps (for each unit), or over the units (for each text
          and each step)
Source    Ioffe & Szegedy, Batch Normalization, 2015; Cooijmans et al., Recurrent Batch
          Normalization, 2017; Ba, Kiros & Hinton, Layer Normalization, 2016
Shapes    B = texts, T = steps, H = units
Differs   As in training.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EPSILON = 1e-5
AXES = {"layer": (2,), "batch": (0,), "batch_time": (0, 1)}


@dataclass(frozen=True, slots=True)
class Normed:
    """All (B, T, H); `group_BTH` numbers the sets of cells that share one mean."""

    mean_BTH: np.ndarray
    deviation_BTH: np.ndarray
    y_BTH: np.ndarray
    group_BTH: np.ndarray


def normalise(x_BTH: np.ndarray, over: str, gain: float = 1.0, shift: float = 0.0) -> Normed:
    """KeyError for axes that are not in AXES."""
    axes = AXES[over]
    mean = x_BTH.mean(axes, keepdims=True)
    variance = np.square(x_BTH - mean).mean(axes, keepdims=True)
    y_BTH = gain * (x_BTH - mean) / np.sqrt(variance + EPSILON) + shift
    group = np.arange(mean.size).reshape(mean.shape)
    whole = np.broadcast_arrays(mean, np.sqrt(variance), group, x_BTH)
    return Normed(whole[0], whole[1], y_BTH, whole[2])
