"""Lit: what a measure counts in two lines, word by word, and how its number comes of that.

What      runs    of n words or letters: found in the other text, cut away because it has them less often, or missing
          marks   words that are joined, each with the number of the piece that it lies in
          pairs   both lines one above the other, as the fewest changes lay them
Shapes    states are places in STATES; a token is a word of the text that somebody typed, or -1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from engine.analysis.measures import bleu, chrf, error_rates, meteor, ngrams, rouge, squad, ter
from engine.language.message import Message, _
from engine.language.numbers import figures

STATES = (
    "found",
    "clipped",
    "missing",
    "stem",
    "synonym",
    "replaced",
    "added",
    "left out",
    "moved",
)
FOUND, CLIPPED, MISSING, STEM, SYNONYM, REPLACED, ADDED, LACKS, MOVED = range(len(STATES))
Words = str | Message


@dataclass
class Row:
    """`places` are spans of characters in the typed line, each as long as its word."""

    title: Words
    words: list[str]
    states: list[int]
    places: list[int]
    marks: list[int] = field(default_factory=list)


@dataclass
class Lit:
    """`sums` are (name, formula with its numbers, value); `legend` (state, words, how often)."""

    rows: list[Row]
    legend: list[tuple[int, Words, int]]
    sums: list[tuple[Words, str, float]]
    aligned: bool = False
    orders: list[tuple[str, Words]] = field(default_factory=list)
    order: str = ""
    reference: int = 0

    def packed(self) -> dict[str, Any]:
        return asdict(self)


SAID = _("System")
NOTES: dict[str, Words] = {
    "bleu": _(
        "Runs of one to four words count, each at most as often as a reference has it. A text that is too short pays"
        " for its brevity."
    ),
    "chrf": _("Runs of one to six letters count, without blanks; recall weighs twice as much."),
    "chrf++": _("Runs of one to six letters count, and words and pairs of words."),
    "rouge1": _("Words in both, as a share of what was said and of what is right."),
    "rouge2": _("Pairs of words in both, as a share of what was said and of what is right."),
    "rougeL": _(
        "The longest list of words that stands in both in this order; the small numbers count it."
    ),
    "meteor": _(
        "The same words are joined first, then those of one stem, then synonyms. The small numbers are chunks: the"
        " fewer, the better."
    ),
    "em": _("All or nothing, without case, punctuation and articles."),
    "f1": _("Words in both, without case, punctuation and articles."),
    "ter": _("To move a run of words is one change; so is a word replaced, left out or too much."),
    "wer": _("The fewest words that are replaced, left out or too much."),
    "cer": _("The fewest characters that are replaced, left out or too much, blanks among them."),
}


def called(n: int, count: int) -> Words:
    return _("Reference") if count == 1 else _("Reference {n}", n=n + 1)


def find_places(line: str, words: Sequence[str]) -> list[int]:
    """Where in the line each word begins, whatever their case; where it does not stand there, as the one before."""
    low, at, found = line.lower(), 0, list[int]()
    for word in words:
        place = low.find(word.lower(), at)
        if place >= 0:
            at = place + len(word)
        found.append(place if place >= 0 else max(0, at - 1))
    return found


def _runs(
    said: str,
    references: Sequence[str],
    n: int,
    cut: Callable[[str], Sequence[str]],
) -> tuple[list[Row], list[tuple[int, Words, int]]]:
    """Rows of runs of n, and how many are found, cut away and missing of those that were said."""
    mine, theirs = cut(said), [cut(one) for one in references]
    most = ngrams.most([ngrams.runs(one, n) for one in theirs])
    states = ngrams.states(mine, n, most)
    count = [sum(state == name for _, state in states) for name in ("found", "clipped", "missing")]
    rows = [_row(SAID, said, mine, n, states)]
    for k, (line, other) in enumerate(zip(references, theirs, strict=True)):
        here = ngrams.states(other, n, ngrams.runs(mine, n))
        plain = [(i, "found" if state == "found" else "missing") for i, state in here]
        rows.append(_row(called(k, len(references)), line, other, n, plain))
    legend = [
        (
            FOUND,
            _("found in a reference") if len(references) > 1 else _("found in the reference"),
            count[0],
        ),
        (CLIPPED, _("there, but less often: clipped"), count[1]),
        (MISSING, _("not there"), count[2]),
    ]
    return rows, [row for row in legend if row[2] or row[0] != CLIPPED]


def _row(
    title: Words, line: str, items: Sequence[str], n: int, states: Sequence[tuple[int, str]]
) -> Row:
    letters = isinstance(items, str)
    text = chrf.bare(line) if letters else line
    begins = _letter_places(line) if letters else find_places(text, items)
    return Row(
        title,
        [items[i : i + n] if letters else " ".join(items[i : i + n]) for i, _ in states],  # type: ignore[misc]
        [STATES.index(state) for _, state in states],
        [begins[i] for i, _ in states],
    )


def _letter_places(line: str) -> list[int]:
    return [i for i, letter in enumerate(line) if not letter.isspace()]


SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _sub(n: int) -> str:
    return str(n).translate(SUBSCRIPT)


# ------------------------------------------------------------------ each measure


def bleu_lit(said: str, references: Sequence[str], order: str) -> Lit:
    n = int(order) if order in ("1", "2", "3", "4") else 1
    rows, legend = _runs(said, references, n, bleu.words)
    total = np.array([bleu.row(said, references)], float)
    p_N, (brevity,) = bleu.parts(total)[0][0], bleu.parts(total)[1]
    made, right, *counts = (int(x) for x in total[0])
    sums: list[tuple[Words, str, float]] = []
    used = [k for k in range(bleu.ORDERS) if counts[bleu.ORDERS + k]]
    half = 1
    for k in used:
        match, runs = counts[k], counts[bleu.ORDERS + k]
        half *= 1 if match else 2
        top = str(match) if match or not p_N.any() else f"(1/{half})"
        name: Words = _("precision of runs of {n}", n=k + 1) if k else _("precision of words")
        if not match and p_N.any():
            name = _("runs of {n}, none found: smoothed", n=k + 1)
        sums.append((name, f"p{_sub(k + 1)} = {top} / {runs}", float(p_N[k])))
    short = f"e^(1 − {right}/{made})" if made < right and made else f"{made} ≥ {right}: 1"
    sums.append((_("brevity penalty"), short if made else "0", float(brevity)))
    product = " · ".join(figures(float(p_N[k])) for k in used) or "0"
    value = float(bleu.alone(total)[0])
    power = f"^(1/{len(used)})" if len(used) > 1 else ""
    sums.append(("BLEU", f"100 · {figures(float(brevity))} · ({product}){power}", value))
    orders: list[tuple[str, Words]] = [(str(k), _("runs of {n}", n=k)) for k in range(2, 5)]
    return Lit(rows, legend, sums, orders=[("1", _("words")), *orders], order=str(n))


def chrf_lit(said: str, references: Sequence[str], order: str, pairs: int = 0) -> Lit:
    known = [str(n) for n in range(1, chrf.LETTERS + 1)] + [f"w{n}" for n in range(1, pairs + 1)]
    chosen = order if order in known else "3"
    of_words = chosen.startswith("w")
    n = int(chosen.removeprefix("w"))
    total = chrf.row(said, references, pairs)
    every = [chrf.row(said, (one,), pairs) for one in references]
    best = next((k for k, one in enumerate(every) if one == total), 0)
    rows, legend = _runs(said, (references[best],), n, chrf.words if of_words else chrf.bare)
    rows[1].title = called(best, len(references))
    made, right, both = (total[k::3] for k in range(3))
    used = [k for k in range(len(made)) if made[k] and right[k]]
    precision, recall = (float(x[0]) for x in chrf.parts(np.array([total])))
    value = float(chrf.score(np.array([total]))[0])
    count = max(1, len(used))

    def mean(of: Sequence[int]) -> str:
        return f"({' + '.join(f'{both[k]}/{of[k]}' for k in used) or '0'}) / {count}"

    p, r = figures(precision), figures(recall)
    sums: list[tuple[Words, str, float]] = [
        (_("precision, mean of the orders"), f"P = {mean(made)}", precision),
        (_("recall, mean of the orders"), f"R = {mean(right)}", recall),
        ("chrF++" if pairs else "chrF", f"100 · 5 · {p} · {r} / (4 · {p} + {r})", value),
    ]
    orders: list[tuple[str, Words]] = [("1", _("letters"))]
    orders += [(str(k), _("{n} letters", n=k)) for k in range(2, chrf.LETTERS + 1)]
    orders += [("w1", _("words")), ("w2", _("pairs of words"))][:pairs]
    return Lit(rows, legend, sums, orders=orders, order=chosen, reference=best)


def chrf_words_lit(said: str, references: Sequence[str], order: str) -> Lit:
    return chrf_lit(said, references, order, chrf.WORDS)


def rouge_lit(said: str, references: Sequence[str], n: int) -> Lit:
    every = [rouge.of_runs(said, one, n) for one in references]
    best = int(np.argmax([one[2] for one in every]))
    rows, legend = _runs(said, (references[best],), n, rouge.words)
    rows[1].title = called(best, len(references))
    mine, right = len(rows[0].words), len(rows[1].words)
    both = sum(state == FOUND for state in rows[0].states)
    sums = _prf(f"ROUGE-{n}", both, mine, right, every[best])
    return Lit(rows, legend, sums, reference=best)


def _prf(
    name: str, both: int, made: int, right: int, prf: tuple[float, float, float]
) -> list[tuple[Words, str, float]]:
    p, r = figures(prf[0]), figures(prf[1])
    return [
        (_("precision"), f"P = {both} / {made}", prf[0]),
        (_("recall"), f"R = {both} / {right}", prf[1]),
        (name, f"100 · 2 · {p} · {r} / ({p} + {r})" if both else "0", 100 * prf[2]),
    ]


def rouge_1_lit(said: str, references: Sequence[str], order: str) -> Lit:
    return rouge_lit(said, references, 1)


def rouge_2_lit(said: str, references: Sequence[str], order: str) -> Lit:
    return rouge_lit(said, references, 2)


def _marked(
    title: Words, line: str, words: Sequence[str], states: dict[int, int], marks: dict[int, int]
) -> Row:
    everywhere = range(len(words))
    return Row(
        title,
        list(words),
        [states.get(i, MISSING) for i in everywhere],
        find_places(line, words),
        [marks.get(i, 0) for i in everywhere],
    )


def rouge_l_lit(said: str, references: Sequence[str], order: str) -> Lit:
    every = [rouge.longest(said, one) for one in references]
    best = int(np.argmax([one[2] for one in every]))
    mine, theirs = rouge.words(said), rouge.words(references[best])
    places = rouge.subsequence(mine, theirs)
    rows = [
        _marked(
            title,
            line,
            words,
            {place[k]: FOUND for place in places},
            {place[k]: m for m, place in enumerate(places, 1)},
        )
        for k, (title, line, words) in enumerate(
            ((SAID, said, mine), (called(best, len(references)), references[best], theirs))
        )
    ]
    legend: list[tuple[int, Words, int]] = [
        (FOUND, _("on the longest common subsequence"), len(places)),
        (MISSING, _("not on it"), len(mine) - len(places)),
    ]
    sums = _prf("ROUGE-L", len(places), len(mine), len(theirs), every[best])
    return Lit(rows, legend, sums, reference=best)


def meteor_lit(said: str, references: Sequence[str], order: str) -> Lit:
    best, found = meteor.best(said, references)
    mine, theirs = meteor.words(said), meteor.words(references[best])
    state = {"exact": FOUND, "stem": STEM, "synonym": SYNONYM}
    places = [(i, j) for i, j, _stage in found.pairs]
    kinds, chunks = [state[stage] for *_place, stage in found.pairs], found.chunks
    rows = [
        _marked(
            title,
            line,
            words,
            dict(zip((place[k] for place in places), kinds, strict=True)),
            dict(zip((place[k] for place in places), chunks, strict=True)),
        )
        for k, (title, line, words) in enumerate(
            ((SAID, said, mine), (called(best, len(references)), references[best], theirs))
        )
    ]
    stages = [stage for *_place, stage in found.pairs]
    legend: list[tuple[int, Words, int]] = [
        (FOUND, _("the same word"), stages.count("exact")),
        (STEM, _("the same stem"), stages.count("stem")),
        (SYNONYM, _("a synonym"), stages.count("synonym")),
        (MISSING, _("not aligned"), len(mine) - len(stages)),
    ]
    matched, pieces = len(stages), chunks[-1] if chunks else 0
    precision, recall = matched / max(1, len(mine)), matched / max(1, len(theirs))
    below = meteor.ALPHA * precision + (1 - meteor.ALPHA) * recall
    mean = precision * recall / below if below else 0.0
    penalty = meteor.GAMMA * (pieces / matched) ** meteor.BETA if matched else 0.0
    p, r, f = (figures(x) for x in (precision, recall, mean))
    sums: list[tuple[Words, str, float]] = [
        (_("precision"), f"P = {matched} / {len(mine)}", precision),
        (_("recall"), f"R = {matched} / {len(theirs)}", recall),
        (
            _("their mean, nine times the weight on recall"),
            f"{p} · {r} / (0.9 · {p} + 0.1 · {r})",
            mean,
        ),
        (_("penalty for the chunks"), f"0.5 · ({pieces} / {matched})³", penalty),
        ("METEOR", f"100 · {f} · (1 − {figures(penalty)})", 100 * mean * (1 - penalty)),
    ]
    return Lit(
        rows, [row for row in legend if row[2] or row[0] in (FOUND, MISSING)], sums, reference=best
    )


def f1_lit(said: str, references: Sequence[str], order: str) -> Lit:
    every = [squad.f1(said, one) for one in references]
    best = int(np.argmax(every))
    made, right, both = squad.shared(said, references[best])
    rows, legend = _runs(said, (references[best],), 1, squad.words)
    rows[1].title = called(best, len(references))
    precision, recall = both / max(1, made), both / max(1, right)
    sums = _prf("F1", both, made, right, (precision, recall, every[best]))
    return Lit(rows, legend, sums, reference=best)


def exact_lit(said: str, references: Sequence[str], order: str) -> Lit:
    mine = squad.words(said)
    same = [squad.words(one) == mine for one in references]
    best = same.index(True) if any(same) else 0
    theirs = squad.words(references[best])
    rows = []
    for title, line, words, others in (
        (SAID, said, mine, theirs),
        (called(best, len(references)), references[best], theirs, mine),
    ):
        states = {i: FOUND for i, word in enumerate(words) if i < len(others) and others[i] == word}
        rows.append(_marked(title, line, words, states, {}))
    alike = sum(state == FOUND for state in rows[0].states)
    legend: list[tuple[int, Words, int]] = [
        (FOUND, _("the same at this place"), alike),
        (MISSING, _("another"), len(mine) - alike),
    ]
    sums: list[tuple[Words, str, float]] = [
        (
            _("the same without case, punctuation and articles"),
            f"“{' '.join(mine)[:60]}” {'=' if any(same) else '≠'} “{' '.join(theirs)[:60]}”",
            100.0 * any(same),
        )
    ]
    return Lit(rows, legend, sums, reference=best)


def _paired(
    said: str,
    reference: str,
    title: Words,
    mine: Sequence[str],
    theirs: Sequence[str],
    steps: Sequence[tuple[int, int, int]],
) -> list[Row]:
    """`steps`: (word said or -1, word right or -1, state)."""
    places = find_places(said, mine), find_places(reference, theirs)
    states = [state for _, _, state in steps]
    return [
        Row(
            name,
            ["" if step[k] < 0 else words[step[k]] for step in steps],
            states,
            [-1 if step[k] < 0 else places[k][step[k]] for step in steps],
        )
        for k, (name, words) in enumerate(((SAID, mine), (title, theirs)))
    ]


def rate_lit(
    said: str, references: Sequence[str], cut: Callable[[str], list[str]], name: str
) -> Lit:
    best = error_rates.nearest(said, references, cut)
    mine, theirs = cut(said), cut(references[best])
    steps = list[tuple[int, int, int]]()
    kinds = {"equal": FOUND, "replace": REPLACED, "delete": LACKS, "insert": ADDED}
    for tag, i, i_end, j, j_end in error_rates.changes(mine, theirs):
        for k in range(max(i_end - i, j_end - j)):
            steps.append((j + k if j < j_end else -1, i + k if i < i_end else -1, kinds[tag]))
    rows = _paired(said, references[best], called(best, len(references)), mine, theirs, steps)
    legend, (s, d, a) = _changes([state for _, _, state in steps])
    below = max(1, len(theirs))
    sums: list[tuple[Words, str, float]] = [
        (name, f"100 · ({s} + {d} + {a}) / {below}", 100 * (s + d + a) / below)
    ]
    return Lit(rows, legend, sums, aligned=True, reference=best)


def _changes(states: Sequence[int]) -> tuple[list[tuple[int, Words, int]], tuple[int, int, int]]:
    count = [states.count(state) for state in (REPLACED, LACKS, ADDED)]
    legend: list[tuple[int, Words, int]] = [
        (FOUND, _("unchanged"), states.count(FOUND) + states.count(MOVED)),
        (REPLACED, _("replaced by another"), count[0]),
        (LACKS, _("left out"), count[1]),
        (ADDED, _("too much"), count[2]),
    ]
    return legend, (count[0], count[1], count[2])


def wer_lit(said: str, references: Sequence[str], order: str) -> Lit:
    return rate_lit(said, references, error_rates.words, "WER")


def cer_lit(said: str, references: Sequence[str], order: str) -> Lit:
    return rate_lit(said, references, error_rates.characters, "CER")


def ter_lit(said: str, references: Sequence[str], order: str) -> Lit:
    mine = ter.words(said)
    every = [(ter.words(one), ter.edits(mine, ter.words(one))) for one in references]
    best = min(range(len(every)), key=lambda k: every[k][1].count)
    theirs, found = every[best]
    steps, i, j = list[tuple[int, int, int]](), 0, 0
    travelled = _travelled(found)
    for op in found.trace:
        one, other = (found.order[i] if op != "i" else -1), (j if op != "d" else -1)
        state = {" ": FOUND, "s": REPLACED, "d": ADDED, "i": LACKS}[op]
        if state == FOUND and one in travelled:
            state = MOVED
        steps.append((one, other, state))
        i, j = i + (op != "i"), j + (op != "d")
    rows = _paired(said, references[best], called(best, len(references)), mine, theirs, steps)
    legend, (s, d, a) = _changes([state for _, _, state in steps])
    if found.shifts:
        rows[0].title = _("System, shifted")
        legend.insert(1, (MOVED, _("moved"), len(found.shifts)))
    mean = sum(edits.right for _, edits in every) / len(every)
    value = float(ter.score(np.array([[found.count, mean]]))[0])
    sums: list[tuple[Words, str, float]] = [
        (_("shift {n}", n=n), f"“{' '.join(shift.words)}”: {shift.start + 1} → {_goes(shift)}", 1)
        for n, shift in enumerate(found.shifts, 1)
    ]
    shown = figures(mean)
    sums.append(("TER", f"100 · ({len(found.shifts)} + {s} + {d} + {a}) / {shown}", value))
    return Lit(rows, legend, sums, aligned=True, reference=best)


def _goes(of: ter.Shift) -> int:
    """The place of its first word behind the shift, from 1."""
    return 1 + of.target - (len(of.words) if of.target > of.start + len(of.words) else 0)


def _travelled(found: ter.Edits) -> set[int]:
    """Which words said were in some shift."""
    order, moved = list(range(len(found.order))), set[int]()
    for shift in found.shifts:
        run = order[shift.start : shift.start + len(shift.words)]
        moved |= {*run}
        order = ter.move(order, shift.start, len(shift.words), shift.target)
    return moved


LIT: dict[str, Callable[[str, Sequence[str], str], Lit]] = {
    "bleu": bleu_lit,
    "chrf": chrf_lit,
    "chrf++": chrf_words_lit,
    "rouge1": rouge_1_lit,
    "rouge2": rouge_2_lit,
    "rougeL": rouge_l_lit,
    "meteor": meteor_lit,
    "em": exact_lit,
    "f1": f1_lit,
    "ter": ter_lit,
    "wer": wer_lit,
    "cer": cer_lit,
}
