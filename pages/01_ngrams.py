"""N-grams: what the model expects next, over the whole vocabulary, and which order of the counts answered."""

from engine.reading import Reader
from pages.ui import cache, live, shell
from pages.ui.drawing import picked, ribbon
from pages.ui.stage import SURPRISAL, Panel, Stage

lesson, run = shell.enter("ngrams")


def stage() -> Stage:
    model = cache.model(run)
    reader = Reader("ngram", run.title, model, run.id, "tokens", ("mass", "matched"), top="ladder", most=16)
    panels = (
        Panel("next", "bars", "Next word", options={"column": "left", "words": True, "reader": "ngram", "most": 16}, figure=picked("ngram", "bars", ["probability"], ["token"], top=16)),
        Panel(
            "orders", "stack", "Which order answered, token by token",
            "Each column is the whole expectation after that word. A long context that was counted often answers by itself; "
            "a rare one hands its mass down to shorter contexts.",
            {"column": "right", "reader": "ngram", "fields": ("mass",)}, picked("ngram", "stack", ["mass"]),
        ),
        Panel(
            "surprise", "ribbon", "How surprising each word was", "Strong colour: the model did not expect this word here.",
            {"column": "right", "scale": SURPRISAL}, ribbon({"ngram": run.title}),
        ),
    )  # fmt: skip
    return Stage(((reader, run),), panels, most=600)


live.show(shell.opening(lesson), stage, cache.is_open(run))
shell.sources(lesson, run)
