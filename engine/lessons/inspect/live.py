"""The live part: one run, the fields chosen, and nothing else on the way of a key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

import numpy as np

from engine.analysis import surgery
from engine.core.cache import Cache
from engine.core.tap import Edit
from engine.core.trace import ALONG_TEXT, Field, FieldSpec, Kind, Table, TableSpec, Trace
from engine.language.message import _
from engine.lessons.inspect import pictures
from engine.lessons.inspect.pictures import LEARNED, Wish
from engine.live import cache, delta, lookup, reply
from engine.live.drawing import Drawing, Look, Traces, with_entries
from engine.live.reader import Reader, describe_field
from engine.live.reply import Reading, Sent
from engine.live.request import Request
from engine.live.shown import Shown
from engine.live.stage import Panel, Stage
from engine.models.abilities import able
from engine.models.base import Model
from engine.runs.store import Run

LONGEST = 5_000  # characters of a text that is read with edits
MOVES = 10
ROWS = 60  # of a table
EDITED: Cache[Any, Trace] = Cache("edited", attrgetter("size_bytes"))
Spec = FieldSpec | TableSpec
SIGNED = describe_field(FieldSpec("change", Kind.STATE, (), ""))["scale"]  # of a difference


@dataclass(frozen=True, slots=True)
class Inspection:
    """One run and its reader, whose fields are chosen with every request."""

    run: Run
    reader: Reader
    selection: Mapping[str, Any]
    specs: tuple[Spec, ...] = ()
    sites: Mapping[str, surgery.Site] = field(default_factory=dict)
    tells: str = ""  # the field that says what the model expects at each token

    @property
    def model(self) -> Model[Any]:
        return able(self.reader.model, Model)

    def read(self, shown: Shown, request: Request) -> Reading:
        """A `Stage.read`: what is new of the fields chosen, as they are, edited, or the change."""
        reader, model, text = self.reader, self.model, shown.text
        asked, key_shown = request.asks.part("inspect"), request.asks.words("shown")
        chosen = {**self.selection, **request.link} if asked is None else asked
        wanted = pictures.wish(chosen, self.specs)
        edits, problems = self.edits(text, wanted.edits)
        drawn = [s for s in self.specs if s.name in wanted.shows]
        tables = tuple(s.name for s in drawn if isinstance(s, TableSpec))
        fields = tuple(s.name for s in drawn if isinstance(s, FieldSpec))
        names = tuple(n for n in fields if not n.startswith(LEARNED))
        tells = self.tells
        needs = dict.fromkeys((*names, *tables, *([tells] if tells and edits else ())))
        asking = replace(reader, fields=(*needs, *(e.name for e in edits)))
        known = shown.before if asked is not None and key_shown else None
        shown = replace(shown, reader=asking, before=known)
        keep = 0 if asking.changing else shown.same
        pairs = any(
            isinstance(s, FieldSpec) and len(ALONG_TEXT.intersection(s.axes)) > 1 for s in drawn
        )
        fresh = None if pairs or tables or edits else delta.find_fresh(shown)
        if fresh:
            plain = model.trace(text, fields=asking.needs, window=fresh, tokens=shown.tokens)
        else:
            plain = cache.trace_of(shown)
        trace = self.edited(self.run, plain, edits, bool(tables))
        entries = self.entries(plain, trace, wanted, (*names, *tables))
        key, cuts = self.cuts(entries, wanted, trace, fields)
        has = key == key_shown
        if not has:
            keep = 0
            if fresh:  # what stands before is wanted after all
                plain = trace = cache.trace_of(shown)
                entries = self.entries(plain, trace, wanted, names)
                key, cuts = self.cuts(entries, wanted, trace, fields)
        telling = replace(reader, fields=(), top="")
        part = reply.read(replace(shown, reader=telling), trace, keep).part
        begun = trace.offset - shown.window[0]  # tokens shown before those of the trace
        first = keep - begun
        sent = {n: c for n, c in cuts.items() if not (has and n.startswith(LEARNED))}
        part["tops"] = {
            name: self.ranked(c.ranked, first, wanted, request)
            for name, c in sent.items()
            if c.ranked is not None
        }
        if edits and tells and tells in trace and len(trace):
            before, after = (t.field(tells).values[first:] for t in (plain, trace))
            part["moves"] = surgery.moves(before, after, trace.field(tells).axes[-1].labels, MOVES)
        else:
            part["moves"] = [[] for __ in trace.tokens[first:]]
        part["said"] = {
            "inspect": {
                "key": key,
                "shows": wanted.shows,
                "fields": {name: c.about for name, c in cuts.items()},
                "tables": {n: self.rows(trace, n, wanted) for n in tables if n in trace},
                "reads": wanted.reads if edits else "plain",
                "edited": bool(edits),
            },
            "edits": surgery.write(edits),
            "problems": problems,
        }
        slices = (Sent(s, begun, first) for c in sent.values() for s in c.slices)
        return Reading(part, tuple(slices))

    def edits(self, text: str, asked: str) -> tuple[tuple[Edit, ...], list[str]]:
        found, problems = surgery.read(asked, self.sites)
        if found and len(text) > LONGEST:
            more = _(
                "the text has more than {longest:,} characters. Shorten it to try them.",
                longest=LONGEST,
            )
            return (), [_("Edits are left out: {more}", more=more)]
        return found, problems

    def edited(self, run: Run, plain: Trace, edits: tuple[Edit, ...], tables: bool) -> Trace:
        """The same tokens read with the edits; kept."""
        if not surgery.active(edits) or not plain.tokens:
            return plain
        model = self.model
        names = tuple(plain)
        of = (*run.key, surgery.write(edits), names)
        key = (*of, plain.text, plain.offset, len(plain.tokens))
        found: Trace | None = EDITED.get(key)
        if found is None:
            if tables:
                window = (plain.offset, plain.offset + len(plain.tokens))
                found = model.trace(plain.text, edits, fields=names, window=window)
            else:
                found = surgery.operate(model, plain, edits)
            EDITED.put(key, found)
        return found

    def entries(
        self, plain: Trace, trace: Trace, wanted: Wish, names: tuple[str, ...]
    ) -> dict[str, Field]:
        """The fields chosen: of the run as it is, edited, or the difference of both."""
        if not len(trace):
            return {}
        found = {}
        for name in names:
            entry = (plain if wanted.reads == "plain" else trace)[name]
            if isinstance(entry, Table):
                continue
            if wanted.reads == "change" and trace is not plain:
                before = plain.field(name).values
                with np.errstate(invalid="ignore"):  # two scores of -inf differ by nothing
                    values = np.where(entry.values == before, 0, entry.values - before)
                entry = Field(entry.spec, values, entry.axes)
            found[name] = entry
        return found

    def cuts(
        self, entries: Mapping[str, Field], wanted: Wish, trace: Trace, names: tuple[str, ...]
    ) -> tuple[str, dict[str, pictures.Cut]]:
        """What is sent of each field, and a key: where it is the same as that of the picture on the
        screen, that has all but the new tokens, and all that belongs to no text."""
        every = {n: self.learned(n) if n.startswith(LEARNED) else entries.get(n) for n in names}
        cuts = {n: pictures.cut(f, wanted, trace.offset) for n, f in every.items() if f is not None}
        fixed = [
            [name, c.about["at"], c.about["start"], len(c.slices), c.ranked is None]
            for name, c in cuts.items()
        ]
        of = [wanted.ways, wanted.reads, wanted.edits, fixed]
        return json.dumps(of, default=dict), cuts

    def learned(self, name: str) -> Field:
        """A field that belongs to no text."""
        run, bare = self.run, name.removeprefix(LEARNED)
        key = (*run.key, "parameters", bare)
        trace: Trace | None = cache.TRACES.get(key)
        if trace is None:
            trace = self.model.parameters((bare,))
            cache.TRACES.put(key, trace)
        return pictures.named(trace.field(bare), name)

    def ranked(self, rows: Field, first: int, wanted: Wish, request: Request) -> dict[str, Any]:
        """The largest numbers of each row of a long axis from row `first` on, and where the word that
        is looked up stands in it."""
        down = rows.values.ndim > 1
        found: dict[str, Any] = {
            "along": down,
            "rows": pictures.ranks(rows, first if down else 0, wanted.reads == "change"),
        }
        if word := request.next:
            labels, id, says = rows.axes[-1].labels, None, ""
            if rows.axes[-1].name == "next":
                place = lookup.find(self.model, word)
                id, says = place.id, place.says
            if id is None and word in labels:
                id, says = labels.index(word), ""
            values = rows.values[first:] if down else rows.values[None]
            found["find"] = {
                "word": word,
                "label": "" if id is None else labels[id],
                "says": says or ("" if id is not None else "There is no such word here."),
                "rows": [] if id is None else lookup.places(values, id),
            }
        return found

    def rows(self, trace: Trace, name: str, wanted: Wish) -> dict[str, Any]:
        """The rows of a table: those at the token looked at, where it says of which token they
        are."""
        table = trace[name]
        assert isinstance(table, Table)
        size = len(next(iter(table.columns.values()), ()))
        at = np.arange(size)
        place = None
        if "position" in table.columns and trace.tokens:
            place = pictures.pick("token", len(trace.tokens), wanted, trace.offset)
            at = np.flatnonzero(table.columns["position"] == place)
        names = [c for c in table.spec.columns if c != "position" or place is None]
        return {
            "columns": names,
            "rows": [[_cell(table.columns[c][i]) for c in names] for i in at[:ROWS].tolist()],
            "count": len(at),
            "all": size,
            "place": None if place is None else place + trace.offset,
        }

    def drawn(self, name: str) -> Callable[[Traces, Look], Drawing]:
        """A `Panel.figure`: the picture of one field or table, as the view draws it that accepts
        it."""
        reader, run, model = self.reader, self.run, self.model
        spec = next(s for s in self.specs if s.name == name)

        def make(traces: Traces, look: Look) -> Drawing:
            shown, wanted = traces[reader.id], pictures.wish(look, self.specs)
            window = (shown.offset, shown.offset + len(shown.tokens))
            if isinstance(spec, TableSpec):
                plain = cache.trace(run, model, shown.text, (name,), window)
                view = pictures.table_view(spec) or ""
                return Drawing(reader.id, view, plain, (name,))
            if name.startswith(LEARNED):
                assert isinstance(spec, FieldSpec)
                return self.figure(spec, with_entries(shown, self.learned(name)), name, wanted, "")
            edits, __ = self.edits(shown.text, wanted.edits)
            fields = (name, *(e.name for e in edits))
            plain = cache.trace(run, model, shown.text, fields, window)
            called, trace, written = name, plain, ""
            if surgery.active(edits):
                trace = surgery.compare(plain, self.edited(run, plain, edits, False))
                called = f"{wanted.reads}.{name}"
                called = called if called in trace else f"edited.{name}"
                written = surgery.write(edits)
            return self.figure(spec, trace, called, wanted, written)

        return make

    def figure(
        self, spec: FieldSpec, trace: Trace, called: str, wanted: Wish, edits: str
    ) -> Drawing:
        """The picture of the entry `called` of a trace, drawn as the field of `spec` is."""
        drawing, down, across = pictures.drawing_of(spec, wanted)
        whole = trace.field(called)
        if drawing == "wall" and {down, across} != set(spec.axes[-2:]):
            drawing = "grid"
        drawn = {across} if drawing == "bars" else {down, across}
        if drawing == "wall":
            drawn = set(spec.axes[-4:])
        sizes = {a.name: len(a) for a in whole.axes if a.name not in drawn}
        picks = {a: pictures.pick(a, n, wanted, trace.offset) for a, n in sizes.items()}
        options = {"top": pictures.TOP} if drawing == "bars" else {}
        view = pictures.view_of(drawing)
        return Drawing("run", view, trace, (called,), picks, options, edits or None)


def _cell(value: Any) -> Any:
    if isinstance(value, (np.floating, float)):
        return float(f"{value:.7g}") if np.isfinite(value) else str(value)
    return value.item() if isinstance(value, np.generic) else value


def tells(specs: tuple[Spec, ...]) -> str:
    names = [
        s.name
        for s in specs
        if isinstance(s, FieldSpec) and s.kind is Kind.PROBABILITY and s.axes[:1] == ("token",)
    ]
    return names[-1] if names else ""


def reader(run: Run, model: Model[Any], specs: tuple[Spec, ...]) -> Reader:
    says = any(s.name == "probability" for s in specs)
    fields = {
        s.name: {**describe_field(s), "short": s.name} for s in specs if isinstance(s, FieldSpec)
    }
    more, top = {"fields": fields, "signed": SIGNED}, "probability" if says else ""
    return Reader("run", run.title, model, run.id, "tokens", (), top=top, more=more)


def inspection(run: Run, model: Model[Any]) -> Inspection:
    """What is inspected of a run: its fields, those that belong to no text too, and where each can
    be changed."""
    learned = [
        replace(
            s, name=LEARNED + s.name, says=_("{says} It is the same for any text.", says=_(s.says))
        )
        for s in model.parameters_spec()
    ]
    specs: tuple[Spec, ...] = (*model.spec(), *learned)
    one, sizes = reader(run, model, specs), surgery.sites(model, derived=True)
    changes = [s.name for s in specs if isinstance(s, FieldSpec) and not s.derived]
    sites = {name: sizes[name] for name in changes if name in sizes}
    look = {"layer": 0, "head": 0, "unit": 0, **run.note.get("look", {})}
    look = {a: look[a] for a in ("layer", "head", "unit")}
    return Inspection(run, one, look, specs, sites, tells(specs))


def stage(run: Run) -> Stage:
    model = cache.model(run)
    made = inspection(run, model)
    specs, sites, sizes = made.specs, made.sites, surgery.sites(model, derived=True)
    fields = [_panel(made, spec) for spec in specs]
    chooser = Panel(
        "numbers",
        "numbers",
        "The numbers drawn",
        options={"groups": _groups(specs), "sizes": sizes},
    )
    edits = Panel(
        "tamper",
        "tamper",
        "Change a number and see the effect",
        "",
        {
            "column": "right",
            "sites": sites,
            "gates": [
                s.name for s in specs if isinstance(s, FieldSpec) and s.name.startswith("gate.")
            ],
            "frozen": [n for n, site in sites.items() if "token" in site and "query" not in site],
            "tells": made.tells,
            "most": surgery.MOST,
        },
    )
    left = [p for p in fields if p.options["column"] == "left"]
    right = [p for p in fields if p.options["column"] == "right"]
    panels = (chooser, *left, *right, edits)
    return Stage(((made.reader, run),), panels, most=256, selection=made.selection, read=made.read)


def _panel(inspection: Inspection, spec: Spec) -> Panel:
    name = spec.name
    if isinstance(spec, TableSpec):
        figure = inspection.drawn(name) if pictures.table_view(spec) else None
        options: dict[str, Any] = {"column": "left", "table": name}
        return Panel(f"table:{name}", "rows", name, spec.says, options, figure)
    drawing, down, across = pictures.first_drawing(spec)
    options = {
        "column": "right" if drawing == "bars" else "left",
        "field": name,
        "axes": spec.axes,
        "drawings": list(pictures.drawings(spec)),
        "first": [drawing, down, across],
        "domain": spec.domain is not None,
    }
    if across in pictures.VOCABULARIES:
        options["search"] = True
    figure = inspection.drawn(name) if spec.axes else None
    return Panel(f"field:{name}", "field", name, spec.says, options, figure)


TITLES = {
    Kind.GATE: "Gates and shares, between 0 and 1",
    Kind.STATE: "States",
    Kind.ATTENTION: "Attention",
    Kind.PROBABILITY: "Probabilities",
    Kind.SCORE: "Scores",
    Kind.COUNT: "Counts",
    Kind.COSINE: "Cosines",
    Kind.GRADIENT: "Gradients",
    Kind.LOSS: "Losses",
}


def _groups(specs: tuple[Spec, ...]) -> list[dict[str, Any]]:
    """The fields by kind, in the order of the model's promise; the tables last."""
    parameters = [s for s in specs if s.name.startswith(LEARNED)]
    specs = tuple(s for s in specs if s not in parameters)
    groups: dict[str, list[Spec]]
    kinds = dict.fromkeys(s.kind for s in specs if isinstance(s, FieldSpec))
    groups = {
        TITLES[k]: [s for s in specs if isinstance(s, FieldSpec) and s.kind is k] for k in kinds
    }
    groups["Tables"] = [s for s in specs if isinstance(s, TableSpec)]
    groups["Parameters: what was learned"] = parameters
    return [
        {"title": title, "rows": [_row(s) for s in some]} for title, some in groups.items() if some
    ]


def _row(spec: Spec) -> dict[str, Any]:
    if isinstance(spec, TableSpec):
        return {"name": spec.name, "symbol": "", "says": spec.says, "columns": spec.columns}
    return {"name": spec.name, "symbol": spec.symbol, "says": spec.says, "axes": spec.axes}


LIVE = stage
