"""The live part of the lesson on attention scores: recurrent translators that differ in how they score, or in which
source words a step may look at, on one sentence.

Shapes    T = target tokens, S = source tokens, H = units, N = steps of writing, V = words, Z = S, the word drawn
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from engine.core.cache import Cache
from engine.core.registry import scores
from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons.scores import decoder_step, free_running, hard_choice, mixed_reading
from engine.lessons.scores.shown import SCOPE, called
from engine.live import declared, derived
from engine.live.stage import Stage
from engine.models.seq2seq import BEFORE, CENTRE, HARD, LOCAL_P, NONE, WEIGHT, Net, Seq2seq
from engine.nn.scores.additive import Additive
from engine.runs.store import Run

KEPT = 100  # translations that are kept
KINDS = scores.listed()
DOT, ADDITIVE, LOCATION = (KINDS.index(name) for name in ("dot", "additive", "location"))
BASELINES = (("none", "No baseline"), ("mean", "Baseline: mean reward"), ("best", "Best baseline"))
_answers: Cache[Any, Any] = Cache("answers", lambda answer: 1, most=KEPT)


def once(model: Seq2seq) -> pic.Once:
    return pic.Once({"word": model.tokenizer.vocab})


def step(model: Seq2seq, trace: Trace) -> dict[str, Any]:
    """What each step looks at.  A weight outside a window is none."""
    score_TS, look_TS = (trace.field(f"cross.{n}").values[0, 0] for n in ("score", "attention"))
    found: dict[str, Any] = {"score": score_TS, "look": look_TS, "weight": look_TS}
    if model.config.scope == HARD:
        found["weight"] = trace.field(WEIGHT.name).values[0, 0]
    elif CENTRE.name in trace:
        half = model.config.window
        centre_T = trace.field(CENTRE.name).values[0, 0] - 1
        away_TS = np.arange(score_TS.shape[1]) - centre_T[:, None]
        weight_TS = trace.field(WEIGHT.name).values[0, 0] if WEIGHT.name in trace else look_TS
        inside_TS = np.abs(away_TS) <= half
        found |= {n: np.where(inside_TS, found[n], np.nan) for n in ("score", "look")}
        found["weight"] = np.where(inside_TS, weight_TS, np.nan)
        if WEIGHT.name in trace:
            found["bell"] = np.where(inside_TS, np.exp(-2 * (away_TS / half) ** 2), np.nan)
    count = score_TS.shape[1]
    made: dict[str, Any] = {name: (("token", "source"), found[name]) for name in found}
    made["belled"] = (), "bell" in found
    made |= {"sources": ((), count), "spot": (("source",), np.arange(count) + 1)}
    made["most"] = (("token",), np.nan_to_num(found["weight"], nan=-1.0).argmax(1))
    return made


def of_scores(model: Seq2seq, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """A step unit by unit, the keys in their plane, and what it reads in training and in use."""
    part = decoder_step.parts(model, trace)
    kind = KINDS.index(model.config.attention)
    keys_SX = part.offered_SX if kind == ADDITIVE else part.key_SH
    found = {
        "kind": ((), kind),
        "before": ((), model.config.looks == BEFORE),
        **step(model, trace),
        "query": (("token", "dim"), part.query_TH),
        "context": (("token", "dim"), trace.field("context").values),
        "asked": (("token", "dim"), part.asked_TX),
        "keys": (("source", "dim"), keys_SX),
        "place": (("source", "coordinate"), part.place_S2),
        "centre": (("token", "coordinate"), part.centre_T2),
        "share": ((), part.share_2.sum()),
    }
    net = model.net
    assert isinstance(net, Net)
    if isinstance(net.score, Additive):
        read_H = net.score.read.weight[0].detach().numpy()
        part_TSH = read_H * np.tanh(part.asked_TX[:, None] + keys_SX)
        found |= {"read": (("dim",), read_H), "part": (("token", "source", "dim"), part_TSH)}
    if (asks.get("by") or KINDS[0]) == model.config.attention:  # the one that is looked at
        found |= reading(model, trace, asks)
    return found


def reading(model: Seq2seq, trace: Trace, asks: Mapping[str, object]) -> dict[str, Any]:
    """What it reads and writes when it is handed the right words, when it reads its own, and when a coin decides."""
    source = model.tokens(trace.text).source
    assert source is not None
    source_S, right = source.ids, trace.ids[1:].tolist()
    share, seed = (
        int(str(asks.get(name) or first)) for name, first in (("handed", 50), ("toss", 0))
    )
    p_TV = trace.field("probability").values
    key = (id(model), source_S.tobytes(), tuple(right))
    free = _answers.made(key, lambda: free_running.run(model, source_S, right))
    mixed = _answers.made(
        (*key, share, seed),
        lambda: mixed_reading.read(model, source_S, right, share / 100, seed, free),
    )
    forced_T = np.append(p_TV[np.arange(len(right)), right], np.nan)
    ids = np.array(free.ids, int)
    rows: dict[str, Any] = {
        "right": right,
        "forced.reads": trace.ids,
        "forced.writes": p_TV.argmax(1),
        "forced.right": forced_T,
        "mixed.reads": mixed.read_N,
        "mixed.own": mixed.own_N,
        "mixed.writes": mixed.wrote_N,
        "mixed.right": mixed.right_N,
        "free.reads": np.append(model.start, ids[:-1])[: len(ids)],
        "free.writes": ids,
        "free.right": free.right_N,
    }
    count = max(map(len, rows.values()))
    for name, values in rows.items():
        rows[name] = np.full(count, np.nan)
        rows[name][: len(values)] = values
    typed_N = np.isfinite(rows["right"])
    for way in ("forced", "mixed", "free"):
        rows[f"{way}.wrong"] = typed_N & (rows[f"{way}.writes"] != rows["right"])
    wrong = np.flatnonzero(rows["free.wrong"])
    first = int(wrong[0]) if len(wrong) else -1
    rows["free.own"] = (
        (first >= 0) & (np.arange(count) > first) & (rows["free.reads"] != rows["forced.reads"])
    )
    with np.errstate(divide="ignore"):
        losses = {way: -np.log(rows[f"{way}.right"]) for way in ("forced", "mixed", "free")}
    return {
        **{name: (("step",), values) for name, values in rows.items()},
        **{
            f"loss.{w}": ((), v[np.isfinite(v)].mean() if np.isfinite(v).any() else np.nan)
            for w, v in losses.items()
        },
        "typed": ((), len(right)),
        "first": ((), first if first >= 0 else np.nan),
        "number": ((), first + 1),
        "written": ((), len(ids)),
    }


def of_scopes(model: Seq2seq, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """A window and where it is, and what hard attention learns."""
    found: dict[str, Any] = step(model, trace)
    found["hard"] = ((), model.config.scope == HARD)
    if CENTRE.name in trace:
        centre_T = trace.field(CENTRE.name).values[0, 0]
        found |= {"middle": (("token",), centre_T), "centre": (("token",), centre_T - 1)}
        found["half"] = ((), model.config.window)
    net = model.net
    assert isinstance(net, Net)
    if net.local is not None and net.local.predicts:
        with torch.inference_mode():
            h_TH = torch.tensor(trace.field("hidden").values[-1])
            part_TH = (net.local.read.weight[0] * torch.tanh(net.local.turn(h_TH))).numpy()
        found |= {"foretold": (("token", "dim"), part_TH), "sum": (("token",), part_TH.sum(1))}
    return found | (learned(model, trace, asks) if model.config.scope == HARD else {})


def learned(model: Seq2seq, trace: Trace, asks: Mapping[str, object]) -> dict[str, Any]:
    """The exact slope of each score, and what three estimators make of it, at every step."""
    of = derived.once(trace, model, lambda: hard_choice.choices(model, trace, [*trace.ids[1:]]))
    score_TS = trace.field("cross.score").values[0, 0].astype(float)
    heat, draws = (int(str(asks.get(n) or first)) for n, first in (("heat", 4), ("draws", 10)))
    power_TS = np.exp((score_TS - score_TS.max(1, keepdims=True)) / heat)
    chance_TS = power_TS / power_TS.sum(1, keepdims=True)
    reward_TS, zero_T = of.reward_TS.astype(float), np.zeros(len(score_TS))
    baselines = {
        "none": zero_T,
        "mean": (chance_TS * reward_TS).sum(1),
        "best": hard_choice.best_baseline(chance_TS, reward_TS),
    }
    exact_TS = hard_choice.expected(chance_TS, reward_TS)
    straight_TS, spread_T = hard_choice.straight(chance_TS, of.pull_TZS)
    share_TZ = np.random.default_rng(0).multinomial(draws, chance_TS) / draws
    baseline_T = baselines.get(str(asks.get("baseline")), zero_T)
    made = {
        "exact": exact_TS,
        "drawn": hard_choice.reinforced(chance_TS, reward_TS, share_TZ, baseline_T),
        "straight": straight_TS,
        "every": hard_choice.marginal(chance_TS, reward_TS),
    }
    scatter = {n: hard_choice.scatter(chance_TS, reward_TS, b_T) for n, b_T in baselines.items()}
    scatter["straight"] = spread_T
    away = {n: np.linalg.norm(made[n] - exact_TS, axis=1) for n in ("drawn", "straight")}
    both, token = ("token", "source"), ("token",)
    return {
        "chance": (both, chance_TS),
        "reward": (both, of.reward_TS),
        "likely": (both, np.exp(of.reward_TS)),
        **{name: (both, values) for name, values in made.items()},
        **{f"scatter.{name}": (token, values) for name, values in scatter.items()},
        **{f"away.{name}": (token, values) for name, values in away.items()},
        "judged": (token, of.word_T),
    }


WANTED = "Type an English sentence."
LOOKS = "{reader} “{most:source}” {weight[source=most]:%}, writes “{top}”"
CELLS = pic.Matrix(
    "weight",
    "source",
    "reader",
    "attention weight",
    frame=("#source", "#reader"),
    shade="attention",
    number="%",
    second="score",
    foot=("{top}", "{top.p:%}"),
    widest=130,
)
GRID = pic.Picture(
    "grid",
    CELLS,
    "One step under each score",
    "One step under each score, behind “{token}”",
    "Translators, alike but for the score; each was trained with its own. In a cell: the weight, and the"
    " score before softmax. Below: the likeliest next word. Click a column to open that score.",
    (
        "{?#source!=most}Weights of “{source}”, in brackets the scores: {there}.",
        "Looks most at: {each}.",
        WANTED,
    ),
    side="left",
    parts={
        "each": pic.Series("reader", LOOKS, "; "),
        "there": pic.Series("reader", "{reader} {weight:%} ({score})", "; "),
    },
    table=pic.table(
        "source reader",
        "source word: {source} | score: {reader} | before softmax: {score} | weight: {weight}",
    ),
    saves=pic.Saves(("cross.score", "cross.attention"), ("query",), each=True),
)
CENTROID = pic.Picture(
    "centroid",
    pic.Points(
        (
            pic.Spots("source", "place", "weight", "centre", "{source}"),
            pic.Spots("token", "centre", joined=True),
        )
    ),
    "The context is a centroid",
    "The context is a centroid: {reader} score",
    "Each word is a key, in the plane in which the keys lie farthest apart. The context vector is"
    " their mean, each as heavy as its weight.",
    (
        "“{source}” pulls with {weight:%}. The plane holds {share:%} of how the keys differ; the context is"
        " their centroid in every plane.",
        WANTED,
    ),
    side="right",
    table=pic.table(
        "source",
        "what: {source} | weight: {weight} | x: {place[coordinate=0]} | y: {place[coordinate=1]}",
    ),
)
BY = pic.Choice("by", tuple((kind, called(kind)) for kind in KINDS), KINDS[0], asks=True)
REST = " + {rest} of the other {others} units"
STEP = pic.Picture(
    "step",
    pic.Columns(
        pic.Rows("source"),
        (
            pic.Strip(
                "Key, a column for each unit",
                "keys",
                "dim",
                "state",
                (("query", "query"), ("what is compared", "asked"), ("context", "context")),
            ),
            pic.Column("Score", "score", colour="line-1", group="score"),
            pic.Column("Weight", "weight"),
        ),
    ),
    "The score, number by number",
    "The {reader} score, number by number",
    "The query is the decoder's state, old or new as chosen above, a key what the encoder left at a word. Point at"
    " a row to see its sum.",
    (
        pic.If(
            f"kind={LOCATION}",
            "“{source}” has the score {score}, a row of W times the query, whatever word stands there."
            " Softmax over all scores makes that {weight:%}.",
        ),
        pic.If(
            f"kind={ADDITIVE}",
            "“{source}”: {score} = {tanh}. Softmax over all scores makes that {weight:%}.",
        ),
        "“{source}”: {score} = {terms}. Softmax over all scores makes that {weight:%}.",
        WANTED,
    ),
    controls=(BY,),
    parts={
        "terms": pic.Series("dim", "{asked} · {keys} (unit {#dim})", " + ", 3, rest=REST),
        "tanh": pic.Series(
            "dim", "{read} · tanh({asked} + {keys}) (unit {#dim})", " + ", 3, "part", REST
        ),
    },
    table=pic.table("source", "source word: {source} | score: {score} | weight: {weight}"),
)
BOXES = {
    "state": "old state",
    "read": "reads",
    "cell": "cell",
    "keys": "keys",
    "score": "score",
    "context": "context",
    "output": "writes",
    "fed": "fed",
}


def wired(looks: str) -> pic.Picture:
    """When it looks: after the cell, or before it."""
    before = looks == BEFORE
    after = ("state", "cell", "score", "context", "output")
    ways = ("state", "score", "context", "cell", "output") if before else after
    x = dict(zip(ways, (0.08, 0.29, 0.5, 0.71, 0.92), strict=True))
    x |= {"keys": x["score"], "read": x["cell"], "fed": x["cell"] - 0.21}
    y = {"keys": 0.14, "read": 0.86, "fed": 0.86}
    holds: dict[str, tuple[str, ...]] = {
        "state": ("sₜ₋₁",),
        "fed": ("h̃ₜ₋₁",),
        "read": ("“{token:short}”",),
        "cell": ("sₜ",),
        "score": ("{reader}", "softmax"),
        "context": ("“{most:source}”", "{weight[source=most]:%}"),
        "output": ("“{top}”", "{top.p:%}"),
    }
    boxes = tuple(
        pic.Box(
            id,
            x[id],
            y.get(id, 0.5),
            (title, *holds.get(id, ())),
            id == "score",
            "fed" if id == "fed" else "",
        )
        for id, title in BOXES.items()
    )
    chain = (*pairwise(ways), ("read", "cell"), ("keys", "score"))
    around = ("state", "cell", 0.74) if before else ("cell", "output", 0.74)
    arrows = (
        *(pic.Arrow(*pair) for pair in chain),
        pic.Arrow(*around),
        *([pic.Arrow("context", "output", 0.26)] if before else []),
        pic.Arrow("fed", "cell", dashed=True),
    )
    titles = "It looks before the cell (Bahdanau)" if before else "It looks after the cell (Luong)"
    says = (
        "The old state looks first. What it finds goes into the cell with the word, so that it stays in every"
        " later state too."
        if before
        else "The cell makes the new state from the old one and the word. The new state looks, and what it finds is"
        " used for this word only."
    )
    tell = (
        "The old state looks most at “{most:source}”, {weight[source=most]:%}; with that the decoder reads"
        " “{token}”."
        if before
        else "The decoder reads “{token}”; the new state looks most at “{most:source}”, {weight[source=most]:%}."
    )
    fed = (
        "With input feeding the cell also reads h̃ₜ₋₁, what was made of state and context a step before: so it"
        " knows where it looked. The translators above were trained without."
    )
    return pic.Picture(
        "order",
        pic.Boxes(boxes, arrows),
        titles,
        titles,
        (pic.If("fed", fed), says),
        (tell, WANTED),
        controls=(pic.Switch("fed", "Input feeding", False),),
    )


def lanes(way: str, reads: str, own: str) -> tuple[pic.Lane, ...]:
    """What it reads in this way, what it writes, and the probability of the right word."""
    return (
        pic.Lane(reads, f"{{{way}.reads:word}}", mark=own),
        pic.Lane("writes", f"{{{way}.writes:word}}", mark=f"{way}.wrong"),
        pic.Lane("right word gets", f"{{{way}.right:%}}", mark="none"),
    )


FORCING = pic.Picture(
    "forcing",
    pic.Lanes(
        (
            pic.Lane("right word", "{right:word}", strong=True, mark="none"),
            *lanes("forced", "forced: reads", "none"),
            *lanes("mixed", "mixed: reads", "mixed.own"),
            *lanes("free", "free: reads", "free.own"),
        ),
        along="step",
    ),
    "Training and use: whose words it reads",
    says="Above, each step has read the right words, those you typed (teacher forcing). Below it reads what it"
    " wrote itself. Between, a coin decides at each step (scheduled sampling); its own words are marked.",
    tell=(
        "At step {number:n} it writes “{free.writes[step=first]:word}”, where you typed"
        " “{right[step=first]:word}”. From there on it reads other words than in training. Mean loss of your"
        " words: forced {loss.forced} nats, mixed {loss.mixed}, behind its own words {loss.free}.",
        "{?typed}Free, it writes what you typed, word for word, so that it reads the right words and both parts"
        " are the same. Mean loss {loss.forced} nats. Type another French word to part them.",
        "You typed no French yet: there is no right word to hand out. Free, it writes {written:n} words.",
        WANTED,
    ),
    controls=(
        pic.Amount("handed", 0, 100, 5, 50, "The coin hands out {handed} % right words", asks=True),
        pic.Amount("toss", 0, 9, 1, 0, "Toss {toss}", asks=True),
    ),
    table=pic.table(
        "step",
        "right word: {right:word} | forced reads: {forced.reads:word} | forced writes: {forced.writes:word}"
        " | right word gets, forced: {forced.right:%} | mixed reads: {mixed.reads:word}"
        " | mixed writes: {mixed.writes:word} | right word gets, mixed: {mixed.right:%}"
        " | free reads: {free.reads:word} | free writes: {free.writes:word}"
        " | right word gets, free: {free.right:%}",
    ),
)
SCOPES = replace(
    GRID,
    id="scopes",
    drawing=replace(CELLS, legend="weight in the context", second="look"),
    blank="Where each may look",
    title="Where each may look, behind “{token}”",
    says="Translators alike but for this; each was trained so. In a cell: what a word weighs, and what softmax gave"
    " it, before the bell, or before one word is taken; grey: outside the window. Click a column to follow it"
    " below.",
    table=pic.table(
        "source reader",
        "source word: {source} | attention: {reader} | softmax: {look} | weight: {weight}",
    ),
)
PATH = pic.Picture(
    "path",
    pic.Over(
        (
            pic.Cells("weight", "attention"),
            pic.Band("centre", "half"),
            pic.Line("centre", dots=3, width=1.4),
        ),
        pic.Rows("source", 60),
    ),
    "Step by step",
    "Step by step: {reader}",
    "A column is a step, a dot the middle of its window.",
    (
        "Behind “{token}” the window is {middle} ± {half:n}, of {sources:n} places; “{source}”, place {spot:n},"
        " [weighs {weight:%}][{?!weight}lies outside].",
        "Behind “{token}” every word is open; “{source}” weighs {weight:%}.",
        WANTED,
    ),
    side="right",
    table=pic.table(
        "token source",
        "behind: {token} | middle of the window: {middle} | source word: {source} | weight: {weight}",
    ),
)
SUM = pic.Picture(
    "sum",
    pic.Lanes(
        (
            pic.Lane("source word", "{source:short}", strong=True),
            pic.Lane("its score", "{score}"),
            pic.Lane((pic.If("middle", "softmax in the window"), "softmax"), "{look:%}"),
            pic.Lane("the bell", "{bell}", when="belled"),
            pic.Lane("its weight", "{weight:%}"),
        ),
        along="source",
    ),
    "From score to weight",
    "From score to weight: {reader}",
    "The step and the column that are chosen above.",
    (
        pic.If(
            "hard", "The likeliest word is taken whole: “{most:source}” weighs 1, all others 0."
        ),
        "Place: {sources:n} · σ({sum}) = {middle}, where {sum} = {parts}. The bell is {half:n} wide to each side"
        " (two σ); the weights are left as they are, and do not sum to 1.",
        "This step looks around place {middle}: words to {half:n} places away. Nothing is learned for that.",
        "{sources:n} scores, and softmax over all of them: the weights sum to 1.",
        WANTED,
    ),
    parts={"parts": pic.Series("dim", "{foretold} (unit {#dim})", " + ", 3, rest=REST)},
    table=pic.table(
        "source",
        "source word: {source} | its score: {score} | softmax in the window: {look} | the bell: {bell}"
        " | its weight: {weight}",
    ),
)
SLOPES = (("exact slope", "exact"), ("REINFORCE", "drawn"), ("straight-through", "straight"))
LEARNS = pic.Picture(
    "learns",
    pic.Columns(
        pic.Rows("source"),
        (
            pic.Column("its chance", "chance"),
            pic.Column("word’s probability", "likely", colour="line-4"),
            *(
                pic.Column(head, of, colour=f"line-{n}", group="slope")
                for n, (head, of) in enumerate((*SLOPES, ("all choices", "every")))
            ),
        ),
    ),
    "What hard attention learns from one word",
    "What hard attention learns from “{judged:word}”",
    "A word is drawn by its chance, so no slope goes through the choice. Here every choice is tried: that gives the"
    " exact slope of each score. A temperature above 1 makes the chances as even as they are early in training.",
    (
        "REINFORCE: variance of one draw {scatter.none} without a baseline, {scatter.mean} with the mean reward,"
        " {scatter.best} at best; its mean is exact. After {draws} the mean is {away.drawn} away"
        " from the exact slope. Straight-through: variance {scatter.straight}, and an error of {away.straight} that"
        " no number of draws takes away.",
        "Choose the column “hard” above: the others take no choice. {sources:n} words can be looked at here.",
        WANTED,
    ),
    controls=(
        pic.Choice(
            "draws", tuple((n, _("{n} draws", n=n)) for n in ("10", "100", "1000")), "10", True
        ),
        pic.Choice("baseline", BASELINES, "none", True),
        pic.Choice("heat", tuple((n, f"T = {n}") for n in "1248"), "4", True),
    ),
    table=pic.table(
        "source",
        "source word: {source} | its chance: {chance} | log probability of the word: {reward}"
        " | exact slope: {exact} | REINFORCE, mean of draws: {drawn} | straight-through: {straight}"
        " | all choices: {every}",
    ),
)
OF_SCORES = pic.Live(
    (),
    (GRID, CENTROID, STEP, FORCING),
    once,
    of_scores,
    also=decoder_step.FIELDS,
    shades={
        "attention": FieldSpec("weight", Kind.ATTENTION, (), ""),
        "state": FieldSpec("state", Kind.STATE, (), ""),
    },
    called=called,
    words=False,
    places={"reader": pic.Place("by"), "source": pic.Place("other", "most")},
    listed=6,
    most=600,
)
OF_SCOPES = replace(
    OF_SCORES,
    pictures=(SCOPES, PATH, SUM, LEARNS),
    derive=of_scopes,
    also=("cross.score", "cross.attention", CENTRE.name, WEIGHT.name, "hidden", "encoder.hidden"),
)
WITHOUT = pic.Live(
    (),
    (
        pic.Picture(
            "next",
            pic.Drawn("bars", lambda model: {"most": 6}),
            "Next token",
            says="None of the recurrent translators here has attention, so there is no score to show.",
            saves=pic.Saves(("probability",), ("token",), "bars", {"top": 6}),
        ),
    ),
)


def stage(found: Mapping[str, Run], looks: str) -> Stage:
    """`found`: runs by their score or scope; one by the name "none" has no attention."""
    if NONE in found:
        return declared.stage(WITHOUT, found, NONE)
    if looks == SCOPE:
        first = [*found].index(LOCAL_P) if LOCAL_P in found else 0
        places = {**OF_SCOPES.places, "reader": pic.Place("by", first=first)}
        return declared.stage(replace(OF_SCOPES, places=places), found, "")
    by = replace(BY, options=tuple((k, called(k)) for k in found), first=next(iter(found)))
    grid, centroid, step, forcing = OF_SCORES.pictures
    step = replace(step, controls=(by,))
    return declared.stage(
        replace(OF_SCORES, pictures=(grid, centroid, step, wired(looks), forcing)), found, ""
    )


LIVE = stage
