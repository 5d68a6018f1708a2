"""What two records say differently, by content: sentences, tables, pictures and controls of a part, wherever in
it they stand; numbers to six digits."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from tests.record.store import Record, Shown, State

NEAR, NONE = 2e-6, 1e-9  # two numbers are one within this share, and so near nothing
ALIKE = 0.6  # of two sentences that are one, changed
FEW = 3  # cells and states that a line names
BOXES = "slider select_slider number_input selectbox radio button_group multiselect checkbox toggle text_input text_area pagination control".split()
WHOLE = ("latex", "code", "alt", "readout")
NUMBER = re.compile(r"-?\d+\.\d{6,}(?:e[-+]?\d+)?")
SENTENCE = re.compile(r"\n+|(?<=[.!?:])\s+(?=[^a-z\s])")
SIGNS = re.compile(r"\\([!-/:-@\[-`{-~])")

Key = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, order=True)
class Difference:
    page: str
    part: str
    kind: str  # lost, new, changed or moved
    says: str
    where: tuple[str, ...] = ()  # the states in which it is so

    def __str__(self) -> str:
        more = f" … {len(self.where)} states" if len(self.where) > FEW else ""
        return f"{self.kind} {self.says}  [{'; '.join(self.where[:FEW])}{more}]"


def plain(text: str) -> str:
    """Words without the signs of Markdown and with single spaces."""
    words = SIGNS.sub(r"\1", text).replace("**", "")
    return " ".join(NUMBER.sub(lambda found: f"{float(found[0]):.6g}", words).split())


def same(a: Any, b: Any) -> bool:
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except (TypeError, ValueError):
        return isinstance(a, str) and isinstance(b, str) and plain(a) == plain(b)
    return abs(x - y) <= NEAR * max(abs(x), abs(y)) + NONE or (x != x and y != y)


def sentences(things: Sequence[Shown]) -> Counter[str]:
    found: Counter[str] = Counter()
    for thing in things:
        for name in (
            ("says", "help", "placeholder") if thing["is"] in BOXES else ("label", "says", "help")
        ):
            text = str(thing.get(name) or "") if thing["is"] not in ("table", "board") else ""
            for one in [text] if thing["is"] in WHOLE else SENTENCE.split(text):
                if words := plain(one).removeprefix("- "):
                    found[words] += 1
    return found


def texts(old: Sequence[Shown], new: Sequence[Shown]) -> Iterator[tuple[str, str]]:
    before, after = sentences(old), sentences(new)
    lost, come = [*(before - after).elements()], [*(after - before).elements()]
    for one in lost:
        near = max(come, key=lambda other: SequenceMatcher(None, one, other).ratio(), default="")
        if near and SequenceMatcher(None, one, near).ratio() > ALIKE:
            come.remove(near)
            yield "changed", f"“{one}” → “{near}”"
        else:
            yield "lost", f"sentence “{one}”"
    for one in come:
        yield "new", f"sentence “{one}”"


def cells(old: Shown, new: Shown) -> Iterator[str]:
    """Which cells of two tables differ."""
    if [*map(str, old["columns"])] != [*map(str, new["columns"])]:
        yield f"columns {', '.join(map(str, old['columns']))} → {', '.join(map(str, new['columns']))}"
        return
    for name, before, after in zip(old["columns"], old["cells"], new["cells"]):
        if len(before) != len(after):
            yield f"{name}: {len(before)} rows → {len(after)}"
        for n, (a, b) in enumerate(zip(before, after)):
            if not same(a, b):
                yield f"{name}, row {n + 1}: {a} → {b}"
    if old.get("forms", {}) != new.get("forms", {}):
        yield f"forms {old.get('forms')} → {new.get('forms')}"


def bars(old: Shown, new: Shown) -> Iterator[str]:
    """Which numbers of two pictures differ: each column for itself, whatever its name and order."""
    columns = [
        (str(name), sorted(c, key=_order))
        for data in old["data"]
        for name, c in zip(data["columns"], data["cells"])
    ]
    others = [
        (str(name), sorted(c, key=_order))
        for data in new["data"]
        for name, c in zip(data["columns"], data["cells"])
    ]
    for name, column in [*columns]:
        if found := next(
            (o for o in others if len(o[1]) == len(column) and all(map(same, column, o[1]))), None
        ):
            others.remove(found)
            columns.remove((name, column))
    for name, column in columns:
        if found := next((o for o in others if o[0] == name), None):
            others.remove(found)
            pairs = [(a, b) for a, b in zip(column, found[1]) if not same(a, b)]
            said = ", ".join(f"{a} → {b}" for a, b in pairs[:FEW])
            size = (
                f"{len(column)} values → {len(found[1])}; " if len(column) != len(found[1]) else ""
            )
            yield f"{name}: {size}{len(pairs)} differ: {said}"
        else:
            yield f"{name}: {len(column)} values are gone"
    for name, column in others:
        yield f"{name}: {len(column)} values are new"


def _order(value: Any) -> tuple[bool, Any]:
    text = isinstance(value, str) or value is None
    return text, str(value) if text else value


def bags(old: Shown, new: Shown) -> Iterator[str]:
    """Which words and numbers of two boards differ."""
    for name in ("words", "numbers"):
        before, after = Counter(map(str, old[name])), Counter(map(str, new[name]))
        lost, come = [*(before - after).elements()], [*(after - before).elements()]
        if (
            name == "numbers"
            and len(lost) == len(come)
            and all(map(same, sorted(lost, key=float), sorted(come, key=float)))
        ):
            continue
        if lost or come:
            yield f"{len(lost)} {name} gone, {len(come)} new: {', '.join(lost[:FEW])} → {', '.join(come[:FEW])}"


def boxes(old: Shown, new: Shown) -> Iterator[str]:
    for name in ("is", "least", "most", "step", "options", "value"):
        if not same(old.get(name), new.get(name)):
            yield f"{name} {old.get(name)} → {new.get(name)}"


def title(thing: Shown) -> str:
    return str(
        thing.get("label")
        or thing.get("title")
        or thing.get("says")
        or ", ".join(map(str, thing.get("columns", thing.get("words", ()))))
    )[:90]


COMPARED: dict[str, Callable[[Shown, Shown], Iterator[str]]] = {
    "table": cells,
    "chart": bars,
    "board": bags,
    "control": boxes,
}


def differ(old: Sequence[Shown], new: Sequence[Shown]) -> Iterator[tuple[str, str]]:
    """(kind, words) of every difference of two states."""
    yield from texts(old, new)
    for kind, compare in COMPARED.items():
        is_one = (
            (lambda one: one["is"] in BOXES) if kind == "control" else lambda one: one["is"] == kind
        )
        others = [*filter(is_one, new)]
        left = []
        for one in filter(is_one, old):
            if found := next(
                (
                    o
                    for o in others
                    if o == one
                    or not any(compare(one, o))
                    and (kind != "control" or plain(one["label"]) == plain(o["label"]))
                ),
                None,
            ):
                others.remove(found)
            else:
                left.append(one)
        for one in left:
            near = [o for o in others if plain(title(o)) == plain(title(one))]
            if kind != "control" and len(left) == len(others) == 1:
                near = others
            if near:
                nearest = min(near, key=lambda o: len([*compare(one, o)]))
                others.remove(nearest)
                wrong = [*compare(one, nearest)]
                rest = f" … {len(wrong)} in all" if len(wrong) > FEW else ""
                yield "changed", f"{kind} “{title(one)}”: {'; '.join(wrong[:FEW])}{rest}"
            else:
                yield "lost", f"{kind} “{title(one)}”"
        for one in others:
            yield "new", f"{kind} “{title(one)}”"


def named(chosen: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{label} = {value}" for label, value in chosen) or "first values"


def states(record: Record) -> dict[Key, State]:
    """By part and what is chosen there; of two controls of one label and value the second as `#2`."""
    found: dict[Key, State] = {}
    for one in record.states:
        part, chosen, n = (
            plain(" / ".join(one.part)),
            tuple((plain(a), plain(b)) for a, b in one.chosen),
            1,
        )
        while (part, chosen) in found:
            n += 1
            chosen = (*chosen[: len(one.chosen)], ("#", str(n)))
        found[part, chosen] = one
    return found


def compare(
    old: Mapping[str, Record], new: Mapping[str, Record], moved: Mapping[str, str]
) -> list[Difference]:
    """`moved`: where pages or parts have gone, {"page" or "page/part": the same}."""
    found: dict[tuple[str, str, str, str], list[str]] = {}
    of_new = {id: states(record) for id, record in new.items()}
    met: set[tuple[str, Key]] = set()
    for id, record in old.items():
        for (part, chosen), state in states(record).items():
            there = moved.get(f"{id}/{part}") or f"{moved.get(id, id)}/{part}"
            page, _, other = there.partition("/")
            after = of_new.get(page, {}).get((other, chosen))
            met.add((page, (other, chosen)))
            if after is not None:
                things = [record.things[n] for n in state.shown]
                for kind, says in differ(things, [new[page].things[n] for n in after.shown]):
                    found.setdefault((id, part, kind, says), []).append(named(chosen))
            elif any(key[0] == other for key in of_new.get(page, ())):
                found.setdefault((id, part, "lost", f"state {named(chosen)}"), []).append("")
            else:
                found.setdefault(
                    (id, part, "lost", f"the part, {page} has none of the name “{other}”"), []
                ).append(named(chosen))
    for id, every in of_new.items():
        for key in every:
            if (id, key) not in met:
                found.setdefault((id, key[0], "new", f"state {named(key[1])}"), []).append("")
    return _moved([Difference(*key, tuple(where)) for key, where in found.items()])


def _moved(found: list[Difference]) -> list[Difference]:
    """What is lost in one part of a page and new in another has moved."""
    come = {
        (d.page, d.says): d for d in found if d.kind == "new" and not d.says.startswith("state")
    }
    rest, gone = [], set()
    for one in found:
        if one.kind == "lost" and (other := come.get((one.page, one.says))) and other not in gone:
            gone.add(other)
            one = Difference(
                one.page, one.part, "moved", f"{one.says} to “{other.part}”", one.where
            )
        rest.append(one)
    return sorted(one for one in rest if one not in gone)


def read(folder: Path, ids: Sequence[str]) -> dict[str, Record]:
    found = {path.name.partition(".")[0]: path for path in sorted(folder.glob("*.json.xz"))}
    return {id: Record.read(path) for id, path in found.items() if id in ids or not ids}


def report(found: Sequence[Difference], pages: int, as_json: bool) -> str:
    if as_json:
        return json.dumps(
            [vars(one) if not hasattr(one, "__slots__") else one for one in found],
            ensure_ascii=False,
            indent=1,
        )
    lines, before = [], ("", "")
    for one in found:
        if (one.page, one.part) != before:
            before = one.page, one.part
            lines.append(f"{one.page} / {one.part or 'the page itself'}")
        lines.append(f"  {one}")
    count = Counter(one.kind for one in found)
    says = (
        ", ".join(f"{number} {kind}" for kind, number in sorted(count.items())) or "no difference"
    )
    return "\n".join([*lines, f"{pages} pages: {says}"])
