"""Below the live pictures: the models on held-out lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.calibration import BINS, calibration_error, reliability
from engine.course.curriculum import lesson
from engine.language.message import _, refusal
from engine.lessons.compare import claims, counted
from engine.lessons.compare.examine import Line, cut_lines, examine, parameters, seconds
from engine.lessons.compare.intervals import Interval, intervals
from engine.live.compared import names
from engine.live.markdown import escape
from engine.live.stage import take_turn
from engine.models.base import Model
from engine.runs.store import Run, digest
from engine.text import collection
from engine.text.collection import Stored
from engine.text.read import read
from engine.text.tokenizers.base import passages, split

Shown = Mapping[str, Run]
OWN = "own"
MOST_CHARACTERS, MOST_TYPED = 20_000, 100_000


# ------------------------------------------------------------------ held-out lines


@dataclass(frozen=True)
class Lines:
    """The lines to measure, `of` what text; `trained`: digest of what a model trained on that text
    was given."""

    lines: tuple[str, ...]
    left_out: int
    most: int
    of: str
    trained: str = ""


@fr.once
def take_lines(id: str, most: int, typed: str) -> Lines:
    """ValueError, with a sentence, where there are none."""
    if id == OWN:
        text = read(typed.encode("utf-8", "replace"))[0] if typed.strip() else ""
        given, of, trained = text.split("\n"), "your text", ""
    else:
        try:
            corpus: Any = collection.find(id)
            text = corpus.text()
        except LookupError as problem:
            raise refusal("{said}.", said=problem) from None
        trained = digest(text)
        if isinstance(corpus, Stored):
            given, of = (
                passages(corpus.part("test")),
                _("the test part of {title}", title=_(corpus.title)),
            )
        else:
            given = split(passages(text))[1]
            of = _(
                "the held-out part of {title} (each passage with chance 1/20)",
                title=_(corpus.title),
            )
    lines, left_out = cut_lines(given, most, MOST_CHARACTERS)
    if not lines:
        why = "Paste a text first." if id == OWN else "This text is too short to have a test set."
        raise refusal("There is no line to measure. {why}", why=_(why))
    return Lines(tuple(lines), left_out, most, of, trained)


@dataclass(frozen=True)
class Measured:
    """One model on these lines: line by line, and characters a second."""

    lines: tuple[Line, ...]
    speed: float

    @property
    def bits(self) -> float:
        return sum(line.bits for line in self.lines)

    @property
    def tokens(self) -> int:
        return sum(line.tokens for line in self.lines)


@fr.once_told
def measured(
    model: Model[Any], title: str, *, run: object, lines: tuple[str, ...]
) -> fr.Taking[Measured]:
    found = []
    for n, line in enumerate(lines, 1):
        with take_turn():  # typing goes on in between
            found.append(examine(model, line))
        says = _("{title}: line {n} of {all}", title=_(title), n=n, all=len(lines))
        yield fr.Progress(n / len(lines), says)
    with take_turn():
        took, characters = seconds(model, list(lines))
    return Measured(tuple(found), characters / max(took, 1e-9))


def texts(given: fr.Others) -> dict[str, str]:
    every = {corpus.id: corpus.title for corpus in collection.list_all("text")}
    return {**every, OWN: "A text of your own, pasted here"}


@fr.part("Measured on held-out lines", always=True, was=("lines", "lines_of"))
def lines(
    shown: Shown,
    *,
    lines_of: str = fr.pick("Text", texts, "stories"),
    most: int = fr.pick("Maximum number of lines", (20, 50, 100, 200), 50, slide=True),
    own: str = fr.typed(
        "Your text, one passage a line", "", MOST_TYPED, "Paste or type here", tall=120
    ),
    measure: bool = fr.start("Measure", ("shown", "lines_of", "most", "own")),
) -> fr.Blocks:
    yield (
        "One sentence says little. Every model reads the same lines, one by one, and you see"
        " which differences are likely to hold for other lines."
    )
    pasted = [fr.Controls(["own"], down=True)] if lines_of == OWN else []
    yield fr.Controls(["lines_of", "most", "measure"])
    yield from pasted
    if not measure:
        yield fr.Note("Press Measure: a few seconds for each model, more for large ones.")
        return
    of = take_lines(lines_of, most, own)
    runs = [*shown.values()]
    models = counted.models_of(runs)
    key = counted.size_of(runs)
    found = []
    for model, run in zip(models, runs, strict=True):
        one = yield from measured(model, run.title, run=(run.key, key), lines=of.lines)
        found.append(one)
    yield from describe_lines(of, runs, models)
    yield from bits(names(runs), models, found)
    yield from calibration(names(runs), runs, found, of)


def describe_lines(of: Lines, runs: list[Run], models: list[Model[Any]]) -> fr.Blocks:
    """Which lines they are, and what has to be said of these models on them."""
    yield fr.Note(
        _(
            "{n:,} {n|line|lines} of {of}, {size:,} characters; a passage of more than 500 characters"
            " is read as several.",
            n=len(of.lines),
            of=escape(of.of),
            size=sum(len(line) + 1 for line in of.lines),
        )
    )
    if of.left_out:
        yield fr.Note(
            _(
                "{n:,} more {n|passage is|passages are} left out: at most {lines} lines and"
                " {most:,} characters are read.",
                n=of.left_out,
                lines=of.most,
                most=MOST_CHARACTERS,
            )
        )
    if here := [run for run in runs if run.model == counted.COUNTED]:
        yield fr.Note(
            _(
                "Counted here: all runs of up to {order} {unit}, smoothed (modified Kneser-Ney), over the"
                " first {size:,} characters of each text.",
                order=here[0].note["config"]["order"],
                unit=_(here[0].note["recipe"]),
                size=counted.size_of(here),
            )
        )
    for run, model in zip(runs, models, strict=True):
        title = escape(run.title)
        if not model.normalised:
            yield fr.Note(
                _(
                    "{title} gives scores that do not sum to 1, so its bits and perplexity cannot be"
                    " compared with the others’.",
                    title=_(title),
                )
            )
        if of.trained and run.note.get("corpus", {}).get("digest") == of.trained:
            whole = run.note.get("config", {}).get("tokenizer") == "whitespace"
            if whole or run.note.get("seed", 0):
                yield fr.Note(
                    _(
                        "{title} was trained on this text with another split, so it has seen these"
                        " lines or most of them, and its results are too good.",
                        title=_(title),
                    )
                )
            else:
                yield fr.Note(
                    _("{title} was trained on this text, but not on these lines.", title=_(title))
                )


def bits(labels: list[str], models: list[Model[Any]], found: list[Measured]) -> fr.Blocks:
    bits_LM = np.array([[line.bits for line in one.lines] for one in found]).T
    size_L = np.array([line.characters for line in found[0].lines], float)
    each, pairs = intervals(bits_LM, size_L)
    yield fr.Rows(
        [
            {
                "model": label,
                "bits per character": of.value,
                "95 % interval": _("{low:.3g} to {high:.3g}", low=of.low, high=of.high)
                if of.low == of.low
                else "n/a",
                "perplexity per token": power(one.bits / one.tokens),
                "perplexity per word": power(one.bits / sum(line.words for line in one.lines)),
                "tokens": one.tokens,
                "not known": sum(line.unknown for line in one.lines),
                "parameters": parameters(model),
                "characters per second": round(one.speed),
            }
            for label, model, one, of in zip(labels, models, found, each, strict=True)
        ],
        dict.fromkeys(("parameters", "characters per second"), fr.WHOLE),
    )
    for (a, b), apart in pairs.items():
        yield difference(labels[a], labels[b], apart)
    yield fr.Note(
        "Interval: 2,000 bootstrap draws of as many lines, with repetition; a difference is"
        " taken over the same lines in each draw. Perplexity per token depends on how a text is"
        " cut, so it compares only models with the same tokens. Per word: white-space words and"
        " the line end count as one each, the same for all. An unknown word costs a word model"
        " only the surprisal of “some unknown word”, and spaces are free. So a word model looks"
        " better than it is. For an n-gram model, parameters are the n-grams counted. Speed was"
        " measured here, just now: the median of five passes over the first lines."
    )


def power(bits: float) -> float:
    return float(2.0**bits) if bits < 1024 else float("inf")


def difference(one: str, other: str, apart: Interval) -> fr.Words:
    places = {"a": escape(one), "b": escape(other), "bits": abs(apart.value), "half": apart.half}
    if not np.isfinite(apart.value):
        return _(
            "- **{a}** and **{b}**: one of them gives something in these lines probability 0, so its"
            " bits are infinite.",
            **places,
        )
    if apart.value < 0:
        places |= {"a": places["b"], "b": places["a"]}
    if not np.isfinite(apart.half):
        return _(
            "- **{a}** needs {bits:.3f} bits per character less than **{b}** on this one line; one"
            " line says nothing about others.",
            **places,
        )
    if not apart.sure:
        return _(
            "- **{a}** and **{b}** differ by {bits:.3f} ± {half:.3f} bits per character; other lines"
            " could reverse this.",
            **places,
        )
    return _(
        "- **{a}** is better than **{b}** by {bits:.3f} ± {half:.3f} bits per character.", **places
    )


def calibration(labels: list[str], runs: list[Run], found: list[Measured], of: Lines) -> fr.Blocks:
    bins = {
        label: reliability(
            np.concatenate([line.confidence_T for line in one.lines]),
            np.concatenate([line.hit_T for line in one.lines]),
        )
        for label, one in zip(labels, found, strict=True)
    }
    series: dict[str, Any] = {
        label: ([b.confidence for b in mine], [b.hits for b in mine])
        for label, mine in bins.items()
    }
    series["perfectly calibrated"] = ([0, 1], [0, 1])
    yield fr.curves(
        "calibration",
        "Is each model as often right as it is confident? (calibration)",
        series,
        "confidence: probability of the likeliest token",
        "share of cases in which it came",
        _("{n} lines of {of}", n=len(of.lines), of=of.of),
        source="+".join(run.id for run in runs)[:80],
    )
    errors = ", ".join(f"{label} {calibration_error(mine):.3g}" for label, mine in bins.items())
    yield _("Expected calibration error: {errors}.", errors=escape(errors))
    yield fr.Note(
        _(
            "{bins} bins of equal width over the probability of each model's likeliest"
            " next token; a point is a bin that holds something. Above the straight line a"
            " model is underconfident, below it overconfident. The error is the mean"
            " distance from that line, weighted by the number of positions in each bin."
            " Tokens differ: a letter is easier to predict than a word.",
            bins=BINS,
        )
    )


@fr.part("For and against")
def for_and_against(
    of: str = fr.pick("Claims about", claims.OF, "models", width=240),
) -> fr.Blocks:
    yield "**For and against.** What is usually said, and the page here on which it is measured."
    rows = [
        (_(side), said, seen, _(lesson(id).title)) for side, said, seen, id in claims.CLAIMS[of]
    ]
    yield fr.table(("side", "what is said", "what is seen here", "page"), rows, folds=True)
    others = dict.fromkeys(id for *_said, id in claims.CLAIMS[of] if id != "compare")
    yield fr.Line([fr.Link(id, _(lesson(id).title)) for id in others])


PARTS = (lines, for_and_against)
