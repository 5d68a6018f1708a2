"""The text of `mix`; what learned from it is judged by English of other kinds too.

What      kept back: articles of the same Wikipedia that are not in the mix, whole film reviews, and
          the web texts (blogs, mails, answers, reviews) of the English treebank's test part
Source    those of its parts
Differs   Only the articles are of a kind that the mix has; novels are all in it.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

from engine.shipped.sources import film_reviews, mix, simple_wikipedia, ud_english
from engine.shipped.sources.base import Files, content, lines_of

MOST = 2_000_000  # characters of articles


def articles(files: Files) -> str:
    """Those that come after the last one that is in the mix."""
    found = simple_wikipedia.articles(files, random.Random(simple_wikipedia.SEED))
    learned = sum(1 for _ in mix.first(found, mix.ARTICLES))
    return "".join(f"{text}\n" for text in mix.first(found[learned:], MOST))


def reviews(files: Files) -> str:
    whole = film_reviews.KEPT_BACK["200 unseen reviews, whole"](files)
    return re.sub(r"(?m)^\w+\t", "", whole)


def web(files: Files) -> str:
    return "".join(re.findall(r"(?m)^# text = (.+\n)", lines_of(content(files["web"]))))


SOURCE = replace(
    mix.SOURCE,
    files={
        **mix.SOURCE.files,
        **film_reviews.SOURCE.files,
        "web": ud_english.SOURCE.files["test"],
    },
    kept_back={
        "other Wikipedia articles": articles,
        "film reviews": reviews,
        "blogs, mails and answers": web,
    },
)
