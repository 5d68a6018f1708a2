"""Softmax and the loss behind it: from logits to probabilities, what each loss teaches, and where
the exponentials overflow."""

from pages.ui import closer, place, shell
from pages.ui.fragment import fragment
from pages.ui.softmax import hero, numbers, overflow, tokens

lesson = shell.head("softmax")


@fragment
def page() -> None:
    with place.panel("softmax"):
        hero.show()
    closer.one_of(
        {
            "Overflow": overflow.show,
            "Gradients in numbers": numbers.show,
            "Real tokens": tokens.show,
        },
        "part",
    )


page()
shell.sources(lesson)
