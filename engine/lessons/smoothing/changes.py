"""Small changes to counting: a cache of recent words, a gap or a slip judged from both sides.

Shapes    V = token ids, K = candidates, N = tokens of a text
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.registry import smoothings
from engine.core.trace import Field, Kind
from engine.frame.latex import power
from engine.language.message import _, refusal
from engine.lessons.counting_context import LONGEST, escape_words, label, unknown, without_marks
from engine.lessons.counting_texts import Counted
from engine.lessons.smoothing.methods import with_settings
from engine.ngram import cache as caches
from engine.ngram.fill import Filled, fill
from engine.ngram.smoothed import Smoothed
from engine.ngram.spelling import candidates, correct
from engine.text.tokenizers.base import Tokens

READ = 60  # tokens of a sentence
SHOWN = 40  # words in a table and in a picture
PROBABLE = {
    id: smoothings.get(id).title for id in smoothings.ids() if smoothings.get(id).is_probability
}


def lengths(given: fr.Others) -> list[int]:
    return [*range(1, given["study"].order + 1)]


SMOOTH = fr.shared(fr.pick("Smoothing", PROBABLE, "kneser_ney"))
N = fr.shared(fr.pick("Order", lengths, lambda given: min(2, given["study"].order), few=True))
SPARE = fr.shared(
    fr.switch("Reserve a little for uncounted words"),
    "Off: anything uncounted, such as the unknown word, has probability 0.",
)


def reader(counted: Counted, method: str, n: int, floor: bool) -> Smoothed:
    return counted.study.at_order(with_settings(method, {"floor": floor}), n)


def named(model: Smoothed) -> str:
    return _("{title}, order {order}", title=_(model.method.title), order=model.order)


def encoded(counted: Counted, text: str) -> tuple[Tokens, list[fr.Block]]:
    """Cut, and sentences on what the text does not have, and on what is too long."""
    text, said = without_marks(text).replace("\n", " "), list[fr.Block]()
    found = counted.study.tokenizer.encode(text)
    if len(found) > READ:
        said.append(fr.Note(_("The first {n} {units} are read.", n=READ, units=counted.cut)))
        found = counted.study.tokenizer.encode(text[: found.spans[READ - 1][1]])
    if words := unknown(found):
        missing = "{words}: not in the counted text, so read as the unknown token `<unk>`."
        said.append(fr.Note(_(missing, words=words)))
    return found, said


def expect_next(model: Smoothed, ids: list[int]) -> np.ndarray:
    """(V,) what the model expects behind these tokens."""
    places = model.counts.places(np.array(ids, np.int64))[-1:]
    return np.asarray(model.distributions(places)[0], np.float64)


def draw_both(
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
FIRST = {"cats": ("the", "dog saw dog")}  # context, recent words


def begins(at: int) -> Any:
    def first(given: fr.Others) -> str:
        preset = given["study"].preset
        line = " ".join(given["study"].study.lines[0].split()[:6])
        return FIRST.get(preset.id, (preset.after, line))[at]

    return first


@fr.part("Cache", was=("part-cache", "left", "recent", "weight", "fade"))
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
    p_V = expect_next(model, tokens.ids.tolist() or [of.tokenizer.boundary])
    cached_V = caches.cache_distribution(said_tokens.ids, len(p_V), fade)
    mixed_V = caches.with_cache(p_V, said_tokens.ids, weight, fade)
    if not mixed_V.sum():
        raise ValueError(IMPOSSIBLE)
    if not len(said_tokens):
        yield "The cache is empty, so nothing changes. Type some recent words."
    where = left.strip()[:40] or "the start of a sentence"
    all_V = np.arange(len(p_V))
    sides = {
        "without": (_("Without the cache, after “{where}”", where=where), p_V, all_V),
        "with": (_("With the cache, weight {weight:g}", weight=weight), mixed_V, all_V),
    }
    yield draw_both(study, model, sides, f"{left} {recent}")
    gain_V = mixed_V - p_V
    id = int((gain_V if gain_V.any() else mixed_V).argmax())
    share = weight if len(said_tokens) else 0.0
    numbers = [power(float(x)) for x in (1 - share, p_V[id], share, cached_V[id], mixed_V[id])]
    yield fr.Formula(
        r"P(x) = (1 - w)\,P(x \mid h) + w\,P_{\text{cache}}(x)"
        + r" = {} \cdot {} + {} \cdot {} = {}".format(*numbers)
    )
    total = "This is for “{word}”, which gains most. The row sums to {total:.4g}."
    yield fr.Note(_(total, word=escape_words(label(of, id)), total=mixed_V.sum()))
    best = np.unique(np.r_[np.argsort(-mixed_V)[:10], np.flatnonzero(cached_V)[:20], id])
    best = best[np.argsort(-mixed_V[best], kind="stable")].tolist()
    heads = ("word", "without", "cache alone", "with")
    rows = [(label(of, i), *(float(p[i]) for p in (p_V, cached_V, mixed_V))) for i in best]
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.6f"))


GAPS = {
    "cats": "the _ sat",
    "francisco": "san _ is",
    "students": "students _ their",
    "stories": "walked to _ harbour",
    "python_docs": "the _ of",
}


@fr.part(
    "Gaps and slips", was=("part-fill-the-blank", "part-spelling", "slip", "meant", "one", "both")
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
        yield _("“{word}” is checked: which word was meant?", word=escape_words(typed[:40]))
    if not found.both_K.sum():
        raise ValueError(IMPOSSIBLE)
    sides = {
        "one": (alone, alone_K, found.ids_K),
        "both": ("Both sides", found.both_K, found.ids_K),
    }
    yield draw_both(study, model, sides, gap)
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
            word=escape_words(label(of, int(found.ids_K[k]))),
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
        raise refusal(
            "No word of the text is one slip away from “{typed}”.", typed=escape_words(typed[:40])
        )
    return correct(model, ids[:at] or [of.tokenizer.boundary], meant[:60], ids[at + 1 :]), typed
