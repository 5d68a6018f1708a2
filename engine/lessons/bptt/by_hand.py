"""Backpropagation through time on two units and three tokens, small enough to be done by hand; and
done wrong in five ways.

What      a_t = W_xh x_t + W_hh h_{t-1} + b; h_t = tanh a_t; y_t = w_hy h_t + b_y;
          L = sum over t of (y_t - wanted)^2.
          Backward: dh_t = w_hy dy_t + W_hh^T da_{t+1}, da_t = dh_t (1 - h_t^2) and
          dW_hh = sum over t of da_t h_{t-1}^T
Source    Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990
Shapes    T = tokens, H = units, D = numbers in an input
Differs   float64; the weights begin with the example of the course notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

W_HH = ((0.1, 0.2), (0.3, 0.1))
W_XH = ((0.4, 0.5, 0.6), (0.7, 0.8, 0.9))
W_HY = (0.5, 0.5)
BIAS, WANTED = 0.1, 1.0
X = ((1.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0))
STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Net:
    """The weights, the same bias for every unit and the output; inputs `x_TD`."""

    w_HH: np.ndarray = field(default_factory=lambda: np.array(W_HH))
    x_TD: np.ndarray = field(default_factory=lambda: np.array(X))
    w_HD: np.ndarray = field(default_factory=lambda: np.array(W_XH))
    w_H: np.ndarray = field(default_factory=lambda: np.array(W_HY))
    bias: float = BIAS
    wanted: float = WANTED


@dataclass(frozen=True, slots=True)
class Forward:
    """`h_TH` has one row more than there are tokens: the state before the first."""

    a_TH: np.ndarray
    h_TH: np.ndarray
    y_T: np.ndarray
    loss_T: np.ndarray


def forward(net: Net) -> Forward:
    states, sums = [np.zeros(len(net.w_HH))], []
    for x_D in net.x_TD:
        sums.append(net.w_HD @ x_D + net.w_HH @ states[-1] + net.bias)
        states.append(np.tanh(sums[-1]))
    h_TH = np.array(states)
    y_T = h_TH[1:] @ net.w_H + net.bias
    return Forward(np.array(sums), h_TH, y_T, (y_T - net.wanted) ** 2)


def jacobians(net: Net) -> np.ndarray:
    """(T, H, H): dh_t/dh_{t-1} of every step, diag(1 - h_t^2) W_hh."""
    slope_TH = 1 - forward(net).h_TH[1:] ** 2
    return slope_TH[:, :, None] * net.w_HH


def product(step_THH: np.ndarray) -> np.ndarray:
    """(H, H): the product over steps that follow each other, the latest leftmost."""
    made: np.ndarray = np.eye(step_THH.shape[-1])
    for step_HH in step_THH:
        made = step_HH @ made
    return made


@dataclass(frozen=True, slots=True)
class Backward:
    """Per token the gradients of the output, the state and the sum before tanh; of the weights the
    terms of each token, and their sums."""

    dy_T: np.ndarray
    dh_TH: np.ndarray
    da_TH: np.ndarray
    terms_THH: np.ndarray
    dw_HH: np.ndarray
    dw_HD: np.ndarray
    db_H: np.ndarray


FAULTS: Mapping[str, str] = {
    "slope": "the slope of tanh taken one step too early",
    "transposed": "the recurrent weights not transposed on the way back",
    "sums": "no slope of tanh in the sums for the weights",
    "last": "the gradient of the last state set to 0, and its loss left out",
    "first": "only the path through the first state",
}


LISTED = ("slope", "transposed", "sums")  # together, as a program may have them


def backward(net: Net, *faults: str) -> Backward:
    """The backward sweep; with one of FAULTS or several together, as it comes out wrong.  KeyError for others."""
    if strange := set(faults) - set(FAULTS):
        raise KeyError(min(strange))
    ran = forward(net)
    dy_T = 2 * (ran.y_T - net.wanted)
    slope_TH = 1 - ran.h_TH[1:] ** 2
    count, units = slope_TH.shape
    dh_TH, da_TH = np.zeros((count, units)), np.zeros((count, units))
    back = net.w_HH if "transposed" in faults else net.w_HH.T
    for t in reversed(range(count)):
        dh_TH[t] = net.w_H * dy_T[t]
        if "last" in faults and t == count - 1:
            dh_TH[t] = 0
        elif t < count - 1:
            later = dh_TH[t + 1] * slope_TH[t] if "slope" in faults else da_TH[t + 1]
            dh_TH[t] += back @ later
        da_TH[t] = dh_TH[t] * slope_TH[t]
    used_TH = dh_TH if "sums" in faults else da_TH
    if "first" in faults:
        used_TH = np.where(np.arange(count)[:, None] == 0, used_TH, 0)
    terms_THH = used_TH[:, :, None] * ran.h_TH[:-1, None, :]
    return Backward(
        dy_T,
        dh_TH,
        da_TH,
        terms_THH,
        terms_THH.sum(0),
        used_TH.T @ net.x_TD,
        used_TH.sum(0),
    )


def differences(net: Net) -> np.ndarray:
    """dL/dW_hh (H, H) by central differences: every weight moved up and down by STEP."""
    found = np.zeros_like(net.w_HH)
    for at in np.ndindex(*found.shape):
        losses = []
        for by in (STEP, -STEP):
            moved = net.w_HH.copy()
            moved[at] += by
            of = Net(moved, net.x_TD, net.w_HD, net.w_H, net.bias, net.wanted)
            losses.append(forward(of).loss_T.sum())
        found[at] = (losses[0] - losses[1]) / (2 * STEP)
    return found
