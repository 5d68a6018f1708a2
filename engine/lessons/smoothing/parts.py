"""The page from top to bottom: which context answers for a word, what every method gives to whom, and
what was counted.

Shapes    V = token ids, T = tokens of a sentence, M = methods
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.study import Study
from engine.core.trace import Field, Kind, Table
from engine.frame.latex import power
from engine.language.message import _
from engine.language.numbers import number
from engine.lessons.counting_context import (
    Context,
    escape_words,
    label,
    marked,
    read,
    token_of,
    without_marks,
)
from engine.lessons.counting_study import says
from engine.lessons.counting_texts import FRANCISCO, Counted
from engine.lessons.smoothing import changes, ladder, least_count
from engine.lessons.smoothing import methods as every
from engine.lessons.smoothing.ladder import Rung
from engine.lessons.smoothing.methods import AFTER, METHOD, SETTINGS, START, A, D, K, followers
from engine.ngram import likelihood as likelihoods
from engine.ngram.concordance import Concordance
from engine.ngram.smoothing.absolute import Absolute
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.text.tokenizers.words import Words
from engine.views import theme

LISTED, LINES, WIDTH = 200, 12, 8  # followers; lines with an n-gram, and words around it
SENTENCE = 60  # tokens
OFFERED = 50  # words of a row
MOST, FEW, WORDS = 10, 4, 160  # least counts; lines and words that are shown
FEW_HELD_OUT = 1_000  # words


def drawn(
    counted: Counted,
    view: str,
    entry: Field | Table,
    text: str = "",
    note: fr.Words = "",
    **options: Any,
) -> fr.Chart:
    title, of = entry.spec.says, note or says(counted)
    return fr.Chart(view, title, view, (entry,), of, text, counted.id, options=options)


def percent(p: float) -> str:
    return f"{100 * p:.3g} %" if p >= 1e-5 or not p else f"{100 * p:.2e} %"


def asked_word(study: Study, p_V: np.ndarray, context: Context, word: str) -> tuple[int, list[str]]:
    """The token to explain, of an empty box the likeliest that never followed here, and what could
    be typed: likely ones, and such as never followed."""
    best = np.argsort(-p_V, kind="stable")
    follow, _counts = followers(study, context)
    fresh = [i for i in best[:200].tolist() if i not in follow and p_V[i] > 0][:3]
    offered = {label(study, i): i for i in [*best[:6].tolist(), *fresh] if p_V[i] > 0}
    usual = fresh[0] if fresh else int(best[0])
    found = offered.get(word, token_of(study, word)) if word else usual
    if found is None:
        marks = study.vocab[:3]
        found = marks.index("<unk>") if "<unk>" in marks else usual
    return found, [*offered]


def own_word(given: fr.Others) -> str:
    fits = given["study"].cut == "words" and not given["mine"]
    return str(given["study"].preset.word) if fits else ""


@fr.part(
    "Back-off", was=("ladder", "part-variable-length", "after", "word", "method", "k", "d", "a")
)
def backoff(
    study: Counted,
    mine: str,
    *,
    after: str = AFTER,
    start: bool = START,
    method: str = METHOD,
    word: str = fr.typed(
        "Next token to explain", own_word, 100, "empty: the likeliest unseen", width=210
    ),
    k: float = K,
    d: float = D,
    a: float = A,
) -> fr.Blocks:
    behind = fr.Controls(["start", *SETTINGS], button="Settings")
    yield fr.Line([fr.Controls(["after", "method", "word"]), behind])
    yield from marked(after, start=True)
    of = study.study
    context, said = read(of, without_marks(after), start)
    yield from said
    model = every.models(of, k, d, a)[method]
    p_V = model.distributions(context.places(model))[0]
    id, offered = asked_word(of, p_V, context, word)
    if word and word not in offered and token_of(of, word) is None:
        unknown = (
            "“{word}” is not a single token of the counted text; “{shown}” is explained instead."
        )
        yield fr.Note(_(unknown, word=escape_words(word[:40]), shown=escape_words(of.vocab[id])))
    name = label(of, id)
    found = ladder.rungs(model, context, id)
    what = "probability" if model.method.is_probability else "score"
    title = _(
        "The {what} of “{name}” after “{said}”",
        what=_(what),
        name=name,
        said=theme.plain(context.said, 40),
    )
    text, note = f"{context.said} {of.vocab[id]}", _(model.method.title)
    picture = drawn(study, "ladder", ladder.table(found, name, title), text, note)
    heads = ("order", "count", "of", "weight", "passes down")
    rows = [(r.order, r.count, r.total, percent(r.weight), percent(r.gamma)) for r in found]
    steps: list[fr.Block] = [summed(found, name, context), fr.table(heads, rows)]
    if model.method.adjusted:
        steps += [fr.Note("Below the longest order, it counts after how many different tokens.")]
    for rung, below in zip(found, [*[r.p for r in found[1:]], 0.0], strict=True):
        steps += [_("$\\displaystyle {model}$", model=ladder.formula(model, rung, below))]
    likely = fr.Presets(
        "Likely next tokens, and some that were not seen here",
        {escape_words(w): {"word": w} for w in offered},
        open=True,
    )
    idea: list[fr.Block] = [likely, model.method.idea, fr.Formula(model.method.formula)]
    yield fr.Beside([[picture, *idea], steps], (6, 5))


def summed(found: Sequence[Rung], name: str, context: Context) -> fr.Words:
    """The result, and who gave most of it."""
    total, most = sum(r.part for r in found), max(found, key=lambda r: r.part)
    if not total:
        return _(
            "After “{before}”, “{word}” gets **0 %**: it never occurs here, and the method keeps"
            " nothing for unseen events.",
            before=escape_words(context.said),
            word=escape_words(name),
        )
    equal = "the equal share of every token"
    return _(
        "After “{before}”, “{word}” gets **{p}**, most of it, {part}, from {giver}.",
        before=escape_words(context.said),
        word=escape_words(name),
        p=percent(total),
        part=percent(most.part),
        giver=_("order {m}", m=most.order) if most.order else _(equal),
    )


@fr.part(
    "All methods",
    was=("methods", "compare", "masses", "part-held-out", "mixture", "part-mixture", "Mixture"),
)
def methods(
    study: Counted,
    mine: str,
    *,
    after: str = AFTER,
    start: bool = START,
    k: float = K,
    d: float = D,
    a: float = A,
) -> fr.Blocks:
    yield (
        "Plain counts give no probability to unseen sequences, yet most good sentences have never been"
        " seen. Smoothing takes a little from every count and gives it to the rest. The methods differ"
        " in **how much** they take and **to whom** they give it."
    )
    behind = fr.Controls(["start", *SETTINGS], button="Settings")
    yield fr.Line([fr.Controls(["after"]), behind])
    yield from marked(after, start=True)
    context, said = read(study.study, without_marks(after), start)
    yield from said
    models = every.models(study.study, k, d, a)
    found = every.expected(study.study, models, context)
    yield drawn(study, "compare", found.field, context.said, seen=found.seen)
    yield fr.Note(
        _(
            "Left of the line: words seen after “{context}”. Every row sums to 1, with two exceptions:"
            " stupid back-off, whose numbers are scores, and maximum likelihood after an unseen"
            " context, which has nothing to share out.",
            context=escape_words(context.said),
        )
    )
    scores = [every.held_out(study, m) for m in models.values()]
    seen_R = found.field.values[:, : found.seen].sum(1)
    rows = [
        {"method": m.method.title, "goes to seen words": percent(float(seen))}
        | {"row sum": f"{s:.4f}", "held-out perplexity": p}
        for m, seen, s, p in zip(models.values(), seen_R, found.sum_R, scores, strict=True)
    ]
    ideas = [
        _("**{title}** · {idea}", title=_(m.method.title), idea=_(m.method.idea))
        for m in models.values()
    ]
    yield fr.Section("held-out", [fr.Beside([[fr.Rows(rows, tall=800)], [*map(fr.Note, ideas)]])])
    n = sum(len(line.split()) for line in study.study.held_out)
    if n < FEW_HELD_OUT:
        few = "Only {n:,} words are held out, too few to tell which method is better. Choose a longer text for that."
        yield fr.Note(_(few, n=n))
    mixed = models["jelinek_mercer"].learned["lambda"]
    if len(mixed):
        weights = ", ".join(f"λ{m} = {x:.3f}" for m, x in reversed([*enumerate(mixed)]) if m)
        said_ = "Jelinek-Mercer mixes with {weights}, uniform {least:.3f}."
        yield fr.Note(_(said_, weights=weights, least=mixed[0]))


def rankings(study: Study, title: str) -> Table:
    """Per word its frequency and the number of different tokens right before it (<s> is one)."""
    frequency_V = study.raw.orders[0].count_G
    neighbours_V = np.bincount(study.raw.orders[1].word_G, minlength=len(study.vocab))
    marks = ("<unk>", "<s>", "</s>", "\n")
    keep = [i for i, w in enumerate(study.vocab) if w not in marks and frequency_V[i]]
    columns = {
        "word": [study.vocab[i] for i in keep],
        "frequency": frequency_V[keep],
        "neighbours": neighbours_V[keep],
    }
    title = _("{title}: how often, and after how many different words", title=_(title))
    return Table.of("rankings", title, columns, ("frequency", "neighbours"))


def ranked(found: Table, top: int) -> fr.Rows:
    """The words that occur most often, beside those that follow most different words."""
    sides = []
    for name in ("frequency", "neighbours"):
        values = found.columns[name]
        at = np.argsort(-values, kind="stable")[:top].tolist()
        sides.append([(str(found.columns["word"][i]), int(values[i])) for i in at])
    rows = [(n, *one, *other) for n, (one, other) in enumerate(zip(*sides, strict=True), 1)]
    heads = ("rank", "by how often", "occurs", "by words before it", "different words")
    return fr.table(heads, rows)


def furthest(found: Table) -> str:
    """Of the words that occur often, the one with the fewest neighbours for its frequency."""
    frequency, neighbours = found.columns["frequency"], found.columns["neighbours"]
    if not len(frequency):
        return ""
    named = np.array([str(w)[:1].isalpha() for w in found.columns["word"]])
    often = np.argsort(np.where(named, -frequency, 0), kind="stable")[:12]
    return str(found.columns["word"][often[np.argmin(neighbours[often] / frequency[often])]])


@fr.part("Kneser-Ney", was=("francisco", "follow"))
def francisco(
    study: Counted,
    follow: str = fr.typed(
        "Word to look for in both lists", "", 60, "empty: the word that falls furthest", width=300
    ),
) -> fr.Blocks:
    yield (
        "“Francisco” may be as frequent as “glasses”. But it only ever follows “San”, while “glasses”"
        " follows *my*, *his*, *her*. Which of the two would you expect after a word that you have seen"
        " with neither? By frequency, both are equally likely. **Kneser-Ney asks a better question:"
        " after how many different words has it occurred?** After “San” the pair “San Francisco” has a"
        " count of its own. The shorter context only matters where no pair was seen, and there"
        " “Francisco” counts as one context, not three."
    )
    ours = Counted(FRANCISCO, 2)
    place_TM = ours.study.raw.places(np.array([ours.study.vocab.index("lost")]))
    words = [ours.study.vocab.index(w) for w in ("francisco", "glasses")]
    p_MV = np.array(
        [
            ours.study.smoothed(m).distributions(place_TM)[-1][words]
            for m in (Absolute(), KneserNey())
        ]
    )
    titles = ("Absolute discounting", "Kneser-Ney")
    after_lost = [
        {"method": t, "francisco": f"{100 * a:.3g} %", "glasses": f"{100 * b:.3g} %"}
        for t, (a, b) in zip(titles, p_MV.tolist(), strict=True)
    ]
    plain, better = p_MV[:, 1] / p_MV[:, 0]
    said = _(
        "Both occur 3 times. By frequency, “glasses” is as likely here as “francisco” ({plain:.3g} to"
        " 1); by contexts, {better:.3g} to 1. It is not quite 3 to 1, because a little is taken from"
        " each and shared out evenly.",
        plain=plain,
        better=better,
    )
    lists = ranked(rankings(ours.study, "San Francisco"), 6)
    lost = "**After “lost”, which neither word followed**"
    yield fr.Beside([[lists], [lost, fr.Rows(after_lost), fr.Note(said)]], (7, 4))
    if study.preset is FRANCISCO:
        return
    pairs = study if study.order > 1 else Counted(study.preset, 2, study.cut, study.lines)
    found = rankings(pairs.study, study.preset.title)
    if follow and follow not in found.columns["word"]:
        yield fr.Note(_("“{word}” is not in this text.", word=escape_words(follow)))
    word = follow or furthest(found)
    yield _(
        "**The same two lists for your text** ({title})", title=escape_words(study.preset.title)
    )
    yield ranked(found, 12)
    at = np.flatnonzero(found.columns["word"] == word)
    if len(at):
        f, n = (int(found.columns[name][at[0]]) for name in ("frequency", "neighbours"))
        yield _(
            "“{word}” occurs {f:,} times, after {n:,} different {n|token|tokens}: {share:.2f} contexts"
            " per occurrence.",
            word=escape_words(word),
            f=f,
            n=n,
            share=n / f,
        )


def known_context(counted: Counted, after: str, start: bool) -> Context:
    """The longest ending of a context that was followed by anything."""
    context, _said = read(counted.study, without_marks(after), start)
    ids, labels = context.ids, context.labels
    if counted.order == 1:
        ids, labels = ids[:0], ()
    while len(ids) and not len(followers(counted.study, Context(ids, labels))[0]):
        ids, labels = ids[1:], labels[1:]
    return Context(ids, labels)


def frequent(counted: Counted, context: Context) -> tuple[np.ndarray, np.ndarray]:
    """(ids, counts) of what followed the context, most frequent first."""
    ids, counts = followers(counted.study, context)
    best = np.argsort(-counts, kind="stable")
    return ids[best], counts[best]


def listed(given: fr.Others) -> list[str]:
    context = known_context(given["study"], given["after"], given["start"])
    ids, _counts = frequent(given["study"], context)
    return [label(given["study"].study, i) for i in ids[:LISTED].tolist()]


@fr.once
def concordance(counted: Counted) -> Concordance:
    return Concordance.of(counted.study.stream, counted.study.raw.boundary)


@fr.part("Counts and lines", was=("counts", "part-counts", "part-skip-grams"))
def counts(
    study: Counted,
    mine: str,
    after: str = AFTER,
    start: bool = START,
    line: str = fr.pick("Lines with", listed),
) -> fr.Blocks:
    of, context = study.study, known_context(study, after, start)
    asked, _said = read(of, without_marks(after), start)
    if study.order > 1 and len(context.ids) < len(asked.ids):
        never = "“{all}” never occurs. The table shows what followed “{last}”."
        yield _(never, all=escape_words(asked.said), last=escape_words(context.said))
    ids, found = frequent(study, context)
    total = int(found.sum())
    rows = [
        {"next": label(of, i), "count": c, "share": c / total}
        for i, c in zip(ids[:LISTED].tolist(), found[:LISTED].tolist(), strict=True)
    ]
    title = _(
        "**In the whole text: {total:,} times, {n:,} different tokens**", total=total, n=len(ids)
    )
    if len(context.ids):
        title = _(
            "**After “{context}”: {total:,} times, {n:,} different tokens**",
            context=escape_words(context.said),
            total=total,
            n=len(ids),
        )
    left: list[fr.Block] = [title, fr.Rows(rows, {"share": fr.SHARE}, 0, 420, ("share",))]
    names = [label(of, i) for i in ids[:LISTED].tolist()]
    right = lines(study, context, int(ids[names.index(line)]))
    yield fr.Beside([left, [*right]], (4, 7))
    yield fr.Note(
        "A skip-gram leaves words out: P(w | v, d) is the share of w among what stands d places behind v. That of"
        " word2vec has the name alone in common: it learns vectors."
    )


def lines(counted: Counted, context: Context, word: int) -> fr.Blocks:
    """The counted lines with the n-gram, the n-gram itself in the middle."""
    of = counted.study
    gram = (*context.ids.tolist(), word)
    page = concordance(counted).page(gram, 0, LINES, WIDTH)

    def text(ids: tuple[int, ...], first: bool = False) -> str:
        marks = [label(of, i) for i in ids]
        if first and ids[0] == of.raw.boundary:
            marks[0] = "<s>"
        return theme.plain((" " if counted.cut == "words" else "").join(marks))

    yield _(
        "**The lines with this n-gram**, “{word}” · {n:,} {n|place|places}",
        word=escape_words(label(of, word)),
        n=page.total,
    )
    yield fr.Rows(
        [
            {
                "line": r.line + 1,
                "before": text(r.left),
                "counted": text(r.gram, len(gram) > 1),
                "after": text(r.right),
            }
            for r in page.rows
        ]
    )
    if page.total > LINES:
        yield fr.Note(_("The first {n}.", n=LINES))


def own_sentence(given: fr.Others) -> str:
    return str(given["mine"] or given["study"].preset.sentence)


@fr.part("Zero probability", was=("zero", "part-zero", "sentence", "product"))
def zero(
    study: Counted,
    mine: str,
    sentence: str = fr.typed(
        "A sentence", own_sentence, 600, "Type a sentence", width=420, along=True
    ),
    method: str = METHOD,
    *,
    k: float = K,
    d: float = D,
    a: float = A,
) -> fr.Blocks:
    yield from marked(sentence)
    of = study.study
    tokens = of.tokenizer.encode(without_marks(sentence).replace("\n", " "))[:SENTENCE]
    if not len(tokens):
        raise ValueError(
            "Type a sentence: its probability is the product of one factor per token, including the"
            " sentence end."
        )
    boundary = of.raw.boundary
    stream = np.r_[boundary, tokens.ids, boundary].astype(np.int64)
    models = every.models(of, k, d, a)
    pair = [models["mle"], models[method if method != "mle" else every.FIRST]]
    p_MT = np.stack([m.probabilities(stream) for m in pair])
    sum_MT = [m.distributions(m.counts.places(stream[:-1])).sum(1, dtype=float) for m in pair]
    labels = (*(theme.visible(w) for w in tokens.labels), "</s>")
    for m, p_T in zip(pair, p_MT, strict=True):
        factors = r" \cdot ".join(map(power, p_T[:12])) + (r" \cdots" if len(p_T) > 12 else "")
        product = _(
            "$\\displaystyle {factors} = {p}$", factors=factors, p=power(float(np.prod(p_T)))
        )
        yield _("{method}: {product}", method=_(m.method.title), product=product)
    never = [labels[i] for i in np.flatnonzero(p_MT[0] <= 0)]
    if never:
        yield _(
            "{n} of {all} factors of maximum likelihood are 0 ({words}): never counted in this context."
            " One zero is enough; the rest of the sentence cannot help.",
            n=len(never),
            all=len(labels),
            words=", ".join(f"“{escape_words(w)}”" for w in never[:6]),
        )
    else:
        yield (
            "Every factor of maximum likelihood is above 0 here. Change one word to one that never"
            " occurs there."
        )
    with np.errstate(divide="ignore"):
        log_MT = np.log10(p_MT).cumsum(1)
    title = "log10 of the product so far; a line that ends in −∞ means an impossible sentence"
    axes = {"method": [m.method.title for m in pair], "token": labels}
    made = Field.of("product", Kind.SCORE, axes, log_MT, title, unit="log10 P")
    heads = ("token", "P, MLE", "row sum", "P, smoothed", "its row")
    columns = zip(p_MT[0], sum_MT[0], p_MT[1], sum_MT[1], strict=True)
    rows = [(w, *(f"{x:.4g}" for x in row)) for w, row in zip(labels, columns, strict=True)]
    factor = fr.Note(
        "Each factor, and the sum of the row that it comes from. A sum of 0 means that the context"
        " never occurs, so there is nothing to share out."
    )
    yield fr.Beside(
        [[drawn(study, "lines", made, sentence)], [factor, fr.table(heads, rows, tall=420)]], (6, 5)
    )


def row_of(counted: Counted, context: Context) -> tuple[int, np.ndarray, np.ndarray]:
    """(last word of the context, or the commonest context; ids and counts of what followed it, most
    frequent first)."""
    raw = counted.study.raw.orders[min(2, counted.order) - 1]
    last = int(context.ids[-1]) if counted.order > 1 else 0
    if not raw.total_P[last]:
        last = int(np.argmax(raw.total_P))
    a, b = raw.first_P[last : last + 2].tolist()
    some = raw.count_G[a:b] > 0
    ids, found = raw.word_G[a:b][some], raw.count_G[a:b][some].astype(float)
    best = np.argsort(-found, kind="stable")
    return last, ids[best], found[best]


def row_words(given: fr.Others) -> list[str]:
    context, _said = read(given["study"].study, without_marks(given["after"]), given["start"])
    _last, ids, _found = row_of(given["study"], context)
    return [label(given["study"].study, i) for i in ids[:OFFERED].tolist()]


@fr.part("Why counts?", was=("likelihood", "moved", "to"))
def likelihood(
    study: Counted,
    mine: str,
    after: str = AFTER,
    start: bool = START,
    moved: str = fr.pick("Word", row_words, width=200),
    to: float = fr.slider("Its probability", 0.01, 0.99, 0.3, 0.01, width=320),
) -> fr.Blocks:
    yield (
        "Why are relative frequencies the right numbers? They are the ones that make the counted text"
        " most likely. Move one of them, and the likelihood falls, whichever way."
    )
    of = study.study
    context, _said = read(of, without_marks(after), start)
    last, ids, found = row_of(study, context)
    names = [label(of, i) for i in ids.tolist()]
    at, before = names.index(moved), "<s>" if last == of.raw.boundary else label(of, last)
    share = found[at] / found.sum()
    whole = likelihoods.log_likelihood(of.raw.orders[min(2, study.order) - 1])
    mine_ = whole + likelihoods.gained(found, at, to)
    yield fr.Formula(
        r"\log L = \sum_{h}\sum_{w} c(hw)\,\ln P(w \mid h)"
        rf" = {whole:,.3f}\ \text{{as counted}},\quad {mine_:,.3f}\ \text{{as moved}}"
    )
    where = _("in the whole text")
    if study.order > 1:
        where = _("after “{context}”", context=escape_words(before))
    yield _(
        "“{word}” was counted {c:,.0f} of {total:,.0f} times {where}. At {to:.0%} in place of"
        " {share:.1%} the text is **{times}** times as likely.",
        word=escape_words(moved),
        c=found[at],
        total=found.sum(),
        where=_(where),
        to=to,
        share=share,
        times=number(float(np.exp(mine_ - whole))),
    )
    xs = np.unique(np.append(np.linspace(0.01, 0.99, 99), share))
    curve = [whole + likelihoods.gained(found, at, float(p)) for p in xs]
    series: fr.Series = {
        "likelihood": (xs, curve),
        "as counted": ([share], [whole]),
        "as moved": ([to], [mine_]),
    }
    title = "How likely the text is, by one probability"
    x = f"P({moved} | {before})" if study.order > 1 else f"P({moved})"
    yield fr.curves("likelihood", title, series, x, "log L in nats", says(study), source=study.id)


def most_often(given: fr.Others) -> int:
    of = given["study"].study
    if not isinstance(of.tokenizer, Words):
        return 2
    return max(2, min(MOST, int(least_count.word_counts(of).max())))


@fr.once
def closed(counted: Counted, least: int) -> Study:
    return least_count.close(counted.study, least)


@fr.part("Unknown words", was=("unknown", "least", "unknown-share"))
def unknown(
    study: Counted,
    mine: str,
    least: int = fr.slider("A word is known from a count of", 1, most_often, 2, width=320),
    after: str = AFTER,
    start: bool = START,
) -> fr.Blocks:
    yield (
        "A word that never occurs in the text has no count, and neither has `<unk>`, unless the text has"
        " some. So words that are too rare are read as `<unk>` while counting: then it follows other"
        " words, and gets probabilities like any word."
    )
    of = study.study
    if not isinstance(of.tokenizer, Words):
        yield "Characters are never that rare. Cut the text into words, under *Counting*."
        return
    most, small = most_often({"study": study}), closed(study, least)
    yield first_lines(of, small)
    found, at = least_count.course(of, most), range(1, most + 1)
    series: fr.Series = {
        "counted lines": (at, 100 * found.counted_L),
        "held-out lines": (at, 100 * found.held_L),
        "chosen": ([least], [100 * found.counted_L[least - 1]]),
    }
    x, y = "a word is known from a count of", "percent of all words"
    title = "Words that are read as unknown"
    picture = fr.curves("share", title, series, x, y, says(study), source=study.id, whole=True)
    known = _(
        "Known from 1: {all:,} words; from {least}: {known:,}.",
        all=int(found.known_L[0]),
        least=least,
        known=int(found.known_L[least - 1]),
    )
    context, _said = read(of, without_marks(after), start)
    note = fr.Note(
        "The smaller the vocabulary, the easier it is to guess, so perplexities of two vocabularies"
        " can't be compared: with every word unknown it would be close to 1."
    )
    yield fr.Beside([[picture], [known, unknown_after(of, small, context), note]], (3, 2))


def first_lines(of: Study, small: Study) -> str:
    """The first lines, with the words in red that are read as unknown."""
    said, left = list[str](), WORDS
    for line in of.lines[:FEW]:
        tokens = small.tokenizer.encode(line)[:left]
        left -= len(tokens)
        words = [escape_words(theme.visible(w)) for w in tokens.labels]
        for t in tokens.unknown:
            if t < len(words):
                words[t] = f":red-background[{words[t]}]"
        said.append(" ".join(words))
    return "  \n".join(filter(None, said))


def unknown_after(of: Study, small: Study, context: Context) -> fr.Words:
    """What the unknown token gets after the last word of the context, by counting alone."""
    if small.order == 1:
        grams = small.raw.orders[0]
        p = number(float(grams.count_G[0] / max(1, grams.total_P[0])))
        return _("P(`<unk>`) = **{p}**, counted and not smoothed.", p=p)
    last = of.vocab[int(context.ids[-1])]
    before = small.vocab.index(last) if last in small.vocab else 0
    said = theme.visible(small.vocab[before])
    if int(context.ids[-1]) == of.raw.boundary:
        before, said = small.raw.boundary, "<s>"
    grams = small.raw.orders[1]
    place = int(small.raw.find(2, np.array([before]), np.zeros(1, np.int64))[0])
    total = grams.total_P[before]
    p = number(float(grams.count_G[place] / total if place >= 0 else 0.0)) if total else "0 / 0"
    return _(
        "P(`<unk>` | “{word}”) = **{p}**, counted and not smoothed.", word=escape_words(said), p=p
    )


PARTS = (
    backoff,
    methods,
    francisco,
    counts,
    zero,
    likelihood,
    unknown,
    changes.cache,
    changes.blank,
)
