"""Cross-attention: an encoder reads English, a decoder writes French and looks at the English with
every word, or has only what it remembers."""

from dataclasses import replace

import streamlit as st

from engine.lessons.translation import panels
from engine.live import cache
from engine.models.translating import TranslatingModel
from pages.ui import closer, live, shell
from pages.ui.translation import (
    covered,
    digits,
    heads,
    lengths,
    pipeline,
    quality,
    reach,
    sizes,
    stopping,
    vector,
    vocabularies,
)

lesson, run = shell.enter("translation", also=("seq2seq",))
live.show(
    replace(
        shell.opening(lesson, run if panels.sides(run)[1] == "Spanish" else None),
        prompt=panels.prompt(run),
        steps=shell.minute(lesson, run),
    ),
    lambda: panels.opened(run),
    cache.is_open(run),
)
closer.show(
    run,
    TranslatingModel,
    {
        "Count the parameters": lambda model: sizes.show(run, model),
        "How good it is": lambda model: quality.show(run, model),
        "How long a sentence it can take": lambda model: lengths.show(run),
        "One vector": lambda model: vector.show(),
        "What reaches the first word": lambda model: reach.show(run, model),
        "How its length is decided": lambda model: stopping.show(run, model),
        "Which words it covered": lambda model: covered.show(run, model),
        "Which head follows the words": lambda model: heads.show(run, model),
        "One vocabulary or two": lambda model: vocabularies.show(run, model),
        "Six stages": lambda model: pipeline.show(),
        "Numbers backwards": lambda model: digits.show(),
        "The words it knows": lambda model: st.markdown(panels.known(model)),
    },
    key="translation_part",
)
shell.sources(lesson, run)
