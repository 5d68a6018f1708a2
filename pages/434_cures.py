"""Cures for gradients: switches over a net that begins anew with every key, and what they do to signal
and gradient; clipping; what it cannot cure."""

from pages.ui import closer, shell
from pages.ui.cures import alone, axes, begin, cannot, clipping, flow, opened
from pages.ui.fragment import fragment

lesson = shell.head("cures")


@fragment
def page() -> None:
    plain, found = flow.show(lesson)
    parts = {
        "Each cure by itself": lambda: alone.show(plain, found.text),
        "One cell, opened": lambda: opened.show(found),
        "How weights begin": lambda: begin.show(plain, found.text),
        "Layer norm and batch norm": axes.show,
        "Clipping": clipping.show,
        "What clipping cannot cure": cannot.show,
    }
    closer.one_of(parts, "part")


page()
shell.sources(lesson)
