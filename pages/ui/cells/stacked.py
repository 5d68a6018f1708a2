"""A stack of LSTM layers, built by writing down its sizes."""

from __future__ import annotations

import streamlit as st

from engine.analysis.costs import stacked
from engine.analysis.costs.stacked import Layer
from pages.ui import ask, kept, plate, rows, train
from pages.ui.address import begin

EXAMPLE = "512, 256, 128"


@kept.data(max_entries=32)
def _measured(d: int, units: tuple[int, ...], residual: bool, norm: bool) -> list[Layer]:
    return stacked.measured(d, units, residual, norm)


def show() -> None:
    st.markdown(
        "Layers may become narrower towards the top. What a layer reads is as wide as the layer below, so the"
        " lowest ones cost most: $4\\,h\\,(d + h + 1)$. A residual connection adds what a layer reads to what it"
        " says; where the sizes differ it needs $d\\,h$ weights to fit."
    )
    row = ask.line()
    begin(stack=EXAMPLE)
    written = ask.text("Units of the layers, from below", "stack", 60, where=row, live="150ms")
    d = ask.slider("Numbers of a word", "stack_d", 1, 512, 300, 1, row, width=200)
    residual = ask.toggle("Residual connections", "stack_residual", where=row)
    norm = ask.toggle("Layer norm", "stack_norm", where=row)
    try:
        units = tuple(stacked.sizes(written))
    except ValueError as problem:
        st.warning(str(problem))
        return
    layers = _measured(d, units, residual, norm)
    whole = sum(layer.parameters for layer in layers)
    table = [
        {
            "layer": str(n),
            "reads": f"{layer.reads:,}",
            "units": f"{layer.units:,}",
            "weights of its gates": f"{layer.cell:,}",
            **({"to fit": f"{layer.skip:,}"} if residual else {}),
            **({"of its norm": f"{layer.norm:,}"} if norm else {}),
            "share": f"{100 * layer.parameters / whole:.1f} %",
        }
        for n, layer in enumerate(layers, 1)
    ]
    plain = _measured(d, units, False, False)
    of = f"{', '.join(map(str, units))} units, {d} numbers read"
    at = range(1, len(layers) + 1)

    def curves(id: str, says: str, y: str, field: str) -> plate.Plate:
        both = [("as set", layers), ("without both", plain)][: 1 + (residual or norm)]
        series = [(name, at, [getattr(one, field) for one in found]) for name, found in both]
        return plate.lines(
            id,
            says,
            series,
            "stack",
            of,
            tight=True,
            x="layer",
            y=y,
            of_series="",
            log_y=True,
            whole=True,
            model="lstm",
        )

    rows.show(table, "stack")
    st.markdown(
        f"Together **{whole:,} parameters**; with the two biases of torch"
        f" {whole + sum(4 * layer.units for layer in layers):,}. In torch one `nn.LSTM` has the same size in all"
        " its layers: a stack that tapers is several of them, one after the other."
    )
    plate.row(
        curves("stack-signal", "Spread of what each layer says", "standard deviation", "spread"),
        curves("stack-gradient", "Gradient at each layer", "length", "gradient"),
    )
    st.caption(
        "Before training, over 20 steps drawn at random; the gradient is that of the last step of the top layer, along"
        " one direction. One layer is enough for a simple task, two to four are usual for translation; more bring"
        " little without residual connections."
    )
    train.link(
        {"layers": min(8, len(units)), "units": max(4, units[0]), "residual": residual},
        text="stories",
    )
