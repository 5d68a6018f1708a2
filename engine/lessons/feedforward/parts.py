"""Below the live pictures of the feed-forward language model: places of the window, counts beside the net, how wide a
window is, and what a state brings.

Shapes: V = vocabulary, D = width, H = units, N = words of the window
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind
from engine.language.message import _
from engine.language.numbers import number
from engine.lessons.feedforward import beside, beyond_counts, gains, windowed
from engine.lessons.feedforward.swaps import swaps
from engine.lessons.scoring.latex import power
from engine.live.markdown import escape
from engine.models.base import Model
from engine.models.feedforward import FeedForward
from engine.models.ngram import Ngram
from engine.models.recurrent import RecurrentModel
from engine.runs.store import SHIPPED, Run
from engine.shipped import scoreboard

LONGEST, WIDEST = 300, 50
READ = 48  # tokens of a text of which each gives way to another word
Lstm = RecurrentModel[Any]
MISSING = "This needs the shipped models that learned from the same words: `make zoo` trains them."
WORDS = ("Nobody", "Everybody")


@fr.part("What each word changes", was=("swaps", "with"))
def changes(
    model: FeedForward,
    run: Run,
    open_run: Callable[[Run], Model[Any]],
    above: str,
    other: str = fr.typed("In the place of each word", "he", 40, width=220, live=True),
) -> fr.Blocks:
    yield (
        "Each word of the text above gives way to this one, one at a time, and every model reads the whole text again."
        " A number is the share of the probability of the next word that moves. What has left a window changes nothing,"
        " exactly; an LSTM carries a state."
    )
    ids = model.tokenizer.encode(other.strip()).ids
    tokens = model.tokens(above)[:READ]
    places = [t for t, (_, end) in enumerate(tokens.spans) if end]
    if not len(ids) or not places:
        raise ValueError("Type a text above, and here another word.")
    nets = {"net": model, **{title: open_run(of) for of, title in beside.choose(run)}}
    moved = {name: swaps(net, tokens, places, int(ids[0])) for name, net in nets.items()}
    yield fr.table(
        ("word", "words back", *nets),
        [
            (tokens.labels[t], len(tokens) - 1 - t, *(shares[n] for shares in moved.values()))
            for n, t in enumerate(places)
        ],
        forms=dict.fromkeys(nets, fr.SHARE),
        bars=[*nets],
    )
    yield _(
        "The net sees {n} tokens. With “{other}” in the place of “{word}” {share:.1%} of its probability moves.",
        n=model.config.window,
        other=escape(model.tokenizer.vocab[int(ids[0])]),
        word=escape(tokens.labels[places[0]]),
        share=moved["net"][0] or 0.0,
    )


@fr.part("The same word in another place", was=("word", "places", "phrase", "moved_phrase"))
def places(
    model: FeedForward, word: str = fr.typed("Word", "not", 40, width=220, live=True)
) -> fr.Blocks:
    yield (
        "H has a block of weights for each place of the window. A word that moves one place on meets other weights, and"
        " what the net has learned of it in one place it has to learn again in the next. A recurrent net has one block"
        " for all places, so a word adds the same to its sums wherever it stands."
    )
    ids = model.tokenizer.encode(word).ids
    if not len(ids):
        raise ValueError("Type a word.")
    n, called = model.config.window, model.tokenizer.vocab[int(ids[0])]
    cosine_NN = windowed.compare_places(model, int(ids[0]))
    if n > 1:
        mean = float(cosine_NN[~np.eye(n, dtype=bool)].mean())
        yield _(
            "What “{word}” adds in two places has a cosine of **{mean}** on average; 1 would be the same in both.",
            word=escape(called),
            mean=mean,
        )
    names = [f"t−{n - i - 1}" if i < n - 1 else "t" for i in range(n)]
    title = "The cosine between what a word adds to the hidden layer in two places of the window"
    rows, columns = ("row", names), ("column", names)
    yield fr.grid("places", title, cosine_NN, rows, columns, Kind.COSINE, called, called)


@fr.part("Limits of counting", was=("limits_text", "mixed_text", "part-with-counts-and-a-cache"))
def limits(
    model: FeedForward,
    counts: Ngram | None = fr.shipped("ngram"),
    text: str = fr.typed(
        "Text",
        "The doctor looked at the girl. The girl looked at the doctor, and the doctor smiled at the girl",
        LONGEST,
    ),
    *,
    mixed_counts: float = fr.slider("Share of the counts", 0.0, 0.5, 0.3, 0.05, 170),
    mixed_cache: float = fr.slider("Share of the cache", 0.0, 0.5, 0.1, 0.05, 170),
) -> fr.Blocks:
    yield "Four limits of counting, and what the net makes of each, measured on a text of your own."
    if counts is None:
        raise ValueError(MISSING)
    tokens = model.tokens(text)  # the first is the mark of the start
    if len(tokens) < 3:
        raise ValueError("Type two words or more.")
    p_TK = beyond_counts.weigh_each(model, counts, text)
    heads = "limit", "counts", "the net"
    yield fr.table(heads, compared(model, counts, text, p_TK))
    yield (
        "The first three are lifted: the net shares its numbers between all runs of words, answers any words that have"
        " vectors, and what it learned behind one word helps behind those that are like it. The window **stays**: what"
        " stands before it changes nothing. Only a state or attention looks further."
    )
    yield (
        "**Together.** Mixed are the net, the counts, and a cache of the words of this very text so far."
        " The cache helps where words come back and costs a little at every other word."
    )
    yield fr.Controls(["mixed_counts", "mixed_cache"])
    mixed_T = beyond_counts.mix(p_TK, mixed_counts, mixed_cache)
    net_T, both_T = (-np.log2(np.maximum(p_T, 1e-300)) for p_T in (p_TK[:, 0], mixed_T))
    at, most = range(1, len(net_T) + 1), int(np.argmax(net_T - both_T))
    yield fr.curves(
        "hybrid",
        "How surprising each word is",
        {"the net": (at, net_T), "with counts and cache": (at, both_T)},
        "word of the text",
        "bits",
        "Cut like the net: a word that it does not know is one of the unknown words.",
        text,
        whole=True,
    )
    yield _(
        "**{alone:.2f}** bits per word by the net alone, **{both:.2f}** mixed. “{word}” gains most: its probability is"
        " {net} by the net, {counts} by the counts, {cache} by the cache.",
        alone=float(net_T.mean()),
        both=float(both_T.mean()),
        word=escape(tokens.labels[1 + most]),
        **dict(zip(("net", "counts", "cache"), p_TK[most].tolist(), strict=True)),
    )


def compared(
    net: FeedForward, counts: Ngram, text: str, p_TK: np.ndarray
) -> list[tuple[fr.Words, ...]]:
    tokens, n, vocab = net.tokens(text), net.config.window, net.tokenizer.vocab
    far, share = min(n, counts.config.order), "{share:.3f}"
    long_T = beyond_counts.unseen(counts, text, far)
    bits = [-float(np.log2(np.maximum(p_TK[:, k], 1e-300)).mean()) for k in (1, 0)]
    last, first = tokens.labels[-1], tokens.labels[1]
    other, cosine = beyond_counts.nearest(net, int(tokens.ids[-1]))
    instead = WORDS[first == WORDS[0]]
    swapped = [
        [_(share, share=beyond_counts.moved(of, text, word, place)) for of in (counts, net)]
        for word, place in ((vocab[other], -1), (instead, 1))
    ]
    return [
        (
            _("A row for each text: numbers for every run of {n} words", n=n + 1),
            number(float(len(vocab)) ** (n + 1)),
            f"{windowed.size(net.config, len(vocab), n).total:,}",
        ),
        (
            _("Runs never counted: runs of {n} words of this text that it has met", n=far),
            _("{met} of {all}", met=int((long_T >= far).sum()), all=len(long_T) - far + 2),
            "no run is needed",
        ),
        ("Bits per token of this text", *(_("{bits:.2f}", bits=of) for of in bits)),
        (
            _(
                "Words that are alike: “{last}” → “{other}” (cosine {cosine:.2f}), share that moves",
                last=last,
                other=vocab[other],
                cosine=cosine,
            ),
            *swapped[0],
        ),
        (
            _("A window: “{first}” → “{other}”, share that moves", first=first, other=instead),
            *swapped[1],
        ),
    ]


@fr.part("A wider window", was=("sight_text",))
def wider(
    model: FeedForward,
    lstm: Lstm | None = fr.shipped("lstm_words"),
    wide: int = fr.slider(
        "Words in the window", 1, WIDEST, lambda given: given["model"].config.window
    ),
    sight_text: str = fr.typed(
        "Text",
        "John, who had grown up in France but moved to Spain when he was a teenager, speaks fluent",
        LONGEST,
        width=420,
    ),
) -> fr.Blocks:
    config, v = model.config, len(model.tokenizer.vocab)
    of = windowed.size(config, v, wide)
    yield _(
        "A window of {n} of {v:,} words can hold ${texts}$ different texts, and a table would need a row for each. The"
        " net needs **{of.total:,}** numbers, because it sees words by their vectors: {of.vectors:,} in the vectors,"
        " {of.hidden:,} in the hidden layer ({units} · {n} · {width} + {units}), {of.output:,} in the output layer,"
        " {of.direct:,} in direct connections. Only the window makes it grow; a recurrent net stays as it is for any"
        " text.",
        n=wide,
        v=v,
        texts=power(float(v) ** wide),
        of=of,
        units=config.units,
        width=config.width,
    )
    words = [escape(sight_text[a:b]) for a, b in model.tokens(sight_text).spans if b > a]
    out, within = " ".join(words[:-wide]), " ".join(words[-wide:])
    if words:
        yield f"{f'~~{out}~~ ' if out else ''}**{within}** …"
    many = range(1, WIDEST + 1)
    once = config.units * (config.width + config.units) + config.units
    yield fr.curves(
        "wider",
        "Weights below the output layer, without the vectors",
        {
            "feed-forward net": (many, [windowed.size(config, v, i).hidden for i in many]),
            "recurrent net": (many, [once] * WIDEST),
        },
        "words it can see",
        "weights",
        _(
            "Counted for {units} units and vectors of {width} numbers.",
            units=config.units,
            width=config.width,
        ),
    )
    if lstm is None:
        return
    judged = scoreboard.read(SHIPPED)
    bits = [
        judged[id]["results"][0]["alone"]["bits_per_token"] if id in judged else float("nan")
        for id in ("feedforward", "lstm_words")
    ]
    yield _(
        "The shipped LSTM of the same words has {lstm:,} weights, about as many as the shipped window of 5, and needs"
        " **{fewer:.2f}** bits per token of five novels that neither has seen, the window **{more:.2f}**.",
        lstm=learned(lstm),
        more=bits[0],
        fewer=bits[1],
    )


def learned(model: Model[Any]) -> int:
    return sum(x.size for x in model.weights().values() if x.dtype.kind == "f")


focused = fr.once(gains.focus)


@fr.part("What a state gains", was=("gain_one", "focus", "reach"))
def state(
    model: FeedForward,
    lstm: Lstm | None = fr.shipped("lstm_words"),
    agreement: Lstm | None = fr.shipped("lstm_agreement"),
    gain_one: str = fr.typed("One beginning", "The old sailor told his crew", 160, width=300),
    gain_two: str = fr.typed("Another", "The young queen told her maids", 160, width=300),
    gain_end: str = fr.typed(
        "The same end", "that it would be better to wait until the morning", 160, width=420
    ),
) -> fr.Blocks:
    n = model.config.window
    yield _(
        "**It has no end.** Two beginnings, then the same words. Once {n} words are the same, the net with the window"
        " cannot tell the two texts apart: the distance between its two distributions is exactly 0. That of the LSTM is"
        " not.",
        n=n,
    )
    if lstm is None or agreement is None:
        raise ValueError(MISSING)
    nets = {"window": model, "LSTM": lstm}
    try:
        found = {
            name: gains.apart(of, (gain_one.strip(), gain_two.strip()), gain_end.strip())[1]
            for name, of in nets.items()
        }
    except ValueError as problem:
        raise ValueError("Type two beginnings, and an end that both share.") from problem
    yield fr.curves(
        "reach",
        "How far apart what comes next still is",
        {name: (range(len(apart_E)), apart_E) for name, apart_E in found.items()},
        "words that were the same",
        "total variation",
        "Total variation distance: 0 is the same, 1 has nothing in common.",
        gain_end,
        whole=True,
    )
    yield _(
        "At the end the distance is **{window:.4f}** for the window and **{lstm:.4f}** for the LSTM.",
        window=float(found["window"][-1]),
        lstm=float(found["LSTM"][-1]),
    )
    focus = focused(agreement)
    far = sum(of.count for of in focus if of.distance >= 5) / sum(of.count for of in focus)
    yield _(
        "**It learns what matters.** An LSTM that learned sentences such as “The keys to the old cabinet are rusty.”"
        " reads new ones up to the verb. Then one noun is put in the other number. If it is the subject, the share of"
        " “are” moves by nearly all; if it stands between, hardly at all, although it is nearer. In {share:.0%} of the"
        " sentences the subject is five or more tokens before the verb.",
        share=far,
    )
    at = [of.distance for of in focus]
    yield fr.curves(
        "focus",
        "How far the share of “are” moves",
        {
            "the subject in the other number": (at, [of.subject for of in focus]),
            "a noun between in the other number": (at, [of.between for of in focus]),
        },
        "tokens from the subject to the verb",
        "share moved",
        _(
            "{count} sentences drawn anew; in {right:.0f} of them the right verb is the likelier one.",
            count=sum(of.count for of in focus),
            right=sum(of.right * of.count for of in focus),
        ),
        source="lstm_agreement",
        whole=True,
        low=0.0,
        high=1.0,
    )


PARTS = (changes, places, limits, wider, state)
