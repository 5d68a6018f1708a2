"""The back-off ladder on the page: which word, by which method, the waterfall, and every number in
its formula."""

from __future__ import annotations

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from engine.live.markdown import escape
from engine.ngram.smoothed import Smoothed
from engine.views import theme
from pages.ui import ask, plate
from pages.ui.counting import ladder
from pages.ui.counting.context import Context, word_id
from pages.ui.counting.ladder import Rung
from pages.ui.counting.smoothers import followers
from pages.ui.counting.study import Chosen
from pages.ui.show import formula

FIRST = "modified_kneser_ney"


def show(
    chosen: Chosen, models: dict[str, Smoothed], context: Context, where: DeltaGenerator
) -> tuple[str, int]:
    """Draws the section; returns the ids of the method and of the word that were chosen.

    where  the line in which both are chosen
    """
    ids = {m.method.title: id for id, m in models.items()}
    first, place = models[FIRST].method.title, where.container(width=210)
    method = ids[ask.pick("Method", list(ids), "method", first, where, width=235)]
    model = models[method]
    p_V = model.distributions(context.places(model))[0]
    left, right = st.container(key="ladder").columns((6, 5), gap="medium")
    picture, likely = left.container(), left.container()
    word = _word(chosen, p_V, context, place, likely)
    label = theme.visible(chosen.study.vocab[word])
    found = ladder.rungs(model, context, word)
    name = "probability" if model.method.is_probability else "score"
    says = f"The {name} of “{label}” after “{theme.plain(context.said, 40)}”"
    made, text = ladder.table(found, label, says), f"{context.said} {chosen.study.vocab[word]}"
    plate.show(chosen.plate("ladder", "ladder", made, text, model.method.title), picture)
    with right:
        st.markdown(summary(model, found, label, context))
        st.markdown("**The formula, order by order, with these numbers**")
        below = [*[r.p for r in found[1:]], 0.0]
        for rung, lower in zip(found, below, strict=True):
            st.caption(_said(model, rung, label))
            st.markdown(rf"$\displaystyle {ladder.formula(model, rung, lower)}$")
    with left:
        st.markdown(model.method.idea)
        formula(model.method.formula)
    return method, word


def _word(
    chosen: Chosen, p_V: np.ndarray, context: Context, where: DeltaGenerator, below: DeltaGenerator
) -> int:
    """The next token to explain: the box, or one of the likely ones, which are offered `below`;
    else the likeliest that never followed here."""
    best = np.argsort(-p_V, kind="stable")
    follow, _ = followers(chosen, context)
    fresh = [i for i in best[:200].tolist() if i not in follow and p_V[i] > 0][:3]
    likely = [i for i in [*best[:6].tolist(), *fresh] if p_V[i] > 0]
    offered = {theme.visible(chosen.study.vocab[i]): i for i in likely}

    def take() -> None:
        if st.session_state.get("likely"):
            st.session_state["word"] = st.session_state["likely"]
            st.session_state["likely"] = None

    hint = "empty: the likeliest unseen"
    typed = ask.text("Next token to explain", "word", 100, hint, where)
    below.pills(
        "Likely next tokens, and some that were not seen here",
        list(offered),
        key="likely",
        on_change=take,
    )
    if typed in offered:
        return offered[typed]
    usual = fresh[0] if fresh else int(best[0])
    found = word_id(chosen, typed) if typed else usual
    if found is None:
        st.warning(
            f"“{escape(typed[:40])}” is not a single token of the counted text; the unknown"
            " token `<unk>` is explained instead."
        )
        marks = chosen.study.vocab[:3]
        found = marks.index("<unk>") if "<unk>" in marks else usual
    return found


def summary(model: Smoothed, found: list[Rung], label: str, context: Context) -> str:
    """One sentence: the result, and who gave it."""
    total = sum(r.part for r in found)
    before, word, p = escape(context.said), escape(label), _percent(total)
    giving = [r for r in found if r.part > 0]
    if not giving:
        return (
            f"After “{before}”, “{word}” gets **{p}**: it never occurs here, and the method keeps"
            " nothing for unseen events."
        )
    if len(giving) == 1 and (order := giving[0].order):
        return f"After “{before}”, “{word}” gets **{p}**, all of it from order {order}."
    if len(giving) == 1:
        return (
            f"After “{before}”, “{word}” gets **{p}**, all of it from the equal share of every"
            " token."
        )
    parts = ", ".join(
        f"{_percent(r.part)} from order {r.order}"
        if r.order
        else f"{_percent(r.part)} from the equal share of every token"
        for r in giving
    )
    return f"After “{before}”, “{word}” gets **{p}**: {parts}."


def _percent(p: float) -> str:
    return f"{100 * p:.3g} %" if p >= 1e-5 or not p else f"{100 * p:.2e} %"


def _said(model: Smoothed, r: Rung, label: str) -> str:
    """What was counted on this rung, in words."""
    word, n = escape(label), ladder.number
    if not r.order:
        return (
            f"**Below order 1** · each of the {model.predicted:,} tokens equally · weight"
            f" {_percent(r.weight)}"
        )
    where = f"after “{escape(' '.join(r.context))}”" if r.order > 1 else "in the whole text"
    start = f"**Order {r.order}** · {where}: "
    if not r.total:
        return start + (
            f"context never seen, so the shorter one answers · weight {_percent(r.weight)}"
        )
    if model.method.adjusted and r.order < model.order and (not r.context or r.context[0] != "<s>"):
        gram = escape(" ".join((*r.context, label)))
        said = (
            f"“{gram}” follows {n(r.count)} different token{'s' * (r.count != 1)}; the row"
            f" total is {n(r.total)}"
        )
    else:
        said = f"“{word}” {n(r.count)} of {n(r.total)} times"
    return start + f"{said} · weight {_percent(r.weight)}, passes {_percent(r.gamma)} of it down"
