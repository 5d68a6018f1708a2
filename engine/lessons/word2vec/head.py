"""The update that is shown, chosen in the head of the page: the typed text, the settings, the updates
done before."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Field, Table
from engine.language.message import _
from engine.nn.word2vec import toy
from engine.nn.word2vec.single import Ask, Update, update
from engine.nn.word2vec.toy import Setting, Tables, Text
from engine.text.segmentation import WORDS, first

MOST, LETTERS = 40, 24  # words of the text that are used, letters of one of them
CHUNK = 100  # updates that are done at once
ENDS = re.compile(r"[.!?|\n]")
OUTPUTS = {"softmax": "Softmax", "negative": "Negative sampling", "hierarchical": "Tree"}


@dataclass(frozen=True, eq=False)
class Now:
    """The next update: `asked` and `done` are None where the centre stands alone."""

    text: Text
    setting: Setting
    n: int
    t: int
    tables: Tables
    losses: tuple[float, ...]
    asked: Ask | None
    done: Update | None

    @property
    def after(self) -> Tables:
        if self.done is None:
            return self.tables
        in_VD, out_VD = self.tables
        rate = self.setting.rate
        return in_VD - rate * self.done.in_VD, out_VD - rate * self.done.out_VD

    def names(self, ids: Any) -> list[str]:
        return [self.text.words[i] for i in ids]

    def chart(self, view: str, entry: Field | Table, note: fr.Words, **more: Any) -> fr.Chart:
        words = " ".join(self.text.words)
        return fr.Chart(entry.spec.name, entry.spec.says, view, (entry,), note, words, **more)


BY_HAND = {"w2v_window": 1, "w2v_worked": True, "w2v_done": 0, "w2v_seed": 1}
TRIES: dict[str, dict[str, Any]] = {
    title: {**BY_HAND, "w2v_text": text, "w2v_model": model, "w2v_output": output, "w2v_first": n}
    for title, text, model, output, n in (
        ("Skip-gram by hand", "dog cat sat mat", "Skip-gram", "softmax", 2),
        ("Negative sampling by hand", "cat dog sat mat", "Skip-gram", "negative", 1),
        ("CBOW by hand", "cat sat mat | dog", "CBOW", "softmax", 2),
    )
}
SETTINGS = ("w2v_model", "w2v_output", "w2v_worked", "w2v_window", "w2v_noise", "w2v_first")


@fr.head("Learning …")
def now(
    lesson: Any,
    mine: str,
    *,
    w2v_text: str = fr.typed(
        "Text to learn from",
        lambda given: given["mine"] or given["lesson"].example,
        2000,
        width=290,
        live=True,
        along=True,
    ),
    w2v_model: str = fr.pick("Model", ("Skip-gram", "CBOW"), few=True),
    w2v_output: str = fr.pick("Output layer", OUTPUTS, few=True),
    w2v_worked: bool = fr.switch(
        "Worked example's vectors",
        help="Two numbers each for cat, dog, sat and mat; only for texts made of these words.",
    ),
    w2v_window: int = fr.number("M: words on each side", 1, 5, 2),
    w2v_noise: int = fr.number("Noise words per target", 1, 5, 2),
    w2v_first: int = fr.number("First centre word, by number", 1, 40, 3),
    w2v_rate: float = fr.number("Learning rate", 0.01, 1.0, 0.1, 0.01),
    w2v_seed: int = fr.number("Seed", 0, 999, 0),
    w2v_width: int = fr.number("D: numbers per word", 2, 8, 2),
    w2v_done: int = fr.number("Updates done", 0, toy.MOST, 0, width=125),
) -> fr.Choosing[Now]:
    settings = fr.Controls([*SETTINGS, "w2v_rate", "w2v_seed", "w2v_width"], down=True)
    lines = fr.Note("A full stop or | ends a line; windows do not cross line ends.")
    yield fr.Behind("Settings", [settings, lines])
    counts = {"One step": 1, "Ten steps": 10, "300 steps": 300, "Reset": -w2v_done}
    doing = {words: {"w2v_done": w2v_done + n} for words, n in counts.items()}
    buttons = fr.Presets("", doing, open=True), fr.Presets("Examples", TRIES)
    yield fr.Line([fr.Controls(["w2v_text", "w2v_done"]), *buttons])
    text, left = cut(w2v_text)
    if left:
        yield fr.Note(
            _(
                "Only the first {most} words are used; {left:,} more are ignored.",
                most=MOST,
                left=left,
            )
        )
    if len(text.words) < 2:
        raise ValueError(
            "Type at least two different words; everything below is learned from them."
        )
    cbow = w2v_model == "CBOW"
    setting = Setting(
        cbow, w2v_output, w2v_window, w2v_noise, w2v_width, w2v_rate, w2v_seed, w2v_first - 1
    )
    if w2v_worked and set(text.words) <= set(toy.WORKED):
        setting = replace(setting, width=2, worked=True)
    found = reach_update(text, setting, w2v_done)
    if not all(bool(np.isfinite(table_VD).all()) for table_VD in (*found.tables, *found.after)):
        raise ValueError("The numbers have diverged. Reset, and choose a smaller learning rate.")
    return found


def cut(typed: str) -> tuple[Text, int]:
    """The words of a text by its lines, and how many were left out."""
    lines = [
        tuple(first(word.lower(), LETTERS) for word in WORDS.findall(line))
        for line in ENDS.split(typed)
    ]
    kept, room = [], MOST
    for line in lines:
        kept.append(line[:room])
        room -= len(kept[-1])
    left = sum(map(len, lines)) - sum(map(len, kept))
    return Text(tuple(line for line in kept if line)), left


@fr.once
def reach_update(text: Text, setting: Setting, n: int) -> Now:
    tables, losses = arrived(text, setting, n)
    t = setting.centre(n, len(text.at))
    asked = toy.ask(text, setting, t, n)
    done = update(*tables, asked) if asked else None
    return Now(text, setting, n, t, tables, losses, asked, done)


@fr.once
def arrived(text: Text, setting: Setting, n: int) -> tuple[Tables, tuple[float, ...]]:
    """Where n updates have led, and the loss before each."""
    if not n:
        return toy.start(text, setting), ()
    before = (n - 1) // CHUNK * CHUNK
    tables, losses = arrived(text, setting, before)
    tables, more = toy.updates(text, setting, tables, n - before, before)
    return tables, (*losses, *more)


HEAD = now
