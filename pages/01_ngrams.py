"""N-grams: what the model expects next, over the whole vocabulary, and which order of the counts answered."""

from engine.reading import Reader
from pages.ui import cache, live, shell
from pages.ui.live import Panel, Stage

lesson, run = shell.enter("ngrams")


def stage() -> Stage:
    model = cache.model(run)
    reader = Reader("ngram", run.title, model, run.id, "tokens", ("mass", "matched"), top="ladder", most=16)
    panels = (
        Panel("next", "bars", "Next word", options={"column": "left", "words": True, "reader": "ngram", "most": 16}),
        Panel(
            "orders", "stack", "Which order answered, token by token",
            "Each column is the whole expectation after that word. A long context that was counted often answers by itself; "
            "a rare one hands its mass down to shorter contexts.",
            {"column": "right", "reader": "ngram", "fields": ("mass",)},
        ),
        Panel(
            "surprise", "ribbon", "How surprising each word was", "Dark: the model did not expect this word here.",
            {"column": "right", "scale": live.SURPRISAL},
        ),
    )  # fmt: skip
    return Stage(((reader, run),), panels, most=600)


live.show(shell.opening(lesson), stage, cache.is_open(run))
shell.sources(lesson, run)
