"""Decode: from what a model expects to text.  Needs only the field `probability`, so it is the same for every model.

What      temperature: p^(1/T), normalised; top-k: the k likeliest; top-p: the fewest whose sum reaches p;
          min-p: all that reach m times the likeliest.  What is left is normalised, and the mass that was cut is told.
Source    top-k: Fan, Lewis & Dauphin, Hierarchical Neural Story Generation, 2018, sec. 5.4;
          top-p: Holtzman et al., The Curious Case of Neural Text Degeneration, 2020, sec. 3.1;
          min-p: Nguyen et al., Turning Up the Heat: Min-p Sampling, 2024, sec. 3
Shapes    V = vocabulary (all of it, no cut before), T = tokens
Differs   Order: temperature, top-k, top-p, min-p, each on the normalised rest of the one before.
          Ties go to the smaller id, so that the same seed gives the same text everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.models.base import Model
from engine.tap import Recorder
from engine.text.base import Tokens

LONGEST_CHARACTER = 4  # bytes of one character in UTF-8: so many byte tokens may have to come before it can be read


@dataclass(frozen=True, slots=True)
class Choice:
    """A distribution to draw from, p_V float64, and the share of the mass that was cut away to get it."""

    p_V: np.ndarray
    cut: float


def temperature(p_V: np.ndarray, t: float) -> np.ndarray:
    """p^(1/t), normalised, float64.  t = 1 changes nothing; t = 0 puts everything on the likeliest.

    ValueError below 0, and where nothing has a chance.
    """
    if not t >= 0:
        raise ValueError(f"a temperature is 0 or more, not {t}")
    p_V = np.asarray(p_V, np.float64)
    if not p_V.any():
        raise ValueError("nothing can follow here: the model never saw these last tokens and gives every token probability 0")
    if t == 0:
        best_V = np.zeros_like(p_V)
        best_V[p_V.argmax()] = 1.0
        return best_V
    with np.errstate(divide="ignore"):
        logit_V = np.log(p_V)
    weight_V = np.exp((logit_V - logit_V.max()) / t)
    whole_V: np.ndarray = weight_V / weight_V.sum()
    return whole_V


def top_k(p_V: np.ndarray, k: int) -> Choice:
    """The k likeliest.  ValueError below 1."""
    if k < 1:
        raise ValueError(f"top-k keeps at least 1, not {k}")
    return _keep(p_V, _ranked(p_V)[:k])


def top_p(p_V: np.ndarray, p: float) -> Choice:
    """The fewest, likeliest first, whose probabilities add up to at least p.  ValueError outside (0, 1]."""
    if not 0 < p <= 1:
        raise ValueError(f"top-p lies above 0 and is at most 1, not {p}")
    order_V = _ranked(p_V)
    reached_V = np.cumsum(np.asarray(p_V, np.float64)[order_V])
    # a whisker of room: 0.1 + 0.2 + 0.7 must count as 1, as it would on paper
    count = int(np.searchsorted(reached_V, p * reached_V[-1] - 1e-12)) + 1
    return _keep(p_V, order_V[:count])


def min_p(p_V: np.ndarray, m: float) -> Choice:
    """All whose probability is at least m times the highest.  ValueError outside [0, 1]."""
    if not 0 <= m <= 1:
        raise ValueError(f"min-p lies between 0 and 1, not {m}")
    p_V = np.asarray(p_V, np.float64)
    return _keep(p_V, np.flatnonzero(p_V >= m * p_V.max()))


def choice(p_V: np.ndarray, t: float = 1.0, k: int | None = None, p: float | None = None, m: float | None = None) -> Choice:
    """Temperature, then the cuts that are asked for; `cut` is the mass lost to all of them, after the temperature."""
    now, left = Choice(temperature(p_V, t), 0.0), 1.0
    rules: tuple[tuple[Callable[[np.ndarray, Any], Choice], float | None], ...] = ((top_k, k), (top_p, p), (min_p, m))
    for rule, limit in rules:
        if limit is not None:
            now = rule(now.p_V, limit)
            left *= 1 - now.cut
    return Choice(now.p_V, 1 - left)


def _ranked(p_V: np.ndarray) -> np.ndarray:
    return np.argsort(-np.asarray(p_V, np.float64), kind="stable")


def _keep(p_V: np.ndarray, ids: np.ndarray) -> Choice:
    p_V = np.asarray(p_V, np.float64)
    total = p_V.sum()
    kept_V = np.zeros_like(p_V)
    kept_V[ids] = p_V[ids]
    mass = kept_V.sum()
    return Choice(kept_V / mass, max(0.0, float(1 - mass / total)))


def expects(model: Model[Any], tokens: Tokens) -> np.ndarray:
    """What follows the last of the tokens: probabilities (V,), float32.  ValueError without a token or without `probability`.

    Reads as many of the last tokens as the model can take, and no more than it needs.
    """
    if not any(spec.name == "probability" for spec in model.spec()):
        raise ValueError(f"a {model.card.id} model gives no probability of what comes next; choose a language model")
    total = len(tokens)
    if not total:
        raise ValueError("this model can't start from nothing; give it a first word")
    first = model.lead(total - 1) if model.context is None else max(0, total - model.context)
    recorder = Recorder((), {"probability"}, (total - 1 - first, total - first), first)
    model.run(tokens[first:], recorder)
    (found,) = recorder.fields(model.spec(), model.labels(tokens[total - 1 :]))
    p_V: np.ndarray = found.values[0]  # type: ignore[union-attr]
    return p_V


def sample(
    model: Model[Any],
    prompt: str,
    *,
    steps: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    seed: int = 0,
) -> Iterator[str]:
    """`steps` tokens drawn one after the other, as the pieces of text that they add to the prompt.

    The ids drawn are kept and never cut anew from the text, so every draw comes from what the model says about
    exactly these tokens.  A piece is empty while a character is still incomplete (byte-level tokens).
    """
    rng = np.random.default_rng(seed)
    tokens = model.tokens(prompt)
    tokenizer: Any = model.tokenizer  # type: ignore[attr-defined]
    told = len(tokens) - 1  # the last token whose text is out
    for step in range(steps):
        picked = choice(expects(model, tokens), temperature, top_k, top_p, min_p)
        tokens = _grown(tokens, draw(picked.p_V, rng), tokenizer)
        piece = _piece(tokens.ids, told, tokenizer)
        waiting = piece.endswith("\N{REPLACEMENT CHARACTER}") and len(tokens) - 1 - told < LONGEST_CHARACTER
        if waiting and step < steps - 1:
            yield ""
        else:
            told = len(tokens) - 1
            yield piece


def draw(p_V: np.ndarray, rng: np.random.Generator) -> int:
    """One id; never one of probability 0."""
    upto_V = np.cumsum(p_V, dtype=np.float64)
    return int(np.searchsorted(upto_V, rng.random() * upto_V[-1], side="right"))


def _grown(tokens: Tokens, id: int, tokenizer: Any) -> Tokens:
    return Tokens(np.append(tokens.ids, id), (*tokens.labels, tokenizer.vocab[id]), (*tokens.spans, (0, 0)), tokens.unknown)


def _piece(ids_T: np.ndarray, told: int, tokenizer: Any) -> str:
    """The text that the tokens after `told` add: decoding is local, so one token before them is enough."""
    before = ids_T[max(0, told) : told + 1].tolist()
    text: str = tokenizer.decode(before + ids_T[told + 1 :].tolist())
    return text[len(tokenizer.decode(before)) :]
