"""What one unit responds to, tested against every hypothesis, and the way back: from a phrase to the units that are
on in it, and to where else they are on together.

Shapes    U = units, N = positions, F = hypotheses, T = tokens of the example, D = chosen units with their side
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.units.features import HYPOTHESES
from engine.analysis.units.probe import LEAST
from engine.core.trace import Table
from engine.language.message import _
from engine.lessons.units import places
from engine.lessons.units.head import Asked, Tested
from engine.live.markdown import escape
from engine.models.base import Model
from engine.runs.store import Run
from engine.views import theme

STRONGEST, RATE = "the strongest", 0.05
TITLES = [h.title for h in HYPOTHESES]
SIDES = {"highest": 1, "lowest": -1}
BEFORE, AFTER = 54, 32  # characters around a place
LISTED, NAMED, BINS = 8, 12, 32
BESIDE = {"anything": (), "off before": (-1,), "off before and after": (-1, 1)}


def begin_at(name: str, given: fr.Others) -> int:
    most = getattr(given["reading"].tested.reading, f"{name}s") - 1
    return min(int(given["run"].note.get("look", {}).get(name, 0)), most)


def hypothesis(tested: Tested, row: int, about: str) -> int:
    """The one asked for, else the one furthest from chance."""
    if about in TITLES:
        return TITLES.index(about)
    far_F = np.abs(tested.auc(row) - 0.5)
    return int(np.nanargmax(far_F)) if np.isfinite(far_F).any() else 0


def usual_side(given: fr.Others) -> str:
    """The lowest places of a unit that is low where the hypothesis holds."""
    tested = given["reading"].tested
    row = given["layer"] * tested.reading.units + given["unit"]
    return "lowest" if tested.auc(row)[hypothesis(tested, row, given["about"])] < 0.5 else "highest"


@fr.part("", always=True, was=("places", "hypotheses", "split", "part-verdict"))
def responds(
    reading: Asked,
    run: Run,
    layer: int = fr.pick(
        "Layer",
        lambda given: {
            n: _("layer {n}", n=n + 1) for n in range(given["reading"].tested.reading.layers)
        },
        lambda given: begin_at("layer", given),
        few=True,
    ),
    unit: int = fr.number(
        "Unit",
        0,
        lambda given: given["reading"].tested.reading.units - 1,
        lambda given: begin_at("unit", given),
    ),
    about: str = fr.pick("Hypothesis", (STRONGEST, *TITLES)),
    side: str = fr.pick("Side", tuple(SIDES), usual_side, few=True),
) -> fr.Blocks:
    tested = reading.tested
    of, row = tested.reading, layer * tested.reading.units + unit
    value_N, f = of.state_UN[row], hypothesis(tested, row, about)
    peaks = places.strongest(SIDES[side] * value_N, of.piece_N, LISTED, *margins(tested))
    if peaks:
        title = _(
            "The {peaks} places where {row} is {side}",
            peaks=len(peaks),
            row=reading.named(row),
            side=_(side),
        )
        top = float(np.quantile(np.abs(value_N[np.isfinite(value_N)]), 0.999)) or 1.0
        made = passages(tested, title, value_N, [(peak, peak + 1) for peak in peaks])
        more, note = {"most": top, "measure": reading.signal}, reading.note(row)
        yield fr.Chart("places", title, "activations", (made,), note, options=more)
        yield fr.Note(
            "The place itself is underlined; no two passages overlap. The colour scale ends at the"
            " value that one place in a thousand exceeds."
        )
    if not np.isfinite(value_N).all():
        raise ValueError("Some values of this unit are not finite numbers, so it cannot be tested.")
    yield fr.Progress(0, "Testing every unit …")  # the picture does not wait for it
    yield fr.Section("verdict", [*verdict(tested, row, f)])
    yield fr.Section("hypotheses", [*ranking(reading, row)])
    yield (
        "The values of the unit with the hypothesis and without it. Two hills far apart: it tells"
        " the two cases apart well. One hill on top of the other: it tells nothing."
    )
    yield split(reading, row, f)


def verdict(tested: Tested, row: int, f: int) -> fr.Blocks:
    tests, name = tested.probe, HYPOTHESES[f]
    auc, p, q = (float(of_UF[row, f]) for of_UF in (tests.auc, tests.p, tests.q))
    if auc == auc:
        yield _(
            "Pick at random one place where “{name}” holds and one where it does not. In **{share}**"
            " of all such pairs the unit is {side}: this share is the area under the ROC curve,"
            " AUC = {auc}. A coin toss would give 50 %. {luck} (p = {p}, q = {q}).",
            name=_(name.title),
            share=per_cent(auc),
            side=_("**higher** at the first" if auc >= 0.5 else "**lower** at the first"),
            auc=auc,
            luck=_("This is unlikely to be chance" if q <= RATE else "This may well be chance"),
            p=p,
            q=q,
        )
    yield fr.Note(_("The rule of “{name}”: {rule}", name=_(name.title), rule=_(name.says)))
    if name.counted:
        yield fr.Note("The test asks whether it is above its median.")
    best = {"This hypothesis": tests.best(f, RATE), "All hypotheses": tests.best(None, RATE)}
    if best["This hypothesis"] is None:
        yield fr.Note(
            "No unit detects this better than chance in this text. Choose another hypothesis, or a"
            " longer text."
        )
    choices = {
        words: dict(zip(("layer", "unit"), tested.reading.place(pair[0]), strict=True))
        | {"about": TITLES[pair[1]]}
        for words, pair in best.items()
        if pair
    }
    if choices:
        yield fr.Presets("Pick the best unit", choices, open=True)


def per_cent(auc: float) -> str:
    """The share of pairs on the better side; 99.96 is not called 100."""
    share = 100 * max(auc, 1 - auc)
    return f"{share:.1f} %" if share < 99.5 else f"{share:.2f} %"


def ranking(reading: Asked, row: int) -> fr.Blocks:
    """Every hypothesis that could be tested, the furthest from chance first."""
    tested, tests = reading.tested, reading.tested.probe
    of, auc_F = tested.reading, tests.auc[row]
    far = np.argsort(-np.abs(auc_F - 0.5), kind="stable").tolist()
    order = [f for f in far if np.isfinite(auc_F[f])]
    if order:
        title, q_F = _("What {row} detects", row=reading.named(row)), tests.q[row, order]
        columns: dict[str, Any] = {"word": [TITLES[f] for f in order], "value": auc_F[order]}
        columns |= {"p": tests.p[row, order], "q": q_F, "holds": tested.holds_FN[order].mean(1)}
        columns |= {"rule": [HYPOTHESES[f].says for f in order]}
        made, note = Table.of("hypotheses", title, columns), reading.note(row)
        yield fr.Chart("hypotheses", title, "auc", (made,), note, options={"rate": RATE})
    if left_out := [title for f, title in enumerate(TITLES) if f not in order]:
        said = _(
            "Not tested, because this text has fewer than {least} places where the hypothesis"
            " holds, or where it does not: {names}.",
            least=LEAST,
            names=", ".join(left_out),
        )
        yield fr.Note(said)
    said = _(
        "Read: {positions:,} positions, spread over {title}, in {pieces:,} pieces; {units:,} units"
        " against {count} hypotheses.",
        positions=len(of),
        title=escape(reading.title),
        pieces=int(of.piece_N[-1]) + 1,
        units=len(of.state_UN),
        count=len(HYPOTHESES),
    )
    yield fr.Note(said)
    meaning = (
        "**p**: the text is closed into a ring and shifted against the unit's values by every"
        " possible distance. p is the share of these shifts that fit at least as well.  \n**q**: so"
        " many units times so many hypotheses make many tests, and the luckiest of many always looks"
        " good. If you accept every pair with q up to 5 %, expect about 5 % of them to be wrong"
        " (Benjamini and Hochberg). A small q does not mean a strong effect: for that, look at the"
        " AUC. And a strong unit may follow something else that occurs together with the hypothesis."
    )
    yield fr.Behind("What p and q mean", [meaning])


def split(reading: Asked, row: int, f: int) -> fr.Chart:
    """The values of the unit where the hypothesis holds and where not."""
    value_N, holds_N = reading.tested.reading.state_UN[row], reading.tested.holds_FN[f]
    value_N = np.clip(value_N.astype(float), *np.quantile(value_N, (0.001, 0.999)))
    edges = np.histogram_bin_edges(value_N, BINS)
    series = {}
    for name, mine_N in (("it holds", holds_N), ("it does not", ~holds_N)):
        if mine_N.any():
            share = 100 * np.histogram(value_N[mine_N], edges)[0] / mine_N.sum()
            series[_("{name} ({mine:,} places)", name=name, mine=mine_N.sum())] = (
                (edges[1:] + edges[:-1]) / 2,
                share,
            )
    title, x = _("Values of the unit with and without “{titles}”", titles=TITLES[f]), reading.signal
    x, note = _("{x} of {row}", x=x, row=reading.named(row)), reading.note(row)
    return fr.curves("split", title, series, x, "% of these places", note, of_series="where")


def margins(tested: Tested, part: int = 1) -> tuple[int, int]:
    """Positions before and after a place, from characters."""
    each = max(1.0, len(tested.reading.text) / len(tested.reading))
    return round(BEFORE / each) // part, round(AFTER / each) // part


def passages(
    tested: Tested, title: str, value_N: np.ndarray, spans: Sequence[tuple[int, int]], part: int = 1
) -> Table:
    """A row for each token of every passage around a span."""
    of, rows = tested.reading, []
    for n, (start, stop) in enumerate(spans, 1):
        context = places.widen(start, stop, of.piece_N, *margins(tested, part))
        rows += [
            (str(n), of.labels[at], float(value_N[at]), start <= at < stop)
            for at in range(context.start, context.stop)
        ]
    return Table.of_rows("passages", title, ("text", "word", "value", "marked"), rows)


@fr.once
def bounds(reading: Asked, share: int) -> tuple[np.ndarray, np.ndarray]:
    return places.bounds(reading.tested.reading.state_UN, share / 100)


@fr.part("Find by example", always=True, was=("matches",))
def by_example(
    reading: Asked,
    model: Model[Any],
    example: str = fr.typed("Your text", 'She said "yes" and went to London.', 400),
    phrase: str = fr.typed("A phrase in it", '"yes', 400),
    share: int = fr.slider("On: among the highest (or lowest) … % of its values", 1, 40, 20),
    beside: str = fr.pick("Just outside the phrase", tuple(BESIDE), "off before", few=True),
    together: int = fr.slider("At least … % of them on at once", 5, 100, 75, 5),
) -> fr.Blocks:
    yield (
        "The other way round: which units are on throughout a phrase, and where else in the text"
        " are the same units on together? Low values count as on, too: the sign of a memory means"
        " nothing by itself."
    )
    at = example.find(phrase)
    if at < 0 or not phrase:
        raise ValueError("Type a text, and a phrase that occurs in it.")
    tested, trace = reading.tested, model.trace(example, fields=(reading.signal,))
    solid = [t for t, (start, stop) in enumerate(trace.spans) if stop > start]
    inside = [
        n for n, t in enumerate(solid)
        if trace.spans[t][1] > at and trace.spans[t][0] < at + len(phrase)
    ]  # fmt: skip
    if not inside:
        raise ValueError("The model reads nothing in this phrase. Choose another one.")
    first, last = inside[0], inside[-1] + 1
    words = [theme.visible(trace.tokens[t]) for t in solid]
    cut = (words[:first], words[first:last], words[last:])
    before, phrase_read, after = (escape("".join(one)) for one in cut)
    yield f"{before}**:blue-background[{phrase_read}]**{after}"
    of, state_LUT = tested.reading, np.moveaxis(trace.field(reading.signal).values, 1, 2)
    state_UT = state_LUT.reshape(len(of.state_UN), -1)[:, solid]
    limits = bounds(reading, share)
    found = places.switches(state_UT, (first, last), *limits, BESIDE[beside])
    if not found:
        raise ValueError(
            "No unit is on throughout this phrase and off next to it. Mark a shorter phrase,"
            " raise the share, or loosen the condition outside."
        )
    names = [f"{reading.named(s.row)} {'high' if s.sign > 0 else 'low'}" for s in found[:NAMED]]
    more = _(" and {n:,} more", n=len(found) - NAMED) if len(found) > NAMED else ""
    yield _(
        "**{n:,} {n|unit is|units are} on throughout it:** {names}{more}.",
        n=len(found),
        names="; ".join(names),
        more=more,
    )
    least = math.ceil(together / 100 * len(found))
    on_DN = np.stack([s.on(of.state_UN) for s in found])
    matches = places.matches(on_DN, of.piece_N, least, last - first)
    count = int((on_DN.sum(0) >= least).sum())
    yield _(
        "**In {title}** this happens at {count:,} of {all:,} positions, in {n:,}"
        " {n|stretch|stretches}.",
        title=escape(reading.title),
        count=count,
        all=len(of),
        n=len(matches),
    )
    if len(found) > 1:
        chance = places.by_chance(on_DN, least)
        yield _(
            "**By chance** it would be {mean} (mean of {n} trials, at most {most:,}): each unit keeps"
            " its own sequence of values, shifted along the text by a random distance.",
            mean=chance.mean(),
            n=len(chance),
            most=chance.max(),
        )
    if matches:
        title = _(
            "The {matches} best of {matches_2:,} matches",
            matches=len(matches[:LISTED]),
            matches_2=len(matches),
        )
        made = passages(tested, title, on_DN.sum(0), matches[:LISTED], 2)
        options = {"most": len(found), "measure": "chosen units that are on", "signed": False}
        note = reading.note()
        yield fr.Chart("matches", title, "activations", (made,), note, options=options)
        yield fr.Note(
            "Matches with many units on, and of about the length of your phrase, come first. The"
            " match is underlined."
        )


PARTS = (responds, by_example)
