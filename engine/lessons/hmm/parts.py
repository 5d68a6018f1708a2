"""What stands below the live pictures: learning, drawing, counting its numbers, a model by hand, and
how good a tagger it is.

Shapes    S = states, V = vocabulary, T = words, R = rounds of learning, P = paths
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine import frame as fr
from engine.hmm import counts, forgetting, paths, recursions
from engine.hmm.drawing import draw
from engine.language.markdown import escaped
from engine.language.message import _
from engine.language.numbers import number
from engine.lessons.hmm import film, results
from engine.lessons.hmm.film import Film
from engine.lessons.hmm.results import Results
from engine.models.hmm_tagger import HiddenMarkovTagger
from engine.models.markov import END, Markov
from engine.models.trigram_tagger import TrigramTagger
from engine.views import theme

LINES, LONGEST = 6, 40
ROUNDS, STARTS = 40, 5
SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@fr.part("Write with dice")
def dice(model: Markov[Any], dice: int = fr.slider("Dice", 1, 100, 1, width=420)) -> fr.Blocks:
    yield (
        "The model the other way round: draw the first state, let it write a token, draw the state after"
        " it, and so on, until the line ends. What stands side by side fits in kind, and means"
        " nothing: a token knows its state and nothing else."
    )
    found = [line(model, dice * LINES + n) for n in range(LINES)]
    joint = "" if model.tokenizer.id == "chars" else " "
    words = model.tokenizer.vocab
    for n, drawn in enumerate(found, 1):
        yield f"{n}. {escaped(theme.plain(joint.join(words[w] for __, w in drawn))) or '…'}"
    first = next((drawn for drawn in found if len(drawn) > 3), found[0])
    yield fr.Note(_("Line {n}, die by die", n=found.index(first) + 1))
    rows = (
        (model.states[s], model.a_SS[before, s], theme.visible(words[w]), model.b_SV[s, w])
        for before, (s, w) in zip([END, *(s for s, __ in first)], first, strict=False)
    )
    heads = "state", "drawn with", "token", "written with"
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1::2], fr.SHARE), width=560)


def line(model: Markov[Any], seed: int) -> list[tuple[int, int]]:
    """States with the tokens that they write, up to the line end."""
    uniforms = np.random.default_rng(seed).random(2 * LONGEST).tolist()
    found = []
    for s, w in draw(model.a_SS[END], model.a_SS, model.b_SV, uniforms):
        if s == END:
            break
        found.append((s, w))
    return found


@fr.once
def films(text: str, states: int) -> list[Film]:
    lines = film.words(text)
    return [film.film(lines, states, seed, ROUNDS) for seed in range(STARTS)]


def best_start(chosen: Mapping[str, Any]) -> int:
    if not film.words(chosen["learn"]):
        return 0
    return min(films(chosen["learn"], chosen["states"]), key=lambda film: film.bits_R[-1]).seed


@fr.part("Learning without tags")
def learning(
    learn: str = fr.typed(
        "Words to learn from",
        "the old house stood near the sea and the captain came home late at night he said that he"
        " would never leave again but in the morning the door was open and nobody was there",
        film.MOST,
    ),
    states: int = fr.slider("States", 1, 5, 3, width=160),
    *,
    start: int = fr.pick(
        "Film of", {s: _("start {s}", s=s + 1) for s in range(STARTS)}, best_start
    ),
    round: int = fr.slider("Round", 0, ROUNDS, ROUNDS, width=0),
) -> fr.Blocks:
    yield (
        "Nobody tells the model a tag. It begins with tables by chance, asks how likely each state"
        " is at each letter given all of them (smoothing), counts with these shares, and makes new"
        " tables of the counts: no round can make the text less likely. Where it ends depends on"
        " where it began: a **local optimum**. Type words of your own; each is a line of letters."
    )
    if not film.words(learn):
        raise ValueError("Type some words to learn from.")
    found = films(learn, states)
    rounds = fr.curves(
        "rounds",
        "Bits per letter, round by round",
        {_("start {seed}", seed=one.seed + 1): (range(ROUNDS + 1), one.bits_R) for one in found},
        "round",
        "bits per letter",
        "Lower is better; no curve ever rises",
        learn,
        whole=True,
    )
    yield fr.Beside(
        [[rounds], [fr.Controls(["start", "round"]), tables(found[start], round, learn)]]
    )
    ends = [one.bits_R[-1] for one in found]
    yield fr.Note(
        _(
            "After {rounds} rounds the best of the {starts} starts needs {best:.3f} bits for a"
            " letter, the worst {worst:.3f}. The state of the word end is not drawn: it writes the"
            " end and nothing else.",
            rounds=ROUNDS,
            starts=STARTS,
            best=min(ends),
            worst=max(ends),
        )
    )


def tables(of: Film, at: int, text: str) -> fr.Block:
    """What each state writes after a round, letters in the order of the state that writes them
    most at the end."""
    end_SV = of.writes_RSV[-1, 1:]
    order_V = np.lexsort((-end_SV.max(0), end_SV.argmax(0)))
    values_SV = of.writes_RSV[at, 1:][:, order_V]
    note = _("start {n}, {bits:.3f} bits per letter", n=of.seed + 1, bits=of.bits_R[at])
    rows = ("state", range(1, len(values_SV) + 1))
    letters = ("label", [of.letters[v] for v in order_V])
    title = _("What each state writes after round {round}", round=at)
    return fr.grid("film", title, values_SV, rows, letters, note=note, text=text, symbol="B")


@fr.part("How many numbers")
def sizes(
    *,
    s: int = fr.slider("States S", 1, 100, 17, width=0),
    k: int = fr.slider("Words of the vocabulary K", 2, 10_000, 5_000, width=0),
    n: int = fr.slider("Words of a text N", 1, 12, 5, width=0),
) -> fr.Blocks:
    yield (
        "A table of all texts of N words has a number for each text: $K^N - 1$ free ones, N in the"
        " exponent. A hidden Markov model has $S^2 + SK - S - 1$, whatever N is: the states carry"
        " what it needs to know of the past."
    )
    flat = {
        "hidden Markov model": counts.hidden(s, k),
        "one word before": counts.n_gram(k, 1),
        "two words before": counts.n_gram(k, 2),
    }
    terms = "S² + SK − S − 1", "K² − 1", "K³ − 1"
    sums = [(name, of, f"{size:,}") for (name, size), of in zip(flat.items(), terms, strict=True)]
    sums.append(("all texts", "Kᴺ − 1", number(float(counts.joint(k, n)))))
    lengths = range(1, 13)
    growth = fr.curves(
        "sizes",
        "Free numbers against the length of the text",
        {"all texts": (lengths, [float(counts.joint(k, n)) for n in lengths])}
        | {name: (lengths, [float(size)] * 12) for name, size in flat.items()},
        "N, words",
        "free numbers",
        _("S = {s:,} states, K = {k:,} words", s=s, k=k),
        log_y=True,
        whole=True,
    )
    free = fr.table(("model", "as a formula", "free numbers"), sums)
    yield fr.Beside([[fr.Controls(["s", "k", "n"]), free], [growth]], (2, 3))
    yield (
        "**Where $K^N - 1$ comes from.** The chain rule gives each word a table: a row for every history, and in each"
        " row K numbers that sum to 1, so that one of them is not free."
    )
    rows = (
        (i, history(i), number(float(histories)), f"{row:,}", number(float(free)))
        for i, (histories, row, free) in enumerate(counts.tables(k, n), 1)
    )
    heads = "word", "table", "histories", "free in a row", "free numbers"
    yield fr.table(heads, rows, width=640)
    yield fr.Formula(
        r"\sum_{i=1}^{N} K^{i-1} (K - 1) = (K - 1)\,\frac{K^N - 1}{K - 1} = K^N - 1 ="
        rf" {k}^{{{n}}} - 1"
    )


def history(i: int) -> str:
    if i < 3:
        return ("P(x₁)", "P(x₂ | x₁)")[i - 1]
    now, last = (str(m).translate(SUBSCRIPT) for m in (i, i - 1))
    return f"P(x{now} | x₁ … x{last})"


START, WRITES = np.array([0.6, 0.4]), np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
CHAINS = {
    "the textbook's": np.array([[0.7, 0.3], [0.4, 0.6]]),
    "sticky": np.array([[0.95, 0.05], [0.05, 0.95]]),
    "never changes": np.eye(2),
    "always changes": np.eye(2)[::-1],
}


@fr.part("Two states by hand")
def textbook(
    signs: str = fr.typed("Words, each 1, 2 or 3", "1 2 3", 40),
    chain: str = fr.pick("Transitions A", CHAINS),
) -> fr.Blocks:
    yield (
        "The same model with two states and three words, **1**, **2** and **3**: small enough to check by hand."
        " Switch the transitions and type words. With “sticky” a state outlives a word that does not suit it;"
        " with “never changes” the start is never forgotten."
    )
    word_T, a_SS = np.array([int(c) - 1 for c in signs if c in "123"][:8], int), CHAINS[chain]
    if not len(word_T):
        raise ValueError("Type some of the words 1, 2 and 3.")
    like_TS = WRITES.T[word_T]
    predict_TS, filter_TS, scale_T = recursions.forwards(START, a_SS, like_TS)
    r_TS = recursions.backwards(a_SS, recursions.heard(like_TS, scale_T))
    smooth_TS = recursions.smoothed(filter_TS, r_TS)
    best_T = recursions.path(*recursions.viterbi(START, a_SS, like_TS))
    tables = [
        {"from": name, "to 1": f"{to[0]:.2f}", "to 2": f"{to[1]:.2f}"}
        | {_("writes {w}", w=w + 1): f"{b[w]:.2f}" if len(b) else "" for w in range(3)}
        for name, to, b in zip(("start π", "1", "2"), (START, *a_SS), ((), *WRITES), strict=True)
    ]
    heads = "word", "predicted", "P(word | before)", "filtered", "smoothed", "likeliest path"
    words, best = ([str(n + 1) for n in of_T] for of_T in (word_T, best_T))
    steps = zip(
        words, predict_TS[:, 0], scale_T, filter_TS[:, 0], smooth_TS[:, 0], best, strict=True
    )
    eigenvalue = _(
        "Second eigenvalue of A: {second:.2f}. The nearer to 1, the longer the start matters.",
        second=forgetting.second(a_SS),
    )
    product = _(
        "The product of P(word | before) is the probability of the text: {p:.8f}", p=scale_T.prod()
    )
    yield fr.Beside(
        [
            [fr.Note("The tables: each row sums to 1"), fr.Rows(tables), fr.Note(eigenvalue)],
            [
                fr.Note("State 1 word by word; state 2 has the rest"),
                fr.table(heads, steps, forms=dict.fromkeys(heads[1:5], "%.6f")),
                fr.Note(product),
            ],
        ],
        (2, 3),
    )
    path_PT, p_P = paths.listed(START, a_SS, like_TS)
    total = p_P.sum()
    yield _(
        "**All {n} paths**, the likeliest first. They add up to {total:.8f}, the product above:"
        " the recursions find the same sum without listing one.",
        n=len(p_P),
        total=total,
    )
    listed = (
        (" ".join(str(s + 1) for s in path_PT[n]), p_P[n], p_P[n] / total if total else 0.0)
        for n in np.argsort(-p_P, kind="stable")
    )
    forms = {"P(path and text)": "%.8f", "share of all": fr.SHARE}
    yield fr.table(("path", *forms), listed, forms=forms, width=480)


@fr.part("How good a tagger")
def tagging(
    model: Markov[Any],
    other: TrigramTagger | None = fr.shipped("trigram_tagger"),
    *,
    tagged: str = fr.typed(
        "A sentence for both", "They can fish because the fish that can swim can be cooked", 160
    ),
) -> fr.Blocks:
    of = results.shipped()
    yield _(
        "The test: {of.words:,} words of web texts that nothing was counted in (Universal Dependencies, English EWT),"
        " 17 tags. The best hidden Markov model that is shipped tags **{of.best.all:.1%}** right:"
        " **{of.best.known:.1%}** of the known words, **{of.best.unknown:.1%}**"
        " of the {new:.1%} that it never saw.",
        of=of,
        new=1 - of.known / of.words,
    )
    shares = ("all words", "known", "unknown")
    tried = ((one.name, one.all, one.known, one.unknown) for one in of.tried)
    yield fr.table(("model", *shares), tried, forms=dict.fromkeys(shares, fr.SHARE))
    yield (
        "**Second order**: a tag depends on the two before it (TnT, 2000). **Split states**: the 200 commonest words,"
        " four endings and capitals make states of their own, such as “DET the” or “VERB -ing”, so that what follows"
        " may depend on the word. That brings more than the second order does. Both find the best path exactly."
    )
    yield from explain_errors(of)
    yield fr.Note("Its commonest mistakes")
    mistakes = ((one.right, one.said, one.count, ", ".join(one.words)) for one in of.mistakes)
    yield fr.table(("right", "said", "times", "most often"), mistakes)
    if other is not None and isinstance(model, HiddenMarkovTagger):
        yield fr.Controls(["tagged"])
        if rows := tag_both(model, other, tagged):
            yield fr.Rows(rows)


def explain_errors(of: Results) -> fr.Blocks:
    """What stands between the best and 95 %."""
    yield _(
        "**Why not 95 %?** It is {missing} words short. Of its {of.wrong:,} mistakes {of.wrong_unknown:,} are words"
        " that it never saw, and {of.new_tag:,} are words that it saw, but never with the tag that is right here: no"
        " path can find that one. {names} are names taken for nouns or nouns for names, where capitals are all that"
        " it has to go by. The rest are among the {several:.0%} of the words that have several"
        " tags, and it knows two words before. A state can only be asked what it writes: it can't weigh the capital,"
        " the ending and the words on both sides together. A perceptron with such features gets 93.8 % here, a"
        " recurrent net that reads both ways 94.5 %.",
        missing=round(0.95 * of.words) - round(of.best.all * of.words),
        of=of,
        names=sum(one.count for one in of.mistakes if {one.right, one.said} == {"NOUN", "PROPN"}),
        several=of.ambiguous / of.words,
    )
    yield _(
        "It is not that people disagree: of {of.repeated:,} words that stand twice or more between the same four"
        " neighbours in the training text, only {of.disagree:.1%} do not have the tag that they usually have"
        " there.",
        of=of,
    )
    yield _(
        "**Learning on without tags** makes it worse: from the first order's tables, rounds of Baum and Welch's"
        " method on the same words lead to {learned}. It makes the words likelier, not the tags, as Merialdo"
        " found in 1994.",
        learned=", ".join(f"{100 * share:.1f} %" for share in of.rounds),
    )


def tag_both(model: HiddenMarkovTagger, other: TrigramTagger, text: str) -> list[Mapping[str, Any]]:
    """A sentence of one's own, tagged by both."""
    one, two = (
        (trace.tokens, [names[int(s)] for s in trace.field("viterbi").values])
        for trace, names in (
            (model.trace(text, fields=("viterbi",)), model.states),
            (other.trace(text, fields=("viterbi",)), other.names),
        )
    )
    said = dict(zip(enumerate(one[0]), one[1], strict=True))
    return [
        {
            "word": word,
            "first order": (tag := said.get((n, word), "")),
            "second order, split states": tag_two,
            "differs": "≠" if tag != tag_two else "",
        }
        for n, (word, tag_two) in enumerate(zip(*two, strict=True))
        if n
    ]


PARTS = (dice, learning, sizes, textbook, tagging)
