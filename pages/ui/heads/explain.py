"""Below the live pictures of the Heads page: does attention explain, two readings side by side, all
tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.heads import combine, faithful
from engine.analysis.heads.faithful import WEAK, Effects
from engine.core.cache import remembered
from engine.core.trace import Field, Kind, Table, Trace
from engine.lessons.heads.stage import READER, tokens_of
from engine.live.markdown import escape
from engine.runs.store import Run
from engine.views import theme
from pages.ui import closer, plate, rows
from pages.ui.heads import compare, table
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.abilities import Attends

AT_ONCE, SPEED = 2e10, 2.4e10  # multiplications that are done without asking, and in a second


def settled(
    run: Run, model: Attends[Any]
) -> Callable[[Mapping[str, Trace], Mapping[str, Any]], None]:
    def draw(traces: Mapping[str, Trace], look: Mapping[str, Any]) -> None:
        parts: dict[str, Callable[..., object]] = {
            "Does attention explain?": explain,
            "Compare": compare.show_pair,
            "All tags": table.show_tags,
        }
        closer.one_of(parts, "heads_part", run, model, traces[READER], look, link=False)

    return draw


@remembered(16)
def _effects(model: Attends[Any], text: str, window: tuple[int, int], target: int) -> Effects:
    from engine.live.window import tokens

    return faithful.effects(model, tokens(model, text)[slice(*window)], target)


def explain(run: Run, model: Attends[Any], shown: Trace, look: Mapping[str, Any]) -> None:
    st.subheader("Does attention explain?", anchor=False)
    last = len(shown.tokens) - 1
    target = max(0, min(int(look.get("token", 10**9)) - shown.offset, last))
    try:
        work = faithful.work(model, tokens_of(model, shown), target)
        if work > AT_ONCE and not st.button(
            f"Measure: about {max(1, round(work / SPEED))} s", key="measure"
        ):
            return
        found = _effects(model, shown.text, (shown.offset, shown.offset + last + 1), target)
    except ValueError as problem:
        st.info(str(problem))
        return
    others = [t for t in range(len(found.effect) + 1) if t != target]
    labels = tuple(shown.tokens[t] for t in others)
    layers, heads = found.weight.shape[0], found.weight.shape[1] - len(combine.NAMES)
    at = (
        max(0, min(int(look.get("layer") or 0), layers - 1)),
        max(0, min(int(look.get("head") or 0), heads + 2)),
    )
    rho = found.agreement()
    st.markdown(_method(model, shown, found, labels))
    st.markdown(_result(rho, heads, at))
    beside, map = _beside(run, shown, found, labels, at, heads), _map(run, shown, rho, heads)
    plate.row(beside, map, widths=(3, 2), gap="small")
    word = _word(model.tokenizer.vocab[found.next])
    name = _name(at, heads)
    each = {
        "token": [theme.visible(label) for label in labels],
        "effect, bits": found.effect,
        f"drop of log2 p(“{word}”), bits": found.drop,
        f"weight, {name}": found.weight[at],
        f"average of layer {layers}": found.weight[-1, heads],
        f"rollout to layer {layers}": found.weight[-1, heads + 2],
    }
    rows.show(each)


def _method(model: Attends[Any], shown: Trace, found: Effects, labels: tuple[str, ...]) -> str:
    target, word = _word(shown.tokens[found.target]), _word(model.tokenizer.vocab[found.next])
    where = "what comes after" if model.causal else "what the model expects at"
    which = "stands there" if found.real else "is likeliest"
    return (
        "A weight says where a head looks, not how much that matters. So we measure it: each of"
        f" the {len(labels)} other tokens in turn is masked in every head of every layer, so"
        " that only the token itself can see it; the other weights of a row are renormalised."
        f" **Effect** is how far {where} “{target}” moves: the KL divergence of the whole distribution, in"
        f" bits. **Drop** is how much log-probability the token that {which}, “{word}”, loses."
    )


def _result(rho: np.ndarray, heads: int, at: tuple[int, int]) -> str:
    """Where weights and effects go together, in words; Spearman's rho per head."""
    own = np.nan_to_num(rho[:, :heads], nan=0.0)
    weak = int((own < WEAK).sum())
    layer, head = np.unravel_index(int(own.argmax()), own.shape)
    here = rho[at]
    verdict = (
        "**disagree**: the tokens with most weight are not those that matter most"
        if not here >= WEAK
        else "agree in part"
        if here < 0.7
        else "agree"
    )
    flat = " (it gives the same weight to all)" if np.isnan(here) else f" (ρ = {_number(here)})"
    return (
        f"{_name(at, heads).capitalize()} and the effects {verdict}{flat}. ρ is Spearman's rank"
        f" correlation: 1 the same order, 0 none, −1 the reverse. Of {own.size} heads **{weak}"
        f" disagree** (ρ below {WEAK:g}); the closest is layer {layer + 1}, head {head + 1} with"
        f" {_number(own.max())}. All layers together by rollout: {_number(rho[-1, heads + 2])}."
    )


def _word(label: str) -> str:
    """A token in running text; one that is only space is made visible."""
    return escape(label.strip() or theme.visible(label))


def _number(rho: float) -> str:
    return "none" if np.isnan(rho) else f"{rho:.2f}".replace("-", "−")


def _name(at: tuple[int, int], heads: int) -> str:
    layer, head = at
    name = f"head {head + 1}" if head < heads else combine.NAMES[head - heads]
    return f"layer {layer + 1}, {name}"


def _beside(
    run: Run, shown: Trace, found: Effects, labels: tuple[str, ...], at: tuple[int, int], heads: int
) -> Plate:
    """Effect, the weights of the head looked at and rollout, each as shares of their sum, so that
    they have one scale."""
    each = {
        "measured effect": found.effect,
        _name(at, heads): found.weight[at],
        "rollout": found.weight[-1, heads + 2],
    }
    shares = [
        (name, label, share)
        for name, weight in each.items()
        for label, share in zip(labels, weight / max(float(weight.sum()), 1e-12), strict=True)
    ]
    says = "Effect of each token on the answer, and the weight the head gives it"
    made = Table.of_rows("effects", says, ("series", "token", "share"), shares)
    of = f"Model: {run.title} ({run.id})"
    return Plate("effects", "shares", (made,), run.id, of, shown.text[:200], model=run.model)


def _map(run: Run, shown: Trace, rho: np.ndarray, heads: int) -> Plate:
    field = Field.of(
        "agreement",
        Kind.STATE,
        {"layer": range(1, len(rho) + 1), "head": (*range(1, heads + 1), *combine.NAMES)},
        rho,
        "Weights and measured effects: rank correlation per head",
        "ρ",
        domain=(-1, 1),
    )
    of, text = f"Model: {run.title} ({run.id})", shown.text[:200]
    return Plate("rho", "heatmap", (field,), run.id, of, text, model=run.model, fluid=True)
