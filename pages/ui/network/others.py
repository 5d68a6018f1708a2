"""Why deep networks came late: what they competed with, on points; dropout; five obstacles."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import other_methods
from engine.analysis.other_methods import METHODS, REACH, SIDE, Learned, Points
from engine.core.trace import Field, Kind
from engine.lessons.typed_numbers import read
from pages.ui import ask, choice, language, plate, rows, written
from pages.ui.plate import Plate

POINTS: dict[Points, str] = {"xor": "XOR", "rings": "Two rings", "moons": "Two moons"}
TEXT, LONGEST, MOST, MASKS = "1, -2, 0.5, 3", 80, 6, 10_000
OBSTACLES = (
    ("what was missing", "what removed it", "source"),
    (
        "computing power",
        "graphics processors, later processors made for tensors",
        "Raina et al., 2009; Jouppi et al., 2017",
    ),
    (
        "labelled data",
        "ImageNet: millions of pictures that people had sorted",
        "Deng et al., 2009",
    ),
    (
        "ways to train",
        "ReLU, starting weights of the right size, dropout, batch normalization, Adam",
        "Nair & Hinton, 2010; Glorot & Bengio, 2010; Srivastava et al., 2014; Ioffe & Szegedy, 2015; Kingma & Ba, 2015",
    ),
    (
        "an idea of what is possible",
        "backpropagation trains hidden layers, and one of them is enough in principle; it was found out why depth"
        " stalls",
        "Rumelhart et al., 1986; Cybenko, 1989; Hochreiter, 1991",
    ),
    (
        "a reason to prefer them",
        "support vector machines and trees were as good on few data and easier to train, until a network won on"
        " ImageNet",
        "Cortes & Vapnik, 1995; Breiman et al., 1984; Krizhevsky et al., 2012",
    ),
)


@st.cache_data(show_spinner="Learning …", max_entries=32)
def learned(kind: Points, noise: float, seed: int, depth: int) -> dict[str, Learned]:
    return other_methods.learned(kind, noise, seed, depth)


def show() -> None:
    competitors()
    dropped()
    st.markdown("##### What stood in the way")
    st.markdown(rows.written(OBSTACLES))


def competitors() -> None:
    st.markdown("##### What else can draw a border")
    line = ask.line()
    kind = choice.one_of("Points", POINTS, "other_points", where=line, link=True)
    noise = ask.slider("Noise", "other_noise", 0.0, 0.6, 0.15, 0.05, where=line, width=140)
    depth = ask.slider("Depth of the tree", "other_depth", 1, 10, 3, 1, where=line, width=140)
    seed = ask.slider("Draw", "other_seed", 1, 9, 1, 1, where=line, width=110)
    found = learned(kind, noise, seed, depth)
    along = [f"{v:.1f}" for v in np.linspace(-REACH, REACH, SIDE)]
    axes = {
        "label": [f"{language.say(name)}: {100 * of.right:.0f} %" for name, of in found.items()],
        "row": along[::-1],
        "column": along,
    }
    says = "Where each says yes, and how many other points it gets right"
    border_KSS = np.stack([of.border_SS for of in found.values()])
    field = Field.of("border", Kind.GATE, axes, border_KSS, says, unit="yes")
    of = (
        f"Rows are x₂, columns x₁. Learned from {other_methods.LEARN} points within ±{REACH},"
        f" judged on {other_methods.JUDGE:,} others."
    )
    options = {"reading": False, "domain": (0.0, 1.0), "square": True, "wide": 660}
    plate.show(Plate("borders", "multiples", (field,), kind, of, model="points", options=options))
    neuron, tree, machine, network = (found[name].size for name in METHODS)
    st.markdown(
        f"The neuron has {neuron} weights and one line. The tree asks {tree} questions about one number each, so its"
        f" border is made of steps. The support vector machine (SVM) keeps {machine} of the {other_methods.LEARN}"
        f" points and"
        f" measures how near they are. The network has {network} weights. On points as few as these they are rivals."
    )


def dropped() -> None:
    st.markdown("##### Dropout")
    line = ask.line()
    h_H = read(ask.text("Units h", "drop_h", LONGEST, where=line, value=TEXT))[:MOST]
    p = ask.slider("Dropped p", "drop_p", 0.0, 0.9, 0.5, 0.05, where=line, width=160)
    seed = ask.slider("Mask", "drop_seed", 1, 20, 1, 1, where=line, width=160)
    if not len(h_H):
        st.info("Type a number.")
        return
    one_H = other_methods.dropout(h_H, p, 1, seed)[0]
    mean_H = other_methods.dropout(h_H, p, MASKS, seed).mean(0)
    m = written.matrix
    st.latex(rf"h={m(h_H)}\to{m(one_H)}")
    st.markdown(
        f"In training a unit is 0 with probability {p:g}, and the others are divided by 1 − {p:g}, here with one mask."
        f" Over {MASKS:,} masks the mean is what it was, so nothing has to be changed when the network is used:"
    )
    st.latex(rf"\bar{{h}}={m(mean_H, places=2)}")
