"""What stands below the live pictures: one word in several sentences, sentences as vectors, what is
masked in training, the descendants, and the limits.

Shapes    L = depths, N = occurrences of the word, or sentences
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Kind, Table
from engine.language.message import _
from engine.lessons.bert import senses, sentences
from engine.lessons.bert.encoders import BASE, FAMILY, PUBLISHED
from engine.lessons.bert.senses import Senses
from engine.models.abilities import Fills
from engine.runs.store import SHIPPED, Run
from engine.shipped import scoreboard

TEXTS = {
    "club": (
        "He plays football for the club.\n"
        "The club won the league in 2004.\n"
        "The match was won by the club from Milan.\n"
        "He struck the man with a heavy club.\n"
        "She carried a wooden club in her hand."
    ),
    "bank": (
        "The bank is by the river.\n"
        "I sat by the river bank.\n"
        "I'm going fishing by the river bank.\n"
        "I deposited money in the bank.\n"
        "I need to deposit money at the bank."
    ),
}
ALIKE = 3  # of each text in the first meaning
SENTENCES = (
    "A cat sleeps on the sofa.\n"
    "The kitten naps on the couch.\n"
    "Prices of shares fell today.\n"
    "The stock market went down.\n"
    "A man is playing the guitar."
)
KINDS = (  # of text that the shipped model was measured on
    "other Wikipedia articles",
    "film reviews",
    "blogs, mails and answers",
)
SHARES = {"right": "accuracy", "pairs right": "pair_accuracy", "commonest": "commonest_word"}
MOST, LONGEST = 12, 300  # sentences, and their characters


@fr.part("", always=True)
def about(model: Fills[Any], run: Run) -> fr.Blocks:
    yield (
        "An encoder reads a whole text at once. Mask a word, and the model predicts it from the"
        " words on **both sides**."
        if model.config.masked
        else "An encoder reads a whole text at once: the vector of each word is made of the words on"
        " **both sides**. This one fills no masks; its vectors can be compared."
    )
    if run.id == "bert":
        yield (
            "The small model shown learned from **novels and Simple English Wikipedia**. It knows how"
            " English is put together, and few facts. Each mask stands for one piece: a word that is"
            " not among its 8,000 is split into several."
        )


def layers(given: fr.Others) -> int:
    return int(given["model"].config.layers)


@fr.once
def told_apart(model: Fills[Any], lines: tuple[str, ...], word: str) -> Senses:
    return senses.senses(model, lines, word)


@fr.part("One word, several meanings", was=("sentences", "sense", "depth"))
def meanings(
    model: Fills[Any],
    run: Run,
    sentences: str = fr.typed("Sentences, one a line", TEXTS["club"], MOST * LONGEST, tall=150),
    sense: str = fr.typed("The word", "club", 40, width=220),
    *,
    depth: int = fr.slider("Layer (0: before the first)", 0, layers, layers),
) -> fr.Blocks:
    yield (
        "A table of word vectors has **one** vector for “club”, whatever it means. An encoder"
        " starts from that vector and lets every layer mix in the words around it. How far"
        " apart do the occurrences drift, and do those with the same meaning stay together?"
        " Change the sentences or add your own, one per line."
    )
    lines = tuple(line.strip() for line in sentences.split("\n") if line.strip())[:MOST]
    if not sense.strip() or not lines:
        raise ValueError("Type a word, and at least one sentence that contains it.")
    found = told_apart(model, lines, sense)
    if len(found.where) < 2:
        raise ValueError("There is only one occurrence. Add a second sentence with the word.")
    label = names(found)
    pairs = [*combinations(range(len(label)), 2)]
    cosine_LNN = found.cosines()
    values_PL = np.array([cosine_LNN[:, i, j] for i, j in pairs], np.float32)
    low = int(values_PL[:, -1].argmin())
    yield _(
        "After the last layer the two least alike are those of sentences {one} and {other}:"
        " **{cosine:.2f}**. Rows are pairs of sentences.",
        one=label[pairs[low][0]],
        other=label[pairs[low][1]],
        cosine=values_PL[low, -1],
    )
    text = " / ".join(one.text for one in found.where)[:200]
    alike = fr.grid(
        "cosine",
        "Similarity of two occurrences of the word: pairs of sentences, from the embedding upwards.",
        values_PL,
        (
            "point",
            [_("{label} and {label_2}", label=_(label[i]), label_2=_(label[j])) for i, j in pairs],
        ),
        ("layer", found.depths),
        Kind.COSINE,
        text=text,
    )
    at = min(depth + len(found.depths) - 1 - model.config.layers, len(found.depths) - 1)
    xy_N2, share = found.places(at)
    columns = {"word": label, "x": xy_N2[:, 0], "y": xy_N2[:, 1]}
    columns |= {"group": [2.0] * len(label), "frequency": [0.0] * len(label)}
    title = _(
        "“{word}”, {depths}: two principal components, numbered by sentence",
        word=found.word,
        depths=found.depths[at],
    )
    table = Table.of("senses", title, columns)
    note = _("They show {share:.0%} of the differences.", share=share)
    chart = fr.Chart("map", title, "scatter", (table,), note, text)
    yield fr.Beside([[alike], [fr.Controls(["depth"]), chart]])
    if run.id == "bert" and (sentences, sense) == (TEXTS["club"], "club"):
        one, two = apart(told_apart(model, tuple(TEXTS["bank"].split("\n")), "bank"), ALIKE)
        yield fr.Note(
            _(
                "Not every word comes apart so well, in a model this small. In “{sentences}” two river banks are as"
                " little alike as {one:.2f} after the last layer, a river bank and a bank with money as much as"
                " {two:.2f}.",
                sentences=TEXTS["bank"].replace("\n", " "),
                one=one,
                two=two,
            )
        )


def apart(found: Senses, first: int) -> tuple[float, float]:
    """Cosines after the last layer: the least among the first so many occurrences, and the largest
    between one of them and one of the others."""
    cosine_NN = found.cosines()[-1]
    return float(cosine_NN[:first, :first].min()), float(cosine_NN[:first, first:].max())


def names(found: Senses) -> list[str]:
    """The number of the sentence; a letter behind it where the word stands in it more than once."""
    sentences = [one.sentence for one in found.where]
    often = Counter(sentences)
    return [
        f"{n + 1}{chr(ord('a') + sentences[:i].count(n)) if often[n] > 1 else ''}"
        for i, n in enumerate(sentences)
    ]


@fr.once
def compared(model: Fills[Any], lines: tuple[str, ...]) -> np.ndarray:
    v_ND = sentences.vectors(model, lines)
    return np.clip(v_ND @ v_ND.T, -1, 1).astype(np.float32)


@fr.part("Sentences as vectors")
def sentence_vectors(
    model: Fills[Any],
    compare: str = fr.typed("Sentences, one a line", SENTENCES, MOST * LONGEST, tall=150),
) -> fr.Blocks:
    yield (
        "A sentence gets one vector too: the **mean** of what the last layer gives its tokens. The"
        " cosine of two of them says how alike the sentences are to the model."
    )
    lines = tuple(line.strip() for line in compare.split("\n") if line.strip())[:MOST]
    if len(lines) < 2:
        raise ValueError("Type at least two sentences, one a line.")
    cosine_NN = compared(model, lines)
    one, other = sentences.closest(cosine_NN)
    yield _(
        "The most alike are sentences {one} and {other}: **{cosine:.2f}**. The mean of all pairs is {mean:.2f}.",
        one=one + 1,
        other=other + 1,
        cosine=cosine_NN[one, other],
        mean=float(cosine_NN[np.triu_indices(len(lines), 1)].mean()),
    )
    names = [f"{n + 1} {line[:24]}{'…' if len(line) > 24 else ''}" for n, line in enumerate(lines)]
    yield fr.grid(
        "sentences",
        "Similarity of two sentences: the cosine of the means of the last layer.",
        cosine_NN,
        ("row", names),
        ("column", [str(n + 1) for n in range(len(lines))]),
        Kind.COSINE,
        text=" / ".join(lines)[:200],
    )
    if model.config.masked:
        yield (
            "An encoder that learned to fill masks was never asked to keep unlike sentences apart, so"
            " they are far from 0 as well. **MiniLM** was, by pairs that mean the same, as in"
            " Sentence-BERT: add it on the page Runs, and choose it above."
        )


@fr.part("What is masked")
def masking(
    model: Fills[Any],
    run: Run,
    masked_share: int = fr.slider("Share of the words that is chosen, in %", 5, 60, 15, width=420),
) -> fr.Blocks:
    yield (
        "In training, some of the words are chosen at random for the model to predict. If all"
        " of them became [MASK], the model would learn to work only at masks, and a text in use"
        " has none. So **80 % of the chosen words become [MASK], 10 % another word, and 10 %"
        " stay**: the model can never be sure that a word it sees is the right one."
    )
    fates = {"become [MASK]": 0.8, "become another word": 0.1, "stay as they are": 0.1}
    yield fr.Rows(
        [
            {
                "words": f"{n:,}",
                "chosen": f"{(chosen := n * masked_share / 100):.4g}",
                **{fate: f"{part * chosen:.4g}" for fate, part in fates.items()},
            }
            for n in (10, 20, 128, 512)
        ],
        width=620,
    )
    yield fr.Note(
        "Averages. More masks teach more per text, but leave less to guess from. BERT chose 15 % and"
        " drew the masks of each text ten times, before training; RoBERTa draws new ones each time."
    )
    if run.note.get("steps"):
        own = model.config.share
        yield fr.Note(_("The model shown was trained with new ones each time, {own:.0%}.", own=own))


@fr.part("How large", was=("Descendants",))
def family() -> fr.Blocks:
    yield (
        "BERT's descendants keep the encoder and change the training task or the amount stored."
        " The number of heads does not change the count: the heads share the width."
    )
    yield fr.Rows(
        [
            {
                "model": one.name,
                "year": str(one.year),
                "numbers": f"{one.size.total:,}",
                "beside BERT-base": f"{100 * (one.size.total / BASE.total - 1):+.1f} %",
            }
            for one in FAMILY
        ],
        width=560,
    )
    for one in FAMILY:
        yield _("- **{name}**: {changes}", name=_(one.name), changes=_(one.changes))
    yield "BERT-base, part by part:"
    yield fr.table(
        ("part", "numbers", "share"),
        [(part, f"{n:,}", f"{100 * n / BASE.total:.1f} %") for part, n in BASE.parts().items()],
        width=520,
    )
    yield fr.Note(
        "Numbers are counted from the published sizes, with the pooler where there is one. Scores"
        " and speed of DistilBERT are those of its own paper."
    )


@fr.part("What BERT scored")
def scores() -> fr.Blocks:
    yield (
        "Fine-tuned on each task, BERT-large did better than whatever had been tried before. It beat the people who"
        " were asked on SQuAD 1.1, and a single expert (85.0) on SWAG."
    )
    yield fr.table(
        ("test", "best before", "BERT-large", "people", "errors"),
        [
            (
                test,
                f"{before:.1f}",
                f"{found:.1f}",
                f"{people:.1f}" if people else "–",
                f"−{100 * (1 - (100 - found) / (100 - before)):.0f} %",
            )
            for test, before, found, people in PUBLISHED
        ],
        width=640,
    )
    yield fr.Note(
        "All in per cent, as published in 2018 and 2019; the scores of SQuAD 1.1 are those of several models together."
        " “Errors”: how many fewer there are than before. None of it was measured here, where the model is smaller."
    )


@fr.part("How good, and limits")
def limits(model: Fills[Any], run: Run) -> fr.Blocks:
    held_out = run.note.get("held_out", {})
    if "accuracy" in held_out:
        yield _(
            "**The model shown.** In passages held out from its training, 15 % of the words were masked."
            " Of {words:,} it ranks the right one first in **{right:.1%}**; always choosing the commonest"
            " word would get {commonest:.0%}.",
            words=int(held_out["masked_words"]),
            right=held_out["accuracy"],
            commonest=held_out["commonest_word"],
        )
    if "pair_accuracy" in held_out:
        yield _(
            "Of {pairs:,} pairs of sentences it is right about **{right:.1%}**; guessing gets 50 %.",
            pairs=int(held_out["pairs"]),
            right=held_out["pair_accuracy"],
        )
    if rows := [*elsewhere(run)]:
        yield (
            "It learned from none of these texts. The further one is from those that it learned from, the"
            " fewer of its masked pieces it names, and only in its own kind of text does it tell pairs apart:"
        )
        yield fr.Rows(rows, {"masked": fr.WHOLE, **dict.fromkeys(SHARES, fr.SHARE)}, width=560)
    yield _(
        "- **Length.** It takes {context:,} tokens at most, for it has a learned vector for each"
        " place and none beyond the last (BERT: 512). The rest of a longer text is not read.\n-"
        " **It does not write.** It guesses what stands at a mask when the words on both sides are"
        " there. A text has no right side before it is written, so there is no next-word"
        " probability here.\n- **Several masks are guessed apart.** Each mask gets its own list,"
        " as if the other were not to be filled: the best word of each need not fit together.\n-"
        " **Masks only in training.** A text in use holds no [MASK]; the 10 % of words left as"
        " they are soften that, they do not remove it.\n- **What it knows stands still**, and is"
        " what its text said.\n- **Pairs were too easy.** A second sentence from elsewhere is mostly"
        " about something else, so the topic gives it away. RoBERTa left the task out and lost"
        " nothing.",
        context=model.config.context,
    )


def elsewhere(run: Run) -> Iterator[dict[str, Any]]:
    """What a shipped run makes of each text that it was measured on."""
    judged = scoreboard.read(SHIPPED).get(run.id, {})
    if judged.get("recipe") != run.note.get("recipe"):
        return
    results = {result["on"]: result["found"] for result in judged["results"]}
    for kind in KINDS:
        found = results[kind]
        yield {
            "text": kind,
            **{name: found[key] for name, key in SHARES.items()},
            "masked": found["masked_words"],
        }


PARTS = (about, meanings, sentence_vectors, masking, family, scores, limits)
