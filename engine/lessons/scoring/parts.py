"""The page from top to bottom: the surprisal of each token, the one number of a text, its factors, and
what a wrong distribution costs.

Shapes    V = token ids, S = sentences
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import interval
from engine.core.trace import Field, Kind, Table
from engine.language.message import _, refusal
from engine.language.numbers import figures
from engine.lessons.counting_context import escape_words, marked, read, without_marks
from engine.lessons.counting_study import says
from engine.lessons.counting_texts import Counted
from engine.lessons.scoring import log
from engine.lessons.scoring.latex import finite, plain, power, power_of_two
from engine.lessons.scoring.scored import (
    BASES,
    FLOOR,
    LINES,
    PICKED,
    UNIT,
    UNITS,
    Scored,
    model_of,
    scored,
)
from engine.lessons.smoothing.methods import begins, with_settings
from engine.ngram.evaluate import Event, Measure
from engine.ngram.smoothing.mle import MLE
from engine.views import theme

LISTED, FACTORS, SHOWN = 200, 14, 12  # rows; factors written out; words of a row


def settings(*more: str) -> fr.Block:
    behind = fr.Controls(["unit", "floor"], button="Settings")
    return fr.Line([fr.Controls(["lines", *more]), behind])


@fr.part(
    "One number", was=("surprisal", "number", "part-number", "loss", "part-loss", "lines", "method")
)
def number(
    study: Counted,
    mine: str,
    *,
    lines: str = LINES,
    method: str = PICKED,
    unit: str = UNIT,
    floor: bool = FLOOR,
) -> fr.Blocks:
    yield settings("method")
    yield from marked(lines)
    s = scored(study, lines, method, unit, floor)
    yield surprisal(s)
    yield (
        "A good model is rarely surprised. A token of probability P costs $-\\log_2 P$ bits. The mean"
        " over a text that was **not** counted is the model's score; 2 to the power of that mean is its"
        " perplexity. Each line of the box is a sentence."
    )
    yield fr.Beside([[*summary(s)], ["**It depends on what is counted**", ways(s)]], (4, 5))


def surprisal(s: Scored) -> fr.Chart:
    """A bar for each token of all sentences."""
    found, mean = s.mine, s.mine.whole.rest_cross_entropy(UNITS[s.unit])
    columns = {
        "token": np.array(found.labels[1:], object),
        "bits": s.per_unit(found.bits_T[1:]) + 0.0,
        "probability": found.p_T[1:],
        "group": np.where(found.end_T, 1, np.where(found.unknown_T, 2, 0))[1:],
    }
    title = _("Surprisal of each token, −log P, by {title}", title=_(s.title))
    made = Table.of("surprisal", title, columns)
    options: dict[str, Any] = {"unit": s.unit, **({} if mean is None else {"mean": mean})}
    note, text = _("{study}; {method}", study=says(s.counted), method=_(s.title)), s.lines[0][:200]
    return fr.Chart(
        "surprisal", title, "surprisal", (made,), note, text, s.counted.id, options=options
    )


def summary(s: Scored) -> fr.Blocks:
    """The chosen measure in its formula, in all three bases."""
    m, base = s.mine.whole, BASES[s.unit]
    left = m.tokens - m.impossible
    if not left:
        nothing = "{method} gives all {n:,} tokens probability 0, so there is no mean to compute."
        yield _(nothing, method=_(s.title), n=m.tokens)
        return
    if m.impossible:
        yield _(
            "{zero:,} of {n:,} tokens are impossible, so the text has no finite perplexity. **Of the"
            " {left:,} others:**",
            zero=m.impossible,
            n=m.tokens,
            left=left,
        )
    bits, nats, dits = (m.rest_cross_entropy(of) or 0.0 for of in UNITS.values())
    h = m.rest_cross_entropy(UNITS[s.unit]) or 0.0
    yield fr.Formula(rf"H = -\frac{{1}}{{N}} \sum_{{i=1}}^{{N}} \log_{{{base}}} P(w_i \mid h_i)")
    yield fr.Formula(rf"H = \frac{{{s.per_unit(m.bits):.5f}}}{{{left}}} = {h:.5f}")
    pp = m.rest_perplexity
    if pp is None:
        yield "The perplexity is too large to write."
        return
    yield _(
        "{unit} per token: the cross-entropy of the model on this text. Its perplexity, {base} to that"
        " power, is **{pp}**: the model is as unsure as if each next token were drawn from so many"
        " equally likely ones.",
        unit=_(s.unit),
        base=base,
        pp=figures(pp),
    )
    if not s.mine.is_probability:
        yield (
            "These are scores: a row sums to more than 1, so this number cannot be compared with a"
            " perplexity."
        )
    yield fr.Formula(rf"2^{{{bits:.5f}}} = e^{{{nats:.5f}}} = 10^{{{dits:.5f}}} = {pp:,.5f}")
    yield _(
        "The base of the power is that of the logarithm. A common mix-up gives {one} (nats as if they"
        " were bits) or {other} (bits as if they were nats).",
        one=f"$2^{{{nats:.5f}}} = {power(2**nats)}$",
        other=f"$e^{{{bits:.5f}}} = {power(math.exp(min(bits, 700)))}$",
    )
    yield from per_sentence(s)


def ways(s: Scored) -> fr.Rows:
    """With and without the sentence end and unknown tokens."""
    found = s.mine
    measures = {
        "all tokens": found.whole,
        "without </s>": found.without_ends,
        "without unknown": found.without_unknown,
        "without both": found.without_both,
    }
    heads = ("counted", "perplexity", _("{unit} per token", unit=_(s.unit)), "N", "P = 0")
    rows = [
        (name, perplexity(m), entropy(m, s.unit), m.tokens, m.impossible)
        for name, m in measures.items()
    ]
    return fr.table(heads, rows)


def entropy(m: Measure, unit: str) -> fr.Words:
    h = m.rest_cross_entropy(UNITS[unit])
    if h is None:
        return "nothing to count"
    return _("{h:.5f} of the rest", h=h) if m.impossible else f"{h:.5f}"


def perplexity(m: Measure) -> fr.Words:
    p = m.rest_perplexity
    if p is None:
        return "nothing to count" if not m.tokens - m.impossible else "too large to write"
    return _("{p:,.5f} of the rest", p=p) if m.impossible else f"{p:,.5f}"


@fr.part("All methods", was=("methods",))
def methods(
    study: Counted, mine: str, *, lines: str = LINES, unit: str = UNIT, floor: bool = FLOOR
) -> fr.Blocks:
    yield settings()
    s = scored(study, lines, unit=unit, floor=floor)
    yield fr.Rows([measured(s, id) for id in s.models], tall=800)
    yield fr.Note(
        "Lower is better, among methods with the same vocabulary on the same text. “Of the rest”:"
        " impossible tokens are left out, which makes the method look better than it is."
    )


def measured(s: Scored, id: str) -> dict[str, Any]:
    """One method, with and without the ends of sentences."""
    f = s.found[id]
    whole, inner = f.whole, f.without_ends
    total: fr.Words = f"{-whole.bits:.5f}"
    if whole.impossible:
        total = _("{n:,} impossible", n=whole.impossible)
    title = s.models[id].method.title
    return {
        "method": title if f.is_probability else _("{title} (scores)", title=_(title)),
        "log2 P": total,
        _("{unit} per token", unit=s.unit): entropy(whole, s.unit),
        "perplexity": perplexity(whole),
        _("{unit}, no </s>", unit=s.unit): entropy(inner, s.unit),
        "perplexity, no </s>": perplexity(inner),
    }


def words_of(given: fr.Others) -> list[str]:
    """The tokens of the sentence that is looked at, numbered."""
    try:
        s = scored(given["study"], given["lines"], given["method"], floor=given["floor"])
    except ValueError:
        return [""]
    at = sentence(s, given["which"])
    return [f"{n}. {theme.visible(s.mine.labels[i])}" for n, i in enumerate(at[:100].tolist(), 1)]


def sentence(s: Scored, which: int) -> np.ndarray:
    """Positions of the tokens of one, or of the last where there are fewer."""
    return np.flatnonzero(s.mine.sentences_T[1:] == min(which, len(s.lines)) - 1) + 1


@fr.part("Product of factors", was=("chain", "part-chain", "which", "factor"))
def chain(
    study: Counted,
    mine: str,
    *,
    lines: str = LINES,
    method: str = PICKED,
    which: int = fr.number("Sentence", 1, LISTED, 1),
    unit: str = UNIT,
    floor: bool = FLOOR,
    factor: str = fr.pick("Token", words_of, lambda given: words_of(given)[:2][-1]),
) -> fr.Blocks:
    yield settings("method", "which", "factor")
    s = scored(study, lines, method, unit, floor)
    at = sentence(s, which)
    i = int(at[int(factor.partition(".")[0]) - 1])
    product = [*written_out(s, at)]
    yield fr.Beside([product, ["**One factor as a ratio of counts**", *ratio(s, i)]], (6, 5))


def written_out(s: Scored, at: np.ndarray) -> fr.Blocks:
    """The joint probability as a product of conditional ones."""
    found = s.mine
    p = found.p_T[at]
    yield fr.Formula(
        r"P(w_1 \ldots w_N) = \prod_{i=1}^{N} P(w_i \mid w_1 \ldots w_{i-1})"
        r" \approx \prod_{i=1}^{N} P(w_i \mid w_{i-n+1} \ldots w_{i-1})"
    )
    exact = s.method == "mle"
    some = at[:FACTORS].tolist()
    said = [fraction(*counts(s, i)[:2]) if exact else power(float(found.p_T[i])) for i in some]
    product = r" \cdot ".join(said) + (r" \cdots" if len(at) > FACTORS else "")
    name, never = "P" if found.is_probability else "S", np.flatnonzero(p <= 0)
    joint = float(np.log2(p).sum()) if not len(never) else -math.inf
    end = "0" if len(never) else power_of_two(joint)
    if exact and not len(never) and len(at) <= FACTORS:
        whole = math.prod((Fraction(*counts(s, i)[:2]) for i in some), start=Fraction(1))
        end = f"{fraction(whole.numerator, whole.denominator)} = {end}"
    yield fr.Formula(f"{name} = {product} = {end}")
    if len(never):
        words = dict.fromkeys(found.labels[i] for i in at[never[:6]].tolist())
        yield _(
            "{n} of {all} factors are 0 ({words}), so the product is 0.",
            n=len(never),
            all=len(p),
            words=", ".join(f"“{escape_words(theme.visible(w))}”" for w in words),
        )
    else:
        yield _(
            "{sum} {unit} for {n} tokens: logarithms add up where probabilities multiply.",
            sum=_(
                "$\\displaystyle -\\log_{{{bases}}} {name} = {joint:.5f}$",
                bases=_(BASES[s.unit]),
                name=_(name),
                joint=s.per_unit(-joint),
            ),
            unit=_(s.unit),
            n=len(p),
        )
    bits = s.per_unit(found.bits_T[at]) + 0.0
    rows = [
        (
            theme.visible(found.labels[i]),
            theme.plain(write_context(s, i), 40) or "start",
            f"{q:.6g}",
            finite(b, 4),
        )
        for i, q, b in zip(at.tolist(), p.tolist(), bits.tolist(), strict=True)
    ]
    yield fr.table(("token", "after", "P", s.unit), rows, tall=420)


def fraction(one: int, other: int) -> str:
    return rf"\frac{{{one}}}{{{other}}}"


def write_context(s: Scored, i: int) -> str:
    """What the model looks at before token i."""
    before = range(i - int(s.mine.context_T[i]), i)
    words = ("<s>" if s.mine.end_T[t] else s.mine.labels[t] for t in before)
    return " ".join(words)


def counts(s: Scored, i: int) -> tuple[int, int, int, int]:
    """(c(hw), c(h), all tokens, how often the sentence ended after h) of token i."""
    raw, length = s.counted.study.raw, int(s.mine.context_T[i])
    places, m = raw.places(s.ids[i - length : i + 1]), length + 1
    grams, whole = raw.orders[m - 1], int(raw.orders[0].count_G.sum())
    end = np.array([raw.boundary])
    if m == 1:
        return int(grams.count_G[places[-1, 1]]), whole, whole, int(grams.count_G[end[0]])
    count = int(grams.count_G[places[-1, m]]) if places[-1, m] >= 0 else 0
    total = int(grams.total_P[places[-2, m - 1]]) if places[-2, m - 1] >= 0 and len(grams) else 0
    place = int(raw.find(m, places[-2:-1, m - 1], end)[0])
    return count, total, whole, int(grams.count_G[place]) if place >= 0 else 0


def ratio(s: Scored, i: int) -> fr.Blocks:
    """P(w | h) = P(h, w) / P(h), both of them counts over the same total."""
    count, total, whole, ends = counts(s, i)
    word = rf"\text{{{plain(s.mine.labels[i])}}}"
    h = rf"\text{{{plain(write_context(s, i) or 'anything')}}}"
    if not total:
        yield _(
            "{h} was never a context here: the ratio of counts, 0/0, is undefined. Maximum likelihood"
            " gives 0; the other methods use a shorter context.",
            h=f"${h}$",
        )
        return
    yield fr.Formula(
        rf"P({word} \mid {h}) = \frac{{P({h}, {word})}}{{P({h})}}"
        rf" = \frac{{{count} / {whole}}}{{{total} / {whole}}} = {fraction(count, total)}"
        rf" = {count / total:.6g}"
    )
    yield (
        "The divisor is the count of the context **as a context**: how often any token came after it,"
        " including the sentence end."
    )
    if ends:
        yield _(
            "The sentence ended after it {ends:,} of {total:,} times. If the sentence end were left out"
            " but the divisor kept, the row would sum to {sum}, and {lost:.3g} of the probability would"
            " be lost.",
            ends=ends,
            total=total,
            sum=f"${fraction(total - ends, total)} = {(total - ends) / total:.4g}$",
            lost=ends / total,
        )
    yield _("{method} gives this token **{p:.6g}**.", method=_(s.title), p=s.mine.p_T[i])


@fr.part("Zeros and unknown words", was=("zero", "part-zero"))
def zero(
    study: Counted, mine: str, *, lines: str = LINES, method: str = PICKED, floor: bool = FLOOR
) -> fr.Blocks:
    yield fr.Controls(["lines", "method", "floor"])
    s = scored(study, lines, method, floor=floor)
    m, n = s.mine.whole, int(s.mine.unknown_T[1:].sum())
    yield _("**Zero events: {zero:,} of {n:,} tokens**", zero=m.impossible, n=m.tokens)
    if m.impossible:
        yield _(
            "One of them is enough to make the whole product 0. The rest alone has perplexity"
            " **{rest}**, which leaves out exactly the worst predictions.",
            rest=perplexity(m) if m.rest_perplexity is None else f"{m.rest_perplexity:,.4f}",
        )
        yield listed(s.mine.impossible(LISTED))
    yield _("**Unknown words: {n:,}**", n=n)
    if n:
        yield listed(s.mine.unknown(LISTED))


def listed(events: list[Event]) -> fr.Rows:
    heads = ("sentence", "token", "after", "P", "why")
    rows = [
        (
            e.sentence + 1,
            theme.visible(e.word),
            " ".join(e.context)[:40],
            f"{e.probability:.4g}",
            e.says,
        )
        for e in events
    ]
    return fr.table(heads, rows, tall=320)


def per_sentence(s: Scored) -> fr.Blocks:
    """The mean over sentences beside the mean over tokens."""
    loss_S = s.per_unit(s.mine.sentence_S)
    if not np.isfinite(loss_S).all():
        yield "A sentence with an impossible token has no finite loss."
        return
    mean = float(loss_S.mean())
    yield _(
        "Per **sentence** the loss is {loss:.5f} {unit}, and {power} is not a perplexity: longer sentences"
        " make it larger although the model is the same.",
        loss=mean,
        unit=_(s.unit),
        power=rf"${BASES[s.unit]}^{{{mean:.5f}}} = {raised(UNITS[s.unit], mean)}$",
    )


def raised(base: float, exponent: float) -> str:
    tens = exponent * math.log10(base)
    if tens < 6:
        return f"{base**exponent:,.4f}"
    return rf"{10 ** (tens - math.floor(tens)):.4f} \times 10^{{{math.floor(tens)}}}"


@fr.part("Divergence", was=("divergence", "pair", "after", "start"))
def divergence(
    study: Counted,
    mine: str,
    after: str = fr.typed("After", begins, 600, "empty: the start of a sentence", width=300),
    method: str = PICKED,
    unit: str = UNIT,
    floor: bool = FLOOR,
) -> fr.Blocks:
    yield from marked(after)
    of = study.study
    context, said = read(of, without_marks(after), False)
    yield from said
    model = model_of(study, with_settings(method, {}), floor)
    p_V, q_V = (
        m.distributions(context.places(m))[0].astype(np.float64)
        for m in (of.smoothed(MLE()), model)
    )
    some = np.flatnonzero(p_V > 0)
    if not len(some):
        raise ValueError("This context never occurs, so p has no row. Choose a word that occurs.")
    some = some[np.argsort(-p_V[some], kind="stable")]
    p, q, title = p_V[some], q_V[some], model.method.title
    if (q <= 0).any():
        raise refusal(
            "{title} gives probability 0 to tokens that did follow: infinitely many bits.",
            title=_(title),
        )
    per = math.log2(UNITS[unit])
    terms = np.stack([-p * np.log2(q), -p * np.log2(p), p * np.log2(p / q)]) / per
    cross, h, extra = terms.sum(1)
    yield fr.Formula(
        r"H(p, q) = -\sum_w p(w) \log q(w) = H(p) + D_{\mathrm{KL}}(p \,\|\, q), \quad D_{\mathrm{KL}}"
        r" = \sum_w p(w) \log \frac{p(w)}{q(w)}"
    )
    yield fr.Formula(
        rf"{cross:.5f} = {max(h, 0):.5f} + {max(extra, 0):.5f} \text{{ {unit}}} \quad (\log ="
        rf" \log_{{{BASES[unit]}}})"
    )
    yield _(
        "After “{context}”, **p** is what followed in the counted text and **q** is {method}. H(p) is a"
        " cost that no model can avoid; the divergence is the extra cost of using q.",
        context=escape_words(context.said),
        method=_(title),
    )
    if not model.method.is_probability:
        yield "The divergence is no true one here, because the scores do not sum to 1."
    likely = np.argsort(-q_V, kind="stable")
    others = likely[(q_V[likely] > 0) & ~np.isin(likely, some)]
    columns = np.r_[some[:SHOWN], others[: max(0, SHOWN - len(some))]]
    names = [of.vocab[i] for i in columns.tolist()]
    axes = {"method": (f"p: {MLE.title}", f"q: {title}"), "next": names}
    head = _("p and q after “{said}”", said=theme.plain(context.said, 60))
    made = Field.of("pair", Kind.PROBABILITY, axes, np.stack([p_V[columns], q_V[columns]]), head)
    options = {"seen": min(SHOWN, len(some))}
    yield fr.Chart(
        "pair", head, "compare", (made,), says(study), context.said, study.id, options=options
    )


# ------------------------------------------------------------------ lines that do not belong


@fr.part("Which line does not belong?")
def intruder(
    share: float = fr.slider(
        "False alarms, of normal lines, at most", 0.005, 0.2, 0.01, 0.005, width=300
    ),
    *,
    lines: str = fr.typed(
        "New lines",
        "\n".join((*log.written(3, 7), *log.written(2, 5, strange=True))),
        6_000,
        tall=150,
        live=True,
    ),
    normal: str = fr.typed("Normal lines", "", 400_000, "As made here: 1,200 lines", tall=150),
) -> fr.Blocks:
    yield (
        "A model that has counted normal lines of a log needs few bits for the next one. A line that costs more than"
        " normal lines do is worth a look: nobody has to know beforehand what an attack looks like."
    )
    yield fr.Beside([[fr.Controls(["lines"])], [fr.Controls(["normal"])]], (3, 2))
    own = tuple(line for line in normal.splitlines() if line.strip())
    of = log.watch(own or log.written(log.NORMAL, 1))
    most = of.threshold(share)
    typed = [line for line in lines.splitlines() if line.strip()]
    scores = [(of.score(line), line) for line in typed]
    yield fr.table(
        ("bits per token", "alarm", "line", "most surprising"),
        [(score, "⚠" if score > most else "", line, dearest(of, line)) for score, line in scores],
        forms={"bits per token": "%.2f"},
        widths={"line": 460, "most surprising": 200},
    )
    yield _("The alarm goes off above **{most:.2f} bits** a token.", most=most)
    if own:
        return
    strange = np.array([of.score(line) for line in log.written(log.ODD, 3, strange=True)])
    usual = np.array([of.score(line) for line in log.written(log.ODD, 2)])
    yield fr.table(
        ("lines that it never saw", "alarms", "95 % interval"),
        [
            (name, float((score > most).mean()), ends(score > most))
            for name, score in (("normal", usual), ("of an intruder", strange))
        ],
        forms={"alarms": fr.SHARE},
        width=520,
    )
    yield fr.Note(
        "Both kinds of line are made by a small grammar; in a real log what is normal changes, and a threshold grows"
        " old. What is said in usual words, such as a known user from a new address, costs little: it passes."
    )


def dearest(of: log.Watch, line: str) -> str:
    labels, bits = of.tokens(line)
    order = np.argsort(-bits, kind="stable")[:3]
    return ", ".join(f"{theme.visible(labels[n])} {bits[n]:.1f}" for n in order)


def ends(hit_L: np.ndarray) -> str:
    low, high = interval.of_share(int(hit_L.sum()), len(hit_L))
    return str(_("{low:.1%} to {high:.1%}", low=low, high=high))


PARTS = (number, methods, chain, zero, divergence, intruder)
