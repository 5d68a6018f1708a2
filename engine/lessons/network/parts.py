"""The boards of the page on networks, which learn in the browser, and why deep networks came late."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from engine import frame as fr
from engine.core.trace import FieldSpec, Kind
from engine.frame.part import Part
from engine.views import theme

# what a step of the first minute chooses: the boards keep the address by themselves
ASKED = fr.shared(fr.typed("", "", 400))


def scale(kind: Kind) -> dict[str, Any]:
    """The colours of what a unit makes of its inputs, or of a loss."""
    spec = FieldSpec("value", kind, ("unit",), "A number of a small network.")
    made = theme.scale(spec)
    ends = {"low": made.low, "high": made.high}
    return {**ends, "light": theme.stops(spec, False), "dark": theme.stops(spec, True)}


def draw(script: str, asked: str) -> fr.Board:
    data = {"asked": dict(parse_qsl(asked))}
    data |= {"scale": scale(Kind.STATE), "losses": scale(Kind.LOSS)}
    return fr.Board(f"network/{script}.js", data, sheets=("network/network.css",))


@fr.part("", always=True)
def network(*, asked: str = ASKED) -> fr.Blocks:
    yield fr.Section("network", [draw("board", asked)])
    yield fr.Note(
        "It learns in your browser, in JavaScript, with the steps that PyTorch would take; nothing is sent. *More*,"
        " *Steps a second* takes the limit of 1,000 away."
    )


def below(script: str, title: str) -> Part:
    """A board that shows the same network in another way."""

    def board(*, asked: str = ASKED) -> fr.Blocks:
        yield draw(script, asked)

    board.__name__ = script
    return fr.part(title)(board)


OBSTACLES = (
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


@fr.part("Why it came late")
def late() -> fr.Blocks:
    yield "Backpropagation was known in 1986. Five things stood in the way of deep networks:"
    yield fr.table(("what was missing", "what removed it", "source"), OBSTACLES)


PARTS = (
    network,
    below("byhand", "Backpropagation by hand"),
    below("collapse", "Without an activation"),
    below("layers", "Slopes and gradients by layer"),
    below("around", "The loss around it"),
    late,
)
