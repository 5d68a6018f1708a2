"""Writing: an encoder goes on with a text, a masked word at its end at a time.

What      the likeliest word w of P(w | text [MASK]) takes the mask's place, then a new mask stands behind it
Source    Wang & Cho, BERT has a Mouth, and It Must Speak: BERT as a Markov Random Field Language Model, 2019
Differs   From left to right and the likeliest word, where they draw words at places in any order.
"""

from __future__ import annotations

import numpy as np

from engine.lessons.bert.masked_prediction import fit
from engine.models.bert import Bert


def go_on(model: Bert, text: str, steps: int) -> str:
    """What it writes behind the text; fewer words where the model holds no more.  ValueError where there is no text."""
    t = model.tokenizer
    ids = fit(model, model.tokens(text)).ids
    if len(ids) < 3:
        raise ValueError("Type some words.")
    ids, found = ids[:-1], list[str]()  # without the closing mark
    for _step in range(min(steps, model.config.context - 1 - len(ids))):
        asked_T = np.append(ids, [t.mask, t.end])
        ((p_1V, __),) = model.look([(asked_T, [len(ids)])])
        assert p_1V is not None
        ids = np.append(ids, p_1V[0].argmax())
        found.append(t.vocab[ids[-1]])
    return " ".join(found).replace(" ##", "")
