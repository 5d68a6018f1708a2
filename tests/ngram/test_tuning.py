"""Weights are fitted on lines that are neither counted for it nor judged on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from engine.analysis.study import Study
from engine.ngram.smoothing.jelinek_mercer import LEAST, STEPS, JelinekMercer
from engine.ngram.smoothing.kneser_ney import KneserNey
from engine.text.tokenizers.base import split
from tests.conftest import TEXT


def by_hand(study: Study) -> list[float]:
    """Expectation maximisation for orders 0 to 2 with dictionaries, longest order first."""
    counted, apart = split(list(study.lines))

    def tokens(lines: list[str]) -> list[list[str]]:
        cut = (study.tokenizer.stream([line])[1:-1] for line in lines)
        return [["</s>", *(study.vocab[i] for i in ids), "</s>"] for ids in cut]

    one, two, before = Counter[str](), Counter[tuple[str, str]](), Counter[str]()
    for line in tokens(counted):
        one.update(line[1:])
        two.update(pairwise(line))
        before.update(line[:-1])
    rows = []
    for line in tokens(apart):
        for a, b in pairwise(line):
            pair = two[a, b] / before[a] if before[a] else 0.0
            rows.append((1 / (len(study.vocab) - 1), one[b] / one.total(), pair))
    weights = [1 / 3] * 3
    for _ in range(STEPS):
        parts = [[w * p for w, p in zip(weights, row, strict=True)] for row in rows]
        weights = [sum(part[m] / sum(part) for part in parts) / len(parts) for m in range(3)]
    weights[0] = max(weights[0], LEAST)
    return [w / sum(weights) for w in reversed(weights)]


def test_weights_come_from_counted_lines_set_aside() -> None:
    study = Study.of(TEXT, 2)
    found = study.smoothed(JelinekMercer()).learned["lambda"]
    assert found[::-1].tolist() == pytest.approx(by_hand(study), abs=1e-6)


def test_the_lines_that_are_judged_on_do_not_move_them() -> None:
    study = Study.of(TEXT, 3)
    other = replace(study, held_out=("zebra zebra zebra",), _kept={})
    ours, theirs = (s.smoothed(JelinekMercer()).learned["lambda"] for s in (study, other))
    assert ours.tolist() == theirs.tolist()
    assert study.at_order(JelinekMercer(), 2).learned["lambda"].tolist() == pytest.approx(
        by_hand(study)[::-1], abs=1e-6
    )


def test_what_has_nothing_to_fit_stays_itself() -> None:
    study = Study.of(TEXT, 2)
    given = JelinekMercer("0.5,0.5")
    assert study.tuned(given) is given and study.tuned(KneserNey()) == KneserNey()
    single = Study.of("a b a", 2)
    assert single.smoothed(JelinekMercer()).learned["lambda"].tolist() == [1 / 3] * 3
