"""Below the live pictures: answers over windows, retrieval before them, a summary, a dialogue, a document's vector.

Shapes    S = sentences or segments, T = tokens, W = windows, N = turns
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import interval
from engine.core.trace import Kind
from engine.core.trace import Table as Numbers
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.documents import (
    centrality,
    dialogue,
    hierarchy,
    ranking,
    reader,
    samples,
    store,
)
from engine.lessons.documents.live import CALLED
from engine.models.base import Model
from engine.models.bert import Bert
from engine.models.wordspace import WordSpace
from engine.runs.store import Run
from engine.text import windows as tiles

MOST = 8_000  # characters of a text that is typed
FEW, LISTED = 60, 60  # sentences of a text; rows that are listed
BODY = 48  # tokens of a window at first
LOW, HIGH = "lower end", "upper end"
APART = "-apart"
WAYS = {ranking.BM25: "BM25", **ranking.WAYS}
SMALL = 3 * 10**7  # numbers of a model that answers with every key
PASSAGE = fr.shared(fr.typed("Passage", samples.PASSAGE, MOST, live=True, tall=220))
QUESTION = fr.shared(fr.typed("Question", samples.QUESTION, 200, live=True, width=420))


@fr.once_told
def answered(
    *, model: Bert, question: str, passage: str, body: int, stride: int
) -> fr.Taking[reader.Read]:
    for step in reader.read(model, question, passage, body, stride):
        if isinstance(step, reader.Read):
            return step
        yield fr.Progress(step, "Reading the windows")
    raise ValueError("Type a passage and a question.")


Marks = dict[tuple[int, int], tuple[float, fr.Words]]


def lit(text: str, spans: Marks) -> fr.Marked:
    """A text with these stretches marked."""
    pieces, at = list[tuple[str, float, fr.Words]](), 0
    for (start, stop), (strength, says) in sorted(spans.items()):
        if at < start:
            pieces.append((text[at:start], 0.0, ""))
        pieces.append((text[max(at, start) : stop], strength, says))
        at = max(at, stop)
    pieces.append((text[at:], 0.0, ""))
    return fr.Marked(pieces, 360 if len(text) > 2_500 else 0)


def asked(more: list[str]) -> fr.Beside:
    """The passage beside the question and what else is chosen."""
    beside = [fr.Controls(["question"], down=True), fr.Controls(more, down=True)]
    return fr.Beside([[fr.Controls(["passage"], down=True)], beside])


@fr.part("Answers over windows")
def answers(
    model: Bert,
    *,
    question: str = QUESTION,
    passage: str = PASSAGE,
    body: int = fr.slider("Tokens of a window", 16, 104, BODY, 8, 200),
    stride: int = fr.slider("Stride", 8, lambda given: given["body"], 24, 8, 200),
    by: str = fr.pick("The window is chosen by", reader.WAYS, reader.PAIR, few=True),
) -> fr.Blocks:
    yield (
        "A passage longer than the model is read in **windows**, the question in front of each. In every window one"
        " head says where the answer begins and ends, another whether it is there at all."
    )
    yield asked(["body", "stride", "by"])
    of: dict[str, Any] = {"model": model, "question": question, "passage": passage}
    found = yield from answered(**of, body=body, stride=stride)
    start, stop = found.characters(found.chosen(by))
    first, last = found.windows[found.chosen(by)]
    edges = sorted({found.spans[first][0], start, stop, found.spans[last - 1][1]})
    yield _("→ **{answer}**", answer=escaped(passage[start:stop]))
    yield lit(
        passage,
        {
            (a, b): (1.0, "the answer")
            if a >= start and b <= stop
            else (0.25, "the window it is from")
            for a, b in pairwise(edges)
        },
    )
    yield from tiled(found, passage, by)
    yield fr.Line(
        [
            fr.Link("tasks", "Both heads on a short passage, token by token"),
            fr.Link(
                "tokenizers",
                "How windows are cut",
                {"panel": "part-windows"},
            ),
        ]
    )


def tiled(found: reader.Read, passage: str, by: str) -> fr.Blocks:
    """The windows as tiles, how often each token is read, and what each window answers."""
    length, chosen = len(found.spans), found.chosen(by)
    read_T = tiles.coverage([*found.windows], length)
    yield _(
        "{length:,} tokens in {n:,} {n|window|windows}; each is read {least} to {most} times.",
        length=length,
        n=len(found.windows),
        least=read_T.min(),
        most=read_T.max(),
    )
    columns = {
        "word": [f"{n + 1}" for n in range(len(found.windows))],
        "start": [start for start, _stop in found.windows],
        "stop": [stop - 1 for _start, stop in found.windows],
        "value": [int(n == chosen) for n in range(len(found.windows))],
    }
    title = "The windows over the passage"
    kinds = ("read", "has the answer")
    options = {"kinds": kinds, "x": "token", "y": "window", "what": ""}
    numbers = Numbers.of("windows", title, columns)
    tile = fr.Chart("windows", title, "spans", (numbers,), fluid=True, options=options)
    heads = ("window", "has the answer", "its best span", "sum")
    holds_W = 1 / (1 + np.exp(-found.holds_W))
    order = np.argsort(-holds_W, kind="stable").tolist()
    rows = [
        (n + 1, float(holds_W[n]), passage[slice(*found.characters(n))], found.best[n][2])
        for n in order
    ]
    listed = fr.table(
        heads,
        rows[:LISTED],
        bars=heads[1:2],
        forms={"sum": "%.1f"},
        tall=340,
        widths={"window": 66, heads[1]: 134, heads[2]: 160, "sum": 60},
    )
    yield fr.Beside([[tile], [listed]])


@fr.once
def ranked(
    way: str, question: str, some: tuple[str, ...], model: Bert, glove: WordSpace | None
) -> np.ndarray:
    return ranking.scores(way, question, some, model, glove.space if glove else None)


def cut(text: str, least: int = 2) -> list[str]:
    """The sentences of a text, as many as fit.  ValueError for too few."""
    found = [text[a:b] for a, b in reader.sentences(text)][:FEW]
    if len(found) < least:
        raise ValueError("Type at least two sentences.")
    return found


@fr.part("Retrieval before the answer")
def retrieval(
    model: Bert,
    glove: WordSpace | None = fr.shipped("glove"),
    *,
    question: str = QUESTION,
    passage: str = PASSAGE,
    way: str = fr.pick("Sentences ranked by", WAYS, ranking.BM25, width=230),
    many: int = fr.slider("Sentences that are read", 1, 6, 1, width=200),
) -> fr.Blocks:
    yield (
        "Instead of all windows the reader gets the few sentences that fit the question best. What ranking misses, no"
        " reader can find."
    )
    yield asked(["way", "many"])
    some = cut(passage)
    if not question.strip():
        raise ValueError("Type a question.")
    score_S = ranked(way, question, tuple(some), model, glove)
    order = [int(n) for n in np.argsort(-score_S, kind="stable")]
    chosen = sorted(order[:many])
    short = " ".join(some[n] for n in chosen)
    whole = yield from answered(
        model=model, question=question, passage=passage, body=BODY, stride=BODY // 2
    )
    found = yield from answered(
        model=model, question=question, passage=short, body=BODY, stride=BODY // 2
    )
    says = [
        (text[slice(*read.characters(read.chosen()))], len(read.windows))
        for text, read in ((passage, whole), (short, found))
    ]
    yield fr.table(
        ("reads", "answer", "windows"),
        zip(
            ("the whole passage", _("{n} {n|sentence|sentences}", n=len(chosen))),
            *zip(*says, strict=True),
            strict=True,
        ),
    )
    top = max(float(score_S.max()), 1e-9)
    spans = reader.sentences(passage)[: len(some)]
    yield lit(
        passage,
        {
            span: (max(0.0, float(s) / top) if n in chosen else 0.0, _("{s:.2f}", s=float(s)))
            for n, (span, s) in enumerate(zip(spans, score_S, strict=True))
        },
    )
    yield from measured_answers()


def measured_answers() -> fr.Blocks:
    of = store.shipped().results["answers"]
    called = {"windows": "all windows", "sum": "all windows, by the largest sum", **WAYS}
    yield _(
        "Measured on {n} questions that were made by rule from a treebank, each about a passage hidden among {around}"
        " sentences of other texts, {tokens:.0f} tokens long; ranking hands on **one** sentence:",
        n=of["questions"],
        around=30,
        tokens=of["tokens"],
    )
    yield fr.table(
        ("reads", "answer among what is read", "right word for word", LOW, HIGH, "overlap (F1)"),
        (
            (
                words,
                of[name]["inside"] / of["questions"],
                of[name]["exact"] / of["questions"],
                *interval.of_share(of[name]["exact"], of["questions"]),
                of[name]["overlap"],
            )
            for name, words in called.items()
        ),
        forms=dict.fromkeys(
            ("answer among what is read", "right word for word", LOW, HIGH, "overlap (F1)"),
            fr.SHARE,
        ),
    )
    yield fr.Note(
        "A question by rule repeats the words of its sentence, which is kind to BM25; lower and upper end: of the"
        " interval of 95 %."
    )


SUMMED = {"pagerank": "PageRank", "degree": "weighted degree"}


@fr.once
def compared(way: str, some: tuple[str, ...], model: Bert, glove: WordSpace | None) -> np.ndarray:
    return centrality.similarity(ranking.vectors(way, some, model, glove.space if glove else None))


@fr.part("Summary by centrality")
def summary(
    model: Bert,
    glove: WordSpace | None = fr.shipped("glove"),
    *,
    text: str = fr.typed("Text", samples.ARTICLE, MOST, live=True, tall=180),
    way: str = fr.pick("A sentence is", ranking.WAYS, "tfidf", width=230),
    by: str = fr.pick("Centrality", SUMMED, "pagerank", few=True),
    many: int = fr.slider("Sentences", 1, 6, 3, width=160),
    apart: bool = fr.switch("Against repeats (MMR)"),
) -> fr.Blocks:
    yield (
        "A sentence that is like many others says what the text is about. Similarities become a graph, PageRank walks"
        " on it, and the most central sentences are the summary: it is cut out of the text, not written."
    )
    names = ["way", "by", "many", "apart"]
    columns = fr.Controls(["text"], down=True), fr.Controls(names, down=True)
    yield fr.Beside([[column] for column in columns])
    some = cut(text)
    s_SS = compared(way, tuple(some), model, glove)
    rank_S, steps = centrality.pagerank(s_SS)
    central_S = rank_S if by == "pagerank" else centrality.degree(s_SS)
    chosen = centrality.choose(central_S, s_SS, many, apart)
    spans, top = reader.sentences(text)[: len(some)], float(central_S.max())
    yield lit(
        text,
        {
            span: (float(c) / top if n in chosen else 0.0, _("{c:.1%}", c=float(c)))
            for n, (span, c) in enumerate(zip(spans, central_S, strict=True))
        },
    )
    numbers = [f"{n + 1}" for n in range(len(some))]
    matrix = fr.grid(
        "similarity",
        "How alike two sentences are",
        s_SS,
        ("row", numbers),
        ("column", numbers),
        Kind.COSINE,
        _("Cosine; the walk stands still after {n} steps", n=steps),
        text,
        fluid=True,
    )
    heads = ("", "share", "in the text")
    order = [int(n) for n in np.argsort(-central_S, kind="stable")]
    rows = [(n + 1, float(central_S[n]), some[n]) for n in order]
    listed = fr.table(heads, rows, bars=("share",), tall=340, widths={"": 40, "share": 80})
    yield fr.Beside([[matrix], [listed]])
    yield from measured_summaries()


def measured_summaries() -> fr.Blocks:
    of = store.shipped().results["summaries"]
    yield _(
        "Measured on {n} articles of Simple English Wikipedia: three sentences from behind the first paragraph,"
        " compared with that paragraph by ROUGE. **The first three sentences** are the baseline to beat.",
        n=of["articles"],
    )
    called = {
        "lead": "first three",
        "random": "three by chance",
        **{way: _("PageRank, {way}", way=_(name)) for way, name in ranking.WAYS.items()},
        "degree": "weighted degree, tf-idf",
        **{
            f"{way}{APART}": _("with MMR, {way}", way=_(name)) for way, name in ranking.WAYS.items()
        },
    }
    columns = ("ROUGE-1", LOW, HIGH, "ROUGE-2", "ROUGE-L")
    yield fr.table(
        ("chosen", *columns),
        (
            (name, *(100 * x for x in of[way][0]), 100 * of[way][1][0], 100 * of[way][2][0])
            for way, name in called.items()
        ),
        forms=dict.fromkeys(columns, "%.1f"),
    )
    yield fr.Link("measures", "ROUGE, counted word by word")


def readers(given: fr.Others) -> dict[str, str]:
    return {run.id: run.title for run in given["runs"] if run.id != "bert"}


def usual(given: fr.Others) -> str:
    found = readers(given)
    return "transformer" if "transformer" in found else next(iter(found), "")


@fr.once_told
def walked(
    *, model: Model[Any], turns: tuple[str, ...], word: str, most: int, way: str
) -> fr.Taking[list[dialogue.Seen]]:
    found, after = list[dialogue.Seen](), dialogue.along(model, turns, word, most, way)
    for count in range(1, len(turns)):
        found.append(after(count))
        yield fr.Progress(count / len(turns), "Reading the turns")
    return found


@fr.part("A name that falls out of the window")
def forgets(
    runs: Sequence[Run],
    open_run: Callable[[Run], Model[Any]],
    *,
    turns: str = fr.typed(
        "Turns, a line each; the last is open", samples.DIALOGUE, 3_000, live=True, tall=230
    ),
    word: str = fr.typed("Word that is expected", "Ann", 30, live=True, width=180),
    reads: str = fr.pick("Read by", readers, usual, width=260),
    window: int = fr.slider("Window in tokens", 16, 256, 96, 8, 220),
    way: str = fr.pick("Put back before the window", dialogue.KEEPS, "fits", width=300),
    ask: bool = fr.start("Let it read", ("turns", "word", "reads", "window", "way")),
) -> fr.Blocks:
    yield (
        "A model has no memory but its window. As the talk goes on, the turn with the name falls out of it, and the"
        " name with it; put that turn back, and the name is there again."
    )
    names = ["word", "reads", "window", "way"]
    columns = fr.Controls(["turns"], down=True), fr.Controls(names, down=True)
    yield fr.Beside([[column] for column in columns])
    told = dialogue.turns_of(turns)
    if not word.strip():
        raise ValueError("Type a word.")
    run = next((one for one in runs if one.id == reads), None)
    if run is None:
        raise ValueError("A run that comes with Unrolled is missing here: `make zoo` makes it.")
    model = open_run(run)
    if not model.foretells:
        raise ValueError("This model does not say what comes next; choose a language model.")
    most = min(window, model.context or window)
    if sum(x.size for x in model.weights().values()) > SMALL:
        yield fr.Controls(["ask"])
        if not ask:
            return
    of: dict[str, Any] = {"model": model, "turns": tuple(told), "word": word.strip(), "most": most}
    ways = dict.fromkeys(("none", way))
    found = dict[str, list[dialogue.Seen]]()
    for one in ways:
        found[one] = yield from walked(**of, way=one)
    yield from remembered(told, word.strip(), most, found, way)
    yield fr.Line(
        [
            fr.Link(
                "transformer",
                "Which turns a model still reads",
                {"panel": "part-a-dialogue-in-a-window"},
            ),
            fr.Link("prompting", "Retrieval in a prompt", {"panel": "part-look-it-up-first"}),
        ]
    )


def remembered(
    told: Sequence[str],
    word: str,
    most: int,
    found: Mapping[str, Sequence[dialogue.Seen]],
    way: str,
) -> fr.Blocks:
    """What is in the window now, and how likely the word was after each turn."""
    now = found[way][-1]
    whole = "\n".join(told)
    yield lit(whole, _seen(told, now))
    called = {"none": "window alone"} | {
        name: words for name, words in dialogue.KEEPS.items() if name != "none"
    }
    yield fr.curves(
        "name",
        _("How likely “{word}” is, after each turn", word=word),
        {
            called[one]: (range(1, len(told)), [seen.p for seen in some])
            for one, some in found.items()
        },
        "turns so far",
        "probability",
        _("Window of {n} tokens; the open turn always stands behind them", n=most),
        whole,
        whole=True,
        low=0,
        high=1,
    )
    yield _(
        "Now: the window alone gives **{word}** {p:.1%}{put}.",
        word=escaped(word),
        p=found["none"][-1].p,
        put=_("; with a turn put back {p:.1%}", p=now.p) if now.back >= 0 else "",
    )


def _seen(turns: Sequence[str], seen: dialogue.Seen) -> Marks:
    """What has fallen out of the window, and of that the turn that is put before it."""
    ends = np.cumsum([len(turn) + 1 for turn in turns]).tolist()
    start, stop = (
        (ends[seen.back] - len(turns[seen.back]) - 1, ends[seen.back]) if seen.back >= 0 else (0, 0)
    )
    found: Marks = {
        (0, min(start, seen.out)): (-1.0, "out of the window"),
        (min(stop, seen.out), seen.out): (-1.0, "out of the window"),
    }
    found = {span: mark for span, mark in found.items() if span[1] > span[0]}
    return found | ({(start, stop): (0.6, "put back before the window")} if stop else {})


@fr.once
def nets() -> dict[str, hierarchy.Net]:
    return {way: hierarchy.load(way, store.shipped().arrays) for way in hierarchy.WAYS}


@fr.part("One vector of a document")
def document(
    model: Bert,
    text: str = fr.typed("A film review", samples.REVIEW, MOST, live=True, tall=180),
    way: str = fr.pick("Its vector", hierarchy.WAYS, "both", width=360),
) -> fr.Blocks:
    yield (
        "A **hierarchy**: attention makes one vector of the tokens of a segment, attention over the segments makes"
        " one of"
        " the document, and a line tells good from bad. The stronger a token is marked, the more of the vector is its"
        " own."
    )
    x, spans = hierarchy.segments(model, text)
    if not x:
        raise ValueError("Type a text.")
    of = nets()
    p, a_ST, g_S = hierarchy.answer(of[way], x)
    yield _("Good with **{p:.0%}**, by {n:,} {n|segment|segments}.", p=p, n=len(x))
    weight = [g * a_T for g, a_T in zip(g_S, a_ST, strict=True)]
    top = max(float(w.max()) for w in weight)
    marks = {
        span: (float(w) / top, _("{w:.2%} of the document", w=float(w)))
        for own, w_T in zip(spans, weight, strict=True)
        for span, w in zip(own, w_T, strict=True)
    }
    yield lit(text, marks)
    yield fr.bars(
        "segments",
        "Share of each segment in the document's vector",
        g_S,
        ("label", [f"{n + 1}" for n in range(len(g_S))]),
        Kind.ATTENTION,
    )
    yield from measured_reviews(of, x)
    yield fr.Link("pooling", "Pooling over the states of an LSTM")


def measured_reviews(of: Mapping[str, hierarchy.Net], x: Sequence[np.ndarray]) -> fr.Blocks:
    """What each way says of this text, and how often it is right."""
    results = store.shipped().results["hierarchy"]
    counts, all_N = results["counts"]["right"], results["counts"]["of"]
    rows = [
        (
            words,
            hierarchy.answer(of[name], x)[0],
            results[name]["right"] / all_N,
            *interval.of_share(results[name]["right"], all_N),
        )
        for name, words in hierarchy.WAYS.items()
    ]
    heads = ("its vector", "this text is good", "right", LOW, HIGH)
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], fr.SHARE))
    yield _(
        "Learned on {learned:,} film reviews, measured on {all:,} others of {length:.1f} segments on average. The first"
        " segment alone is worst. Attention does **not** pay with so few: a plain mean is right more often, and counted"
        " words (tf-idf, logistic regression) in {share:.1%}.",
        learned=results["learned"],
        all=all_N,
        length=results["length"],
        share=counts / all_N,
    )


@fr.part("Names, measured")
def measured() -> fr.Blocks:
    of = store.shipped().results["entities"]
    yield _(
        "Learned on {learn:,} sentences of the web, measured on {test:,} others (UNER English EWT). An entity counts"
        " when its kind and both its ends are right.",
        learn=of["sentences"][0],
        test=of["sentences"][1],
    )
    called = {
        "repaired": "likeliest tags that keep the rule",
        "greedy": "likeliest tag of each word",
        "names": "a list of the names learned from, no net",
        **CALLED,
    }
    heads = ("tagged by", "F1", LOW, HIGH, "precision", "recall", "names there")
    yield fr.table(
        heads,
        (
            (
                words,
                own["f1"],
                own["low"],
                own["high"],
                own["right"] / max(1, own["said"]),
                own["right"] / max(1, own["there"]),
                own["there"],
            )
            for words, own in ((words, of[name]) for name, words in called.items())
        ),
        forms={**dict.fromkeys(heads[1:-1], fr.SHARE), "names there": fr.WHOLE},
    )
    yield _(
        "The likeliest tags break the rule {n} times. **This is weak**: the body has 6 layers, reads"
        " everything in lower case, and the head has seen {names:,} names.",
        n=of["broken"][0],
        names=of["known"],
    )


PARTS = (answers, retrieval, summary, forgets, document, measured)
