"""Options: two lines by the settings of the libraries that measure them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.analysis.measures import bleu, chrf, error_rates, meteor, rouge, squad, ter
from engine.language.message import _

SMOOTHS: tuple[bleu.Smooth, ...] = ("exp", "floor", "add-k", "none")
NAMES = (
    ("chrF", _("letters"), "sacrebleu"),
    ("chrF++", _("words and pairs of words, too"), "sacrebleu"),
    ("TER", _("small letters, punctuation stays at its word"), "sacrebleu"),
    ("TER", _("punctuation cut from words"), "sacrebleu, normalized"),
    ("TER", _("without punctuation"), "sacrebleu, no_punct"),
    ("TER", _("capitals count"), "sacrebleu, case_sensitive"),
    ("ROUGE-1", _("nothing but a–z and 0–9"), "rouge-score"),
    ("ROUGE-1", _("stems of longer words"), "rouge-score, use_stemmer"),
    ("ROUGE-L", _("the text as one sequence"), "rouge-score, rougeL"),
    ("ROUGE-L", _("sentence by sentence"), "rouge-score, rougeLsum"),
    ("METEOR", _("α 0.9, β 3, γ 0.5; words as word_tokenize cuts them"), "nltk"),
    ("METEOR", _("the same of words cut at blanks"), "nltk"),
    ("METEOR", _("the same alignment with the α 0.85, β 0.2, γ 0.6 of METEOR 1.5"), "nltk"),
    ("F1 of words", _("without case, punctuation and articles"), "SQuAD"),
    ("WER", _("words cut at blanks, as they are"), "jiwer"),
    ("WER", _("small letters, without punctuation"), "jiwer, transforms"),
    ("CER", _("characters with their blanks"), "jiwer"),
)


def of_bleu(said: str, right: str, how: str, smooth: bleu.Smooth) -> float:
    row = bleu.row(said, (right,), how)  # type: ignore[arg-type]
    return float(bleu.score(np.array([row]), smooth, effective=True)[0])


def others(said: str, right: str) -> list[tuple[str, str, str, float]]:
    """(measure, setting, library, points)."""
    bare = [" ".join(squad.words(one, articles=True)) for one in (said, right)]
    aligned = meteor.align(meteor.words(said), meteor.words(right))
    by_sentence = [one.replace(". ", ".\n") for one in (said, right)]
    values = (
        *(float(chrf.score(np.array([chrf.row(said, (right,), n)]))[0]) for n in (0, 2)),
        *(
            float(ter.score(np.array([ter.row(said, (right,), **more)]))[0])
            for more in ({}, {"normal": True}, {"signs": False}, {"case": True})
        ),
        *(100 * rouge.of_runs(said, right, 1, stems)[2] for stems in (False, True)),
        100 * rouge.longest(said, right)[2],
        100 * rouge.by_sentence(by_sentence[0], by_sentence[1])[2],
        100 * meteor.score(aligned),
        100 * meteor.score(meteor.align(said.split(), right.split())),
        100 * meteor.score(aligned, 0.85, 0.2, 0.6),
        100 * squad.f1(said, right),
        rate(said, right, error_rates.words),
        rate(bare[0], bare[1], error_rates.words),
        rate(said, right, error_rates.characters),
    )
    return [(*names, value) for names, value in zip(NAMES, values, strict=True)]


def rate(said: str, right: str, cut: Callable[[str], list[str]]) -> float:
    return float(error_rates.score(np.array([error_rates.row(said, (right,), cut)]))[0])
