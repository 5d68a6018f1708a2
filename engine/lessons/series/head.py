"""In the head of the page: which series the text box opens with, a real one, one that is made, or a column of a table
of the reader's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine import frame as fr
from engine.course import first_minute
from engine.lessons.series import families, typed
from engine.live.markdown import escape, sentence
from engine.live.stage import Opening

AIR, SHARE, TABLE = "air", "share", "table"
LONG = 120  # numbers of a series that is made
OURS = {
    AIR: "Air passengers by the month",
    SHARE: "A share price by the week",
    **{name: families.CALLED[name] for name in ("load", "sine", "walk", "pulse", "rain", "level")},
    TABLE: "Your own table",
}


@dataclass(frozen=True, eq=False)
class Chosen:
    """`text`: its numbers, as the text box opens with them; "" is the example of the lesson."""

    title: str
    text: str = ""

    def opening(self, usual: Opening) -> Opening:
        steps = first_minute.true_of("series", "", (self.title,))
        if not self.text:
            return replace(usual, steps=steps)
        return replace(usual, example=self.text, tries=(), steps=steps)


opened = fr.once(typed.table)


def columns(given: fr.Others) -> dict[str, str]:
    try:
        return {name: name for name in opened(given["file"][1]).columns}
    except (TypeError, ValueError):  # no file, or none that can be read: the head says so
        return {"": ""}


@fr.head("Reading …")
def series(
    source: str = fr.pick("Begin with", OURS, AIR, width=260),
    *,
    seed: int = fr.number("Another one", 1, 999, 1, width=130),
    file: Any = fr.upload(
        "Table with a column of numbers, and one of dates if it has any", ("csv", "tsv", "txt")
    ),
    column: str = fr.pick("Column", columns, width=260),
) -> fr.Choosing[Chosen]:
    if source == AIR:
        return Chosen(OURS[AIR])
    if source == SHARE:
        return Chosen(OURS[SHARE], typed.write(families.real()))
    if source != TABLE:
        yield fr.Controls(["seed"])
        return Chosen(f"{source}.{seed}", typed.write(families.make(source, seed, LONG)))
    yield fr.Controls(["file"])
    if not file:
        raise ValueError(
            "Add a CSV or TSV file with a column of numbers. Dates may stand beside them, decimals may have a comma,"
            " and cells may be empty. It stays on this computer and is not stored."
        )
    try:
        table = opened(file[1])
        yield fr.Controls(["column"])
        values, notes = table.series(column)
    except ValueError as problem:
        raise ValueError(sentence(problem)) from problem
    for note in notes:
        yield fr.Note(sentence(note))
    return Chosen(f"{escape(file[0])}.{column}", typed.write(values))


HEAD = series
