"""Embeddings: the typed words on a map of all common words, with their true nearest neighbours."""

from engine.live import cache
from engine.live.reader import Reader
from engine.live.stage import Panel, Stage
from engine.models.wordspace import WordSpace
from pages.ui import live, readers, shell, wordmap

lesson, run = shell.enter("embeddings", readers.word_spaces())


def stage() -> Stage:
    model, places = cache.model(run, WordSpace), wordmap.word_map(run)
    dims = model.config.width
    reader = Reader(
        "skipgram",
        run.title,
        model,
        run.id,
        "words",
        top="neighbours",
        derive=places.place,
        derived=(places.spec,),
        place_of=places.of,
        more={"map": places.background(), "dims": dims, "vocabulary": len(model.space)},
    )
    panels = (
        Panel(
            "map",
            "map",
            "The words on a flat map",
            f"Principal components 1 and 2 of {dims}. They show {places.flat} of the variance,"
            f" so words that are close here may be far apart in truth.{places.turned}",
            {"column": "left", "reader": "skipgram"},
            places.flat_map,
        ),
        Panel(
            "neighbours",
            "neighbours",
            "True neighbours of",
            options={"column": "right", "words": True, "reader": "skipgram"},
            figure=places.neighbours,
        ),
    )
    return Stage(
        ((reader, run),),
        panels,
        most=900,
        settled=lambda traces, look: places.in_space(run, traces, look),
    )


live.show(shell.opening(lesson, run), stage, cache.is_open(run))
shell.sources(lesson, run)
