"""Backpropagation through time on two units and three tokens, small enough to be done by hand.

What      a_t = W_xh x_t + W_hh h_{t-1} + b; h_t = tanh a_t; y_t = w_hy h_t + b_y;
          L = sum over t of (y_t - wanted)^2.
          Backward: dh_t = w_hy dy_t + W_hh^T da_{t+1}, da_t = dh_t (1 - h_t^2) and
          dW_hh = sum over t of da_t h_{t-1}^T
Source    Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990
Shapes    T = tokens, H = units, D = numbers in an input
Differs   float64; the weights begin with the example of the course notes.
"""

from __future__ import annotations

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


def backward(net: Net) -> Backward:
    """The backward sweep."""
    ran = forward(net)
    dy_T = 2 * (ran.y_T - net.wanted)
    slope_TH = 1 - ran.h_TH[1:] ** 2
    dh_TH, da_TH = np.zeros((2, *slope_TH.shape))
    later_H = np.zeros(len(net.w_HH))
    for t in reversed(range(len(dy_T))):
        dh_TH[t] = net.w_H * dy_T[t] + net.w_HH.T @ later_H
        later_H = da_TH[t] = dh_TH[t] * slope_TH[t]
    terms_THH = da_TH[:, :, None] * ran.h_TH[:-1, None, :]
    return Backward(dy_T, dh_TH, da_TH, terms_THH, terms_THH.sum(0))


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
