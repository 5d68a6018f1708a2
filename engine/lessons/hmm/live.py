"""The live part of the lesson on hidden Markov models: the typed text as a trellis of hidden states, a step of
the filter in numbers, a path and its joint probability, what the future changed, the tables, forgetting.

Shapes: S = states, T = tokens, N = steps
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.core.cache import remembered
from engine.core.trace import FieldSpec, Kind, Trace
from engine.frame import picture as pic
from engine.frame.bends import bent
from engine.hmm import forgetting
from engine.models.markov import END, PARAMETERS, Markov
from engine.text.tokenizers.base import Tokens

WRITES, NAMING = 12, 4  # tokens listed of a state, and those that it is called by
FEWEST, FARTHEST = 10, 40  # steps that two beginnings are followed for
VIEWS = ("predict", "filter", "smooth")


def once(model: Markov[Any]) -> pic.Once:
    """Its states, tables, and what each state writes."""
    words = model.tokenizer.vocab
    order_SV = np.argsort(-model.b_SV, axis=1, kind="stable")[:, :WRITES]
    writes = [
        [(words[v], float(f"{b_V[v]:.6g}")) for v in order_V if b_V[v] > 0]
        for order_V, b_V in zip(order_SV, model.b_SV, strict=True)
    ]
    called = list(model.states)
    if model.states[1:2] == ("1",):  # numbers say nothing
        for s, likeliest in enumerate(writes[1:], 1):
            first = [label for label, _ in likeliest if label.strip()][:NAMING]
            called[s] = f"{called[s]}: {' '.join(first)}"
    transition = next(spec for spec in PARAMETERS if spec.name == "transition")
    second = FieldSpec("second", Kind.PROBABILITY, (), "Modulus of the second eigenvalue of A.")
    names = dict.fromkeys(("state", "source", "target"), model.states)
    return pic.Once(
        names,
        dict.fromkeys(names, called),
        ((transition, model.a_SS), (second, np.array(forgetting.second(model.a_SS)))),
        {"writes": writes},
    )


def derive(model: Markov[Any], trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    """All that the pictures multiply.  The first token is given: its factors are 1."""
    of_NTS = np.array([trace.field(name).values for name in (*VIEWS, "path.score")], float)
    predict_TS, filter_TS, smooth_TS, score_TS = of_NTS
    like_TS = model.likely(Tokens(trace.ids, trace.tokens, trace.spans, trace.unknown))
    largest_VT = of_NTS[:3].argmax(2)
    evidence_T = np.add.reduce(predict_TS * like_TS, 1)
    best_T = trace.field("viterbi").values.astype(int)
    own_T = bent(best_T, asks.get("picks"), trace, len(model.states))
    other = asks.get("with")
    other = model.states.index(other) if other in model.states[1:] else 1
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        transition_T, emission_T, bits_T = own = _factors(model, own_T, like_TS)
        bends = bool((own_T != best_T).any())
        best = (_factors(model, best_T, like_TS) if bends else own)[2][-1]
        every = -np.add.reduce(np.log2(evidence_T[1:]))
        ratio, share = np.exp2((bits_T[-1] - best, every - best))
    token, both = ("token",), ("token", "state")
    return {
        "likely": (both, like_TS),
        "path.best": (both, np.exp(score_TS)),
        **{f"largest.{name}": (token, largest_VT[n]) for n, name in enumerate(VIEWS)},
        "evidence": (token, evidence_T),
        "moved": (token, np.add.reduce(np.abs(filter_TS - smooth_TS), 1) / 2),
        "own": (token, own_T),
        "own.transition": (token, transition_T),
        "own.emission": (token, emission_T),
        "own.bits": (token, bits_T),
        "best.bits": ((), best),
        "bent": ((), bends),
        "ratio": ((), ratio),
        "share": ((), share),
        **measure_distances(model, other, like_TS),
    }


def _factors(
    model: Markov[Any], path_T: np.ndarray, like_TS: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a path the transition into each state, what the state writes, and the bits of all up to it."""
    both_2T = np.ones((2, len(path_T)))
    both_2T[0, 1:] = model.a_SS[path_T[:-1], path_T[1:]]
    both_2T[1, 1:] = like_TS[np.arange(1, len(path_T)), path_T[1:]]
    bits_T = -np.add.accumulate(np.add.reduce(np.log2(both_2T)))
    return both_2T[0], both_2T[1], bits_T + 0.0


def measure_distances(model: Markov[Any], other: int, like_TS: np.ndarray) -> pic.Derived:
    """How far a line start and another beginning are apart, before the first token and after each: with the text
    read, and unread, for as many steps or a few more."""
    count = min(FARTHEST, len(like_TS) - 1)
    return {
        "apart.read": (("step",), _read(model, other, like_TS[1 : count + 1].tobytes())[0]),
        "apart.unread": (("step",), _unread(model, other)[: max(FEWEST, count) + 1]),
    }


@remembered(256)
def _read(model: Markov[Any], other: int, likes: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The distances, and the beliefs before the next token: from those of the key before a step on."""
    if not likes:
        return np.ones(1), model.a_SS[[END, other]]
    at = len(likes) - 8 * len(model.states)
    before_N, p_2S = _read(model, other, likes[:at])
    distance, p_2S = forgetting.read(p_2S, model.a_SS, np.frombuffer(likes, offset=at))
    return np.concatenate((before_N, (distance,))), p_2S


@remembered(64)
def _unread(model: Markov[Any], other: int) -> np.ndarray:
    return forgetting.unread(model.a_SS, END, other, FARTHEST)


TRELLIS = pic.Picture(
    "trellis",
    pic.Over(
        (
            pic.Links("path.back", "path.best", "lines"),
            pic.Line("viterbi", "accent", "likeliest path", 4),
            pic.Heads(
                (
                    ("{viterbi:state}", "accent"),
                    (pic.If("largest.&by!=viterbi", "{largest.&by:state}"), "line-1"),
                ),
                ("likeliest state at a place, where it differs", "line-1"),
            ),
            pic.Trail("path.back", "viterbi"),
            pic.Line("own", "line-2", "your path", 3, dashes=(6, 4), when="picks"),
            pic.Dots("&by", (("viterbi=#state", "accent"), ("largest.&by=#state", "line-1"))),
        ),
        pic.Rows("state", 24, "smooth", "viterbi"),
        pic.Bends("picks", "viterbi", "Back to the best path"),
    ),
    "Which state each token is in",
    "“{token}” is in state {viterbi:state}: the trellis of the text",
    (
        "{?token}A column for each token, a row for each hidden state; the larger a circle, the likelier"
        " the state. The thick line is the likeliest path (Viterbi); a thin line leads back to where"
        " the best path to a state comes from. Click a state to bend a path of your own through it."
        "[ {hidden} states that are likely nowhere have no row.]",
        "Type something: each token gets a column of states.",
    ),
    "“{token}” in state {state}: predicted {predict:%}, filtered {filter:%}, smoothed {smooth:%}."
    "[{?#token>0} The best path to it comes from {path.back:state}.][{?largest.&by!=viterbi} Here the"
    " two answers differ: likeliest by itself is {largest.&by:state}, on the likeliest path"
    " {viterbi:state}.]",
    "{path}",
    controls=(
        pic.Choice(
            "by",
            (("predict", "Predicted"), ("filter", "Filtered"), ("smooth", "Smoothed")),
            "filter",
        ),
        pic.Switch("lines", "Lines back"),
    ),
    parts={"path": pic.Series("token", "{token} {viterbi:state}", ", ")},
    table=pic.table(
        "token state",
        "token: {token} | state: {state} | predicted: {predict:%} | filtered: {filter:%}"
        " | smoothed: {smooth:%} | comes from: {?#token>0}{path.back:state}"
        " | likeliest path: {?viterbi=#state}yes",
    ),
    saves=pic.Saves((*VIEWS, "viterbi")),
)
STEP = pic.Picture(
    "step",
    pic.Columns(
        pic.Rows("state", 20, "smooth", "viterbi"),
        (
            pic.Column("Before", "filter@-1", ("f_t-1",), "line-7"),
            pic.Column("Prediction", "predict", ("p_t = f_t-1 A", "f_t-1 A"), "line-0", faint=True),
            pic.Column("Writes it", "likely", ("b(w_t)",), "line-4", largest=True),
            pic.Column("Filtered", "filter", ("f_t",), "line-0"),
            pic.Column("Smoothed", "smooth", ("γ_t",), "line-2"),
        ),
    ),
    "Predict, correct, repeat",
    "“{token}”: predict, correct, repeat",
    "Predict: the belief before, times the transitions. Correct: times how likely each state"
    " writes the token, divided by the sum. Look back: the same with all that follows.",
    "[Predicted {state}: {terms} … = {predict:%}. ]Filtered {state}: {predict:%} × {likely} ÷"
    " {evidence} = {filter:%}. The divisor is the sum over all states: P(“{token}” | what stands"
    " before).",
    side="left",
    controls=(
        pic.Player(
            "Read the text step by step",
            "“{token}”, {largest.filter:state} {filter[state=largest.filter]:%}",
        ),
    ),
    parts={
        "terms": pic.Series(
            "source",
            "{filter@-1[state=#source]:%} ({source}) × {transition[target=#state]:%}",
            " + ",
            most=3,
        )
    },
    saves=pic.Saves(VIEWS, ("token",)),
)
NEXT = pic.Picture(
    "next",
    pic.Drawn(
        "bars", lambda model: {"words": model.tokenizer.id != "chars", "most": 12, "search": True}
    ),
    "Next token",
    side="right",
    saves=pic.Saves(("probability",), ("token",), "bars", {"top": 12}),
)
JOINT = pic.Picture(
    "joint",
    pic.Lanes(
        (
            pic.Lane("Token", "{token:short}", strong=True),
            pic.Lane((pic.If("bent", "Your path"), "Likeliest path"), "{own:state}", strong=True),
            pic.Lane("Likeliest path", "{viterbi:state}", when="bent"),
            pic.Lane("Transition", "× {own.transition}"),
            pic.Lane("Emission", "× {own.emission}"),
            pic.Lane("Product so far", "{own.bits:power}"),
        ),
        (
            "{?bent}Your path and the text: {own.bits@last:power}. The likeliest path:"
            " {best.bits:power}, {ratio} times as much.",
            "The likeliest path and the text: {best.bits:power}. It is {share:%} of the probability"
            " of the text, which is the sum over all paths.",
        ),
        start=1,
    ),
    "The joint probability of text and path, factor by factor",
    says="Click states in the trellis to bend the likeliest path through them: its product stands here.",
    tell=(
        "“{token}”: {own@-1:state} → {own:state} {own.transition:%}, {own:state} writes it with"
        " {own.emission:%}; the product so far is {own.bits:power}, {own.bits} bits.",
        "Type something: each token gets two factors.",
    ),
    table=pic.table(
        "token",
        "token: {token} | path: {own:state} | likeliest path: {viterbi:state}"
        " | transition: {own.transition} | emission: {own.emission}"
        " | product so far: {own.bits:power}",
    ),
)
REVISED = pic.Picture(
    "revised",
    pic.Over(
        (
            pic.Bars(
                "moved",
                (("largest.filter!=largest.smooth", "line-1"), ("", "accent")),
                ("{largest.filter:state}", "↓ {largest.smooth:state}"),
                "largest.filter!=largest.smooth",
            ),
        ),
        top=40,
        widest=90,
    ),
    "What the future changed",
    "What the future changed at “{token}”",
    "Filtered: given the tokens up to this one. Smoothed: given the whole text. The bar is"
    " the distance of the two (total variation): 0 % where later tokens said nothing new.",
    "“{token}”, distance {moved:%}: filtered it was likeliest {largest.filter:state}"
    " ({filter[state=largest.filter]:%}), with what follows {largest.smooth:state}"
    " ({smooth[state=largest.smooth]:%}).",
    side="left",
    table=pic.table(
        "token",
        "token: {token} | filtered: {largest.filter:state}"
        " | probability: {filter[state=largest.filter]:%} | smoothed: {largest.smooth:state}"
        " | probability, smoothed: {smooth[state=largest.smooth]:%} | distance: {moved:%}",
    ),
    saves=pic.Saves(("filter", "smooth")),
)
FORGETS = pic.Picture(
    "forgets",
    pic.Over(
        (
            pic.Line("apart.read", "accent", "text read", 2.5, 3.5),
            pic.Line("apart.unread", "line-1", "text unread", 2, 3),
        ),
        across="step",
        label="start",
        high=168,
        now="rule",
    ),
    "How fast the start is forgotten",
    says="{?token}Suppose that the text had followed another state than a line start: how far would the"
    " belief be from ours (total variation)? Unread, the distance shrinks in the long run by the"
    " second eigenvalue of A, here {second} a step; with 1 nothing would ever be forgotten."
    " Reading a token usually tells the two beginnings even faster what to think.",
    tell="{#step} {#step|token|tokens} on[{?#step>0}, at “{step}”]: a line start and {with} are"
    " {apart.read:%} apart with the text read, {apart.unread:%} unread.",
    side="right",
    controls=(pic.Pick("state", "with", "line start against", "Other start", start=1, asks=True),),
    table=pic.table(
        "step",
        "step: {#step} | token: {step} | apart, text read: {apart.read:%}"
        " | apart, text unread: {apart.unread:%}",
    ),
)
TRANSITIONS = pic.Picture(
    "transitions",
    pic.Matrix(
        "transition",
        "source",
        "target",
        "row to column",
        "from",
        ("viterbi@-1", "viterbi"),
        ("state", "target"),
    ),
    "Which state follows which",
    "“{token}”: {viterbi@-1:state} → {viterbi:state}",
    "A row for each state, a column for the one after it; each row sums to 100 %. Click a"
    " cell to choose its state.",
    (
        "After {source}, {target} follows with {transition:%}.",
        "On the likeliest path, at “{token}”: after {viterbi@-1:state}, {viterbi:state} follows with"
        " {transition[source=viterbi@-1,target=viterbi]:%}.",
        "Point at a cell to read it.",
    ),
    side="left",
)
STATE_WRITES = pic.Picture(
    "writes",
    pic.Listed("writes", "state", ("state", "token", "probability")),
    "What the state writes",
    "What {state:called} writes",
    "The {count} likeliest tokens of this state, {sum:%} of all that it writes; the longest bar is the"
    " likeliest. A state writes without looking at its neighbours: all that it knows of them is which"
    " state it is.",
    "“{token}”: {state} writes it with {likely:%}.",
    side="right",
    controls=(pic.Pick("state", aria="State"),),
)

LIVE = pic.Live(
    (*VIEWS, "path.back", "viterbi"),
    (TRELLIS, STEP, NEXT, JOINT, REVISED, FORGETS, TRANSITIONS, STATE_WRITES),
    once,
    derive,
    also=("path.score",),
    unit=lambda model: "characters" if model.tokenizer.id == "chars" else "words",
    places={"state": pic.Place("unit", "viterbi", 1)},
    vertical="state",
    most=160,
)
