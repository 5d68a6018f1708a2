"""What stands below the live pictures: two systems on many lines, where measures disagree, what a number does not see,
and what libraries count differently.

Shapes    L = lines, M = measures, S = systems
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.measures import bleu, meteor, resampling
from engine.analysis.measures.table import BY_ID, MEASURES
from engine.core.trace import Kind
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.measures import corpus, flaws, options
from engine.lessons.measures.corpus import OWN, Measured
from engine.lessons.measures.live import LONGEST

TITLES = {one.id: one.title for one in MEASURES}
LINES = corpus.EXAMPLES | {OWN: "a file of your own"}
FILE = fr.shared(fr.upload("Reference, tab, system, tab, second system", ("tsv", "csv", "txt")))
AGAIN = fr.again("Measure it again")
File = tuple[str, bytes] | None
LEVEL = 0.05
WORST = 12  # sentences that are listed


def choosing(pairs: str) -> fr.Blocks:
    yield fr.Controls(["pairs", "file"] if pairs == OWN else ["pairs"])


@fr.part("Two systems on many lines")
def systems(
    *,
    pairs: str = fr.pick("Which lines", LINES, "french", width=430),
    file: File = FILE,
    again: int = AGAIN,
) -> fr.Blocks:
    yield (
        "Of many lines BLEU, chrF, TER and the error rates sum up the counts and score them once; the others are means"
        " over the lines. Other lines of the same kind would give another score. Lines drawn again, with replacement,"
        " show how far: **95 % of the scores lie in the interval**."
    )
    yield from choosing(pairs)
    found = yield from corpus.measured(pairs, file, again)
    if found is None:
        return
    yield fr.Rows(
        [row(found, m) for m in range(len(MEASURES))],
        {"difference": "%+.2f"},
        tall=470,
    )
    if not found.paired:
        return
    yield verdict(found, escaped if pairs == OWN else _)
    yield (
        "**Paired bootstrap** draws the same lines for both systems. **Approximate randomisation** tosses a coin for"
        " each line: which output is whose? p is how often a difference as large comes of that alone. The bootstrap's"
        " p, as it is usually computed, is too small: of 400 pairs that only coins told apart it called 8 to 11 %"
        " different at p < 0.05, randomisation 3 to 5 %."
    )
    yield fr.Note(
        _(
            "{n:,} lines, {draws:,} draws, seed {seed}: the same draws and the same p as sacrebleu.",
            n=len(found.pairs),
            draws=resampling.DRAWS,
            seed=resampling.SEED,
        )
    )


def row(found: Measured, m: int) -> dict[str, Any]:
    cells: dict[str, Any] = {"measure": MEASURES[m].title}
    for s, name in enumerate(found.names):
        low, high = found.ends[s, m]
        cells[name] = f"{found.score[s, m]:.2f}  ({low:.2f} – {high:.2f})"
    if found.paired:
        of = found.paired[m]
        same = of.difference == 0
        cells |= {
            "difference": of.difference,
            "p, bootstrap": "–" if same else f"{of.bootstrap:.3f}",
            "p, randomisation": "–" if same else f"{of.randomisation:.3f}",
        }
    return cells


def verdict(found: Measured, called: Callable[[str], str]) -> fr.Block:
    """Which measures tell the two apart, by randomisation; `called`: how a system is named."""
    one, other = found.names
    better = dict[str, list[str]]()
    for measure, of in zip(MEASURES, found.paired, strict=True):
        if of.difference and of.randomisation < LEVEL:
            which = other if (of.difference > 0) != measure.errors else one
            better.setdefault(which, []).append(measure.title)
    if not better:
        return _(
            "No measure tells **{one}** and **{other}** apart at p < 0.05: these lines leave it open which is better.",
            one=called(one),
            other=called(other),
        )
    said = [
        _("**{name}** is better by {measures}", name=called(name), measures=", ".join(measures))
        for name, measures in better.items()
    ]
    rest = len(MEASURES) - sum(map(len, better.values()))
    return _(
        "At p < 0.05, by randomisation: {said}. {rest} {rest|measure|measures} of {n} cannot tell the two apart.",
        said=_("; ").join(said),
        rest=rest,
        n=len(MEASURES),
    )


# ------------------------------------------------------------------ disagreement


def ranks(found: Measured) -> np.ndarray:
    """(S, L, M) from 0, the worst line of a system, to 1, the best; lines alike share a rank."""
    from scipy.stats import rankdata

    sign_M = np.array([-1 if one.errors else 1 for one in MEASURES])
    rank_SLM = rankdata(found.alone * sign_M, axis=1)
    return np.asarray((rank_SLM - 1) / max(1, len(found.pairs) - 1))


def names_of(given: fr.Others) -> Sequence[str]:
    if given["pairs"] != OWN:
        return tuple(name for name, _said in corpus.read_example(given["pairs"]).systems)
    try:
        return tuple(
            name for name, _said in corpus.read(given["file"][1], given["file"][0]).systems
        )
    except (TypeError, ValueError):  # the part says why
        return ("A",)


@fr.part("Where measures disagree")
def disagreement(
    *,
    pairs: str = fr.pick("Which lines", LINES, "spanish", width=430),
    file: File = FILE,
    again: int = AGAIN,
    system: str = fr.pick("System", names_of, width=220),
    one: str = fr.pick("One measure", TITLES, "chrf", width=160),
    other: str = fr.pick("Another", TITLES, "ter", width=160),
) -> fr.Blocks:
    yield (
        "Each measure puts the lines of a system in an order, from the worst to the best. Where two orders differ most,"
        " the measures value different things."
    )
    yield from choosing(pairs)
    found = yield from corpus.measured(pairs, file, again)
    if found is None:
        return
    if len(found.pairs) < 2:
        raise ValueError("An order needs two lines.")
    rank_LM = ranks(found)[found.names.index(system)]
    alike_MM = correlations(rank_LM)
    axis = [one.title for one in MEASURES]
    yield fr.Line([fr.Controls(["system", "one", "other"])])
    a, b = ([*BY_ID].index(id) for id in (one, other))
    apart_L = rank_LM[:, a] - rank_LM[:, b]
    order = np.argsort(-np.abs(apart_L), kind="stable")[:WORST]
    said = dict(found.pairs.systems)[system]
    rows = [
        {
            "reference": found.pairs.references[n][0],
            "system": said[n],
            MEASURES[a].title: points(found, system, n, a),
            MEASURES[b].title: points(found, system, n, b),
            "better by": MEASURES[a if apart_L[n] > 0 else b].title,
            "apart": round(100 * abs(float(apart_L[n]))),
        }
        for n in order
        if apart_L[n]
    ]
    if not rows:
        yield "These two put all lines in the same order."
    else:
        worst = int(order[0])
        yield fr.Rows(rows, {"apart": "%d %%"}, tall=420)
        yield fr.Note(
            "Apart: by how much of the whole order the places of a line differ. Measures of errors count from below."
        )
        text = "\n".join((said[worst], *found.pairs.references[worst]))
        yield fr.Link("measures", "Open the first of them above", {"text": text})
    yield fr.grid(
        "alike",
        "How alike the orders are",
        alike_MM,
        ("method", axis),
        ("label", axis),
        Kind.COSINE,
        note=_(
            "Spearman's rank correlation over {n:,} lines of {system}", n=len(said), system=system
        ),
        symbol="ρ",
    )


def points(found: Measured, system: str, n: int, m: int) -> float:
    return float(found.alone[found.names.index(system), n, m])


def correlations(rank_LM: np.ndarray) -> np.ndarray:
    """Of ranks, Pearson's; 0 where a measure gives all lines the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.corrcoef(rank_LM.T)
    return np.nan_to_num(found)


# ------------------------------------------------------------------ what is not seen


@fr.part("What a number does not see")
def unseen(
    right: str = fr.typed(
        "A right sentence",
        "The doctor did not give the patient 50 mg of the drug, because she was allergic to it.",
        300,
        live=True,
    ),
) -> fr.Blocks:
    yield (
        "One sentence, spoiled or rewritten by rule. A reader would forgive the first rows and not the last ones; look"
        " which way the numbers go."
    )
    if not right.strip():
        raise ValueError("Type a sentence.")
    rows = flaws.spoil(right)
    shown = ("bleu", "chrf", "rougeL", "meteor", "f1", "ter", "wer")
    yield fr.Rows(
        [
            {"what was done": name, "sentence": text}
            | {TITLES[id]: BY_ID[id].sentence(text, (right,)) for id in shown}
            for name, text in rows
        ],
        dict.fromkeys((TITLES[id] for id in shown), "%.1f"),
        tall=480,
    )
    yield (
        "A word that turns the meaning round costs as little as one that does not matter: to these measures all words"
        " are worth the same. None of them reads."
    )


# ------------------------------------------------------------------ libraries


SAID_FIRST = "He says “cheap” and runs. The US captain’s ships cost 1000.50."
RIGHT_FIRST = "The U.S. captain's ship cost 1,000.50. He said “cheap”, and ran."


@fr.part("What libraries count differently")
def libraries(
    said: str = fr.typed("What a system said", SAID_FIRST, LONGEST, live=True),
    right: str = fr.typed("What is right", RIGHT_FIRST, LONGEST, live=True),
) -> fr.Blocks:
    yield (
        "A number without its settings says little. The same two lines, by the settings of the libraries in use; the"
        " first row of each is what this page counts."
    )
    if not right.strip():
        raise ValueError("Type what is right.")
    yield "**BLEU** (sacrebleu): how words are cut, and what stands in for an order without a match"
    yield fr.Rows(
        [
            {
                "tokenize": how,
                "words said": " ".join(cut(said)),
                **{
                    _("smooth {name}", name=name): options.of_bleu(said, right, how, name)
                    for name in options.SMOOTHS
                },
            }
            for how, cut in bleu.TOKENIZERS.items()
        ],
        {_("smooth {name}", name=name): "%.2f" for name in options.SMOOTHS},
        widths={"words said": 320},
    )
    yield fr.Note(
        _(
            "A line by itself is scored by the orders that it has (effective order); as a text of one line, by all"
            " four, it gets {whole:.2f}. The mean over the lines of a file is neither.",
            whole=float(bleu.score(np.array([bleu.row(said, (right,))]))[0]),
        )
    )
    yield fr.table(
        ("measure", "setting", "as in", "of 100"),
        options.others(said, right),
        forms={"of 100": "%.2f"},
    )
    if meteor.wordnet() is None:
        yield fr.Note(
            "METEOR looks for synonyms in WordNet, which is not on this computer: this stage finds nothing, and the"
            " scores are lower than with it. nltk looks up stems, not words: “happi” has no synonym."
        )


PARTS = (systems, disagreement, unseen, libraries)
