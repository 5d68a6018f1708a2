"""The novels of `novels`, whole, in an order drawn by chance: their first so many characters are of
any time and any writer."""

from __future__ import annotations

import random

from engine.shipped.sources import novels
from engine.shipped.sources.base import Files, Source

SEED = 5


def learn(files: Files) -> str:
    texts = novels.novels(files)
    names = [name for name in texts if name not in novels.KEPT_BACK]
    random.Random(SEED).shuffle(names)
    return novels.join(texts, names)


SOURCE = Source(
    "English novels, in an order drawn by chance",
    novels.SOURCE.licence,
    novels.SOURCE.link,
    learn,
    novels.FILES,
    novels.SOURCE.kept_back,
)
