"""Every part: at first values, at the ends of each control and with odd texts its blocks can be drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from engine.cli import settings
from engine.core.registry import models
from engine.course import rooms
from engine.course.base import Lesson
from engine.frame import blocks as fr
from engine.frame.blocks import blocks_in
from engine.frame.control import Again, Control, Noted, Number, Pick, Several, Start, Switch, Typed
from engine.frame.making import Taking, once_told
from engine.frame.part import Asking, Compared, Part, Shipped
from engine.language.message import Message
from engine.lessons.units import head as unit_head
from engine.live.markdown import capitalise
from engine.runs.store import Run, RunStore
from tests.conftest import shipped
from tests.pages.test_every_page import HOSTILE

PARTS = [(lesson, part) for lesson in rooms.lessons() for part in rooms.parts(lesson.id)]
# These take longest; each of their controls is at its last end here, at both with `make bench`.
DEAR = set(
    "sparsity.helps decoding.counts decoding.drawn decoding.search hmm.learning cures.alone"
    " cures.weights_begin cures.flow preparation.gain preparation.stems heads.pair"
    " translation.vector translation.stops translation.reach translation.lengths"
    " bptt.reach bptt.begin cooccurrence.train cooccurrence.compared neuron.gates"
    " masks.costs transformer.mixing optimisers.stopping batches.fewer batches.lines"
    " batches.checkpoints attention.learn sparsity.costs network.layers units.responds"
    " scores.exposure moved.places prompting.which tasks.write".split()
)
# And five of six others.  These train or measure for seconds each time: here with their first values alone.
DEAREST = set(
    "convolution.learns pooling.behind pooling.lengths cures.cannot optimisers.noise"
    " optimisers.race optimisers.stopping sparsity.bits sparsity.cuts decoding.drawn decoding.counts"
    " translation.lengths translation.quality scores.exposure batches.fewer preparation.stems"
    " sparsity.costs hmm.learning tokenizers.vocabularies tokenizers.languages cooccurrence.train"
    " attention.learn preferences.written".split()
)
TEXTS = [*HOSTILE.values()]
ALL = 99


@pytest.fixture(scope="module", autouse=True)
def short_readings() -> Iterator[None]:
    """Of the unit detective, which reads for seconds."""
    on_page.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unit_head, "POSITIONS", 1_500)
        yield
    unit_head.READINGS.clear()
    on_page.cache_clear()


def shown(lesson: Lesson) -> Run | None:
    """The run that its page begins with."""
    names = (lesson.model, *lesson.true_of)
    return next((run for run in RunStore().all(None) if run.id in names), None)


@cache
def on_page(id: str) -> dict[str, Any]:
    """What the page of a lesson gives to all of its parts."""
    lesson = next(one for one in rooms.lessons() if one.id == id)
    known = lesson.model, *lesson.also
    runs = [run for run in RunStore().all(None) if not lesson.model or run.model in known]
    found: dict[str, Any] = {"runs": runs, "open_run": RunStore().load}
    of = rooms.find_shown(lesson.id)
    if isinstance(of, Compared):
        by_id = {run.id: run for run in [*runs, *of.more()] if of.fits(run)}
        found["shown"] = {f"m{n}": by_id[id] for n, id in enumerate(of.before(by_id))}
    elif of:
        found |= of.values(found)
        found["shown"] = of.make(**{n: v for n, v in found.items() if n in of.parameters})
        found["models"] = {name: shipped(run.id) for name, run in found["shown"].items()}
    if choosing := rooms.head(lesson.id):
        here: dict[str, Any] = {"lesson": lesson, "mine": "", **found, "run": shown(lesson)}
        blocks, found[choosing.id] = choosing.answer({**here, **choosing.values(here)})
        drawn(blocks)
    return found | {"run": shown(lesson)}


def given(lesson: Lesson, part: Asking) -> dict[str, Any]:
    """What a page gives to a part, or to a choice in its head."""
    page = on_page(lesson.id)
    found = {n: value for n, value in page.items() if n in part.parameters and n != "run"}
    for name, default in part.parameters.items():
        if name in part.controls:
            continue
        if isinstance(default, Shipped):
            found[name] = shipped(default.run)
        elif name == "model":
            found[name] = shipped(page["run"].id)
        elif name == "run":
            found[name] = page["run"]
        elif name == "lesson":
            found[name] = lesson
        elif name == "mine":
            found[name] = ""
        elif name == "above":
            found[name] = lesson.example
    return found


def ends(control: Control, others: dict[str, Any], texts: Sequence[str]) -> Iterator[Any]:
    match control:
        case Number():
            yield from control.ends(others)
        case Several():
            yield ()
            yield tuple(control.options(others)[:6])
        case Pick():
            options = control.options(others)
            yield from (*options[:1], *options[-1:])
        case Typed():
            yield from (text[: control.most] for text in texts)
        case Switch():
            yield from (False, True)
        case Again():
            yield 1
        case Noted():
            yield ("one", "two")
        case Start():
            yield False  # what takes long is asked for in the test of the lesson


def drawn(blocks: Iterable[Any]) -> None:
    """Each can be written, in English at least; the numbers of a table are plain ones."""
    for block in blocks:
        match block:
            case str() | Message():
                filled = "{" not in getattr(block, "template", "")
                assert (str(block).strip() and filled) or str(block)
            case fr.Beside(columns, widths):
                assert not widths or len(widths) == len(columns)
                for column in columns:
                    drawn(column)
            case fr.Line(inner) | fr.Section(_, inner) | fr.Behind(_, inner):
                drawn(inner)
            case fr.Chart():
                figure = block.figure()
                assert figure.title and figure.alt_text and len(figure.frame)
            case fr.Rows(rows):
                kinds = (str, int, float, Message, type(None))
                assert rows and all(type(c) in kinds for row in rows for c in row.values())
            case fr.Problem(words):
                assert capitalise(words)[0].isupper() and words.endswith((".", "?", "!")), words


def cases() -> Iterator[Any]:
    """Each part with two of the odd texts, in turn, and with all of them."""
    for n, (lesson, part) in enumerate(PARTS):
        id = f"{lesson.id}.{part.id}"
        some = [TEXTS[(2 * n + k) % len(TEXTS)] for k in range(2)]
        tried = 0 if id in DEAREST else 1 if id in DEAR or n % 6 else ALL
        yield pytest.param(lesson, part, some, tried, id=id)
        yield pytest.param(lesson, part, TEXTS, ALL, id=f"{id}-all", marks=pytest.mark.slow)


@pytest.mark.parametrize(("lesson", "part", "texts", "tried"), [*cases()])
def test_a_part_answers_to_what_its_controls_hold(
    lesson: Lesson, part: Part, texts: list[str], tried: int
) -> None:
    """`tried`: how many values of each control, the last ones."""
    known = given(lesson, part)
    first = part.blocks(**known)
    assert first and not any(isinstance(block, fr.Problem) for block in first)
    answered(part, first)
    assert set(part.parameters) == set(known) | set(part.controls)
    others = {**known, **part.values(known)}
    for name, control in part.controls.items():
        asked = [*ends(control, others, texts)]
        for value in asked[len(asked) - min(tried, len(asked)) :]:
            whole = value.encode(errors="ignore").decode() if isinstance(value, str) else value
            assert part.values({**known, name: value})[name] == whole
            answered(part, part.blocks(**known, **{name: value}))
    holds_what_it_can(part, known, others)


def answered(part: Part, blocks: list[fr.Block]) -> None:
    """Each control that it places stands behind the `*`, and the training room takes what links bring."""
    drawn(blocks)
    for link in (block for block in blocks_in(blocks) if isinstance(block, fr.Train)):
        written = [f"{name}={value}" for name, value in link.settings.items()]
        assert settings.config(models.get(link.model), written)
    inside = [block for block in blocks_in(blocks) if isinstance(block, fr.Controls)]
    placed = [name for block in inside for name in block.names]
    assert len(placed) == len({*placed}) and {*placed} <= {*part.controls} - {*part.above}


def holds_what_it_can(part: Part, known: dict[str, Any], others: dict[str, Any]) -> None:
    for name, control in part.controls.items():
        wrong: Any
        for wrong in (None, "no such thing", 10**9, -1, float("nan"), [], b"\xff"):
            value = part.values({**known, name: wrong})[name]
            if isinstance(control, Number):
                least, most = control.ends(others)
                assert least <= value <= most
            elif isinstance(control, Several):
                assert {*value} <= {*control.options(others)}
            elif isinstance(control, Pick):
                assert control.free or value in control.options(others)
            else:
                assert isinstance(value, str | bool | tuple | int) or value is None


def test_what_is_noted_grows_and_is_taken_back() -> None:
    control = Noted("", most=3)
    held: list[str] = []
    for added in (("a",), ("b", "c"), (), ("d",), ("e",)):
        held = control.pressed(held, added)
    assert held == ["a", "b", "d", "e"] and control.accept(held, {}) == ("b", "d", "e")
    assert control.pressed([], ()) == []
    assert control.accept(["a", 1], {}) == control.accept("ab", {}) == control.first({}) == ()


def test_titles_tell_parts_apart_and_numbers_have_three_digits() -> None:
    for lesson in rooms.lessons():
        parts = rooms.parts(lesson.id)
        for names in ([part.title for part in parts], [part.id for part in parts]):
            assert len(names) == len({*names}), lesson.id
    given = {"a": 12.3456, "b": 7, "c": 2.5e-9, "d": 0.5, "e": "x"}
    said = Message("{a} {b} {c} {d:.5f} {e}", given)
    assert str(said) == "12.3 7 2.50 × 10⁻⁹ 0.50000 x"


def test_what_tells_how_far_it_is_is_remembered_by_its_named_arguments() -> None:
    ran = []

    @once_told
    def trained(told: str, *, rate: float) -> Taking[float]:
        yield fr.Progress(0.5, told)
        ran.append(rate)
        return 2 * rate

    def ends(told: str, rate: float) -> tuple[int, float]:
        steps = 0
        making = trained(told, rate=rate)
        while True:
            try:
                next(making)
            except StopIteration as end:
                return steps, end.value
            steps += 1

    assert ends("one", 0.1) == (1, 0.2) and ends("other", 0.1) == (0, 0.2)
    assert ends("one", 0.3) == (1, 0.6) and ran == [0.1, 0.3]
