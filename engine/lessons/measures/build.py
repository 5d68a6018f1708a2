"""Build: what shipped translators say of sentences that they never saw, beside the right translations.

    python -m engine.lessons.measures.build        writes assets/measures

What      of each a file of pairs, and what the measures made of it

          french   new sentences of the grammar behind the text English and French: a recurrent translator
                   without attention, and a small one with dot attention
          spanish  verses of four books of the Bible, translated by one model, word by word and by a beam of four
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.analysis import decode
from engine.analysis.decode.beam import beams, best
from engine.analysis.measures import pairs as files
from engine.lessons.measures import corpus
from engine.lessons.translation.parts import find_unseen, sentences
from engine.models.abilities import able
from engine.models.translating import TranslatingModel
from engine.runs.store import RunStore
from engine.storage.arrays import write_arrays

SENTENCES, BEAM, LONGEST, ALPHA = 400, 4, 40, 1.0
FRENCH = (("without attention", "seq2seq"), ("dot attention", "score_dot_before"))
SPANISH = "translator_spanish"


def french() -> list[tuple[str, ...]]:
    pairs = sentences()[:SENTENCES]
    source, right = zip(*pairs, strict=True)
    store = RunStore()
    said = [_open(store, run).translations(source) for _, run in FRENCH]
    heads = "source", "reference", *(name for name, _ in FRENCH)
    return [heads, *zip(source, right, *said, strict=True)]


def spanish() -> list[tuple[str, ...]]:
    store = RunStore()
    model = _open(store, SPANISH)
    pairs = find_unseen(store.find(SPANISH))
    source, right = zip(*pairs, strict=True)
    heads = "source", "reference", "likeliest word", "beam of 4"
    greedy, searched = model.translations(source), [search(model, one) for one in source]
    return [heads, *zip(source, right, greedy, searched, strict=True)]


def _open(store: RunStore, id: str) -> TranslatingModel[Any]:
    return able(store.load(store.find(id)), TranslatingModel)


def search(model: TranslatingModel[Any], text: str) -> str:
    """The likeliest text per token that a beam finds."""
    end = model.tokenizer.boundary
    steps = beams(decode.read(model, model.tokens(text)), BEAM, LONGEST, {end})
    ids = [id for id in best(steps, ALPHA)[0].ids if id != end]
    return str(model.tokenizer.decode(ids)).strip()


def write(rows: list[tuple[str, ...]], path: Path) -> None:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    found = dict(corpus.compute(files.read(path.read_bytes())))["done"]
    write_arrays(path.with_suffix(".safetensors"), found)


if __name__ == "__main__":
    corpus.ASSETS.mkdir(exist_ok=True)
    write(french(), corpus.ASSETS / "french.tsv")
    write(spanish(), corpus.ASSETS / "spanish.tsv")
