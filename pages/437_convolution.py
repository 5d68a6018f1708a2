"""Convolution: a small kernel slid over a digit, opened from the first product to the answer; what
stride and padding cost, what sharing weights saves."""

from engine.analysis.digits import networks
from pages.ui import closer, place, shell
from pages.ui.convolution import digit, moves, sizes, words
from pages.ui.fragment import fragment

lesson = shell.head("convolution")


@fragment
def picture() -> None:
    with place.panel("digit"):
        digit.show(networks.shipped())


@fragment
def parts() -> None:
    closer.one_of(
        {
            "Sizes and counts": sizes.show,
            "Moved digits": moves.show,
            "Convolutions over words": words.show,
        },
        "part",
    )


picture()
parts()
shell.sources(lesson)
