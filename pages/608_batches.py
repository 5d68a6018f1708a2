"""Batches: how lines become one matrix, and what a training step keeps and computes."""

from pages.ui import closer, place, shell
from pages.ui.batches import augmented, bits, lighter, masks, matrix, one_product, places, timeline
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
            "Dropout in a Transformer": places.show,
            "Replaced tokens": augmented.show,
            "Half precision": bits.show,
            "Fewer bits": lighter.show,
            "Checkpoints": timeline.show,
        },
        "part",
    )


lines()
parts()
shell.sources(lesson)
