"""The two sides of the Corpus duel: a corpus counted on the spot, or a trained run; and what has to
be said of the pair."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from engine.analysis.compare.blend import is_text
from engine.core.registry import models
from engine.live.markdown import escape
from engine.models.base import train
from engine.runs.store import Run
from engine.text import collection
from engine.text.tokenizers.base import passages
from pages.ui.choice import one_of
from pages.ui.several import opened, options

FIRST = ("counted.stories", "counted.python_docs")
MOST_CHARACTERS = 400_000  # of each text that is counted
CUTS = {"characters": ("chars", 6), "words": ("words", 3)}
SIDES = ("a", "b")


@dataclass(frozen=True)
class Side:
    """A choice: what it is called, and the corpus to count or the run to open."""

    id: str
    title: str
    corpus: Any = None
    run: Run | None = None


def sides() -> dict[str, Side]:
    """All there is to choose from: texts counted here, then runs."""
    corpora = collection.every("text")
    found = [Side(f"counted.{corpus.id}", corpus.title, corpus=corpus) for corpus in corpora]
    found += [Side(run.id, run.title, run=run) for run in options().values()]
    return {side.id: side for side in found}


def choose() -> tuple[Side, Side, str]:
    """The pickers: both sides, and how texts are cut that are counted here.  The address has
    `side_a` and `side_b`."""
    by_id = sides()
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    chosen = []
    for name, first in zip(SIDES, FIRST, strict=True):
        key = f"side_{name}"
        if st.session_state.get(key) not in by_id:
            asked = st.query_params.get(key, "")
            st.session_state[key] = next(id for id in (asked, first, *by_id) if id in by_id)
        id = row.selectbox(
            f"Side {name.upper()}",
            list(by_id),
            key=key,
            on_change=_remember,
            args=(key,),
            format_func=lambda id: _label(by_id[id]),
            label_visibility="collapsed",
        )
        chosen.append(by_id[str(id)])
    cut = "characters"
    if any(side.corpus is not None for side in chosen):
        words = "What the texts counted here are cut into"
        cut = one_of(words, [*CUTS], "duel_cut", link=True, where=row, label_visibility="collapsed")
    return chosen[0], chosen[1], cut


def _label(side: Side) -> str:
    return f"{side.title}, counted here" if side.run is None else side.title


def _remember(key: str) -> None:
    st.query_params[key] = st.session_state[key]


def open_both(a: Side, b: Side, cut: str) -> tuple[tuple[Any, Run], tuple[Any, Run]]:
    """Model and run of each side.  Two texts that are counted give as many characters each.
    LookupError or ValueError with a sentence."""
    texts = {side.id: _text(side.id, side.corpus) for side in (a, b) if side.corpus is not None}
    size = min([MOST_CHARACTERS, *map(len, texts.values())])

    def of(side: Side) -> tuple[Any, Run]:
        if side.run is None:
            return _counted(side.id, side.title, cut, size, texts[side.id])
        return opened(side.run), side.run

    return of(a), of(b)


@st.cache_resource(max_entries=4, show_spinner=False)
def _text(id: str, _corpus: Any) -> str:
    """The first lines of a corpus, at most as much as is counted.  It is named by what is in it, so
    its text never changes."""
    return _first(str(_corpus.text()), MOST_CHARACTERS)


def _first(text: str, size: int) -> str:
    """Whole lines, as far as they go."""
    return text if len(text) <= size else text[: text.rfind("\n", 0, size) + 1] or text[:size]


@st.cache_resource(max_entries=12, show_spinner="Counting …")
def _counted(id: str, title: str, cut: str, size: int, _text: str) -> tuple[Any, Run]:
    tokenizer, order = CUTS[cut]
    text = _first(_text, size)
    kind = models.get("ngram")
    model = train(kind, text, kind.config_type(order=order, tokenizer=tokenizer))
    note = {
        "model": "counted",
        "title": title,
        "recipe": f"{cut}.{order}.{size}",
        "config": {"tokenizer": tokenizer, "order": order},
        "corpus": {"name": title, "characters": len(text), "passages": len(passages(text))},
    }
    return model, Run(Path("counted") / id.removeprefix("counted."), note)


def about(pairs: tuple[tuple[Any, Run], tuple[Any, Run]]) -> list[str]:
    """What the two differ in besides their corpus, and how their vocabularies meet."""
    (model_a, a), (model_b, b) = pairs
    said = []
    counted = [run for _, run in pairs if run.model == "counted"]
    for run in counted[:1]:
        who, end = f"{escape(run.title)} is counted here", ""
        if len(counted) == 2:
            who, end = "Both texts are counted here", ", so that neither knows more"
        order = run.note["config"]["order"]
        unit = "characters" if run.note["config"]["tokenizer"] == "chars" else "words"
        sizes = " and ".join(f"{one.note['corpus']['characters']:,}" for one in counted)
        said.append(
            f"{who}: runs of up to {order} {unit}, smoothed (modified Kneser-Ney), over the first"
            f" {sizes} characters{end}."
        )
    if a.key == b.key:
        return [*said, "Both sides are the same model: every number is 0. Choose another one."]
    cuts = [run.note["config"].get("tokenizer") for run in (a, b)]
    if model_a.card.id != model_b.card.id or cuts[0] != cuts[1]:
        said.append(
            "These two differ in more than their corpus: the kind of model or of token differs"
            " too. You see the combined effect."
        )
    elif same_text(pairs):
        said.append(
            "Both were trained on the same text, so what you see comes from their training, not"
            " from their corpus. Train the same model on a second text to compare two texts."
        )
    elif a.note["config"] != b.note["config"]:
        said.append(
            "The same kind of model on two texts; their settings differ too, see the Runs page."
        )
    ours, theirs = model_a.tokenizer, model_b.tokenizer
    if ours.id == theirs.id:
        one, other = (
            {piece for id, piece in enumerate(t.vocab) if is_text(t, id, piece)}
            for t in (ours, theirs)
        )
        units = {"chars": "characters", "words": "words", "whitespace": "words"}
        said.append(
            f"Their vocabularies have {len(one & other):,} {units.get(ours.id, 'tokens')} in"
            f" common; {len(one - other):,} only A has, {len(other - one):,} only B."
        )
    return said


def same_text(pairs: tuple[tuple[Any, Run], tuple[Any, Run]]) -> bool:
    """Whether both were trained on one text, but for its last line end: then a second text is worth
    a training."""
    a, b = (run.note.get("corpus", {}) for _, run in pairs)
    if "digest" not in a or "digest" not in b:
        return False
    alike = (
        a.get("name") is not None
        and a.get("name") == b.get("name")
        and abs(int(a.get("characters", 0)) - int(b.get("characters", 0))) <= 1
    )
    return bool(a["digest"] == b["digest"] or alike)
