"""What stands below the live picture: greedy and drawn texts, beam search, writing with counts, what a model pays
for reading its own text, and how long writing takes.

Shapes    V = token ids, T = words of a text, L = lines, N = tokens that follow a passage
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import decode
from engine.analysis.decode.sample import pieces
from engine.analysis.decode.sample import written as sampled
from engine.core.registry import smoothings
from engine.core.trace import Table
from engine.language.markdown import escaped
from engine.language.message import _
from engine.language.numbers import number
from engine.lessons import beam_search
from engine.lessons.counting_context import marked, unknown, without_marks
from engine.lessons.counting_study import says
from engine.lessons.counting_texts import CUTS, OWN, Counted, texts
from engine.lessons.decoding import constrained
from engine.lessons.decoding.forcing import bits, inverse_sigmoid
from engine.lessons.decoding.latency import seconds
from engine.models.base import Model
from engine.ngram.copies import Copies, Span, find_copies
from engine.ngram.generate import Generated, Stop, draw_together
from engine.ngram.suffixes import Suffixes
from engine.runs.store import Run
from engine.text.collection.beginning import by_label, stretches
from engine.views.theme import visible

TEXT, TOKENS = 300, 60  # characters of a beginning, tokens that are written
FEW = 12, 24  # tokens of a text beside one of a wanted form
LONGEST, AROUND = 60, 160  # words of a text; characters around a copy
# of each passage so many characters are given, so many tokens measured
STORIES, PASSAGES, GIVEN, LENGTH, LONG = "stories", 16, 60, 24, 600
READS = {1.0: "reads the truth (teacher forcing)", 0.0: "reads its own (free running)"}
WRITTEN, PROMPT = 160, "The students opened their books because they wanted to read"
WAYS = {True: "with a cache", False: "everything read again for each token"}


# --- what is written


def begins(given: fr.Others) -> str:
    return str(given["above"])[:TEXT]


PROMPTED = fr.shared(fr.typed("The text goes on from", begins, TEXT, width=320, live=True))


@fr.once
def written(
    model: Model[Any], text: str, temperature: float, top_p: float, seed: int
) -> tuple[list[str], np.ndarray, float]:
    """Pieces of a text that is written on, which of them stand in a 4-gram that was there before, and the share of
    such 4-grams."""
    place = decode.read(model, model.tokens(text))
    ids = [*islice(sampled(place, decode.Rules(temperature, top_p=top_p), seed), TOKENS)]
    share, again_T = decode.repeated(ids)
    return [*pieces(int(place.tokens.ids[-1]), ids, model.tokenizer)], again_T, share


@fr.part("Greedy or drawn", was=("texts", "draws", "futures", "seed"))
def drawn(
    model: Model[Any],
    above: str,
    prompt: str = PROMPTED,
    temperature: float = fr.slider("Temperature", 0.1, 2.0, 1.0, 0.1),
    top_p: float = fr.slider("Top-p", 0.1, 1.0, 0.9, 0.05),
    seed: int = fr.number("Seed", 1, 9_999, 1),
) -> fr.Blocks:
    yield (
        "Greedy decoding always takes the likeliest token. Such a text soon says again what it said before: runs of"
        " four tokens that occurred already are marked. A text that is drawn repeats less, and is another one with"
        " each seed."
    )
    texts = {
        "always the likeliest": written(model, prompt, 0.0, 1.0, 0),
        "drawn": written(model, prompt, temperature, top_p, seed),
    }
    yield fr.Beside(
        [
            [
                _("**{name}**, {share:.0%} of the 4-grams repeated", name=_(name), share=share),
                "".join(
                    f":red-background[{escaped(piece)}]"
                    if again and piece.strip()
                    else escaped(piece)
                    for piece, again in zip((prompt, *made), (False, *again_T), strict=True)
                ),
            ]
            for name, (made, again_T, share) in texts.items()
        ]
    )


@fr.part("Beam search", was=("beam", "beams", "long"))
def search(
    model: Model[Any],
    above: str,
    prompt: str = PROMPTED,
    beams: int = fr.pick("Beams", beam_search.BEAMS, 3, few=True),
    *,
    long: int = fr.pick("Steps", beam_search.STEPS, 8, few=True),
    alpha: float = fr.slider("Length penalty α", 0.0, 2.0, 0.0, 0.1),
) -> fr.Blocks:
    yield fr.Controls(["long", "alpha"])
    yield from beam_search.show_beams(model, prompt, beams, long, alpha)


# --- of a wanted form


def form_first(given: fr.Others) -> str:
    return constrained.EXAMPLE[given["form"]]


@fr.part("A wanted form")
def constrained_text(
    model: Model[Any],
    above: str,
    prompt: str = PROMPTED,
    form: str = fr.pick("Write", constrained.FORMS, constrained.WORDS, few=True),
    wanted: str = fr.typed("Form", form_first, 2_000, width=600, tall=70),
    *,
    temperature: float = fr.slider("Temperature: 0 takes the likeliest", 0.0, 2.0, 0.0, 0.1),
    seed: int = fr.number("Seed", 1, 9_999, 1),
) -> fr.Blocks:
    yield (
        "**Constrained decoding** cuts, before each token, all tokens that cannot lead to a text of the wanted form,"
        " and divides what is left by its sum. The text always has the form; the mass that was cut says how far it went"
        " against the model."
    )
    yield fr.Controls(["temperature", "seed"], button="Settings")
    steps, whole, stopped = yield from constrained.written(
        model=model,
        text=prompt,
        form=form,
        wanted=wanted,
        temperature=temperature,
        seed=seed,
        most=TOKENS,
    )
    free = freely(model, prompt, temperature, seed, min(max(FEW[0], len(steps)), FEW[1]))
    made = model.tokenizer.decode([step.id for step in steps][: len(steps) - whole])
    yield fr.Beside(
        [
            ["**Without the form**", escaped(f"{prompt}{free} …")],
            ["**In the form**", f"{escaped(prompt)}{marked_text(made)}"],
        ]
    )
    if stopped:
        yield fr.Warn(stopped)
    elif not whole:
        yield _("It is not finished after {n} tokens.", n=len(steps))
    yield from tell_cut(model, steps)


@fr.once
def freely(model: Model[Any], text: str, temperature: float, seed: int, most: int) -> str:
    place = decode.read(model, model.tokens(text))
    ids = [*islice(sampled(place, decode.Rules(temperature), seed), most)]
    return "".join(pieces(int(place.tokens.ids[-1]), ids, model.tokenizer))


def marked_text(made: str) -> str:
    return f":green-background[{escaped(made)}]" if made.strip() else escaped(made)


def tell_cut(model: Model[Any], steps: Sequence[constrained.Step]) -> fr.Blocks:
    """Which share of the mass was cut before each token, and what of it was likeliest."""
    vocab, end = model.tokenizer.vocab, model.tokenizer.boundary
    tokens = ["■" if step.id == end else visible(vocab[step.id]) for step in steps]
    first = [
        " / ".join(
            f"{'■' if id == end else visible(vocab[id])} ({100 * p:.2g} %)" for id, p in s.cut
        )
        for s in steps
    ]
    hard = min(range(len(steps)), key=lambda n: steps[n].kept)
    yield _(
        "The form left **{mean}** of the mass on average, and least before “{token}”: **{least}**. The likeliest that"
        " was cut there: {first}.",
        mean=number(float(np.mean([step.kept for step in steps])), True),
        token=escaped(tokens[hard]),
        least=number(steps[hard].kept, True),
        first=escaped(first[hard]) or "–",
    )
    title = "What was left before each token, and what was likeliest among what was cut"
    rows = [(t, s.p, s.kept, f) for t, s, f in zip(tokens, steps, first, strict=True)]
    yield fr.Chart(
        "cut",
        title,
        "kept",
        (Table.of_rows("cut", title, ("token", "written", "kept", "first"), rows),),
        "■ is the end of the text.",
        fluid=True,
    )
    heads = ("token", "P before", "P after", "tokens allowed", "mass cut", "cut first")
    shares = {"mass cut": fr.SHARE, "tokens allowed": fr.WHOLE}
    table = fr.table(
        heads,
        [
            (token, step.p, step.p / step.kept, step.allowed, 1 - step.kept, words)
            for token, step, words in zip(tokens, steps, first, strict=True)
        ],
        forms=shares,
        bars=["mass cut"],
    )
    yield fr.Behind("The numbers", [table])
    yield fr.Note(
        "The product of the probabilities after the cut is not the model's probability of the text among all texts of"
        " that form: a beginning that fits may lead to an end that the model finds unlikely."
    )


# --- writing with counts


def counted_texts(given: fr.Others) -> dict[str, str]:
    return {preset.id: preset.title for preset in texts().values() if preset is not OWN}


def methods(given: fr.Others) -> dict[str, str]:
    return {id: smoothings.get(id).title for id in smoothings.ids()}


@fr.once
def suffixes(counted: Counted) -> Suffixes:
    return Suffixes(counted.study.stream)


@fr.part("Writing with counts", was=("written", "copies", "orders"))
def counts(
    corpus: str = fr.pick("Counts of", counted_texts, STORIES, width=200),
    longest: int = fr.pick("Longest n-gram", (1, 2, 3, 4, 5), 5, few=True),
    begin: str = fr.typed("Begin with", "", 500, "nothing: the start of a sentence", width=240),
    *,
    written: int = fr.slider("Words", 0, LONGEST, 12),
    draw: int = fr.number("Seed", 1, 9_999, 1),
    temperature: float = fr.slider("Temperature: 0 picks the likeliest word", 0.0, 2.0, 1.0, 0.1),
    least: int = fr.slider("Shortest run that counts as a copy", 2, 12, 5),
    cut: str = fr.pick("Cut into", tuple(CUTS), few=True),
    method: str = fr.pick("Smoothing", methods, "modified_kneser_ney"),
) -> fr.Blocks:
    behind = fr.Controls(["temperature", "least", "cut", "method"], button="Settings")
    yield fr.Line([fr.Controls(["written", "draw"]), behind])
    counted = Counted(next(p for p in texts().values() if p.id == corpus), longest, cut)
    study = counted.study
    tokens = study.tokenizer.encode(without_marks(begin).replace("\n", " "))
    yield from marked(begin)
    if words := unknown(tokens):
        missing = "{words}: not in the counted text, so read as `<unk>`. A shorter context answers after it."
        yield fr.Note(_(missing, words=words))
    found = by_order(counted, method, tokens.ids.tolist(), written, temperature, draw)
    main = found[-1]
    yield fr.Presets(
        "One word more, the whole sentence, or another one",
        {
            "Next word": {"written": written + 1},
            "Whole sentence": {"written": LONGEST},
            "Start again": {"written": 0},
            "Another sample": {"draw": draw % 9_999 + 1},
        },
        open=True,
    )
    if not len(tokens) + len(main.steps):
        yield "Nothing is written yet."
        return
    title = "The same random numbers, one row per order; the last one is the text"
    yield strip(counted, tokens.labels, found, tokens.ids.tolist(), least, title, method)
    if main.stop is not Stop.LENGTH:
        yield fr.Note(main.stop.value)
    yield (
        "The colour shows the order that chose a word: 3 means that the two words before it decided."
        " Order 1 sees no context. A longer context makes the text read better, and makes it copy more."
    )
    of = copied(counted, tokens.ids.tolist(), main)
    span = max(of.spans, key=lambda s: s.length, default=None)
    if span is None:
        yield "No part of it occurs in the counted text."
        return
    yield _(
        "**{share:.0%}** of the text lies in runs of {least} or more words that occur in the counted text;"
        " these are underlined. The longest run has **{n}** {n|word|words}.",
        share=of.share(least),
        least=least,
        n=span.length,
    )
    yield home_of(counted, span)


def by_order(
    counted: Counted, method: str, given: Sequence[int], length: int, temperature: float, seed: int
) -> list[Generated]:
    """By the models of orders 1 to n, from the same random numbers."""
    study, kind = counted.study, smoothings.get(method)()
    models = [study.at_order(kind, m) for m in range(1, study.order + 1)]
    context = (study.tokenizer.boundary, *given)
    return list(draw_together(models, context, length=length, temperature=temperature, seed=seed))


def copied(counted: Counted, given: Sequence[int], text: Generated) -> Copies:
    """What of a text stands in the counted one."""
    return find_copies(suffixes(counted), np.array([*given, *text.ids], np.int64))


def strip(
    counted: Counted,
    labels: Sequence[str],
    by: Sequence[Generated],
    given: Sequence[int],
    least: int,
    title: str,
    method: str,
) -> fr.Chart:
    """Texts word by word; what lies in a copied run is underlined."""
    made: list[tuple[str, str, float, float, bool]] = []
    vocab, size = counted.study.vocab, len(labels)
    for n, text in enumerate(by, 1):
        words = [(word, np.nan, 1.0) for word in labels]
        words += [(vocab[s.id], s.order, s.probability) for s in text.steps]
        mark = copied(counted, given, text).covered(least) if words else np.zeros(size, bool)
        made += [
            (_("order {n}", n=n), *word, is_copied)
            for word, is_copied in zip(words, mark.tolist(), strict=True)
        ]
    table = Table.of_rows("orders", title, ("text", "word", "value", "p", "marked"), made)
    options = {"measure": "n-gram order", "signed": False, "rows": "written by"}
    tokenizer = counted.study.tokenizer
    ids = [*given, *(i for i in by[-1].ids if i != tokenizer.boundary)]
    note = _("{study}, {method}", study=says(counted), method=_(methods({})[method]))
    return fr.Chart(
        "orders",
        title,
        "activations",
        (table,),
        note,
        tokenizer.decode(ids),
        counted.id,
        options=options,
    )


def home_of(counted: Counted, span: Span) -> fr.Words:
    """The line of the corpus in which a run begins, the run in bold."""
    of = counted.study
    mark_L = np.flatnonzero(of.stream == of.tokenizer.boundary)
    line = min(int(np.searchsorted(mark_L, span.place, side="right")) - 1, len(of.lines) - 1)
    text, begin = of.lines[line], span.place - int(mark_L[line]) - 1
    spans = of.tokenizer.encode(text).spans[max(0, begin) : begin + span.length]
    start, stop = (spans[0][0], spans[-1][1]) if spans else (0, 0)
    left, right = text[max(0, start - AROUND) : start], text[stop : stop + AROUND]
    bold = f" **{escaped(text[start:stop])}** " if stop > start else ""
    return _(
        "It occurs there {n:,} {n|time|times}, first in line {line:,}: {text}",
        n=span.count,
        line=line + 1,
        text=f"{escaped(left)}{bold}{escaped(right)}",
    )


# --- what is read in training and in use


def passages(model: Model[Any], id: str) -> list[tuple[str, tuple[int, ...]]]:
    """(given, ids of what truly follows) of passages of a text; what is too short for that is left
    out."""
    found = []
    for passage in stretches(id, PASSAGES, LONG):
        given = passage[: max(passage.find(" ", GIVEN), GIVEN)]
        truth = tuple(model.tokens(passage).ids[len(model.tokens(given)) :][:LENGTH].tolist())
        if len(truth) == LENGTH or (truth and id == STORIES):  # some stories are shorter
            found.append((given, truth))
    return found


@fr.once_told
def exposed(*, model: Model[Any], id: str, shares: tuple[float, ...]) -> fr.Taking[np.ndarray]:
    """Bits (share, passage, place) of the true tokens, where so large a share of what is read is
    true."""
    asked, made = passages(model, id), list[np.ndarray]()
    for share in shares:
        for n, (given, truth) in enumerate(asked):
            done = len(made) / (len(shares) * len(asked))
            yield fr.Progress(done, "Reading the passages…")
            row = bits(decode.read(model, model.tokens(given)), truth, share, seed=n)
            made.append(np.pad(row, (0, LENGTH - len(row)), constant_values=np.nan))
    return np.array(made).reshape(len(shares), len(asked), LENGTH)


def shifted(model: Model[Any], text: str) -> list[dict[str, Any]]:
    """What is read at each step, what should come, and with which probability it is foretold."""
    trace = model.trace(text[:120], fields=("probability",))
    steps = range(min(10, len(trace.ids) - 1))
    p_TV = trace.field("probability").values if steps else np.zeros((0, 0))
    return [
        {
            "step": t + 1,
            "read": visible(trace.tokens[t]) if trace.spans[t][1] else "start",
            "should say": visible(trace.tokens[t + 1]),
            "P": f"{100 * p_TV[t, trace.ids[t + 1]]:.3g} %",
        }
        for t in steps
    ]


@fr.part("Teacher forcing and free running", was=("forcing", "exposure.text"))
def forcing(
    model: Model[Any],
    run: Run,
    mine: str,
    text: str = fr.typed(
        "A text", lambda given: given["mine"] or "The king said that he would", 600, width=320
    ),
    truth: float = fr.pick(
        "Share of true tokens that are read",
        {0.25: "25 %", 0.5: "50 %", 0.75: "75 %", 0.9: "90 %"},
        0.75,
        slide=True,
    ),
    corpus: str = fr.pick(
        "Passages to predict",
        lambda given: {corpus.id: label for label, corpus in by_label().items()},
        STORIES,
    ),
    measure: bool = fr.start("Measure on this model", ("corpus", "truth")),
) -> fr.Blocks:
    yield (
        "In training the model reads the **true** text, whatever it would have written itself: teacher"
        " forcing. So all positions of a text are learned in one pass. In use it reads **its own** tokens,"
        " and every later step reads an early mistake: free running."
    )
    if rows := shifted(model, text):
        yield fr.Rows(rows)
        yield fr.Note(
            "Teacher forcing: what it should say is what it reads next. P is the probability the model"
            " gave to the correct token."
        )
    if measure:
        shares = (1.0, truth, 0.0)
        try:
            found = yield from exposed(model=model, id=corpus, shares=shares)
        except LookupError as problem:
            raise ValueError(str(problem)) from problem
        if not found.size:
            raise ValueError("This text has no passage that is long enough. Choose another one.")
        yield from tell_cost(found, shares, run)
    steps = (0, 5_000, 6_908, 10_000)
    yield (
        "**Scheduled sampling** trains for this: with probability ε a training step reads the true token,"
        " otherwise the model's own. ε begins at 1 and falls with the step i, for instance as an inverse"
        " sigmoid:"
    )
    yield fr.Formula(r"\varepsilon_i = \frac{k}{k + e^{i/k}}, \quad k \geq 1")
    yield _(
        "A larger k keeps the true tokens longer: with k = 1,000, ε is {one:.3f}, {two:.3f}, {three:.3f}"
        " and {four:.3f} at the steps 0, 5,000, 6,908 and 10,000. The models here were trained with"
        " teacher forcing alone.",
        **dict(
            zip(
                ("one", "two", "three", "four"),
                (inverse_sigmoid(s, 1000) for s in steps),
                strict=True,
            )
        ),
    )


def tell_cost(found: np.ndarray, shares: Sequence[float], run: Run) -> fr.Blocks:
    """What the true text costs by what is read."""
    truth, _some, own = np.nanmean(found, axis=(1, 2))
    yield _(
        "Over {length} tokens of {n} passages, the true text costs **{truth:.2f} bits** a token if the"
        " model reads it, **{own:.2f} bits** if it reads its own: a gap of **{gap:.2f} bits**,"
        " {first:.2f} at the first place, where both have read the same. Not all of the gap is error: the"
        " model's own text may be good and still not predict this one.",
        length=LENGTH,
        n=found.shape[1],
        truth=truth,
        own=own,
        gap=own - truth,
        first=float(np.nanmean(found[2, :, 0] - found[0, :, 0])),
    )
    names = [READS.get(share, f"reads {100 * share:.0f} % of the truth") for share in shares]
    places = range(1, LENGTH + 1)
    series = {n: (places, np.nanmean(rows, 0)) for n, rows in zip(names, found, strict=True)}
    title = _(
        "Bits of the true token at each place, mean over {shape} passages.", shape=found.shape[1]
    )
    x, y = "place behind what was given (tokens)", "surprisal of the true token (bits)"
    yield fr.curves("exposure", title, series, x, y, run.title, whole=True, every=True)


# --- how long it takes


@fr.once_told
def timed(*, model: Model[Any], length: int) -> fr.Taking[dict[bool, np.ndarray]]:
    """By whether there is a cache, milliseconds until each token was there; a model that carries
    nothing has one way."""
    place, ways = decode.read(model, model.tokens(PROMPT)), (True, False)[not model.carries :]
    count = min(length, (model.context or 10**6) - len(place.tokens))
    found: dict[bool, list[float]] = {way: [] for way in ways}
    for keeps, made in found.items():
        list(seconds(place, 3, keeps))  # the first steps of a model are slower
        for spent in seconds(place, count, keeps):
            made.append(1000 * spent)
            done = sum(map(len, found.values()))
            yield fr.Progress(done / (count * len(ways)), _("{n} tokens written", n=done))
    return {way: np.array(made) for way, made in found.items()}


@fr.part("How long does writing take?", was=("latency",))
def latency(model: Model[Any], run: Run, *, measure: bool = fr.start("Measure here")) -> fr.Blocks:
    if not model.carries:
        yield (
            "This model stores nothing from one token to the next: it reads only the last few tokens, so"
            " each token takes the same time."
        )
    else:
        keys = "keys and values of all tokens read (the **KV cache**)"
        yield _(
            "A decoder writes one token after the other, and each has to wait for the one before. If the"
            " model stores {what}, each new token is one step. If it reads everything again, token n takes"
            " n steps, and the whole text about n²/2.",
            what=_(keys) if "key" in model.carries else _("its state"),
        )
    yield fr.Controls(["measure"])
    if not measure:
        return
    found = yield from timed(model=model, length=WRITTEN)
    cached, again = found.get(True), found[False]
    if cached is not None:
        yield _(
            "**{n} tokens: {cached:.2f} s with a cache, {again:.2f} s without, {times:.1f} times as long.**"
            " The last ten tokens took {late:.1f} ms each with a cache, and {late_again:.1f} ms without.",
            n=len(cached),
            cached=cached[-1] / 1000,
            again=again[-1] / 1000,
            times=again[-1] / cached[-1],
            late=(cached[-1] - cached[-11]) / 10,
            late_again=(again[-1] - again[-11]) / 10,
        )
    series = {WAYS[way]: (range(1, len(ms) + 1), ms) for way, ms in found.items()}
    title, x = (
        "Milliseconds until n tokens are written, measured on this computer.",
        "tokens written",
    )
    yield fr.curves("latency", title, series, x, "time so far (ms)", run.title, whole=True)


PARTS = (drawn, search, constrained_text, forcing, counts, latency)
