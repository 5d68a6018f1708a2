"""What is on trial: a run, and the lines that it is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine import frame as fr
from engine.core.registry import models
from engine.course import planted
from engine.language.message import _, refusal
from engine.lessons.compare.examine import cut_lines
from engine.live import cache
from engine.models.base import Model
from engine.runs.store import Run, digest
from engine.text import collection
from engine.text.collection import Stored, pairs
from engine.text.collection.beginning import beginning
from engine.text.read import read
from engine.text.tokenizers.base import passages, split

OWN, FIRST_TRAINING = "own", "stories"
FIRST = {"text": "reviews", "labelled": "reviews", "tagged": OWN, "parallel": OWN}
MOST_CHARACTERS, MOST_TYPED = 400_000, 200_000
MOST_TRAINING = 20_000_000
HOW = {
    "text": "Your text, one passage a line",
    "labelled": "Your lines: a label, a tab, a text",
    "tagged": "Your lines: word/TAG word/TAG",
    "parallel": "Your lines: a text, a tab, its translation",
}

SAMPLE = """\
You/PRON can/AUX open/VERB the/DET open/ADJ door/NOUN ./PUNCT
The/DET old/ADJ man/VERB the/DET boats/NOUN ./PUNCT
The/DET horse/NOUN raced/VERB past/ADP the/DET barn/NOUN fell/VERB ./PUNCT
She/PRON will/AUX book/VERB a/DET book/NOUN about/ADP trains/NOUN ./PUNCT
Fish/NOUN swim/VERB ,/PUNCT and/CCONJ fishermen/NOUN fish/VERB ./PUNCT
That/DET cat/NOUN knows/VERB that/SCONJ that/PRON is/AUX wrong/ADJ ./PUNCT
He/PRON likes/VERB green/ADJ tea/NOUN like/ADP his/PRON sister/NOUN ./PUNCT
Mary/PROPN bought/VERB three/NUM apples/NOUN in/ADP London/PROPN ./PUNCT
They/PRON run/VERB fast/ADV ,/PUNCT but/CCONJ the/DET fast/ADJ run/NOUN was/AUX long/ADJ ./PUNCT
Do/AUX n't/PART tell/VERB me/PRON what/PRON to/PART do/VERB !/PUNCT
The/DET doctor/NOUN left/VERB early/ADV because/SCONJ it/PRON rained/VERB ./PUNCT
Time/NOUN flies/VERB like/ADP an/DET arrow/NOUN ./PUNCT"""
"""Written for this page, by the rules of Universal Dependencies; some of them lead astray."""


@dataclass(frozen=True)
class Trial:
    """`trained`: the corpus that the run learned from, where it is here; `of` what the lines are called."""

    run: Run = field(compare=False)
    run_key: tuple[Any, ...]
    lines: tuple[str, ...]
    of: str
    left_out: int
    trained: str = ""

    @property
    def model(self) -> Model[Any]:
        return cache.model(self.run, Model)


def kind_of(run: Run) -> str:
    """What a line of its text has to be."""
    if run.model not in models.ids():  # an imported checkpoint
        return "text"
    return str(models.get(run.model).corpus.value)


def kinds(run: Run) -> Mapping[str, str]:
    """Corpora whose lines it can be asked about: of labelled texts the texts alone, where it wants no labels."""
    wanted, trained = kind_of(run), trained_on(run)
    found = {}
    for corpus in collection.list_all():
        kind = collection.kind_of(corpus)
        if kind == wanted or corpus.id == trained or (wanted == "text" and kind in pairs.ALIKE):
            found[corpus.id] = corpus.title
    return found


def texts(given: fr.Others) -> dict[str, str]:
    return {**kinds(given["run"]), OWN: "A text of your own, pasted here"}


def first_text(given: fr.Others) -> str:
    run = given["run"]
    asked = planted.text(run.note) or trained_on(run) or FIRST.get(kind_of(run), OWN)
    return asked if asked in kinds(run) else FIRST.get(kind_of(run), OWN)


def sample(given: fr.Others) -> str:
    run = given["run"]
    if kind_of(run) == "tagged":
        return SAMPLE
    return models.get(run.model).sample if run.model in models.ids() else ""


def trained_on(run: Run) -> str:
    """The corpus here that this run learned from, by its name and its digest; "" where it is not here."""
    asked = run.note.get("corpus", {})
    for corpus in collection.list_all():
        if corpus.title != asked.get("name"):
            continue
        try:
            if asked.get("digest") == _digest(
                corpus.id, str(corpus.about) if isinstance(corpus, Stored) else ""
            ):
                return corpus.id
        except LookupError:
            continue
    return ""


@fr.once
def _digest(id: str, about: str) -> str:
    return digest(collection.find(id).text())


def plain_lines(trial: Trial) -> tuple[str, ...]:
    """The lines without labels and tags."""
    kind = kind_of(trial.run)
    return tuple(strip(line, kind) for line in trial.lines)


def strip(line: str, kind: str) -> str:
    return pairs.strip_labels(line, kind).strip("\n") if kind in pairs.ALIKE else line


def training_texts(given: fr.Others) -> dict[str, str]:
    every = {corpus.id: corpus.title for corpus in collection.list_all()}
    return {**every, OWN: "A text of your own"}


def first_training(given: fr.Others) -> str:
    return given["trial"].trained or FIRST_TRAINING


@fr.once
def learned_from(id: str, seed: int, most: int) -> tuple[str, ...]:
    """Lines that a run trained on a corpus has learned from, from all over it, as they are written there."""
    try:
        lines = split(passages(collection.find(id).text()), seed)[0]
    except LookupError as problem:
        raise refusal("{said}.", said=problem) from None
    step = max(1, len(lines) // most)
    return tuple(lines[::step][:most])


@fr.once
def training_lines(id: str, seed: int, most: int = MOST_TRAINING) -> tuple[str, ...]:
    """What is learned from in a corpus, without labels and tags, at most so many characters of it."""
    try:
        kind = collection.kind_of(collection.find(id))
        text = beginning(id, most)
    except LookupError as problem:
        raise refusal("{said}.", said=problem) from None
    found = split(passages(text), seed)[0] if kind in ("text", *pairs.ALIKE) else passages(text)
    return tuple(found)


@fr.once
def held_out(id: str, kind: str, seed: int) -> tuple[str, ...]:
    """The lines of a corpus that no run trained on it has learned from; `kind`: as what they are wanted."""
    try:
        corpus: Any = collection.find(id)
        if isinstance(corpus, Stored):
            found = passages(corpus.part("test"))
        else:
            whole = passages(corpus.text())
            # of a small one nearly all is measured, as nothing here has learned from it
            found = whole if id == "reviews" else split(whole, seed)[1]
    except LookupError as problem:
        raise refusal("{said}.", said=problem) from None
    own = collection.kind_of(corpus)
    if kind == own:
        return tuple(found)
    return tuple(passages(pairs.strip_labels("\n".join(found), own)))


def typed_lines(own: str, upload: tuple[str, bytes] | None) -> tuple[str, ...]:
    """The lines of a file, or those that are typed.  ValueError for a file that is no text."""
    try:
        raw = upload[1] if upload else own.encode("utf-8", "replace")
        return tuple(passages(read(raw)[0])) if raw.strip() else ()
    except ValueError as problem:
        raise refusal("This can't be read: {said}.", said=problem) from None


@fr.head("Looking up the text …")
def trial(
    run: Run,
    corpus: str = fr.pick("Lines of", texts, first_text, width=190),
    most: int = fr.pick("Maximum number of lines", (20, 50, 100, 200, 500, 2000), 50, width=120),
    *,
    own: str = fr.typed("Your lines", sample, MOST_TYPED, "Paste or type here", tall=150),
    upload: Any = fr.upload("or a text file", ("txt", "md", "text", "tsv")),
) -> fr.Choosing[Trial]:
    kind = kind_of(run)
    if corpus == OWN:
        yield fr.Beside([[fr.Controls(["own"], note=HOW[kind])], [fr.Controls(["upload"])]], (3, 2))
        given, of = typed_lines(own, upload), _("your text")
    else:
        given, of = held_out(corpus, kind, int(run.note.get("seed", 0))), kinds(run)[corpus]
    if not given:
        raise ValueError(
            "There is no line to ask the model about. Paste a few, or choose another text."
        )
    if kind == "text":
        kept, left_out = cut_lines(given, most, MOST_CHARACTERS)
    else:
        wrong = next((line for line in given if not pairs.fits(line, kind)), None)
        if wrong is not None:
            raise refusal(
                "The line “{wrong}” is not {says}.",
                wrong=wrong[:60],
                says=_(pairs.SAYS[kind]),
            )
        kept, left_out = list(given[:most]), max(0, len(given) - most)
    if not kept:
        raise ValueError("The first line is too long to be read here. Choose shorter ones.")
    return Trial(run, run.key, tuple(kept), str(of), left_out, trained_on(run))


HEAD = trial
