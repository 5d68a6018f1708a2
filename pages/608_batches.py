"""Batches: how lines become one matrix, and what a training step keeps and computes."""

from pages.ui import closer, place, shell
from pages.ui.batches import augmented, bits, masks, matrix, one_product, timeline
from pages.ui.fragment import fragment

lesson = shell.head("batches")


@fragment
def lines() -> None:
    with place.panel("lines"):
        matrix.show()


@fragment
def parts() -> None:
    closer.one_of(
        {
            "One product": one_product.show,
            "Dropout in time": masks.show,
            "Replaced tokens": augmented.show,
            "Half precision": bits.show,
            "Checkpoints": timeline.show,
        },
        "part",
    )


lines()
parts()
shell.sources(lesson)
