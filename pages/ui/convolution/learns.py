"""Filters while they learn: a network trained on the page, from weights by chance, as a film."""

from __future__ import annotations

import streamlit as st

from engine.analysis.digits import film, networks
from engine.analysis.digits.build import BATCH
from engine.analysis.digits.film import RATE, STEPS, Film
from pages.ui import ask, plate
from pages.ui.convolution.channels import grids


@st.cache_data(show_spinner="Learning …", max_entries=8)
def films(seed: int) -> Film:
    return film.learned(seed)


def show() -> None:
    st.markdown(
        "Eight kernels by chance, and images to learn from. At every step the loss of 32 images goes back through"
        " the dense layer, the pooling and ReLU to the kernels: the gradient of a weight is the sum over **all"
        " places** where it was used, times what it saw there. Trained here, now; move through the steps."
    )
    line = ask.line()
    seed = ask.slider("Start", "film_seed", 1, 9, 1, 1, where=line, width=200)
    found = films(seed)
    at = ask.pick("After step", STEPS, "film_step", STEPS[-1], line, width=140)
    n = STEPS.index(at)
    net, digit = found.networks[n], networks.shipped().held_out.ink[29]
    names = [f"filter {f + 1}" for f in range(len(net.kernel_FKK))]
    plate.row(
        grids(
            "filmkernels", f"The kernels after step {at}", net.kernel_FKK, names, f"start {seed}"
        ),
        grids(
            "filmmaps",
            f"Their maps of a held-out 6 after step {at}",
            net.read(digit[None]).sum_NFPP[0],
            names,
            f"start {seed}",
        ),
    )
    moved = float(abs(net.kernel_FKK - found.networks[0].kernel_FKK).mean())
    size = float(abs(found.networks[0].kernel_FKK).mean())
    st.markdown(
        f"After step {at} it reads **{100 * found.right_R[n]:.1f} %** of the held-out digits right, at a loss of"
        f" {found.loss_R[n]:.3f} nats. A kernel weight has moved by {moved:.2f} on average; it began"
        f" at {size:.2f} from 0."
    )
    plate.row(
        curve(
            "filmright",
            "Percent of held-out digits read right",
            100 * found.right_R,
            "percent",
            seed,
        ),
        curve("filmloss", "Loss on held-out digits, in nats", found.loss_R, "nats", seed),
    )


def curve(id: str, says: str, values: object, y: str, seed: int) -> plate.Plate:
    return plate.lines(
        id,
        says,
        [(f"start {seed}", STEPS, values)],  # type: ignore[list-item]
        "digits",
        f"{STEPS[-1]} steps of {BATCH} images, AdamW, rate {RATE}",
        x="step",
        y=y,
        of_series="",
        whole=True,
        tight=True,
        model="digits",
    )
