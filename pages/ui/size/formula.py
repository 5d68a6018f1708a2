"""Stolcke's formula with the numbers of one n-gram, chosen or typed."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.live.markdown import escape
from pages.ui import show
from pages.ui.size.costs import Costs, costs, listing, spelled
from pages.ui.size.counted import Base

FORMULA = (
    r"D = -p(h)\,\big\{\, p(w \mid h)\,[\ln P(w \mid h')",
    r"\quad +\, \ln \gamma'(h) - \ln p(w \mid h)]",
    (
        r"\quad +\, [\ln \gamma'(h) - \ln \gamma(h)]\,\big(1 - \textstyle\sum p(\cdot \mid h)\big)"
        r" \big\}"
    ),
)
GAMMA = (
    r"\gamma'(h) = \frac{1 - \sum p(\cdot \mid h) + p(w \mid h)}{1 - \sum P(\cdot \mid h') + P(w"
    r" \mid h')}"
)


def section(base: Base, m: int) -> None:
    """Choose an n-gram; read its formula in numbers."""
    found, offered, of = costs(base, m), listing(base, m), f"{base.chosen.key} {m}"
    if st.session_state.get("gram.of", of) != of:
        # the old one belongs to another text or length
        st.session_state["gram"] = next(iter(offered))
    st.session_state["gram.of"] = of
    asked = st.selectbox(
        "One n-gram",
        offered,
        key="gram",
        bind="query-params",
        accept_new_options=True,
        help="Choose one of the cheapest or dearest, or type another.",
        width=420,
    )
    place = _place(base, m, found, str(asked or ""), offered)
    if place is None:
        some = next(iter(offered))
        st.info(
            f"“{escape(str(asked or ''))}” is not among the counted {m}-grams;"
            f" “{escape(some)}” is shown."
        )
        place = offered[some]
    names = "p_G lower_G often_G gamma_G left_G free_G after_G".split()
    p, low, often, gamma, left, free, after = (float(getattr(found, v)[place]) for v in names)
    n = _latex
    st.markdown(
        f"Without **{escape(spelled(base, found, place))}**, where w is its last"
        f" {base.chosen.cut[:-1]}, h is the rest, and h′ is h without its first"
        f" {base.chosen.cut[:-1]}:"
    )
    _aligned(
        GAMMA,
        rf"\phantom{{\gamma'(h)}} = \frac{{{n(left)} + {n(p)}}}{{{n(free)} + {n(low)}}} ="
        rf" {n(after)}",
    )
    _aligned(
        *FORMULA,
        rf"\phantom{{D}} = -{n(often)}\,\big\{{\, {n(p)}\,[\ln {n(low)}",
        rf"\quad +\, \ln {n(after)} - \ln {n(p)}]",
        rf"\quad +\, [\ln {n(after)} - \ln {n(gamma)}] \cdot {n(left)} \big\}}",
        rf"\phantom{{D}} = {n(float(found.nats_G[place]))}",
    )
    if p <= 0 or left <= 0:
        st.caption("By convention, 0 times ln 0 is 0.")
    st.markdown(
        f"The probability of w after h goes from ${n(p)}$ to ${n(after * low)}$, and the perplexity"
        " grows by "
        rf"$e^D - 1 = {n(100 * float(np.expm1(found.nats_G[place])))}\,\%$."
    )


def _place(base: Base, m: int, found: Costs, text: str, offered: dict[str, int]) -> int | None:
    """Where an n-gram stands, listed or typed."""
    if text in offered:
        return offered[text]
    study = base.chosen.study
    inner = text.strip().removeprefix("<s>").removesuffix("</s>")[:400]
    if base.chosen.cut == "characters":
        inner = inner.replace("·", " ")
    tokens, mark = study.tokenizer.encode(inner), [study.tokenizer.boundary]
    begins, ends = text.strip().startswith("<s>"), text.strip().endswith("</s>")
    ids = [*mark * begins, *tokens.ids.tolist(), *mark * ends]
    if len(ids) != m or tokens.unknown:
        return None
    place = int(study.raw.places(np.array(ids, np.int64))[-1, m])
    return place if 0 <= place < len(found.nats_G) else None


def _aligned(*lines: str) -> None:
    """Short lines, so that they fit on a telephone."""
    show.formula(r"\begin{aligned} &" + r" \\ &".join(lines) + r" \end{aligned}")


def _latex(x: float) -> str:
    if not np.isfinite(x):
        return r"\infty"
    if x and not 1e-3 <= abs(x) < 1e5:
        base, power = f"{x:.2e}".split("e")
        return rf"{base}{{\cdot}}10^{{{int(power)}}}"
    return f"{x:.4g}"
