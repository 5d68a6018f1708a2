"""The page from top to bottom: what occurs of all that could, and what of it a model can do without.

Shapes    G = n-grams of one order, N = tokens of a stream
"""

from __future__ import annotations

import numpy as np

from engine import frame as fr
from engine.core.registry import smoothings
from engine.frame.latex import power
from engine.language.message import _, refusal
from engine.lessons.counting_context import marked, without_marks
from engine.lessons.counting_texts import Counted
from engine.lessons.sparsity import codes, memory, small
from engine.lessons.sparsity.reach import curve, impossible, law, measured, perplexities
from engine.lessons.sparsity.small import METHODS, THRESHOLDS, Base, base, takes
from engine.ngram import sparsity
from engine.ngram.backoff import size_bytes

LARGE = 10**9  # from here on a number is written as a power of ten
# tokens; a longer text is measured when asked for, as it takes more than two seconds
AT_ONCE = 600_000
SHORT = 200  # held-out tokens
READ = 200_000  # tokens of the counted text that are measured

# what the parts on the size of a model share
METHOD = fr.shared(fr.pick("Smoothing", METHODS, "modified_kneser_ney"))
DISCOUNT = fr.shared(
    fr.slider("Discount d", 0.0, 1.0, 0.0, 0.05),
    "Subtracted from every count. At 0 it is estimated: n1 / (n1 + 2 n2) of each order.",
)
FLOOR = fr.shared(fr.switch("Reserve a little for unknown words", True))
THRESHOLD = fr.shared(
    fr.pick(
        "Threshold: growth of the perplexity", tuple(THRESHOLDS), "0.001%", slide=True, width=420
    )
)
BITS = fr.shared(fr.slider("Bits", codes.BITS[0], codes.BITS[-1], 4))


@fr.part("", always=True)
def occur(study: Counted) -> fr.Blocks:
    grams = sparsity.table(study.study.raw)
    orders, last = [row.order for row in grams], grams[-1]
    x = _("n, {cut} in a row", cut=study.cut)
    possible: fr.Series = {
        "possible, V^n": (orders, [float(row.possible) for row in grams]),
        "in the text": (orders, [row.distinct for row in grams]),
    }
    found: fr.Series = {
        "all": (orders, [row.tokens for row in grams]),
        "different": (orders, [row.distinct for row in grams]),
        "seen once": (orders, [row.once for row in grams]),
    }
    title, y = "Possible n-grams and n-grams that occur", "different n-grams"
    left = curve(study, "possible", title, possible, x, y, log_y=True, whole=True)
    title = "All n-grams, different ones, and those seen once"
    right = curve(study, "distinct", title, found, x, "n-grams", whole=True)
    yield fr.Beside([[left], [right]])
    many = f"${power(float(last.possible))}$" if last.possible >= LARGE else f"{last.possible:,}"
    said = _(
        "{types:,} different {units} make {possible} possible {n}-grams. **{distinct:,}** of them"
        " occur here, **{once:.0f} %** of those only once.",
        types=grams[0].possible,
        units=study.cut,
        possible=many,
        n=last.order,
        distinct=last.distinct,
        once=100 * last.once / max(1, last.distinct),
    )
    yield fr.Section("occur", [said])


@fr.part("A few words do most of the work", was=("zipf", "growth"))
def work(study: Counted) -> fr.Blocks:
    ranks = sparsity.zipf(study.study.raw)
    title, x = "Zipf's law: count against rank", "rank, most frequent first"
    left = law(study, "zipf", title, ranks, "counts", x, "count")
    grown = sparsity.growth(study.study.stream, study.study.tokenizer.boundary)
    title = _("Heaps' law: new {cut} keep coming", cut=study.cut)
    y = _("different {cut}", cut=study.cut)
    right = law(study, "growth", title, grown, y, _("{cut} read", cut=study.cut), y)
    rank = _("At twice the rank, about {x:.2g} times the count.", x=2**ranks.slope)
    text = _(
        "In twice the text, about {x:.2g} times as many different {units}.",
        x=2**grown.slope,
        units=study.cut,
    )
    yield fr.Beside([[left, fr.Note(rank)], [right, fr.Note(text)]])


@fr.part("Do longer contexts and more text help?", was=("perplexity-order", "perplexity-tokens"))
def helps(
    study: Counted,
    *,
    measure: bool = fr.start(_("Measure all {ids} methods", ids=len(smoothings.ids())), ("study",)),
) -> fr.Blocks:
    yield (
        "Perplexity on held-out lines: the model is as unsure as if it chose among this many equally"
        " likely tokens. Lower is better."
    )
    if len(study.study.stream) > AT_ONCE:
        yield fr.Controls(["measure"])
        if not measure:
            return
    points = yield from measured(counted=study)
    new, counted = perplexities(study, points, "order"), perplexities(study, points, "order", True)
    yield fr.Beside([[new], [counted]])
    yield (
        "With longer contexts most methods know the lines that were counted better and better. New lines gain by them"
        " only where there is enough text, and a good smoothing: the gap is **overfitting**. Without smoothing the"
        " perplexity of counted lines is the lowest that counts allow, and one n-gram that never occurred makes that of"
        " new lines infinite."
    )
    yield perplexities(study, points, "tokens")
    if bad := impossible(study, points):
        yield "Not drawn: one token of probability 0 makes the perplexity infinite."
        yield fr.Rows(bad)


def settings(method: str, *controls: str) -> fr.Block:
    """The controls, and behind a button the method and what it can be set to."""
    names = {"d": "discount", "floor": "floor"}
    more = [name for name, field in names.items() if takes(method, field)]
    behind = fr.Controls(["method", *more], button="Settings")
    return fr.Line([fr.Controls(controls), behind])


def longer(study: Counted) -> None:
    """ValueError where there is nothing to leave out."""
    if study.order < 2:
        raise refusal(
            "At order 1 every {study.unit} stands alone, so none can be dropped. Choose a longer"
            " n-gram above."
        )


def held_out(study: Counted) -> tuple[np.ndarray | None, list[fr.Block]]:
    """The held-out stream, where one can measure on it, and a sentence where it is short."""
    held_N = study.study.held_stream
    if held_N is None or len(held_N) < 2:
        said = (
            "Nothing is held out: the text has a single line. The page shows what is dropped, but"
            " not what that costs on a new text."
        )
        return None, [fr.Note(said)]
    if len(held_N) > SHORT:
        return held_N, []
    few = _(
        "Only {n:,} tokens are held out; a perplexity over so few says little. Choose a larger text"
        " for a reliable curve.",
        n=len(held_N) - 1,
    )
    return held_N, [fr.Note(few)]


def own_sentence(given: fr.Others) -> str:
    return str(given["mine"] or given["study"].preset.sentence)


@fr.part(
    "Which n-grams can go?",
    was=("sizes", "part-cuts", "threshold", "sentence", "method", "d", "floor", "ranked", "gram"),
)
def cuts(
    study: Counted,
    mine: str,
    *,
    threshold: str = THRESHOLD,
    by: str = fr.pick("Size in", ("n-grams", "bytes"), few=True),
    method: str = METHOD,
    d: float = DISCOUNT,
    floor: bool = FLOOR,
    sentence: str = fr.typed(
        "Your own sentence, measured too", own_sentence, 600, "Type a sentence", width=420
    ),
) -> fr.Blocks:
    longer(study)
    of, (held_N, said) = base(study, method, d, floor), held_out(study)
    yield (
        "Counts take up memory, and most n-grams contribute little. A **count cut-off** keeps"
        " n-grams counted more than c times. **Entropy pruning** works out how much the perplexity"
        " would grow without each n-gram, and drops those below a threshold. A dropped n-gram is"
        " not impossible: the shorter context answers for it."
    )
    yield settings(method, "threshold", "by")
    yield from said
    if held_N is not None:
        yield small.sizes(of, by, THRESHOLDS[threshold])
    yield fr.Formula(
        r"\begin{aligned} D = -p(h)\,\big\{ & p(w \mid h)\,[\ln P(w \mid h') + \ln \gamma'(h) - \ln p(w \mid h)]"
        r" \\ & + [\ln \gamma'(h) - \ln \gamma(h)]\,(1 - \textstyle\sum p(\cdot \mid h)) \big\} \end{aligned}"
    )
    yield fr.Note(
        "What the n-gram hw costs: D = p(h) times the relative entropy of the row after h with and without"
        " it; without it h has the weight γ′, and the perplexity grows by e^D − 1. An n-gram below the"
        " threshold is kept anyway while a longer n-gram that is kept begins or ends with it."
    )
    yield fr.Section("cuts", [*tell_cuts(of, threshold, held_N, sentence)])


def tell_cuts(of: Base, threshold: str, held_N: np.ndarray | None, sentence: str) -> fr.Blocks:
    """The cut-offs and the chosen threshold, on up to three texts."""
    yield fr.Controls(["sentence"])
    yield from marked(sentence)
    study, typed = of.counted.study, without_marks(sentence)
    streams = {} if held_N is None else {"held out": held_N}
    whole = len(study.stream) <= READ
    streams["the counted text" if whole else f"its first {READ:,} tokens"] = study.stream[:READ]
    if typed.strip():
        streams["the sentence"] = study.tokenizer.stream([typed.replace("\n", " ")])
    rows, zeros = small.compare(of, threshold, streams)
    forms = {n: "%.7g" if n.startswith("perplexity") else fr.WHOLE for n in list(rows[0])[1:]}
    yield fr.Rows(rows, forms)
    zero = _(" Some tokens have probability 0; the perplexity covers the others.") if zeros else ""
    said = "n-grams: those of 2 or more {units}; single {units} are always kept.{zero}"
    yield fr.Note(_(said, units=of.counted.cut, zero=zero))


@fr.part("How few bits are enough?", was=("bits", "part-bits", "codes-large", "codes-perpl"))
def bits(
    study: Counted,
    *,
    bits: int = BITS,
    threshold: str = THRESHOLD,
    method: str = METHOD,
    d: float = DISCOUNT,
    floor: bool = FLOOR,
) -> fr.Blocks:
    longer(study)
    of = base(study, method, d, floor)
    yield (
        "Sort the logarithms of all probabilities into a few bins and store only the number of the"
        " bin. Single tokens keep their exact numbers; every row is renormalised."
    )
    yield settings(method, "bits", "threshold")
    yield fr.Section("bits", [*stored(of, threshold, bits)])
    left: list[fr.Block] = [
        codes.against_bits(of, "error", codes.ERROR),
        fr.Note(
            "Bins of equal width: the error is at most half a bin, and each extra bit halves the"
            " width. Bins with equally many values fit the common values and miss the rare ones."
        ),
    ]
    right = [codes.against_bits(of, "perplexity", "perplexity")] if codes.finite(of) else []
    yield fr.Beside([left, right])
    yield fr.Behind("All numbers of bits as a table", [fr.Rows(codes.measured(of))])


def stored(of: Base, threshold: str, bits: int) -> fr.Blocks:
    """How small the model gets, in words."""
    many, size, found, whole = codes.cut_both(of, THRESHOLDS[threshold], bits)
    full = size_bytes(of.model)
    cost: fr.Words = ""
    if np.isinf(found) or np.isinf(whole):
        cost = _(" A held-out token has probability 0, so the perplexity is not finite.")
    elif not np.isnan(found) and not np.isnan(whole):
        cost = _(" Its perplexity is {found:.4g} instead of {whole:.4g}.", found=found, whole=whole)
    yield _(
        "Pruned at {threshold} and stored in {bits} bits, the model keeps {many:,} of {all:,}"
        " n-grams and takes **{size:,} bytes, {share:.0f} %** of {full:,}.{cost}",
        threshold=threshold,
        bits=bits,
        many=many,
        all=small.ngrams(of.model),
        size=size,
        share=100 * size / full,
        full=full,
        cost=cost,
    )
    stream, held = codes.sample(of), of.counted.study.held_stream
    if stream is not None and held is not None and len(stream) < len(held):
        yield fr.Note(
            _(
                "Measured on the first {some:,} of {all:,} held-out tokens, because every row has to"
                " be summed.",
                some=len(stream) - 1,
                all=len(held) - 1,
            )
        )


@fr.part("How much memory?", was=("bound", "times", "ways", "memory", "tree", "after"))
def costs(
    study: Counted,
    *,
    threshold: str = THRESHOLD,
    bits: int = BITS,
    method: str = METHOD,
    d: float = DISCOUNT,
    floor: bool = FLOOR,
) -> fr.Blocks:
    longer(study)
    of = base(study, method, d, floor)
    yield settings(method, "threshold", "bits")
    yield fr.Beside(
        [[memory.bound(of)], [fr.Rows(memory.ways(of, THRESHOLDS[threshold], bits, threshold))]],
        (2, 3),
    )
    yield _(
        "The full table has 4 bytes per cell; “stored” in the picture is the trie in arrays: a tree in which"
        " what followed a context hangs below it. A look-up descends through at most {orders} orders, however"
        " large the vocabulary; a whole row has one number for each of its {size:,} tokens.",
        orders=of.model.order,
        size=of.model.counts.size,
    )


PARTS = (occur, work, helps, cuts, bits, costs)
