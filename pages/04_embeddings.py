"""Embeddings: the typed words on a map of all common words, with their true nearest neighbours."""

from engine.reading import Reader
from pages.ui import cache, live, shell, wordmap
from pages.ui.live import Panel, Stage

lesson, run = shell.enter("embeddings")


def stage() -> Stage:
    model, places = cache.model(run), wordmap.word_map(run)
    dims = model.config.width
    reader = Reader(
        "skipgram", run.title, model, run.id, "words", top="neighbours", derive=places.place, derived=(places.spec,),
        place_of=places.of, more={"map": places.background(), "dims": dims},
    )  # fmt: skip
    panels = (
        Panel(
            "map", "map", "The words on a flat map",
            f"Principal components 1 and 2 of {dims}. {places.pca.map.lost} Near here need not be near in truth.",
            {"column": "left", "reader": "skipgram"},
        ),
        Panel("neighbours", "neighbours", "True neighbours of", options={"column": "right", "words": True, "reader": "skipgram"}),
    )  # fmt: skip
    return Stage(((reader, run),), panels, most=900, settled=lambda traces, look: wordmap.in_space(places, traces["skipgram"]))


live.show(shell.opening(lesson), stage, cache.is_open(run))
shell.sources(lesson, run)
