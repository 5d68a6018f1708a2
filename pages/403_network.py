"""A network of few units that learns in the browser: points, layers and every unit's picture of the
plane; its gradients by hand; what is left of its layers without an activation; the loss around it."""

from pages.ui import closer, place, shell
from pages.ui.fragment import fragment
from pages.ui.network import board, others

lesson = shell.head("network")


@fragment
def page() -> None:
    with place.panel("network"):
        board.show("board")
    closer.one_of(
        {
            "Backpropagation by hand": lambda: board.show("byhand"),
            "Without an activation": lambda: board.show("collapse"),
            "Slopes and gradients by layer": lambda: board.show("layers"),
            "The loss around it": lambda: board.show("around"),
            "Why it came late": others.show,
        },
        "part",
    )


page()
shell.sources(lesson)
