"""Below the live pictures: a run asked about many lines, changed lines, tests, pairs of words, its training text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis import interval
from engine.analysis.calibration import BINS, calibration_error, reliability
from engine.analysis.optimising import fitting
from engine.core.trace import Kind
from engine.language.message import _
from engine.lessons.compare.intervals import intervals
from engine.lessons.trial import bias, cases, changes, checklist, kinds, twin
from engine.lessons.trial.cases import Cases
from engine.lessons.trial.head import (
    OWN,
    Trial,
    first_training,
    learned_from,
    plain_lines,
    training_lines,
    training_texts,
    typed_lines,
)
from engine.lessons.trial.overlap import Found, Index
from engine.live.markdown import escape
from engine.live.stage import take_turn
from engine.models.abilities import Labels, Translates
from engine.models.base import Corpus, Model
from engine.storage.run_folder import HISTORY
from engine.training import history, verdict
from engine.views import theme

LISTED, CONTEXT, NAMED = 12, 48, 14  # mistakes, characters around one, answers in the matrix
FEWEST = 5  # cases of a group that is listed
Z = "95 % interval"


def asked(trial: Trial) -> fr.Taking[Cases]:
    found = yield from cases.read(trial.model, run=trial.run_key, lines=trial.lines)
    return found


def percent(value: float) -> str:
    return "n/a" if math.isnan(value) else f"{100 * value:.1f} %"


def between(hits: float, count: float) -> str:
    return _(
        "{low} to {high}",
        **dict(zip(("low", "high"), map(percent, interval.of_share(hits, count)), strict=True)),
    )


def shown(name: str, most: int = 24) -> str:
    """A token or a label."""
    return theme.visible(name, most)


def cut(text: str, most: int = 120) -> str:
    return theme.shorten(text, most)


def unit(model: Model[Any]) -> str:
    if not isinstance(model, Labels):
        return "characters" if model.tokenizer.id == "chars" else "tokens"
    return "texts" if model.corpus == Corpus.LABELLED else "words"


def of_what(trial: Trial, found: Cases) -> fr.Blocks:
    yield fr.Note(
        _(
            "{n:,} {what} in {lines:,} lines of {of}; each line is read alone.",
            n=len(found),
            what=_(unit(trial.model)),
            lines=len(found.lines),
            of=escape(trial.of),
        )
    )
    if trial.left_out:
        yield fr.Note(_("{n:,} more lines are left out.", n=trial.left_out))
    if found.left_out:
        yield fr.Note(
            _(
                "{n:,} {n|answer is|answers are} left out: the model cuts the word otherwise, or has not learned"
                " the label.",
                n=found.left_out,
            )
        )


# ------------------------------------------------------------------ calibration


@fr.part("Is it as often right as it is sure?")
def calibration(trial: Trial) -> fr.Blocks:
    found = yield from asked(trial)
    right = int(found.hit_N.sum())
    yield _(
        "It is right in **{share}** of {n:,} cases ({interval}), and sure to **{sure}** on average.",
        share=percent(right / len(found)),
        n=len(found),
        interval=between(right, len(found)),
        sure=percent(float(found.sure_N.mean())),
    )
    yield from of_what(trial, found)
    of = found.tempered
    if of is None:
        yield fr.Note("One line cannot be parted into two halves, so no temperature is fitted.")
        return
    names = ("as it is", _("at temperature {t:.2f}", t=of.temperature))
    bins = [reliability(sure_N, of.hit_N) for sure_N in of.sure_2N]
    series: dict[str, Any] = {
        name: ([b.confidence for b in mine], [b.hits for b in mine])
        for name, mine in zip(("as it is", "with the fitted temperature"), bins, strict=True)
    }
    series["perfectly calibrated"] = ([0, 1], [0, 1])
    yield fr.curves(
        "reliability",
        "Right answers by confidence",
        series,
        "confidence: probability of the likeliest answer",
        "share of right answers",
        _("{n:,} cases that the temperature was not fitted on", n=len(of.hit_N)),
        source=trial.run.id,
    )
    with np.errstate(divide="ignore"):
        both = fr.table(
            ("", "ECE", "bits per case", "Brier score"),
            [
                (str(name), calibration_error(mine), float(-np.log2(p_N).mean()), float(b_N.mean()))
                for name, mine, p_N, b_N in zip(names, bins, of.p_2N, of.brier_2N, strict=True)
            ],
        )
    each = fr.table(
        ("sure, as it is", "cases", "right", Z),
        [(b.confidence, b.count, b.hits, str(between(b.hits * b.count, b.count))) for b in bins[0]],
        forms={"sure, as it is": fr.SHARE, "right": fr.SHARE},
    )
    yield fr.Beside([[both], [each]])
    yield fr.Note(
        _(
            "ECE: the mean distance of the points from the straight line, weighted by their cases, over {bins}"
            " bins; it is above 0 by chance alone where cases are few. The temperature divides all logits: it was"
            " fitted on {fitted:,} cases of half of the lines and judged on the others. It changes no answer. Above 1"
            " the model is too sure, below 1 not sure enough. Intervals are Wilson's, and take the cases for"
            " independent, which words of one line are not.",
            bins=BINS,
            fitted=of.fitted,
        )
    )


# ------------------------------------------------------------------ where it fails


@fr.part("Where does it fail?")
def errors(
    trial: Trial,
    tagger: Labels[Any] | None = fr.shipped("tagger"),
    by: str = fr.pick("By", kinds.offered, width=260),
) -> fr.Blocks:
    found = yield from asked(trial)
    yield fr.Progress(0.97, "Sorting the cases")
    keys_N, says = kinds.keys(by, found, trial, tagger)
    rows = []
    for key, at in kinds.ordered(cases.groups(keys_N)):
        if len(at) < FEWEST and len(found) >= 20 * FEWEST:
            continue
        wrong = int((~found.hit_N[at]).sum())
        rows.append(
            {
                str(_(kinds.BY[by])): str(key),
                "cases": len(at),
                "wrong": wrong / len(at),
                Z: str(between(wrong, len(at))),
                "bits per case": float(found.bits_N[at].mean()),
            }
        )
    wrong = int((~found.hit_N).sum())
    yield _(
        "**{share}** of {n:,} cases are wrong; by {by}:",
        share=percent(wrong / len(found)),
        n=len(found),
        by=_(kinds.BY[by]),
    )
    yield fr.Rows(rows, {"wrong": fr.SHARE}, bars=("wrong",), widths={"wrong": 160})
    yield fr.Note(says)
    yield from of_what(trial, found)


# ------------------------------------------------------------------ mistakes


def common(found: Cases) -> list[int]:
    """The answers that are true or given most often."""
    counts = np.bincount(found.true_N, minlength=len(found.names)) + np.bincount(
        found.said_N, minlength=len(found.names)
    )
    best = np.argsort(-counts, kind="stable")[:NAMED]
    return [int(n) for n in best if counts[n]]


def context(found: Cases, n: int) -> str:
    line, a, b = found.lines[found.line_N[n]], int(found.start_N[n]), int(found.stop_N[n])
    if b - a == len(line):
        return cut(line, 160)
    before, after = line[max(0, a - CONTEXT) : a], line[b : b + CONTEXT]
    dots = "…" if a > CONTEXT else "", "…" if b + CONTEXT < len(line) else ""
    piece = theme.visible(line[a:b]) or "⏎"
    return f"{dots[0]}{before} [{piece}] {after}{dots[1]}"


def listed(found: Cases, some: np.ndarray, most: int = LISTED) -> fr.Rows:
    order = some[np.argsort(-found.sure_N[some], kind="stable")][:most]
    return fr.table(
        ("sure", "said", "true", "probability of the truth", "place"),
        [
            (
                float(found.sure_N[n]),
                shown(found.names[found.said_N[n]]),
                shown(found.names[found.true_N[n]]),
                float(found.p_N[n]),
                context(found, int(n)),
            )
            for n in order
        ],
        forms={"sure": fr.SHARE, "probability of the truth": fr.SHARE},
        widths={"place": 420},
    )


@fr.part("Which mistakes is it surest of?")
def mistakes(trial: Trial) -> fr.Blocks:
    found = yield from asked(trial)
    wrong = np.flatnonzero(~found.hit_N)
    if not len(wrong):
        yield _("All {n:,} answers are right: there is no mistake to look at.", n=len(found))
        return
    right = found.sure_N[found.hit_N]
    yield _(
        "**{wrong:,} of {n:,}** answers are wrong. Where it is right, it is {sure} sure on average; where it is wrong,"
        " {unsure}.",
        wrong=len(wrong),
        n=len(found),
        sure=percent(float(right.mean()) if len(right) else math.nan),
        unsure=percent(float(found.sure_N[wrong].mean())),
    )
    yield listed(found, wrong)
    if len(wrong) > LISTED:
        yield fr.Note(_("The surest {n} of {all:,}.", n=LISTED, all=len(wrong)))
    yield from of_what(trial, found)


def matrix(found: Cases) -> tuple[np.ndarray, list[str]]:
    """The confusion matrix of the commonest answers, and their names."""
    some = common(found)
    place = {answer: n for n, answer in enumerate(some)}
    counts = np.zeros((len(some), len(some)))
    for true, said in zip(found.true_N.tolist(), found.said_N.tolist(), strict=True):
        if true in place and said in place:
            counts[place[true], place[said]] += 1
    return counts, [shown(found.names[a], 14) or "⏎" for a in some]


def named(found: Cases, n: int) -> tuple[str, str]:
    """What is true of a case, and what was said."""
    return shown(found.names[found.true_N[n]]), shown(found.names[found.said_N[n]])


def places(found: Cases, asked: str) -> np.ndarray:
    """The cases of "true → said"; either side may be missing, and then they are those that are wrong."""
    true, __, said = (part.strip() for part in asked.replace("->", "→").partition("→"))
    pairs = [tuple(name.strip() for name in named(found, n)) for n in range(len(found))]
    some = [
        n
        for n, (a, b) in enumerate(pairs)
        if true in ("", a) and said in ("", b) and (said or not found.hit_N[n])
    ]
    return np.array(some, int)


@fr.part("What does it take for what?")
def confusion(
    trial: Trial,
    cell: str = fr.typed(
        "List the places of (true → said)", "", 60, "true → said, or true →", width=320
    ),
) -> fr.Blocks:
    found = yield from asked(trial)
    counts, names = matrix(found)
    yield _(
        "True answers in rows, what was said in columns: the {n} commonest. Below, the pairs that are taken for each"
        " other most often; type one to see its places.",
        n=len(common(found)),
    )
    yield fr.grid(
        "confusion",
        "Confusion matrix",
        counts,
        ("row", names),
        ("column", names),
        Kind.COUNT,
        _("{n:,} of {all:,} cases of {of}", n=int(counts.sum()), all=len(found), of=trial.of),
        source=trial.run.id,
        fluid=True,
    )
    wrong = np.flatnonzero(~found.hit_N)
    pairs = cases.groups([" → ".join(named(found, n)) for n in wrong.tolist()])
    often = sorted(pairs.items(), key=lambda item: -len(item[1]))[:LISTED]
    yield fr.table(
        ("true → said", "times", "sure on average"),
        [(pair, len(at), float(found.sure_N[wrong[at]].mean())) for pair, at in often],
        forms={"sure on average": fr.SHARE},
        width=460,
    )
    if not (wanted := cell or next((pair for pair, __ in often), "")):
        return
    at = places(found, wanted)
    if not len(at):
        yield _("There is no case of “{cell}” here.", cell=escape(wanted))
        return
    yield _("**{cell}**: {n:,} {n|place|places}.", cell=escape(wanted), n=len(at))
    yield listed(found, at)


# ------------------------------------------------------------------ robustness


@fr.once_told
def tried(
    model: Model[Any], *, run: object, lines: tuple[str, ...], kind: str, seed: int
) -> fr.Taking[list[tuple[str, str, twin.Pair]]]:
    """Each line that the change changes, changed, and what that does."""
    found = []
    for n, line in enumerate(lines, 1):
        other = changes.change(line, kind, seed, isinstance(model, Translates))
        if other != line:
            with take_turn():
                found.append((line, other, twin.compare(model, line, other)))
        yield fr.Progress(n / len(lines), _("Line {n} of {all}", n=n, all=len(lines)))
    return found


Tried = list[tuple[str, str, twin.Pair]]


def more_bits(found: Tried) -> fr.Blocks:
    """What a character costs more in the changed lines of a language model."""
    size_L = np.array([len(line) for line, *__ in found], float)
    both_L2 = np.array([(pair.before, pair.after) for *__, pair in found])
    apart = intervals(both_L2, size_L)[1][0, 1]
    if len(found) > 1:
        yield _(
            "A character costs **{more:.3f} bits** more ({low:.3f} to {high:.3f}; bootstrap over lines).",
            more=apart.value,
            low=apart.low,
            high=apart.high,
        )
    if (strange := sum(pair.strange for *__, pair in found)) > 0:
        yield fr.Warn(
            _(
                "The changed lines have {n:,} more words that this model does not know. Each costs only the bits of"
                " “some unknown word”, however it is written, so the sum may even fall.",
                n=strange,
            )
        )


def most_changed(found: Tried, labels: bool) -> fr.Rows:
    gain = np.array([pair.after - pair.before for *__, pair in found]) * (-1 if labels else 1)
    order = np.argsort(-np.where(np.isfinite(gain), gain, np.inf), kind="stable")[:LISTED]
    what = "loses" if labels else "more bits"
    rows = [
        (gain[n], f"{pair.changed} / {pair.compared}", cut(line), cut(other))
        for n, (line, other, pair) in ((n, found[n]) for n in order)
    ]
    return fr.table(
        (what, "answers changed", "line", "changed line"),
        rows,
        forms={what: fr.SHARE if labels else "%.1f"},
        widths={"line": 330, "changed line": 330},
    )


EXPECTED = {
    "typo": "A reader hardly minds a typo.",
    "case": "Case changes nothing that is said.",
    "not": "A negation has to matter: a classifier that goes on as before has not read it.",
    "name": "Another name should not matter.",
    "order": "Order has to matter to whoever writes; a bag of words would not notice.",
}


@fr.part("Does a small change of the text break it?")
def robustness(
    trial: Trial,
    change: str = fr.pick(
        "Change", {id: label for id, (label, __) in changes.KINDS.items()}, few=True
    ),
    variant: int = fr.slider("Variant", 1, 9, 1, width=120),
) -> fr.Blocks:
    yield EXPECTED[change]
    lines = plain_lines(trial)
    model = trial.model
    found = yield from tried(model, run=trial.run_key, lines=lines, kind=change, seed=variant)
    if not found:
        raise ValueError("None of these lines has anything to change that way.")
    compared = sum(pair.compared for *__, pair in found)
    changed = sum(pair.changed for *__, pair in found)
    labels = isinstance(model, Labels)
    yield _(
        "{n:,} of {all:,} lines change. Of {compared:,} answers that can be compared, **{changed:,}** become others:"
        " **{share}** ({interval}).",
        n=len(found),
        all=len(lines),
        compared=compared,
        changed=changed,
        share=percent(changed / compared if compared else math.nan),
        interval=between(changed, compared),
    )
    if not labels:
        yield from more_bits(found)
    yield most_changed(found, labels)
    yield fr.Note(
        "The examples that change most. What is compared: of a classifier the label, of a tagger the tag of each word"
        " that both texts have."
        if labels
        else "The examples that cost most more. Compared are the likeliest next tokens behind each token that both"
        " texts have. Bits are those of the whole line: a misspelt word is rare, and should cost some."
    )
    yield fr.Note("Names, negations and word order are those of English.")


# ------------------------------------------------------------------ tests of one's own


def no_translator(trial: Trial) -> None:
    if isinstance(trial.model, Translates):
        raise ValueError("This asks about single texts. Choose a language model or a classifier.")


def first_tests(given: fr.Others) -> str:
    return checklist.usual(given["trial"].model)


@fr.part("Does it pass tests of your own?")
def tests(
    trial: Trial,
    own: str = fr.typed("Tests, one a line", first_tests, 4_000, checklist.FORM, tall=150),
) -> fr.Blocks:
    yield (
        "**MFT** (minimum functionality): the answer is right for every filling of {a|b}. **INV** (invariance): it is"
        " the same for all fillings of the first. **DIR** (direction): its probability does not fall from one to the"
        " next. Change the tests, and they are answered anew."
    )
    found = checklist.parse(own)
    no_translator(trial)
    model, rows, failed, total = trial.model, [], [], 0
    for n, test in enumerate(found, 1):
        outcomes = []
        for texts in test.cases:
            with take_turn():
                outcomes.append(checklist.outcome(model, test, texts))
        total += len(outcomes)
        bad = [one for one in outcomes if not one.passed]
        failed += [(test, one) for one in bad]
        rows.append(
            {
                "test": f"{test.kind}: {test.template}",
                "wanted": " > ".join(filter(None, (test.one, test.other))) or "the same answer",
                "cases": len(outcomes),
                "fail": len(bad) / len(outcomes),
                Z: str(between(len(bad), len(outcomes))),
            }
        )
        yield fr.Progress(n / len(found), _("Test {n} of {all}", n=n, all=len(found)))
    yield _("**{bad:,} of {n:,}** cases fail.", bad=len(failed), n=total)
    yield fr.Rows(rows, {"fail": fr.SHARE}, bars=("fail",), widths={"test": 380, "fail": 140})
    if failed:
        yield fr.table(
            ("case that fails", "answer"),
            [
                (cut(" · ".join(one.texts), 160), cut(" · ".join(one.answered)))
                for __, one in failed[:LISTED]
            ],
            widths={"case that fails": 460},
        )
    yield fr.Note(
        "The intervals say how far the share could have come out otherwise for other words of the same kind; the words"
        " of a template are chosen by whoever writes it, not drawn at random."
    )


# ------------------------------------------------------------------ bias


SENTENCES = """\
_ worked as a nurse.
_ worked as a doctor.
_ was a soldier.
_ was a servant.
_ stayed at home with the children.
_ had a good head for business.
_ began to cry.
_ gave the orders."""


def labels_of(given: fr.Others) -> list[str]:
    model = given["trial"].model
    return [*reversed(model.names)] if isinstance(model, Labels) else ["what follows"]


def lean(mean_S: np.ndarray, label: str, **told: str) -> fr.Words:
    _mean, low, high = interval.of_mean(mean_S)
    if label:
        return _(
            "With “{one}” in place of “{other}”, “{label}” gets **{mean:+.1f} points** on average ({low:+.1f} to"
            " {high:+.1f}).",
            label=label,
            mean=float(mean_S.mean()),
            low=low,
            high=high,
            **told,
        )
    return _(
        "What follows “{one}” is likelier than what follows “{other}” by **{mean:+.2f} bits** on average"
        " ({low:+.2f} to {high:+.2f}).",
        mean=float(mean_S.mean()),
        low=low,
        high=high,
        **told,
    )


def sure_of(mean_S: np.ndarray) -> fr.Words:
    _mean, low, high = interval.of_mean(mean_S)
    if low > 0 or high < 0:
        return "The mean of other sentences like these would probably lean the same way: the interval holds no 0."
    return "The interval holds 0: over all sentences there is no clear lean, though single ones may lean."


@fr.part("Does one word change what it expects?")
def pairs(
    trial: Trial,
    ones: str = fr.typed("One", "He", 200, width=220),
    others: str = fr.typed("Other", "She", 200, width=220),
    label: str = fr.pick("Probability of", labels_of, width=200),
    *,
    own: str = fr.typed("Sentences with _ for the word", SENTENCES, 4_000, tall=190),
) -> fr.Blocks:
    yield fr.Controls(["own"])
    a, b = bias.words(ones), bias.words(others)
    if not a or not b:
        raise ValueError("Type a word into both places; commas part several.")
    no_translator(trial)
    lines, model = bias.templates(own), trial.model
    labels = isinstance(model, Labels)
    if labels and model.corpus == Corpus.TAGGED:
        raise ValueError(
            "A tagger says nothing of a whole sentence. Choose a language model or a classifier."
        )
    yield fr.Progress(0.2, "Reading the sentences")
    with take_turn():
        found_SP = bias.differences(model, lines, a, b, label)
    mean_S = found_SP.mean(1)
    scale = 100 if labels else 1
    told = {"one": escape(", ".join(a)), "other": escape(", ".join(b))}
    yield lean(mean_S * scale, label if labels else "", **told)
    yield sure_of(mean_S)
    order = np.argsort(-mean_S, kind="stable")
    yield fr.bars(
        "leans",
        _("For “{one}” (right) or for “{other}” (left)", one=", ".join(a), other=", ".join(b)),
        scale * mean_S[order],
        ("row", [lines[n] for n in order]),
        Kind.STATE,
        "Points of a probability" if labels else "Bits, of what stands behind the word",
        source=trial.run.id,
    )
    yield fr.Note(
        "What stands behind the word counts, given the word: a common word has no advantage. A lean says what texts"
        " like those it was trained on say, not what is true; and few sentences, chosen by whoever looks for something,"
        " prove nothing of a model as a whole. That no lean is found does not mean that there is none: other"
        " sentences, words and languages were not asked. Many published sets of such pairs are flawed in just these"
        " ways (Blodgett et al., 2021)."
    )
    yield fr.Link("vectors", "Bias of word vectors, along an axis of your own: Vectors")


# ------------------------------------------------------------------ over- or underfitted


@fr.part("Is it over- or underfitted?")
def fit(trial: Trial) -> fr.Blocks:
    run = trial.run
    found = history.read(run.folder / HISTORY)
    train, held = found.get("loss_nats"), found.get("held_out_nats")
    judged = fitting.fitting(train, held) if train and held else None
    if judged:
        yield verdict.judge_fit(judged)
        yield fr.curves(
            "history",
            "Loss during training, in nats",
            {"training text": thin(train), "held-out text": held} if train and held else {},
            "step",
            "nats",
            source=run.id,
        )
        yield fr.Note(verdict.RULE)
    else:
        yield "This run has no two losses to compare: it was counted, or its curves were not kept."
    seen, unseen = learned_lines(trial), plain_lines(trial)
    if not seen:
        yield fr.Note(
            "Its training text is not here, so lines that it has learned from cannot be asked. A run of your own text,"
            " or of a built-in one, can."
        )
        return
    yield from fitted_lines(trial, seen, unseen)


def thin(curve: tuple[np.ndarray, np.ndarray], most: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Means of at most so many stretches."""
    steps, values = curve
    if len(steps) <= most:
        return curve
    edges = np.linspace(0, len(steps), most + 1).round().astype(int)[:-1]
    sizes = np.diff(np.append(edges, len(steps)))
    return np.add.reduceat(steps, edges) / sizes, np.add.reduceat(values, edges) / sizes


def learned_lines(trial: Trial) -> tuple[str, ...]:
    return (
        learned_from(trial.trained, int(trial.run.note.get("seed", 0)), len(trial.lines))
        if trial.trained
        else ()
    )


def fitted_lines(trial: Trial, seen: tuple[str, ...], unseen: tuple[str, ...]) -> fr.Blocks:
    first = yield from cases.read(trial.model, run=trial.run_key, lines=seen)
    other = yield from asked(trial)
    bits = [float(of.bits_N.mean()) for of in (first, other)]
    ends = [spread(of) for of in (first, other)]
    yield fr.table(
        ("lines", "cases", "bits per case", Z, "right"),
        [
            (
                name,
                len(of),
                b,
                _("{low:.3f} to {high:.3f}", low=low, high=high),
                float(of.hit_N.mean()),
            )
            for name, of, b, (low, high) in zip(
                ("learned from", "chosen above"),
                (first, other),
                bits,
                ends,
                strict=True,
            )
        ],
        forms={"right": fr.SHARE},
        width=640,
    )
    apart = ends[1][0] - ends[0][1]
    yield (
        "The intervals lie apart: it knows what it has learned from better."
        if apart > 0
        else "The intervals overlap: on these lines no clear gap can be seen."
    )
    yield fr.Note("Interval: 2,000 bootstrap draws of as many lines.")


def spread(found: Cases) -> tuple[float, float]:
    """The bootstrap interval of the mean bits of a case, over lines."""
    bits_L, size_L = cases.by_line(found, found.bits_N), cases.by_line(found, np.ones(len(found)))
    some = size_L > 0
    each, __ = intervals(bits_L[some][:, None], size_L[some])
    return each[0].low, each[0].high


# ------------------------------------------------------------------ contamination


@fr.once_told
def indexed(make: Callable[[], tuple[str, ...]], *, lines: object, n: int) -> fr.Taking[Index]:
    yield fr.Progress(0, "Reading the training text")
    text = make()
    found = Index(text, n)
    for share in found.reading():
        yield fr.Progress(0.8 * share, _("Numbering {n:,} lines", n=len(text)))
    yield fr.Progress(0.8, "Sorting the n-grams")
    found.sorted(n)
    return found


@fr.once
def looked_up(index: Index, lines: tuple[str, ...]) -> list[Found]:
    return [index.look_up(line) for line in lines]


@fr.part("Has it seen these lines before?")
def contamination(
    trial: Trial,
    training: str = fr.pick("Training text", training_texts, first_training, width=260),
    n: int = fr.slider("n-grams of so many words", 2, 13, 5, width=200),
    least: float = fr.slider("Nearly: at least so much in common", 0.1, 1.0, 0.5, 0.05, width=240),
    *,
    own: str = fr.typed("The training text", "", 10_000_000, "Paste it here", tall=120),
    upload: Any = fr.upload("or a text file", ("txt", "md", "text")),
) -> fr.Blocks:
    if training == OWN:
        yield fr.Beside([[fr.Controls(["own"])], [fr.Controls(["upload"])]], (3, 2))
        given = typed_lines(own, upload)
        if not given:
            raise ValueError("Paste the training text, or give a file.")
        index = yield from indexed(lambda: given, lines=hash(given), n=n)
    else:
        if not trial.trained:
            yield fr.Note(
                "The training text of this run is not here. The lines are looked up in the text that you choose."
            )
        seed = int(trial.run.note.get("seed", 0))
        index = yield from indexed(
            lambda: training_lines(training, seed), lines=(training, seed), n=n
        )
    lines = plain_lines(trial)
    with take_turn():
        found = looked_up(index, lines)
    exact_L = np.array([one.exact for one in found])
    near_L = np.array([one.share >= least for one in found]) & ~exact_L
    yield _(
        "Of {n:,} lines **{exact:,}** stand in it word for word ({a}), and **{near:,}** more have {least:.0%} or more"
        " of their {k}-grams in common with it ({b}).",
        n=len(lines),
        exact=int(exact_L.sum()),
        near=int(near_L.sum()),
        a=between(int(exact_L.sum()), len(lines)),
        b=between(int(near_L.sum()), len(lines)),
        least=least,
        k=n,
    )
    order = sorted(range(len(lines)), key=lambda i: (-found[i].share, -found[i].alike))
    yield fr.table(
        ("in common", "word for word", "line", "nearest line of the training text", "alike"),
        [
            (
                found[i].share,
                "✓" if found[i].exact else "",
                cut(lines[i], 140),
                cut(found[i].nearest, 140),
                found[i].alike,
            )
            for i in order[:LISTED]
        ],
        forms={"in common": fr.SHARE, "alike": fr.SHARE},
        widths={"line": 330, "nearest line of the training text": 330},
    )
    yield from without(trial, exact_L | near_L)
    yield fr.Note(
        _(
            "Case and punctuation do not count. A line with fewer than {n} words is looked up as a whole. “Alike” is"
            " the share of letters that both lines have in the same order. Sentences that say the same in other words"
            " are not found.",
            n=n,
        )
    )


def without(trial: Trial, gone_L: np.ndarray) -> fr.Blocks:
    """The score of all lines, and of those that are not in the training text."""
    found = yield from asked(trial)
    gone_N = gone_L[found.line_N]
    rows = []
    for name, some_N in (
        ("all lines", np.ones(len(found), bool)),
        ("the rest alone", ~gone_N),
        ("found there", gone_N),
    ):
        if count := int(some_N.sum()):
            right = int(found.hit_N[some_N].sum())
            rows.append(
                (
                    name,
                    count,
                    right / count,
                    str(between(right, count)),
                    float(found.bits_N[some_N].mean()),
                )
            )
    yield fr.table(
        ("score of", "cases", "right", Z, "bits per case"),
        rows,
        forms={"right": fr.SHARE},
        width=640,
    )


PARTS = (calibration, errors, mistakes, confusion, robustness, tests, pairs, fit, contamination)
