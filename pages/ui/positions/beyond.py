"""Beyond the trained length: seven models, alike but for their positions, trained on 64 tokens and
read on 256."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.positions import extrapolate
from engine.analysis.positions.extrapolate import Curve, Results
from engine.core.registry import positions
from pages.ui import plate
from pages.ui import rows as table
from pages.ui.plate import Plate
from pages.ui.positions import figures

NEAR = 9  # neighbours whose mean is drawn


def show() -> None:
    found = extrapolate.shipped()
    if found is None:
        st.info(
            "The measurements are not here. Make them with `python -m engine extrapolate --text"
            " FILE --out assets/positions.json`."
        )
        return
    st.markdown(
        "Seven small decoders differ only in their kind of position: same text, same seed,"
        f" {found.steps:,} steps, never more than **{found.trained} tokens** at once. Here each"
        f" reads {found.stretches:,} held-out stretches of {extrapolate.LENGTH} tokens. Lower is"
        f" better; watch what happens after position {found.trained}."
    )
    by_title = {positions.get(kind).title: kind for kind in positions.listed()}
    chosen = st.pills(
        "Positions",
        list(by_title),
        default=list(by_title),
        selection_mode="multi",
        key="kinds",
        bind="query-params",
    )
    kinds = [by_title[title] for title in chosen if title in by_title]
    picked = [c for kind in kinds if (c := found.find(kind))]
    if not picked:
        st.info("Choose a kind of position above.")
        return
    left, right = st.columns((3, 2), gap="medium")
    says = f"Surprisal at each place; trained on places 1 to {found.trained}"
    plate.show(curves(found, picked, "beyond", says), left)
    with right:
        table.show(rows(found, picked), "beyond.rows")
        st.caption(
            f"Mean bits per token. The curve shows the mean of {NEAR} neighbouring places. Each"
            " was trained once; small differences may change with another seed."
        )
    st.markdown(verdict(found))
    st.markdown(
        "**Position interpolation**: compress the longer text into the positions that the model"
        " knows. p′ = p · L_train / L_new; then every place lies within the trained length. ×"
        f" {found.trained / extrapolate.LENGTH:g}: places times {found.trained} /"
        f" {extrapolate.LENGTH}."
    )
    left, right = st.columns((3, 2), gap="medium")
    stretched = [
        c
        for c in found.curves
        if c.kind in ("rope", "learned", "sinusoidal") and (c.stretch != 1 or c.kind == "rope")
    ]
    plate.show(curves(found, stretched, "stretched", "With compressed positions"), left)
    plate.show(mapped(found), right)
    st.markdown(after(found))


def name(c: Curve) -> str:
    return (
        positions.get(c.kind).title
        + (f" × {c.stretch:g}" if c.stretch != 1 else "")
        + (f", {c.more} more steps" if c.more else "")
    )


def curves(found: Results, picked: list[Curve], id: str, says: str) -> Plate:
    smooth = {name(c): extrapolate.smooth(np.array(c.bits), NEAR) for c in picked}
    every = np.concatenate([*smooth.values()])
    end = ("end of training", [found.trained + 0.5] * 2, [every.min(), every.max()])
    return figures.curves(
        id,
        says,
        [*((name, range(1, len(bits) + 1), bits) for name, bits in smooth.items()), end],
        "positions",
        f"{found.stretches} held-out stretches; {len(picked)} models",
        x="place in the text",
        y="bits per token",
        of_series="positions",
        table="bits",
    )


def parts(found: Results, c: Curve) -> list[float]:
    """Mean bits in the second half of the trained places, the next as many as trained, and the
    rest; nan where there is none."""
    t, bits = found.trained, np.array(c.bits)
    return [
        float(part.mean()) if len(part) else float("nan")
        for part in (bits[t // 2 : t], bits[t : 2 * t], bits[2 * t :])
    ]


def rows(found: Results, picked: list[Curve]) -> list[dict[str, str]]:
    t = found.trained
    heads = (f"{t // 2 + 1} to {t}", f"{t + 1} to {2 * t}", f"{2 * t + 1} to {extrapolate.LENGTH}")
    return [
        {
            "positions": name(c),
            **{
                head: "no row" if np.isnan(v) else f"{v:.2f}"
                for head, v in zip(heads, parts(found, c), strict=True)
            },
        }
        for c in picked
    ]


def verdict(found: Results) -> str:
    """What the measurements say: who stays within 0.1 bits of its trained places, who does not, who
    can't."""
    groups: dict[str, list[str]] = {"stay": [], "lose": [], "none": []}
    for c in found.curves:
        if c.stretch != 1:
            continue
        inside, _, far = parts(found, c)
        title = positions.get(c.kind).title
        if np.isnan(far):
            groups["none"].append(title)
        else:
            which = "stay" if far < inside + 0.1 else "lose"
            groups[which].append(f"{title} ({far - inside:+.2f})".replace("-", "−"))
    said = (
        f"From place {2 * found.trained + 1} on, against the second half of the trained places, in"
        " bits: "
    )
    said += (
        f"**within 0.1 bits or better** are {', '.join(groups['stay']) or 'none'}; **worse**"
        f" {', '.join(groups['lose']) or 'none'}. "
    )
    if groups["none"]:
        said += (
            f"{', '.join(groups['none'])}: the table has {found.trained} rows and none for the"
            " next position, so learned positions cannot be extrapolated. "
        )
    return (
        said + "Sinusoidal positions and RoPE *exist* at every place, but the weights were"
        " never trained on the new ones, and neither were T5's far buckets."
    )


def mapped(found: Results) -> Plate:
    t, new = found.trained, extrapolate.LENGTH
    ends = [0, new - 1]
    return figures.curves(
        "mapped",
        f"Which place each token gets: p · {t} / {new}",
        [
            ("as they are", ends, ends),
            ("interpolated", ends, [0, (new - 1) * t / new]),
            ("last trained place", ends, [t - 1, t - 1]),
        ],
        "positions",
        "Position interpolation",
        x="token",
        y="place",
        of_series="places",
    )


def after(found: Results) -> str:
    whole, pressed, more = (
        found.find("rope"),
        found.find("rope", True),
        found.find("rope", True, True),
    )
    if not (whole and pressed and more):
        return ""
    inside = parts(found, whole)[0]
    far, flat, again = (parts(found, c)[2] for c in (whole, pressed, more))
    return (
        f"RoPE as trained has {inside:.2f} bits in the second half of its trained places and"
        f" {far:.2f} from place {2 * found.trained + 1} on. Interpolated, without more training, it"
        f" has {flat:.2f} there: neighbours are now a quarter of a place apart, which the model has"
        f" never seen. After {more.more} more steps on stretches of {extrapolate.LENGTH} tokens it"
        f" has {again:.2f}. That is how context windows of large models are made longer."
    )
