"""Reading: what each head makes of the vectors that a body gives for a text.

What      class, pair: softmax(W v + b); tags, replaced: softmax(W x_t + b); span: softmax over the tokens of the
          passage of w x_t + b, once for its first token and once for its last; the answer is the span that has the
          largest product of the two, of at most `LONGEST` tokens
Source    Devlin et al., BERT, 2019, sec. 4.2
Shapes    T = tokens, D = width, K = labels, W = ways to make one vector of a text, B = bodies: frozen, tuned
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from engine.analysis.task_heads import (
    BODIES,
    FROZEN,
    Store,
    find_passage,
    find_span,
    of_tokens,
    shipped,
    softmax,
    tuned,
)
from engine.lessons.tasks.learning import WAYS
from engine.models.bert import Bert

AXES: dict[str, tuple[str, str]] = {
    "class": ("way", "body"),
    "pair": ("way", "body"),
    "tag": ("token", "body"),
    "tag.p": ("token", "body"),
    "replaced": ("token", "body"),
    "first": ("token", "body"),
    "last": ("token", "body"),
    "inside": ("token", "body"),
}
Answers = dict[str, tuple[tuple[str, str], np.ndarray]]


def read_bodies(model: Bert, residual_LTD: np.ndarray) -> list[np.ndarray]:
    """What the frozen body gives for a text (T, D), and what the tuned one does, whose lower layers are the same."""
    below_TD = torch.from_numpy(np.array(residual_LTD[FROZEN - 1]))
    with torch.inference_mode():
        tuned_TD: np.ndarray = tuned(model)(below_TD[None])[0].numpy()
    return [residual_LTD[-1], tuned_TD]


def vectors(model: Bert, x_TD: np.ndarray) -> np.ndarray:
    """One vector of the text in each of the WAYS (W, D)."""
    pool = model.net.pool
    assert pool is not None
    weight_DD, bias_D = (p.detach().numpy() for p in (pool.weight, pool.bias))
    return np.stack([x_TD[0], np.tanh(weight_DD @ x_TD[0] + bias_D), x_TD.mean(0)])


def of_text(of: Store, body: str, head: str, vector_WD: np.ndarray) -> np.ndarray:
    """The probability (W,) of the second of two answers."""
    logits = []
    for way, v_D in zip(WAYS, vector_WD, strict=True):
        weight_KD, bias_K = of.heads[body][f"{head}_{way}"]
        logits.append(weight_KD @ v_D + bias_K)
    return softmax(np.stack(logits))[:, 1]


def find_counted(model: Bert, ids_T: np.ndarray, labels: Sequence[str]) -> np.ndarray:
    """Whether the target of each token counts: marks and all pieces of a word but its first have -100."""
    t = model.tokenizer
    inner_T = np.array([label.startswith("##") for label in labels])
    found: np.ndarray = ~np.isin(ids_T, (t.start, t.end)) & ~inner_T
    return found


def answers(
    model: Bert, ids_T: np.ndarray, counted_T: np.ndarray, read: Sequence[np.ndarray]
) -> Answers:
    """What the heads of each body make of what it gave (T, D)."""
    of, inside_T = shipped(), find_passage(ids_T, model.tokenizer.end)
    two = bool(inside_T.any())
    found: dict[str, list[np.ndarray]] = {name: [] for name in AXES}
    for body, x_TD in zip(BODIES, read, strict=True):
        vector_WD = vectors(model, x_TD)
        tag_TK = softmax(of_tokens(of, body, "tags", x_TD))
        tag_TK[~counted_T] = np.nan
        says_T = np.where(counted_T, np.nan_to_num(tag_TK).argmax(1), np.nan)
        replaced_T = softmax(of_tokens(of, body, "replaced", x_TD))[:, 1]
        span_T2 = np.full((len(ids_T), 3), np.nan)
        if two:
            logit_T2 = np.where(inside_T[:, None], of_tokens(of, body, "span", x_TD), -np.inf)
            span_T2[:, :2] = softmax(logit_T2, 0)
            first, last = find_span(span_T2[:, 0], span_T2[:, 1])
            span_T2[:, 2] = False
            span_T2[first : last + 1, 2] = True
            span_T2[~inside_T] = np.nan
        pair_W = of_text(of, body, "pair", vector_WD)
        made = (
            of_text(of, body, "class", vector_WD),
            pair_W if two else np.full_like(pair_W, np.nan),
            says_T,
            np.where(counted_T, np.nan_to_num(tag_TK).max(1), np.nan),
            np.where(_is_word(model, ids_T), replaced_T, np.nan),
            *span_T2.T,
        )
        for name, values in zip(AXES, made, strict=True):
            found[name].append(np.asarray(values, np.float32))
    return {name: (axes, np.stack(found[name], 1)) for name, axes in AXES.items()}


def find_answer(inside_TB: np.ndarray) -> np.ndarray:
    """The tokens of the answer of the last body."""
    return np.flatnonzero(np.nan_to_num(inside_TB[:, -1]))


def _is_word(model: Bert, ids_T: np.ndarray) -> np.ndarray:
    found: np.ndarray = ~np.isin(ids_T, (model.tokenizer.start, model.tokenizer.end))
    return found
