"""What stands below the live pictures: how good a translator is, what length costs it, how its text and the length
of it are decided, and where it looks.

Shapes    T = steps, S = source tokens, M = tokens of a text, L = layers, N = heads
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from engine import ROOT
from engine import frame as fr
from engine.analysis import back_translation
from engine.analysis.costs import layers
from engine.analysis.decode.beam import score
from engine.analysis.measures import bleu
from engine.core.tap import Recorder
from engine.core.trace import FieldSpec, Kind
from engine.language.markdown import escaped
from engine.language.message import _
from engine.language.numbers import figures
from engine.lessons import beam_search
from engine.lessons.translation import alignment, coverage, stopping
from engine.lessons.translation.live import list_words, sides
from engine.models.abilities import Remembers
from engine.models.translating import BETWEEN, TranslatingModel, pair_of
from engine.runs.store import SHIPPED, Run, RunStore, digest
from engine.text.corpora.phrases import CORPUS as PHRASES

Pairs = tuple[tuple[str, str], ...]
HELD_OUT = ROOT / "assets" / "held_out_spanish.txt"
SENTENCES, MADE, LINKED = 1500, 200, 150  # new sentences of the grammar, by what they are for
MOST = 200  # characters
COMPARED = 6  # translators in one picture
BINS = ((3, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10), (11, 11), (12, 99))  # words
THERE, BACK = "translator_spanish", "translator_english"
DRAWN, SHORT = 4, 80  # ways back, and characters of a sentence that goes there and back
EXAMPLE = "The king of Israel said to the people, Go up to the city."
BEAM, LONGEST, READ = 6, 30, 40  # READ: tokens of the source


def begins(given: fr.Others) -> str:
    """The source of what stands in the box above."""
    return BETWEEN.split(str(given["above"]), maxsplit=1)[0][:MOST]


SENTENCE = fr.shared(fr.typed("The sentence", begins, MOST, live=True))


@fr.once
def sentences() -> Pairs:
    """Pairs of the grammar that do not stand in the built-in text."""
    return tuple(PHRASES.unseen(SENTENCES, 2))


@fr.once
def of_the_grammar() -> str:
    return digest(PHRASES.text())


def learned_it(run: Run) -> bool:
    """Whether a translator has learned from the grammar's sentences."""
    return bool(run.note["corpus"].get("digest") == of_the_grammar())


def require_attention(model: TranslatingModel[Any]) -> None:
    """ValueError where a translator has no attention."""
    if "cross.attention" not in {spec.name for spec in model.spec()}:
        raise ValueError(
            "This model has no attention, so no word is looked at. Choose another one above."
        )


def find_unseen(run: Run) -> Pairs:
    """Pairs that a translator has not learned from: of four books of the Bible for one of real
    sentences, new ones for one of the grammar; none for any other."""
    if learned_it(run):
        return sentences()[:MADE]
    if "Spanish" not in sides(run):
        return ()
    lines = HELD_OUT.read_text(encoding="utf-8").splitlines()
    pairs = [pair_of(number, line) for number, line in enumerate(lines, 1)]
    back = sides(run)[0] == "Spanish"
    return tuple((target, source) if back else (source, target) for source, target in pairs)


@fr.once
def written(model: TranslatingModel[Any], pairs: Pairs) -> tuple[list[str], bleu.Bleu]:
    made = model.translations([source for source, __ in pairs])
    return made, bleu.measure(made, [target for __, target in pairs])


@fr.part("How good it is", was=("The words it knows",))
def quality(model: TranslatingModel[Any], run: Run) -> fr.Blocks:
    yield fr.Behind("The words it knows", [list_words(model)])
    pairs = find_unseen(run)
    if not pairs:
        raise ValueError(
            "No pairs are here that this model has not learned from. With some of your own, a text,"
            " a tab and its translation a line: `python -m engine translate RUN --text FILE --bleu`."
        )
    made, found = written(model, pairs)
    first, second = sides(run)
    real = "Spanish" in (first, second)
    yield _(
        "**BLEU {of.score:.1f}** on {n} {what}, by always taking the likeliest token."
        " Drawn again, as many sentences give {of.interval[0]:.1f} to {of.interval[1]:.1f} in 95 of 100"
        " cases.",
        of=found,
        n=len(pairs),
        what=_(
            "sentences of Ruth, Jonah, Philippians and James, four books of the Bible that it never saw"
            if real
            else "new sentences of the small grammar that it learned from"
        ),
    )
    yield _(
        "BLEU counts what of the written {second} stands in the right translation: {p[0]:.1%} of its"
        " words, {p[1]:.1%} of its pairs, {p[2]:.1%} of its runs of three and {p[3]:.1%} of four; the"
        " geometric mean of these, times {of.brevity:.3f} because it wrote {of.lengths[0]:,} words where"
        " {of.lengths[1]:,} are right. 100 is the right translation to the letter, but a good one with"
        " other words gets far less.",
        second=_(second),
        p=found.precisions,
        of=found,
    )
    if real:
        yield (
            "This is far from a good translator: a small model, and about 9,500 short sentences of an"
            " old book. It writes the language of that book. A greeting, a king or a question comes out,"
            " the sense of a whole sentence seldom; rare words are lost, names misspelt, ends made up."
            " Systems in use learn from millions of sentences. A few pairs below do not belong"
            " together, for they were found by counting sentences."
        )
    yield fr.Rows(
        [
            {first: source, "written": mine, "right": target}
            for (source, target), mine in zip(pairs, made, strict=True)
        ],
        tall=460,
    )


@fr.once
def find_right(model: TranslatingModel[Any], pairs: Pairs) -> np.ndarray:
    """Which pairs are translated word for word."""
    numbered = model.numbered(pairs)
    batches = [numbered[i : i + 256] for i in range(0, len(numbered), 256)]
    return np.concatenate([model.right(batch) for batch in batches])


def label(least: int, most: int) -> str:
    if least == most:
        return str(least)
    return (
        _("{least} or more", least=least)
        if most == 99
        else _("{least} to {most}", least=least, most=most)
    )


def grouped(lengths: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share that is right in each of BINS (nan without a sentence), and how many sentences there
    are."""
    inside = [(lengths >= least) & (lengths <= most) for least, most in BINS]
    share = [right[some].mean() if some.any() else np.nan for some in inside]
    return np.array(share), np.array([some.sum() for some in inside])


def find_others(runs: Iterable[Run], run: Run) -> list[Run]:
    """Translators of the same sentences; those of other pages are many and alike."""
    return [
        one
        for one in runs
        if one.step is None
        and learned_it(one)
        and (one.id == run.id or not one.id.startswith(("score_", "scope_")))
    ][:COMPARED]


@fr.part(
    "How long a sentence it can take", was=("part-one-vector", "part-what-reaches-the-first-word")
)
def lengths(run: Run, runs: Sequence[Run], open_run: Any) -> fr.Blocks:
    pairs, shown = sentences(), find_others(runs, run)
    if not shown:
        raise ValueError(
            "New sentences with a known answer come from the grammar behind the built-in text"
            " *English and French*; no translator here learned from it."
        )
    words = np.array([len(english.split()) for english, __ in pairs])
    models, found = [open_run(one) for one in shown], []
    for n, model in enumerate(models):
        yield fr.Progress(n / len(models), "Translating new sentences…")
        found.append(grouped(words, find_right(model, pairs)))
    counts = found[0][1]
    yield _(
        "These are {n:,} sentences that no model saw in training, {least} to {most} of each length."
        " Without attention, the whole English sentence has to fit into the decoder's initial state,"
        " the same few hundred numbers for four words as for twelve. With attention, every step can"
        " look at the English again.",
        n=len(pairs),
        least=counts.min(),
        most=counts.max(),
    )
    yield fr.curves(
        "lengths",
        "New sentences that are translated word for word, by the number of English words",
        {
            one.title: ([least if most == 99 else most for least, most in BINS], share)
            for one, (share, __) in zip(shown, found, strict=True)
        },
        "English words",
        "share right",
        _(
            "{pairs:,} new sentences, always the likeliest word; at {bins} those of"
            " {value} words, at {bins_2} those of {value_2}",
            pairs=len(pairs),
            bins=BINS[0][1],
            value=label(*BINS[0]),
            bins_2=BINS[-1][0],
            value_2=label(*BINS[-1]),
        ),
        whole=True,
        low=0,
        high=1,
    )
    yield fr.table(
        ("model", "parameters", "all", "up to 6 words", "11 words or more"),
        [
            (
                one.title,
                f"{sum(p.numel() for p in model.net.parameters()):,}",
                *(_share(share[at], count[at]) for at in (slice(8), slice(2), slice(-2, None))),
            )
            for one, model, (share, count) in zip(shown, models, found, strict=True)
        ],
    )


def _share(share: np.ndarray, count: np.ndarray) -> str:
    return f"{100 * np.nansum(share * count) / count.sum():.1f} %" if count.any() else "–"


@fr.once
def texts_of(
    model: TranslatingModel[Any], text: str
) -> tuple[tuple[stopping.Text, ...], np.ndarray]:
    """Of a sentence the likeliest translation of each length, and where the likeliest of all could end."""
    source = model.source(text).ids
    source = np.append(source[:-1][:READ], source[-1])
    every = stopping.best(model, source, BEAM, min(LONGEST, model.config.context - 2))
    return every, stopping.ends(model, source, max(every, key=lambda text: text.total).ids)


@fr.part("How its length is decided", was=("read_text", "penalty"))
def stops(
    model: TranslatingModel[Any],
    above: str,
    read_text: str = SENTENCE,
    *,
    penalty: float = fr.slider("Length penalty α", 0.0, 2.0, 0.6, 0.1),
) -> fr.Blocks:
    yield (
        "No part of a translator knows how long its text will be. The end mark `</s>` is a word"
        " like any other: at every step it has a probability, and the text ends where it is"
        " written. So the probability of a text has one factor more than it has words:"
    )
    yield fr.Formula(
        r"P(y_1 \ldots y_M \mid x) = \prod_{m=1}^{M} p(y_m \mid y_{<m}, x) \cdot"
        r" p(\text{stop} \mid y_1 \ldots y_M, x)"
    )
    if not read_text.strip():
        raise ValueError("Type a sentence to translate.")
    every, ends_M = texts_of(model, read_text)
    likeliest = max(every, key=lambda one: one.total)
    vocab = model.tokenizer.vocab
    yield "**The end mark along the likeliest text**"
    before = ["the start mark", *(vocab[id].strip() for id in likeliest.ids)]
    on_M = np.concatenate(([1.0], np.cumprod(1 - ends_M)))
    yield fr.table(
        ("behind the token", "tokens so far", "P(stop) here", "P(not before)", "ends here"),
        [
            (word, m, *map(figures, (p, on, p * on)))
            for m, (word, p, on) in enumerate(zip(before, ends_M, on_M, strict=False))
        ],
        tall=430,
    )
    yield (
        "**The likeliest text of each length.** Every word is a factor below 1, so a sum of"
        " logarithms alone favours short texts. A search therefore compares"
        " $\\ln P(Y) / |Y|^\\alpha$, with $|Y|$ the tokens and the end mark: α = 0 compares"
        " probabilities, α = 1 means per token."
    )
    yield fr.Controls(["penalty"])
    scores = [score(one.total, len(one.ids) + 1, penalty) for one in every]
    top = int(np.argmax(scores))
    yield fr.Rows(
        [
            {
                "chosen": "✓" if m == top else "",
                "tokens": m,
                "text": model.tokenizer.decode(list(one.ids)).strip(),
                "ln P of the words": round(one.words, 2) + 0.0,
                "ln P(stop)": round(one.stop, 2) + 0.0,
                "ln P": round(one.total, 2) + 0.0,
                "score": scores[m],
            }
            for m, one in enumerate(every)
            if one.total > likeliest.total - 40 or m == top
        ],
        dict.fromkeys(("ln P of the words", "ln P(stop)", "ln P"), "%.2f"),
        tall=420,
    )


@fr.once
def weights_of(
    model: TranslatingModel[Any], text: str
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Weights (L, N, T, S) of the steps that write the likeliest translation and its end, the
    source and what each step writes."""
    source = model.source(text).ids
    source = np.append(source[:-1][:READ], source[-1])
    ids = model.translated(torch.from_numpy(source)[None], LONGEST)[0]
    recorder = Recorder((), {"cross.attention"})
    spec = next(s for s in model.spec() if isinstance(s, FieldSpec) and s.name == "cross.attention")
    with torch.inference_mode():
        read = model.halves.read(torch.from_numpy(source)[None], recorder)
        model.halves.write(torch.tensor([[model.start, *ids[:-1]]]), read, recorder)
    vocab = model.tokenizer.vocab
    return recorder.values(spec), tuple(vocab[i] for i in source), tuple(vocab[i] for i in ids)


def ways(given: fr.Others) -> Mapping[str, str]:
    """The mean of all heads, and each."""
    config = given["model"].config
    count = 1 if isinstance(given["model"], Remembers) else config.heads
    heads = [(i, j) for i in range(config.layers) for j in range(count)]
    each = (
        {f"{i}.{j}": _("layer {i}, head {j}", i=i + 1, j=j + 1) for i, j in heads}
        if heads[1:]
        else {}
    )
    return {"mean": "mean of all heads", **each}


@fr.part("Which words it covered", was=("covered_by", "beta"))
def covered(
    model: TranslatingModel[Any],
    above: str,
    read_text: str = SENTENCE,
    covered_by: str = fr.pick("Attention", ways),
) -> fr.Blocks:
    require_attention(model)
    yield (
        "Each step spreads a weight of 1 over the source. Added up over the steps, the weights of a"
        " word are its **coverage**: near 0 where nothing looked at it, which may be a word left"
        " out, and well above 1 where several steps did, which may be a word said twice, or one that"
        " needs several words."
    )
    if not read_text.strip():
        raise ValueError("Type a sentence to translate.")
    look_LNTS, source, written = weights_of(model, read_text)
    look_TS = look_LNTS.mean((0, 1))
    if covered_by != "mean":
        layer, head = map(int, covered_by.split("."))
        look_TS = look_LNTS[layer, head]
    yield fr.grid(
        "coverage",
        "Weight of each source word at the step that writes each word",
        look_TS,
        ("token", written),
        ("source", source),
        Kind.GATE,
        text=read_text,
    )
    sum_S, steps_T = coverage.sums(look_TS), look_TS.argmax(1)
    yield fr.table(
        ("source word", "coverage", "steps that look most at it", "looked at"),
        [
            (
                word,
                f"{c:.3f}",
                " ".join(written[t] for t in np.flatnonzero(steps_T == s)),
                "hardly looked at" if c < 0.5 else "more than once" if c > 1.5 else "about once",
            )
            for s, (word, c) in enumerate(zip(source, sum_S, strict=True))
        ],
        tall=420,
    )
    again_T = coverage.again(look_TS)
    yield fr.Formula(
        r"cp = \sum_s \ln \min\Big(\sum_t a_{ts},\, 1\Big) = "
        rf"{coverage.penalty(look_TS):.4f}"
    )
    yield _(
        "A beam search adds it, times 0.2 or so, to the score of a text, so that one that leaves words out"
        " falls behind. In training the opposite can be charged, what is looked at *again*: the sum over"
        " the source of min(weight, coverage so far), here **{again:.3f}** over {n} steps, most where"
        " “{word}” is written ({most:.3f}). None of the models here was trained with it.",
        again=again_T.sum(),
        n=len(again_T),
        word=escaped(written[int(again_T.argmax())]),
        most=again_T.max(),
    )


@fr.once
def measure_alignment(model: TranslatingModel[Any]) -> tuple[alignment.Alignment, dict[str, float]]:
    """Alignment and exactness on sentences that the shipped model never saw; seed 0 is what it
    learned from."""
    known = {pair.english for pair in PHRASES.pairs}
    new = [pair for pair in PHRASES.generate(2 * LINKED, 1) if pair.english not in known][:LINKED]
    return alignment.measure(model, new), model.judge([f"{p.english}\t{p.french}" for p in new])


@fr.part("Which head follows the words")
def heads(model: TranslatingModel[Any], run: Run) -> fr.Blocks:
    if model.config.tokenizer != "words":
        raise ValueError(
            "The correct alignment is known for whole words; this model reads pieces of words."
        )
    require_attention(model)
    found, judged = measure_alignment(model)
    yield _(
        "The grammar that made the sentences knows which word stands for which. Here are {n}"
        " sentences that it never saw in training: **{exact:.0%}** of them are translated word for word"
        " by always taking the likeliest word. For each of {steps:,} steps it is known which English"
        " word is the right one to look at. To point at the English word in the same place would be"
        " right in {place:.0%}, and in {crossing:.0%} of the {crosses:,} steps where word order crosses"
        " (“black cat”, “chat noir”).",
        n=int(judged["pairs"]),
        exact=judged["exact"],
        steps=found.steps,
        place=found.place,
        crossing=found.place_crossing,
        crosses=found.steps_crossing,
    )
    layers, count = found.hits.shape
    axes = ("layer", range(1, layers + 1)), ("head", range(1, count + 1))
    yield fr.Beside(
        [
            [
                fr.grid(
                    name,
                    _(title),
                    values,
                    *axes,
                    Kind.GATE,
                    _("{linked} new sentences, {title}", linked=LINKED, title=_(run.title)),
                )
            ]
            for name, title, values in (
                ("all", "All steps: share that look at the right word", found.hits),
                ("crossing", "Steps whose word crosses another", found.crossing),
            )
        ]
    )
    yield _(
        "The words are followed best by {best}, in **{hits:.0%}** of all steps; where word order crosses, by"
        " {other}: **{crossing:.0%}**. A head that misses is not useless: it may read number, gender or"
        " tense, and what an encoder leaves at a word holds some of its neighbours too. And looking is"
        " not using: a weight says where a head looks, not what the answer depends on.",
        best=_head(found.hits),
        hits=found.hits.max(),
        other=_head(found.crossing),
        crossing=found.crossing.max(),
    )


def _head(values_LN: np.ndarray) -> str:
    layer, head = divmod(int(values_LN.argmax()), values_LN.shape[1])
    return _("head {head} of layer {layer}", head=head + 1, layer=layer + 1)


@fr.part("Greedy or beam search", was=("beam", "beams", "long"))
def search(
    model: TranslatingModel[Any],
    above: str,
    read_text: str = SENTENCE,
    beams: int = fr.pick("Beams", beam_search.BEAMS, 3, few=True),
    *,
    long: int = fr.pick("Steps", beam_search.STEPS, 8, few=True),
    alpha: float = fr.slider("Length penalty α", 0.0, 2.0, 0.6, 0.1),
) -> fr.Blocks:
    yield fr.Controls(["long", "alpha"])
    if not read_text.strip():
        raise ValueError("Type a sentence to translate.")
    yield from beam_search.show_beams(model, read_text, beams, long, alpha)


def translators(given: fr.Others) -> dict[str, str]:
    """Those that stand for themselves; the small ones of other pages are many and alike."""
    return {
        run.id: run.title
        for run in given["runs"]
        if run.step is None and not run.id.startswith(("score_", "scope_"))
    }


def first_of(id: str) -> Callable[[fr.Others], str]:
    return lambda given: id if id in (all := translators(given)) else next(iter(all), "")


@fr.once
def come_back(there: TranslatingModel[Any], back: TranslatingModel[Any]) -> bleu.Bleu:
    """How much of the sentences that neither has seen comes back, by the likeliest tokens."""
    english = [source for source, _target in find_unseen(RunStore(SHIPPED).find(THERE))]
    made = back_translation.there_and_back(there, back, english)
    return bleu.measure([one for _abroad, one in made], english)


@fr.part("There and back")
def there_and_back(
    runs: Sequence[Run],
    open_run: Any,
    text: str = fr.typed("A sentence", EXAMPLE, SHORT, live=True, width=460),
    there: str = fr.pick("There", translators, first_of(THERE), width=280),
    back: str = fr.pick("Back", translators, first_of(BACK), width=280),
    heat: float = fr.slider("Temperature", 0.1, 1.5, 0.5, 0.1, width=180),
    again: int = fr.again("Another draw"),
) -> fr.Blocks:
    yield (
        "**Back-translation**: a sentence goes through one translator into another language, and through a second one"
        " back. What comes back should say the same in other words: one more line with the same label for a"
        " classifier, or, half of the way, one more pair for a translator. The tokens are drawn; a higher temperature"
        " gives more different sentences, and worse ones."
    )
    if not text.strip():
        raise ValueError("Type a sentence to translate.")
    open_runs = {run.id: run for run in runs}
    if not {there, back} <= open_runs.keys():
        raise ValueError("This part needs a translator for each way; train or import one.")
    pair = open_run(open_runs[there]), open_run(open_runs[back])
    (likeliest,) = back_translation.there_and_back(*pair, [text])
    drawn = back_translation.there_and_back(*pair, [text] * DRAWN, heat, again)
    rows = [("0", *likeliest), *((f"{heat:g}", *row) for row in drawn)]
    yield fr.table(
        ("T", "There", "Back", "in common"),
        [(*row, bleu.measure([row[-1]], [text]).precisions[0]) for row in rows],
        forms={"in common": fr.SHARE},
        folds=True,
    )
    yield fr.Note(
        "T: the temperature; 0 takes the likeliest tokens. In common: words that are yours, too."
    )
    if (there, back) == (THERE, BACK):
        found = come_back(*pair)
        yield _(
            "Both learned from about 9,500 short sentences of an old book, and the sense seldom survives. Of {n}"
            " sentences of that book that neither has seen the likeliest way back has **BLEU {of.score:.1f}** with the"
            " sentence itself, {of.precisions[0]:.0%} of its words. Of other texts little comes back.",
            n=len(find_unseen(open_runs[there])),
            of=found,
        )
    yield fr.Link(
        "tasks", "What such lines are worth to a head", {"panel": "part-more-lines-from-few"}
    )
    yield fr.Note(
        "A translator that learns from such pairs, real sentences of its own language with what another made of them,"
        " is not measured here."
    )


@fr.part("Encoder, decoder, or both", was=("families",))
def families(model: TranslatingModel[Any], run: Run) -> fr.Blocks:
    yield (
        "A Transformer translates with an **encoder**, which reads the source with no mask, and a **decoder**, which"
        " writes behind a mask and looks at the encoder: the model of 2017, T5, BART. **BERT** is the encoder alone:"
        " every word sees all others, and the answer is a label or a hidden word. **GPT** and Llama are the decoder"
        " alone: no second text to look at, so a layer loses one of its three parts, and prompt and answer form one"
        " sequence. The encoder runs once; the decoder once for each word that it writes."
    )
    if isinstance(model, Remembers):
        raise ValueError("The model above is recurrent: choose a Transformer to count its parts.")
    config = model.config
    one = layers.parts(config.width, config.inner or 4 * config.width, bias=config.bias)
    attention, inner, norm = one["attention"], one["feed_forward"], one["norm"]
    counts = {
        "self-attention, no mask": (attention, 0, attention),
        "masked self-attention": (0, attention, attention),
        "cross-attention": (0, 0, attention),
        "feed-forward": (inner, inner, 2 * inner),
        "norms": (2 * norm, 2 * norm, 5 * norm),
    }
    sums = np.sum([*counts.values()], 0)
    rows = [
        *((name, *row) for name, row in counts.items()),
        ("one layer of each", *sums),
        ("all layers", *(config.layers * sums)),
    ]
    heads = ("parameters of", "encoder only", "decoder only", "encoder and decoder")
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], fr.WHOLE))
    yield _(
        "Counted for the width {width} and {n} {n|layer|layers} of {run}. To them comes one table of {words:,} words.",
        width=config.width,
        n=config.layers,
        run=run.title,
        words=len(model.tokenizer.vocab),
    )


PARTS = (quality, lengths, search, stops, covered, heads, there_and_back, families)
