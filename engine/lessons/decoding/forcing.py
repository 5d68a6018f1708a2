"""Teacher forcing and free running: how well the true text is foretold when the model reads it, and
when it reads its own.

What      at step i the model has read the truth with probability share, its own draw otherwise;
          measured is -log2 P(truth_i) share 1: teacher forcing, as in training; share 0: free
          running, as in use
Source    Williams & Zipser, A Learning Algorithm for Continually Running Fully Recurrent Neural
          Networks, 1989 (teacher forcing);
          Bengio et al., Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks,
          2015, sec. 2.4
Shapes    N = tokens of the true continuation
Differs   Nothing is trained here.  A text of its own may be as good as the true one and yet
          foretell it worse, so the difference is more than what an error costs.
"""

from __future__ import annotations

import math

import numpy as np

from engine.analysis.decode.choice import draw
from engine.analysis.decode.place import Place, take_step
from engine.analysis.decode.temperature import softmax

FLOOR = 1e-12  # what is impossible counts as 40 bits


def bits(place: Place, truth: tuple[int, ...], share: float, seed: int = 0) -> np.ndarray:
    """Bits (N,) of each true token, behind what was read so far."""
    rng, found_N = np.random.default_rng(seed), np.empty(len(truth))
    for n, id in enumerate(truth):
        p_V = softmax(place.logit_V)
        found_N[n] = -math.log2(max(float(p_V[id]), FLOOR))
        # always two random numbers: a share changes only what is read
        own, fed = (draw(p_V, rng), rng.random() < share)
        if n < len(truth) - 1:
            place = take_step(place, id if fed else own)
    return found_N


def inverse_sigmoid(step: float, k: float) -> float:
    """Share of the truth after so many steps of training, k >= 1: k / (k + exp(step / k))."""
    return k / (k + math.exp(min(step / k, 700.0)))
