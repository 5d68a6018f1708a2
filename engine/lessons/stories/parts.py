"""Below the live pictures: every story read by four nets, how far they remember, and what the gates of the unit do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine import frame as fr
from engine.language.message import _
from engine.lessons.stories import exam, memory
from engine.lessons.stories.live import reading
from engine.lessons.stories.told import REMEMBERED, STORIES, Told, measure_memory, measure_together
from engine.live import cache
from engine.models.recurrent import RecurrentModel

NETS = {
    "LSTM": "lstm_stories",
    "GRU": "gru_stories",
    "Elman": "rnn_stories",
    "Transformer": "transformer_stories",
}
REAL = {
    "LSTM of novels": "lstm",
    "Elman RNN of novels": "rnn",
    "Transformer of novels": "transformer",
    "n-gram model of novels": "ngram",
    "SmolLM2": "smollm2",  # where it is installed
}
NUMBERED = {one.written: f"{n}. {one.title}" for n, one in enumerate(STORIES, 1)}
Found = Sequence[tuple[float, float]]


def _there(of: Mapping[str, str]) -> tuple[str, ...]:
    runs = {run.id for run in cache.runs(None)}
    return tuple(name for name, id in of.items() if id in runs)


def _model(id: str) -> Any:
    return cache.model(next(run for run in cache.runs(None) if run.id == id))


def is_right(bits: float, more: float) -> bool:
    """Whether half of the probability is the word's, and at least REMEMBERED bits more after the other text."""
    return more >= REMEMBERED and bits < 1


@fr.once
def asked(id: str) -> Found:
    """Of a net that learned the stories, each of them."""
    return measure_together(_model(id), STORIES)


@fr.once_told
def asked_of_real(*, ids: tuple[str, ...]) -> fr.Taking[list[Found]]:
    found = list[Found]()
    for n, id in enumerate(ids):
        model, of = _model(id), list[tuple[float, float]]()
        for k, story in enumerate(STORIES):
            yield fr.Progress((n + k / len(STORIES)) / len(ids), "Reading the stories")
            of.append(measure_memory(model, story))
        found.append(of)
    return found


@fr.part("Does it remember?", was=("part-stories", "fold.stories"))
def remembers(
    story: str = fr.pick("A story", NUMBERED, width=320),
    real: bool = fr.start("Ask models of real texts too"),
) -> fr.Blocks:
    yield (
        "Thirty sentences by which a memory is often explained, with other sentences between. The early word is"
        " replaced, and we measure how many more bits the later word then costs."
    )
    one = Told(story)
    yield _("{text} **{word}**", text=one.text, word=one.word.strip())
    yield _("The other text: {text}", text=one.other)
    yield fr.Link("stories", "See what keeps it", {"text": one.text})
    names = _there(NETS)
    found = [asked(NETS[name]) for name in names]
    yield (
        "**✓**: the later word has more than half of the probability, and after the other text less than half of that."
        " The number: how many bits more it costs there."
    )
    yield fr.Line(
        [
            _(
                "{name}: {right} of {all}",
                name=name,
                right=sum(is_right(*one) for one in of),
                all=len(of),
            )
            for name, of in zip(names, found, strict=True)
        ]
    )
    rows = (
        (title, *(mark(*of) for of in row))
        for title, *row in zip(NUMBERED.values(), *found, strict=True)
    )
    yield fr.table(("Story", *names), rows, folds=True)
    if not real:
        return
    readers = _there(REAL)
    found = yield from asked_of_real(ids=tuple(REAL[name] for name in readers))
    for name, of in zip(readers, found, strict=True):
        yield _(
            "**{name}**: {n} of {all} early words make a difference of at least 1 bit.",
            name=_(name),
            n=sum(one[1] >= REMEMBERED for one in of),
            all=len(of),
        )


def mark(bits: float, more: float) -> str:
    sign = "✓" if is_right(bits, more) else "✗"
    moved = f"{round(more, 1) + 0.0:.1f}".replace("-", "−")
    return f"{sign}\u00a0{moved}"


@fr.once_told
def measured(*, ids: tuple[str, ...]) -> fr.Taking[list[list[tuple[float, float]]]]:
    """Of each run (share right, tokens of a line) for each count of sentences between."""
    found = []
    for n, id in enumerate(ids):
        model, of = _model(id), []
        for k, count in enumerate(exam.COUNTS):
            yield fr.Progress((n + k / len(exam.COUNTS)) / len(ids), "Reading stories")
            of.append(exam.right(model, exam.lines(count)))
        found.append(of)
    return found


@fr.part("How far does it remember?")
def far() -> fr.Blocks:
    yield (
        "New stories of the same kinds, and between their words sentences that no net has seen: from none to sixteen."
        " They learned from stories with eight at most."
    )
    names = _there(NETS)
    found = yield from measured(ids=tuple(NETS[name] for name in names))
    series: dict[str, Any] = {
        name: (exam.COUNTS, [share for share, _tokens in of])
        for name, of in zip(names, found, strict=True)
    }
    series["a guess"] = (exam.COUNTS, [exam.guess()] * len(exam.COUNTS))
    yield fr.curves("far", "Right answers by distance", series, "sentences between", "share right")
    yield _(
        "With sixteen sentences between, a story has {tokens:.0f} words and marks on average. An answer is right where"
        " it is the likeliest of all words.",
        tokens=found[0][-1][1],
    )


@fr.part("What do the gates of the LSTM do?")
def gates(lstm: RecurrentModel[Any] | None = fr.shipped("lstm_stories")) -> fr.Blocks:
    yield (
        "A gate is said to open at the early word, to keep it, and to let go when another one comes. For each story:"
        " the unit that carries its early word, how far its input gate is open there, how much of what it then held is"
        " left at the end, and where it forgets most."
    )
    if lstm is None:
        raise ValueError("The run lstm_stories is not there.")
    rows = [row for story in STORIES if (row := gates_of(lstm, story))]
    yield fr.table(
        ("Early word", "Unit", "Input gate", "Left at the end", "Forgets most at"),
        rows,
        forms={"Input gate": fr.SHARE, "Left at the end": fr.SHARE},
        folds=True,
    )
    kept = sum(row[3] >= 0.5 for row in rows)
    opened = sum(row[2] >= 0.5 for row in rows)
    yield _(
        "Of {all} stories, the input gate is more than half open at the early word in {opened}, and more than half of"
        " what the unit held is left in {kept}. In the others the word is kept by several units, or handed from one to"
        " another.",
        all=len(rows),
        opened=opened,
        kept=kept,
    )


@fr.once
def gates_of(model: RecurrentModel[Any], story: Told) -> tuple[Any, ...] | None:
    """(early word, unit, input gate there, share left, where the forget gate is lowest); None where no word that
    is exchanged decides."""
    trace = model.trace(story.text, fields=("gate.forget", "gate.input"))
    kept = memory.find(reading(model), tuple(trace.ids.tolist())).kept
    if kept is None or kept.more < REMEMBERED or kept.cause + 1 >= len(trace.ids):
        return None
    keep_T = trace.field("gate.forget").values[0, kept.cause + 1 :, kept.unit]
    wrote = float(trace.field("gate.input").values[0, kept.cause, kept.unit])
    lowest = trace.tokens[kept.cause + 1 + int(keep_T.argmin())]
    return trace.tokens[kept.cause], kept.unit, wrote, float(keep_T.prod()), lowest


PARTS = (remembers, far, gates)
