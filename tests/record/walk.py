"""One page by AppTest: every part, every fold, both ends of each control."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest, element_tree, local_script_runner

from engine import ROOT
from tests.record.shown import Looks, Name, Place, Sight, Titles, state_of
from tests.record.store import Record, short

# the words of a choice that opens one part of a page
CHOICES = ("Look closer", "Other choices", "Look at", "What to count")
# buttons that show more at once, each time the same
PRESSED = (
    "First minute",
    "Whole sentence",
    "Until it converges",
    "Shuffle again",
    "Pick the best unit",
)
ODD = "zzz 7 – “Œuvre” 👍 |x| $y$ the old captain"
ALL, SOME = 12, 6  # options side by side that are all tried; chosen at once where several may be
DEPTH = 1  # of controls that come with the value of another
SECONDS, WAIT, WAITS = 600, 0.25, 400  # of a run; between two looks at a job; of these at most
BUSY = "being counted"  # said while a job is at work that shows no progress

Act = Callable[[], object]
Chosen = tuple[tuple[str, str], ...]
Bag = Counter[Place]


def record(id: str, script: str, out: Path) -> None:
    """A page, in a process of its own: none finds what another has kept."""
    with tempfile.TemporaryDirectory(prefix="unrolled-record-", ignore_cleanup_errors=True) as home:
        os.environ |= {"UNROLLED_HOME": home, "UNROLLED_THREADS": "1", "OMP_NUM_THREADS": "1"}
        logging.disable(logging.WARNING)
        config.set_option("client.showErrorDetails", "full")
        fast()
        closed()
        begun = time.monotonic()
        walk = Walk(id, script)
        made = walk.record
        try:
            walk.all()
        except Exception as problem:  # what was seen until then is kept
            made.notes.append(f"given up: {type(problem).__name__} {problem}")
            print(traceback.format_exc(), file=sys.stderr)
        made.write(out)
    wrong = sum(thing["is"] == "exception" for thing in made.things)
    took = time.monotonic() - begun
    print(
        f"{id}: {len(made.states)} states, {len(made.things)} elements, {wrong} exceptions,"
        f" {len(made.notes)} notes, {took:.0f} s",
        flush=True,
    )


def fast() -> None:
    """As tests/conftest.py: what a server does once, AppTest does for every run."""
    compiled = local_script_runner.ScriptCache()
    local_script_runner.ScriptCache = lambda: compiled  # type: ignore[misc, assignment]
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)  # type: ignore[assignment]


def closed() -> None:
    """No way to the network."""

    def refuse(self: socket.socket, address: Any) -> None:
        raise OSError(f"{address}: the network is closed while a page is recorded")

    socket.socket.connect = refuse  # type: ignore[assignment, method-assign]


class Visit:
    """One person on one page; who comes again does what was `done`."""

    def __init__(self, record: Record, script: str) -> None:
        self.record, self.script, self.looks = record, script, Looks(record)
        self.forced: dict[str, WidgetState] = {}
        self.done: list[Act] = []
        element_tree.get_widget_state = lambda node: (
            self.forced.get(getattr(node, "id", "")) or state_of(node)
        )
        self.open()

    def open(self) -> None:
        self.at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
        if self.script != "app.py":
            self.at.switch_page(self.script)
        self.run()
        self.rest()
        for again in self.done:
            again()

    def run(self) -> None:
        self.seen: Sight | None = None
        self.at.run()
        self.forced.clear()
        for _ in range(WAITS):
            said = self.at.main.get("caption")
            if not self.at.main.get("progress") and not any(BUSY in one.value for one in said):  # type: ignore[union-attr]
                return
            time.sleep(WAIT)
            self.at.run()
        self.record.notes.append("a job was still at work")

    def rest(self) -> None:
        """What a browser says after a moment of rest, for what stands below the live pictures."""
        for live in self.at.main.get("bidi_component"):
            assert isinstance(live, element_tree.Element)
            if data := live.proto.bytes:
                header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
                said = {"text": header["text"], "seq": 1}
                nothing = dict.fromkeys(("base", "base_start", "have", "start"))
                self.at.session_state[f"{live.key}"] = {"msg": said | nothing}
                self.run()

    def look(self) -> Sight:
        if self.seen is None:
            self.seen = self.looks.look(self.at.main)
        return self.seen

    def choose(self, name: Name, state: WidgetState) -> None:
        node = self.look().named(name)
        self.forced[node.id] = state = WidgetState.FromString(state.SerializeToString())
        state.id = node.id
        self.run()

    def set(self, keys: Iterable[str], value: object) -> None:
        for key in keys:
            self.at.session_state[key] = value
        self.run()

    def press(self, name: Name) -> None:
        if not (button := self.look().buttons[name]).disabled:
            button.click()
        self.run()

    def step(self, says: str, act: Act, back: Act | None, then: Act) -> None:
        """Do something, look, and take it back; where that leads not to where it began, come again."""
        before, notes, done = Counter(self.look().shown), self.record.notes, len(self.done)
        self.done.append(act)
        try:
            act()
            then()
            del self.done[done:]
            if back:
                back()
                if Counter(self.look().shown) == before:
                    return
                notes.append(f"{says}: does not come back")
        except (KeyError, RuntimeError, ValueError) as problem:
            notes.append(f"{says}: {type(problem).__name__} {problem}")
            del self.done[done:]
        self.open()


class Walk:
    def __init__(self, page: str, script: str) -> None:
        self.record = Record(page)
        self.visit = Visit(self.record, script)

    def all(self) -> Record:
        self.scope((), (), frozenset(), Counter())
        return self.record

    def scope(
        self,
        part: Titles,
        chosen: Chosen,
        before: frozenset[Name],
        known: Bag,
        like: Mapping[Titles, list[int]] | None = None,
        own: Titles | None = None,
        depth: int = 0,
    ) -> None:
        """What has come: what is shown besides the `known`, and what can be chosen besides what
        could be `before`.

        like  what was shown before a control was set; the folds in which that is the same are left
              out, but for its `own`
        """
        visit, first = self.visit, self.visit.look()
        choose, held = visit.choose, first.held
        met = {(kind, key) for kind, _, key in before if key}  # whatever they are called now
        new = frozenset(n for n in first.names - before if (n[0], n[2]) not in met)
        choice = next((n for n in first.controls if n in new and n[1] in CHOICES), None)
        options: list[tuple[str, WidgetState]] = []
        common, shared, turns = Counter(first.shown), first.names, Bag()
        if choice:
            options = [*ends(first, choice, every=True)]
            for _, state in options:
                choose(choice, state)
                sight = visit.look()
                common &= Counter(sight.shown)
                shared &= sight.names
                turns[sight.places[choice]] += 1  # the choice itself, which shows another one
            choose(choice, held[choice])
            common += turns
            new = (new & shared) - {choice}
        rest = known + (Counter(first.shown) - common)
        here = self.tell(part, chosen, first.shown, rest, like, own)
        ways: list[tuple[str, Act, Act | None, Act]] = []
        if depth <= DEPTH:
            for name in [n for n in first.controls if n in new and not first.controls[n].disabled]:
                folds, back = first.places[name][0], partial(choose, name, held[name])
                for words, state in ends(first, name):
                    now = (*chosen, (name[1], words))
                    then = partial(self.scope, part, now, first.names, rest, here, folds, depth + 1)
                    ways.append((f"{name[1]} = {words}", partial(choose, name, state), back, then))
        if not depth:
            if keys := [key for name, key in first.tabs.items() if name in new]:
                turn = partial(visit.set, keys, "Table"), partial(visit.set, keys, "Picture")
                ways.append(
                    ("Table", *turn, partial(self.tables, part, chosen, Counter(first.shown)))
                )
            for name in [n for n in first.buttons if n in new and n[1] in PRESSED]:
                now = (*chosen, (name[1], "pressed"))
                then = partial(self.scope, part, now, first.names, rest, here, (), DEPTH + 1)
                ways.append((name[1], partial(visit.press, name), None, then))
        for name, key in [(n, key) for n, key in first.folds.items() if n in new]:
            then = partial(self.scope, part, chosen, first.names, Counter(first.shown), depth=depth)
            ways.append(
                (name[1], partial(visit.set, [key], True), partial(visit.set, [key], False), then)
            )
        for words, state in options:
            assert choice
            then = partial(self.scope, (*part, words), (), shared | before, common + known)
            ways.append(
                (words, partial(choose, choice, state), partial(choose, choice, held[choice]), then)
            )
        for way in ways:
            visit.step(*way)

    def tables(self, part: Titles, chosen: Chosen, known: Bag) -> None:
        """What the Table tabs of the pictures show, below their titles."""
        shown: list[Place] = []
        title, left = "", Counter(known)
        for folds, number in self.visit.look().shown:
            thing = self.record.things[number]
            if thing["is"] == "table" and not left[folds, number]:
                shown.append((folds, self.record.number({**thing, "title": title.strip("*")})))
            left[folds, number] -= 1
            title = thing.get("says", "")
        self.tell(part, (*chosen, ("Table", "")), shown, Counter())

    def tell(
        self,
        part: Titles,
        chosen: Chosen,
        shown: Iterable[Place],
        known: Bag,
        like: Mapping[Titles, list[int]] | None = None,
        own: Titles | None = None,
    ) -> dict[Titles, list[int]]:
        """Write down what is shown besides the known, each fold by itself."""
        left = Counter(known)
        found: dict[Titles, list[int]] = {folds: [] for folds in like or ()}
        for folds, number in shown:
            if left[folds, number] > 0:
                left[folds, number] -= 1
            else:
                found.setdefault(folds, []).append(number)
        for folds, numbers in found.items():
            if like is None or folds == own or like.get(folds) != numbers:
                self.record.add((*part, *folds), chosen, numbers)
        return found


def ends(sight: Sight, name: Name, every: bool = False) -> Iterator[tuple[str, WidgetState]]:
    """The least and the most of a control, in words and as a browser would send them; not what it
    holds, unless `every` one is asked for."""
    node, held = sight.controls[name], sight.held[name]
    for kind, value in _values(node, node.proto, every):
        state = WidgetState(id=node.id)
        if isinstance(value, list):
            getattr(state, kind).SetInParent()
            getattr(state, kind).data.extend(value)
        else:
            setattr(state, kind, value)
        if every or state != held:
            said = value if isinstance(value, list) else [value]
            yield ", ".join(str(short(one)) for one in said), state


def _values(node: Any, proto: Any, every: bool) -> Iterator[tuple[str, Any]]:
    kind, options = node.type, [*getattr(node, "options", ())]
    few = every or len(options) <= ALL
    if kind in ("slider", "select_slider"):
        name = "string_array_value" if options else "double_array_value"
        low, high = (options[0], options[-1]) if options else (float(proto.min), float(proto.max))
        both = len(proto.default) == 2
        yield from ((name, [low, end] if both else [end]) for end in (low, high))
    elif kind == "number_input":
        limits = ((proto.has_min, proto.min), (proto.has_max, proto.max))
        yield from (("double_value", float(end)) for has, end in limits if has)
    elif kind in ("selectbox", "radio"):
        yield from (
            ("string_value", option) for option in dict.fromkeys((*options[:1], *options[-1:]))
        )
    elif kind == "button_group" and proto.click_mode == proto.SINGLE_SELECT:
        chosen = options if few else [options[0], options[-1]]
        yield from (("string_array_value", [option]) for option in chosen)
    elif kind in ("button_group", "multiselect"):
        most = getattr(proto, "max_selections", 0) or SOME
        yield from (("string_array_value", some) for some in ([], options[: min(most, SOME)]))
    elif kind in ("checkbox", "toggle"):
        yield from (("bool_value", one) for one in (False, True))
    elif kind in ("text_input", "text_area"):
        yield from (("string_value", one) for one in ("", ODD[: proto.max_chars or None]))
    elif kind == "pagination":
        yield from (("int_value", one) for one in (1, proto.num_pages))
