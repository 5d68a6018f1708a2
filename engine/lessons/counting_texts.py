"""The texts that lessons on counting share, each counted once: three that are so small that every
number can be checked by hand, the corpora, and one of the reader's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from engine.analysis.study import Study
from engine.course import first_minute
from engine.language.message import _
from engine.live.stage import Opening
from engine.text.collection import Stored
from engine.text.collection.beginning import beginning, by_label, left_out
from engine.text.corpora.base import Corpus
from engine.text.read import read, unwrap


@dataclass(frozen=True)
class Preset:
    """`after` is the context to begin with, `word` the next token to explain, `sentence` one to
    score."""

    id: str
    title: str
    says: str
    lines: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    after: str = ""
    word: str = ""
    order: int = 3
    sentence: str = ""
    follow: str = ""  # the word to watch in the two rankings


FRANCISCO = Preset(
    "francisco",
    "San Francisco",
    "Two equally frequent words: one follows only one word, the other follows three.",
    (
        "san francisco is foggy",
        "san francisco is far",
        "san francisco is big",
        "i lost my glasses",
        "he lost his glasses",
        "she lost her glasses",
    ),
    ("he lost my glasses",),
    "lost",
    "glasses",
    2,
    "san francisco lost his glasses",
    "francisco",
)

PRESETS = (
    Preset(
        "cats",
        "Four sentences",
        "Four sentences about a cat and a dog.",
        (
            "the cat saw a dog",
            "a dog sat on the cat",
            "the dog saw the cat",
            "the cat sat on the mat",
        ),
        ("the dog sat on the mat",),
        "the cat",
        "dog",
        3,
        "a cat sat on the dog",
        "cat",
    ),
    FRANCISCO,
    Preset(
        "students",
        "Students and teachers",
        "Three sentences: what do the students open?",
        (
            "The students opened their books",
            "The students opened their laptops",
            "The teachers opened their minds",
        ),
        ("The teachers opened their books",),
        "students opened their",
        "minds",
        4,
        "The teachers opened their laptops",
        "opened",
    ),
)

OWN = Preset("own", "Your own text", "A text of yours.")

MOST_CHARACTERS = 2_000_000  # of one text
# a context to begin with, of texts in English
AFTER = {"stories": "walked to the", "python_docs": "the value of", "source": "for name"}
LARGE = "This text is too large to count here. Choose a shorter one."
EMPTY = "Type a few sentences or add a text file; everything below is then counted from it."


def texts() -> dict[str, Preset]:
    """All by title: ours, those that come with the program, and the reader's own."""
    more = [
        Preset(corpus.id, title, corpus.says, after=_after(corpus), order=3)
        for title, corpus in by_label().items()
    ]
    return {preset.title: preset for preset in (*PRESETS, *more, OWN)}


def _after(corpus: Corpus) -> str:
    """Nothing for a text of the reader's in another language."""
    if isinstance(corpus, Stored) and corpus.about["language"].get("name") != "English":
        return ""
    return AFTER.get(corpus.id, "the")


def own_lines(text: str, file: tuple[str, bytes] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of a text of the reader's, typed or in a file, and sentences on what was done to it."""
    notes: list[str] = []
    try:
        if file is not None:
            text, done = read(file[1])
            text = unwrap(text)
            notes += [f"{file[0]}: {note}." for note in done]
        elif text:
            text, __ = read(text.encode("utf-8", "replace"))
    except ValueError as problem:
        notes.append(_("This cannot be counted: {problem}.", problem=problem))
        text = ""
    if len(text) > MOST_CHARACTERS:
        notes.append(
            _(
                "The text has {text:,} characters; the first {most:,} are counted. Train an"
                " n-gram model from the command line for more.",
                text=len(text),
                most=MOST_CHARACTERS,
            )
        )
        text = text[:MOST_CHARACTERS]
    lines = tuple(line for line in text.split("\n") if line.strip())
    if not lines and not notes:
        notes.append(EMPTY)
    return lines, tuple(notes)


@dataclass(frozen=True)
class Counted:
    """A text, how it is cut, and how long its n-grams are; `lines` of a text of the reader's."""

    preset: Preset
    order: int
    cut: str = "words"
    lines: tuple[str, ...] = ()

    @property
    def study(self) -> Study:
        """ValueError with a sentence where there is nothing to count."""
        return _counted(self)

    @property
    def id(self) -> str:
        """As saved files call it."""
        return f"{self.preset.id}-{self.order}-{self.cut}"

    def opening(self, usual: Opening) -> Opening:
        """Examples and the first minute of a page are true of one text; of another one its own sentence is read."""
        steps = first_minute.true_of(usual.page, "", (self.id,))
        if steps:
            return replace(usual, first="", steps=steps)
        return replace(usual, example=self.example, tries=(), first="", steps=())

    @property
    def example(self) -> str:
        """A text to begin with: its own sentence, or a line, of a long text one that was not counted."""
        study = self.study
        long = len(study.held_out) > 1
        return self.preset.sentence or (study.held_out if long else study.lines)[0][:200]

    @property
    def unit(self) -> str:
        """One of them: a word, or a character."""
        return self.cut[:-1]

    @property
    def left_out(self) -> str:
        """A sentence where the text goes on."""
        if self.preset.lines or self.preset is OWN:
            return ""
        return left_out(self.preset.id, MOST_CHARACTERS, "counted")


CUTS = {"words": "words", "characters": "chars"}


@lru_cache(maxsize=12)
def _counted(of: Counted) -> Study:
    """Without lines of its own it is a corpus; without held-out lines a part of it is held out."""
    lines, held = of.lines or of.preset.lines, of.preset.held
    try:
        text = "\n".join(lines) if lines else beginning(of.preset.id, MOST_CHARACTERS)
        study = Study.of(text, of.order, CUTS[of.cut], hold_out=not held)
    except MemoryError:
        raise ValueError(LARGE) from None
    except (ValueError, LookupError) as problem:
        said = str(problem) or LARGE
        raise ValueError(said if said.endswith(".") else _("{said}.", said=said)) from problem
    return replace(study, held_out=held) if held else study
