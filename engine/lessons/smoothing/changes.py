"""Small changes to counting: a cache of recent words, two models mixed, a gap or a slip judged from both
sides.

Shapes    V = token ids, K = candidates, N = tokens of a text
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.registry import smoothings
from engine.core.trace import Field, Kind
from engine.frame.latex import power
from engine.language.message import _
from engine.lessons.counting_context import (
    LONGEST,
    label,
    shown,
    token_of,
    unknown,
    without_marks,
)
from engine.lessons.counting_study import says
from engine.lessons.counting_texts import Counted
from engine.lessons.smoothing.methods import with_settings
from engine.ngram import cache as caches
from engine.ngram import mixture as mixtures
from engine.ngram.fill import Filled, fill
from engine.ngram.smoothed import Smoothed
from engine.ngram.spelling import candidates, correct
from engine.text.tokenizers.base import Tokens

READ = 60  # tokens of a sentence
GRID, STEPPED = 26, 12  # weights in the curve; steps of expectation maximisation that are drawn
STEPS = 150  # of expectation maximisation
SHOWN = 40  # words in a table and in a picture
PROBABLE = {
    id: smoothings.get(id).title for id in smoothings.ids() if smoothings.get(id).is_probability
}


def lengths(given: fr.Others) -> list[int]:
    return [*range(1, given["study"].order + 1)]


def order(number: str = "", far: int = 2) -> Any:
    first = lambda given: min(far, given["study"].order)  # noqa: E731
    return fr.pick(f"Order {number}".strip(), lengths, first, few=True)


SMOOTH = fr.shared(fr.pick("Smoothing", PROBABLE, "kneser_ney"))
N = fr.shared(order())
SPARE = fr.shared(
    fr.switch("Reserve a little for uncounted words"),
    "Off: anything uncounted, such as the unknown word, has probability 0.",
)


def reader(counted: Counted, method: str, n: int, floor: bool) -> Smoothed:
    return counted.study.at_order(with_settings(method, {"floor": floor}), n)


def named(model: Smoothed) -> str:
    return f"{model.method.title}, order {model.order}"


def encoded(counted: Counted, text: str) -> tuple[Tokens, list[fr.Block]]:
    """Cut, and sentences on what the text does not have, and on what is too long."""
    text, said = without_marks(text).replace("\n", " "), list[fr.Block]()
    found = counted.study.tokenizer.encode(text)
    if len(found) > READ:
        said.append(fr.Note(_("The first {n} {units} are read.", n=READ, units=_(counted.cut))))
        found = counted.study.tokenizer.encode(text[: found.spans[READ - 1][1]])
    if words := unknown(found):
        missing = "{words}: not in the counted text, so read as the unknown token `<unk>`."
        said.append(fr.Note(_(missing, words=words)))
    return found, said


def after(model: Smoothed, ids: list[int]) -> np.ndarray:
    """(V,) what the model expects behind these tokens."""
    places = model.counts.places(np.array(ids, np.int64))[-1:]
    return np.asarray(model.distributions(places)[0], np.float64)


def two(
    counted: Counted,
    model: Smoothed,
    sides: dict[str, tuple[str, np.ndarray, np.ndarray]],
    text: str,
) -> fr.Block:
    """Bars side by side, on one scale, of probabilities of tokens with these ids."""
    end = max(float(p_K.max()) for _title, p_K, _ids in sides.values())
    drawn = []
    for name, (title, p_K, ids) in sides.items():
        kept = np.flatnonzero(p_K > 0)
        words = [counted.study.vocab[i] for i in ids[kept].tolist()]
        made = Field.of(name, Kind.PROBABILITY, {"next": words}, p_K[kept], title)
        options = {"top": 8, "end": end}
        drawn.append(
            [
                fr.Chart(
                    name, title, "bars", (made,), named(model), text, counted.id, options=options
                )
            ]
        )
    return fr.Beside(drawn)


IMPOSSIBLE = (
    "In this context the method gives everything probability 0. Choose a method that reserves"
    " something for unseen events, or a shorter context."
)
FIRST = {"cats": ("the", "dog saw dog", "dog")}  # context, recent words, the word in the formula


def begins(at: int) -> Any:
    def first(given: fr.Others) -> str:
        preset = given["study"].preset
        line = " ".join(given["study"].study.lines[0].split()[:6])
        return FIRST.get(preset.id, (preset.after, line, ""))[at]

    return first


@fr.part("Cache", was=("part-cache", "left", "recent", "weight", "fade", "watch"))
def cache(
    study: Counted,
    left: str = fr.typed("After", begins(0), LONGEST, "empty: the start of a sentence", width=220),
    recent: str = fr.typed(
        "Recent words", begins(1), LONGEST, "empty: nothing said so far", width=300
    ),
    weight: float = fr.slider("Weight w of the cache", 0.0, 1.0, 0.1, 0.05),
    *,
    fade: float = fr.slider("Decay f: a word of age a counts f^(a − 1)", 0.5, 1.0, 1.0, 0.05),
    smooth: str = SMOOTH,
    n: int = N,
    spare: bool = SPARE,
    watch: str = fr.typed("Word in the formula", begins(2), 100, "empty: the likeliest", width=220),
) -> fr.Blocks:
    yield (
        "A person who has just said “dog” will soon say it again. A **cache** of the last words gets a"
        " share w of the probability; the counts stay as they are. P_cache is the share of x among the"
        " recent words."
    )
    yield fr.Controls(["fade", "smooth", "n", "spare"], button="Settings")
    (tokens, said), (said_tokens, more) = encoded(study, left), encoded(study, recent)
    yield from said + more
    of, model = study.study, reader(study, smooth, n, spare)
    p_V = after(model, tokens.ids.tolist() or [of.tokenizer.boundary])
    cached_V = caches.cache_distribution(said_tokens.ids, len(p_V), fade)
    mixed_V = caches.with_cache(p_V, said_tokens.ids, weight, fade)
    if not mixed_V.sum():
        raise ValueError(IMPOSSIBLE)
    if not len(said_tokens):
        yield "The cache is empty, so nothing changes. Type some recent words."
    where = left.strip()[:40] or "the start of a sentence"
    all_V = np.arange(len(p_V))
    sides = {
        "without": (f"Without the cache, after “{where}”", p_V, all_V),
        "with": (f"With the cache, weight {weight:g}", mixed_V, all_V),
    }
    yield two(study, model, sides, f"{left} {recent}")
    yield fr.Controls(["watch"])
    id, found = int(mixed_V.argmax()), token_of(of, watch) if watch else None
    if watch and found is None:
        missing = (
            "“{word}” is not a single token of the counted text; “{shown}” is explained instead."
        )
        yield fr.Note(_(missing, word=shown(watch[:40]), shown=shown(label(of, id))))
    id = id if found is None else found
    share = weight if len(said_tokens) else 0.0
    numbers = [power(float(x)) for x in (1 - share, p_V[id], share, cached_V[id], mixed_V[id])]
    yield fr.Formula(
        r"P(x) = (1 - w)\,P(x \mid h) + w\,P_{\text{cache}}(x)"
        + r" = {} \cdot {} + {} \cdot {} = {}".format(*numbers)
    )
    total = "This is for “{word}”. The row sums to {total:.4g}."
    yield fr.Note(_(total, word=shown(label(of, id)), total=mixed_V.sum()))
    best = np.unique(np.r_[np.argsort(-mixed_V)[:10], np.flatnonzero(cached_V)[:20], id])
    best = best[np.argsort(-mixed_V[best], kind="stable")].tolist()
    heads = ("word", "without", "cache alone", "with")
    rows = [(label(of, i), *(float(p[i]) for p in (p_V, cached_V, mixed_V))) for i in best]
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.6f"))


@fr.part("Mixture", was=("part-mixture", "mix", "smooth1", "n1", "measured"))
def mixture(
    study: Counted,
    share: float = fr.slider("λ, the share of the first model", 0.0, 1.0, 0.5, 0.05),
    measured: str = fr.typed("Measured on", "", LONGEST, "empty: the held-out lines", width=300),
    *,
    smooth1: str = fr.pick("Smoothing 1", PROBABLE, "kneser_ney"),
    n1: int = order("1", 3),
    smooth2: str = fr.pick("Smoothing 2", PROBABLE, "witten_bell"),
    n2: int = order("2"),
    spare: bool = SPARE,
) -> fr.Blocks:
    yield (
        "Two models seldom make the same mistakes. A **mixture** gives each a share; the best share is"
        " found on text that neither has counted."
    )
    yield fr.Controls(["smooth1", "n1", "smooth2", "n2", "spare"], button="The two models")
    of, boundary = study.study, study.study.tokenizer.boundary
    tokens, said = encoded(study, measured)
    yield from said
    stream_N = of.held_stream
    if len(tokens):
        stream_N = np.array([boundary, *tokens.ids, boundary], np.int64)
    if stream_N is None:
        raise ValueError("This text is too short to hold out lines. Type a sentence to measure on.")
    pair = reader(study, smooth1, n1, spare), reader(study, smooth2, n2, spare)
    p_NK = np.stack([model.probabilities(stream_N) for model in pair], 1).astype(float)
    fit = mixtures.fit(p_NK, steps=STEPS)
    best, last = float(fit.best[0]), len(fit.bits) - 1
    steps = np.geomspace(1, max(1, last), STEPPED).round().astype(int)
    at, grid = np.unique(np.r_[0, steps].clip(0, last)), np.linspace(0, 1, GRID)
    series = {
        "mixture": (grid, [perplexity(p_NK, float(w)) for w in grid]),
        "EM, step by step": (fit.weights[at, 0], 2 ** fit.bits[at]),
        "as set": ([share], [perplexity(p_NK, share)]),
    }
    names = (named(pair[0]), named(pair[1]))
    note = _("{study}: {one} and {two}", study=says(study), one=names[0], two=names[1])
    labels = [label(of, i) for i in stream_N[1:].tolist()]
    mixed_N = mixtures.linear(p_NK[:, 0], p_NK[:, 1], share)
    with np.errstate(divide="ignore"):
        bits_KN = -np.log2(np.c_[p_NK, mixed_N][:SHOWN].T)
    axes = {"method": ("model 1", "model 2", "mixture"), "token": labels[:SHOWN]}
    made = Field.of("surprisal", Kind.LOSS, axes, bits_KN, "Surprisal of each word", unit="bits")
    title, x = "Perplexity for every weight", "λ, share of the first model"
    curve = fr.curves("mixture", title, series, x, "perplexity", note, source=study.id, tight=False)
    bits = fr.Chart("surprisal", "Surprisal of each word", "lines", (made,), note, source=study.id)
    yield fr.Beside([[curve], [bits]])
    yield fr.Formula(r"P(w \mid h) = \lambda\,P_1(w \mid h) + (1 - \lambda)\,P_2(w \mid h)")
    if not np.isfinite(perplexity(p_NK, best)):
        yield (
            "Both models give some token probability 0, so no weight gives a finite perplexity. Reserve"
            " a little for uncounted words, or choose another method."
        )
    weights = {names[0]: 1.0, f"{names[1]} ": 0.0, "mixture as set": share, "best weight": best}
    found = {name: perplexity(p_NK, w) for name, w in weights.items()}
    rows = [
        (name, f"{found[name]:.6f}" if np.isfinite(found[name]) else "infinite", round(w, 4))
        for name, w in weights.items()
    ]
    yield fr.table(("model", "perplexity", "λ"), rows)
    yield fr.Note(
        "The best weight is found by expectation maximisation on the same tokens, so its perplexity"
        " flatters it: on other text it can only be expected to be close. Infinite: some token has"
        " probability 0."
    )


def perplexity(p_NK: np.ndarray, weight: float) -> float:
    """inf where the mixture calls a token impossible."""
    with np.errstate(divide="ignore"):
        return float(2 ** -np.log2(mixtures.linear(p_NK[:, 0], p_NK[:, 1], weight)).mean())


GAPS = {
    "cats": "the _ sat",
    "francisco": "san _ is",
    "students": "students _ their",
    "stories": "walked to _ harbour",
    "python_docs": "the _ of",
}


@fr.part(
    "Gaps and slips",
    was=("part-fill-the-blank", "part-spelling", "slip", "meant", "one", "both"),
)
def blank(
    study: Counted,
    gap: str = fr.typed(
        "Words with _ for one that is missing, or with a slip",
        lambda given: GAPS.get(given["study"].preset.id, "the _"),
        LONGEST,
        "the _ sat, or: the xat",
        width=420,
    ),
    *,
    begins: bool = fr.switch("The sentence begins here"),
    ends: bool = fr.switch("The sentence ends here"),
    smooth: str = SMOOTH,
    n: int = N,
    spare: bool = SPARE,
) -> fr.Blocks:
    yield (
        "A model that reads from left to right can still use both sides: put every word into the gap,"
        " and see how well it predicts the rest. Spelling is corrected alike; candidates are the words"
        " one slip away: an extra letter, a missing one, a wrong one, or two swapped."
    )
    yield fr.Controls(["begins", "ends", "smooth", "n", "spare"], button="Settings")
    of, model = study.study, reader(study, smooth, n, spare)
    boundary = of.tokenizer.boundary
    before, mark, behind = without_marks(gap).partition("_")
    if mark or study.cut != "words":
        (left, said), (right, more) = (
            encoded(study, before),
            encoded(study, behind.replace("_", " ")),
        )
        yield from said + more
        start = [boundary] * (begins or not len(left))
        found = fill(model, [*start, *left.ids.tolist()], [*right.ids.tolist(), *[boundary] * ends])
        alone_K, alone = found.left_K, "Left side only"
    else:
        found, typed = corrected(study, model, gap)
        count_V = of.raw.orders[0].count_G
        alone_K = count_V[found.ids_K] / max(1, int(count_V[found.ids_K].sum()))
        alone = "Without context: share of their counts"
        yield _("“{word}” is checked: which word was meant?", word=shown(typed[:40]))
    if not found.both_K.sum():
        raise ValueError(IMPOSSIBLE)
    sides = {
        "one": (alone, alone_K, found.ids_K),
        "both": ("Both sides", found.both_K, found.ids_K),
    }
    yield two(study, model, sides, gap)
    k, total = int(found.both_K.argmax()), float((found.left_K * found.right_K).sum())
    numbers = [power(float(x)) for x in (found.left_K[k], found.right_K[k], total, found.both_K[k])]
    yield fr.Formula(
        r"P(w \mid l, r) = \frac{P(w \mid l)\,P(r \mid l, w)}{\sum_{w'} P(w' \mid l)\,P(r \mid l, w')}"
        + r" = \frac{{{} \cdot {}}}{{{}}} = {}".format(*numbers)
    )
    yield fr.Note(
        _(
            "This is for “{word}”. l is the text on the left, r the text on the right; P(r | l, w) is the"
            " product of the probabilities of its words. A model of order {n} reads {reach} of them.",
            word=shown(label(of, int(found.ids_K[k]))),
            n=n,
            reach=n - 1,
        )
    )
    heads = ("word", "P(w | left)", "P(right | left w)", "in context")
    best = np.argsort(-found.both_K, kind="stable")[:SHOWN].tolist()
    columns = found.left_K, found.right_K, found.both_K
    rows = [(label(of, int(found.ids_K[i])), *(float(p[i]) for p in columns)) for i in best]
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.6f"))


def corrected(counted: Counted, model: Smoothed, text: str) -> tuple[Filled, str]:
    """The first word that the text does not have, or else the last one, and what may have been
    meant."""
    of = counted.study
    tokens = of.tokenizer.encode(without_marks(text).replace("\n", " "))
    if not len(tokens):
        raise ValueError("Type a few words; the first one that is not in the text is corrected.")
    at = tokens.unknown[0] if tokens.unknown else len(tokens) - 1
    typed, ids = tokens.labels[at], tokens.ids.tolist()
    meant = candidates(typed[:60], of.vocab)
    if not meant:
        raise ValueError(f"No word of the text is one slip away from “{shown(typed[:40])}”.")
    return correct(model, ids[:at] or [of.tokenizer.boundary], meant[:60], ids[at + 1 :]), typed
