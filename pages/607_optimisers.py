"""How a step is chosen: the choices of the training room at work, before one trains."""

from pages.ui import closer, shell
from pages.ui.fragment import fragment
from pages.ui.optimisers import (
    accumulate,
    decay,
    early,
    growing,
    net,
    noise,
    race,
    schedule,
    smoothing,
)

lesson = shell.head("optimisers")


@fragment
def surface() -> None:
    race.show()


@fragment
def parts() -> None:
    closer.one_of(
        {
            "Learning rate": schedule.show,
            "A small network": net.show,
            "Batch size": noise.show,
            "A growing batch": growing.show,
            "Accumulation": accumulate.show,
            "Label smoothing": smoothing.show,
            "Weight decay": decay.show,
            "Early stopping": early.show,
        },
        "part",
        label="Other choices",
    )


surface()
parts()
shell.sources(lesson)
