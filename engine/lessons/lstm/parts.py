"""Below the gates: sentences that explain a memory, measured."""

from __future__ import annotations

from collections.abc import Sequence

from engine import frame as fr
from engine.language.message import _
from engine.lessons.lstm.reminders import REMINDERS, measure_memory
from engine.live import cache

READERS = {"LSTM": "lstm", "Elman RNN": "rnn", "Transformer": "transformer", "n-gram": "ngram"}
REMEMBERED = 1.0  # bits that the later word has to cost more: half its probability
Found = Sequence[tuple[float, float]]


@fr.once_told
def remembered(*, names: tuple[str, ...]) -> fr.Taking[dict[str, Found]]:
    """By model, of each sentence: the bits of its word, and how many more after the other text."""
    found = dict[str, Found]()
    runs = {run.id: run for run in cache.runs(None)}
    for n, name in enumerate(names):
        yield fr.Progress(n / len(names), "Reading the sentences")
        model = cache.model(runs[READERS[name]])
        found[name] = [measure_memory(model, story) for story in REMINDERS]
    return found


@fr.part("Does it remember?", was=("fold.stories", "part-stories"))
def memory(measure: bool = fr.start("Measure the sentences")) -> fr.Blocks:
    yield (
        "Sentences such as “I grew up in France. I speak fluent French” are often used to explain what a memory is"
        " for. Here the early word is replaced, and we measure how many more bits the later word then costs."
    )
    if not measure:
        return
    there = {run.id for run in cache.runs(None)}
    names = tuple(name for name, id in READERS.items() if id in there)
    found = yield from remembered(names=names)
    yield _(
        "**✓**: at least {least:.0f} bit, so the early word was remembered. **–**: it made less difference, or the"
        " wrong one. The models were trained on novels, and they are small.",
        least=REMEMBERED,
    )
    share = "{name}: {right} of {all}"
    yield fr.Line(
        [
            _(share, name=name, right=sum(more >= REMEMBERED for _bits, more in row), all=len(row))
            for name, row in found.items()
        ]
    )
    rows = (
        (f"{story.text} … {story.word.strip()} ({story.exchanged})", *(mark(*one) for one in of))
        for story, *of in zip(REMINDERS, *found.values(), strict=True)
    )
    yield fr.table(("Text", *found), rows)


def mark(bits: float, more: float) -> str:
    sign = "✓" if more >= REMEMBERED else "–"
    moved = f"{round(more, 1) + 0.0:+.1f}".replace("-", "−")
    return _("{sign} {moved} of {bits:.1f}", sign=sign, moved=moved, bits=bits)


PARTS = (memory,)
