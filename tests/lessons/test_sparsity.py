"""What counting costs: what its parts say is what is counted, of any text; the table of four sentences (T15, T16)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.analysis.study import Study
from engine.core.registry import smoothings
from engine.course.curriculum import lesson
from engine.frame.blocks import Beside, Chart, blocks_in
from engine.frame.part import Part, Problem
from engine.lessons.counting_study import described
from engine.lessons.counting_study import study as head
from engine.lessons.counting_texts import LARGE, OWN, PRESETS, Counted, own_lines
from engine.lessons.scoring import parts as scoring
from engine.lessons.smoothing import parts as smoothing
from engine.lessons.sparsity import codes, curves, memory, parts, small
from engine.lessons.sparsity.reach import impossible, perplexities
from engine.ngram import backoff
from engine.ngram.prune import divergence, histories, prune
from tests.conftest import TEXT, together
from tests.lessons.blocks import asked, said, tables
from tests.pages.test_every_page import HOSTILE

CATS = Counted(PRESETS[0], 2)
HALF = {"study": CATS, "method": "discounted_backoff", "d": 0.5, "floor": False}
#  kept: bigrams, perplexity of the sentence, of the counted text
CUTS = {"c > 0: everything": (17, 4.299794, 2.857970)}
CUTS |= {"c > 1": (6, 5.368183, 3.995158), "c > 2": (2, 5.103864, 6.297424)}
PRUNED = {"0.5%": (14, 5.221888, 2.989028), "1%": (10, 5.723230, 3.339781)}
PRUNED |= {"2%": (6, 5.368183, 3.995158), "5%": (4, 5.103864, 4.576715)}
PRUNED |= {"10%": (2, 6.025820, 5.767822)}


def own(text: str, order: int = 3) -> Counted:
    return Counted(OWN, order, lines=own_lines(text, None)[0])


def columns(chart: Chart) -> dict[str, list[Any]]:
    return {name: values.tolist() for name, values in chart.entries[0].columns.items()}


def chart(blocks: list[Any], name: str) -> dict[str, list[Any]]:
    return next(columns(b) for b in blocks_in(blocks) if isinstance(b, Chart) and b.name == name)


def base(text: str = TEXT, order: int = 3) -> small.Base:
    return small.base(own(text, order), "modified_kneser_ney", 0.0, True)


# --- what occurs


def test_the_numbers_are_those_of_the_text() -> None:
    """An independent count: the words of four sentences and </s>, by Counter."""
    lines = [[*line.split(), "</s>"] for line in PRESETS[0].lines]
    types = {w for line in lines for w in line}
    from_starts = [["<s>", *line] for line in lines]
    grams = Counter(tuple(of[i : i + 3]) for of in from_starts for i in range(len(of) - 2))
    once = sum(c == 1 for c in grams.values()) / len(grams)
    found = parts.occur.blocks(study=Counted(PRESETS[0], 3))
    assert (
        f"{len(types)} different words make {len(types) ** 3:.3g} possible 3-grams."
        f" **{len(grams)}** of them occur here, **{100 * once:.0f} %**" in said(found)
    )
    assert chart(found, "possible")["value"][:3] == [float(len(types) ** n) for n in (1, 2, 3)]
    assert len(grams) in chart(found, "distinct")["value"]


def test_more_than_64_bits_and_laws_through_logarithms() -> None:
    of = own(" ".join(f"w{n}" for n in range(8_000)) + "\nw1 w2", 5)
    found = parts.occur.blocks(study=of)
    assert chart(found, "possible")["value"][4] == pytest.approx(8_001**5)
    assert r"make $3.28 \times 10^{19}$ possible 5-grams" in said(found)
    text = "\n".join(" ".join([f"w{r}"] * (60 // r)) for r in range(1, 20)) + "\nheld"
    found = parts.work.blocks(study=own(text))
    drawn = chart(found, "zipf")
    counted = [v for s, v in zip(drawn["series"], drawn["value"], strict=True) if s == "counts"]
    slope = np.polyfit(np.log(np.arange(1, len(counted) + 1)), np.log(counted), 1)[0]
    assert f"At twice the rank, about {2**slope:.2g} times the count." in said(found)


# --- held-out perplexity


def test_zero_events_are_counted_and_not_drawn() -> None:
    (rows,) = tables(parts.helps.blocks(study=Counted(PRESETS[0], 3)))
    assert "Maximum likelihood" in {row["method"] for row in rows}
    assert all(" of " in row["probability 0"] for row in rows)
    assert not any(row["perplexity of the rest"] in ("inf", "nan", "∞") for row in rows)
    of = own("\n".join(f"w{i} w{i + 1} w{i + 2}" for i in range(40)), 2)
    methods = {smoothings.get(id).title: smoothings.get(id)() for id in ("mle", "kneser_ney")}
    points = [*curves.by_order(of.study, methods), *curves.by_size(of.study, methods)]
    for by in ("order", "tokens"):
        assert set(columns(perplexities(of, points, by))["series"]) == {"Kneser-Ney"}
    assert {row["method"] for row in impossible(of, points)} == {"Maximum likelihood"}


def test_perplexity_of_the_counted_lines() -> None:
    """T2 of four sentences; the unsmoothed model of each order knows them best, and new lines not at all."""
    lines = (
        "the cat saw a dog",
        "a dog sat on the cat",
        "the dog saw the cat",
        "the cat sat on the mat",
    )
    study = Study.of("\n".join(lines), 3, hold_out=False)
    study = replace(study, held_out=("the mat saw the cat",))
    names = ("mle", "kneser_ney", "laplace")
    methods = {id: smoothings.get(id)() for id in names}
    points = [*curves.by_order(study, methods)]
    found = {(p.method, p.order): p for p in points}
    wanted = 7.988655, 1.871535, 1.531966
    for order, perplexity in enumerate(wanted, 1):
        assert found["mle", order].counted == pytest.approx(perplexity, abs=1e-6)
        assert min(p.counted for p in points if p.order == order) == found["mle", order].counted
    assert found["mle", 3].zeros and np.isfinite(found["laplace", 3].perplexity)


def test_a_long_text_is_measured_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "AT_ONCE", 3)
    assert not [b for b in parts.helps.blocks(study=CATS) if isinstance(b, Beside)]
    assert [b for b in parts.helps.blocks(study=CATS, measure=True) if isinstance(b, Beside)]


# --- what a model can do without


@together("threshold", PRUNED)
def test_the_table_of_the_four_sentences(threshold: str) -> None:
    asked = {**HALF, "threshold": threshold}
    (rows,) = tables(parts.cuts.blocks(**asked, mine="", sentence="the cat saw the dog"))
    by_name = {row["kept"]: row for row in rows}
    want = {**CUTS, f"threshold {threshold}": PRUNED[threshold]}
    for kept, (many, sentence, counted) in want.items():
        row = by_name[kept]
        assert row["n-grams"] == many
        assert row["perplexity, the sentence"] == pytest.approx(sentence, abs=2e-6)
        assert row["perplexity, the counted text"] == pytest.approx(counted, abs=2e-6)
    kept = f"in 4 bits, the model keeps {PRUNED[threshold][0]} of 17 n-grams"
    assert f"Pruned at {threshold} and stored {kept}" in said(parts.bits.blocks(**asked))


def test_few_bits() -> None:
    """T16: Kneser-Ney's 17 bigrams in bins of equal width."""
    rows = tables(parts.bits.blocks(study=CATS, method="kneser_ney", floor=False))[-1]
    errors = {row["bits"]: row[codes.ERROR] for row in rows if row["bins"] == "equal width"}
    for bits, error in ((2, 0.117650), (3, 0.058825), (4, 0.029412), (8, 0.001838)):
        assert errors[bits] == pytest.approx(error, abs=1e-6)
    assert sorted({row["bits"] for row in rows}) == [2, 3, 4, 5, 6, 7, 8, 32]


def test_a_single_line_and_what_is_impossible() -> None:
    one = own("the cat saw the dog")
    found = parts.cuts.blocks(study=one, mine="")
    assert "Nothing is held out" in said(found)
    assert "perplexity, held out" not in tables(found)[0][0]
    assert not [b for b in blocks_in(found) if isinstance(b, Chart)]
    assert "instead of" not in said(parts.bits.blocks(study=one))
    assert "single line" in said(parts.helps.blocks(study=one))
    of = own("\n".join(f"w{i} w{i + 1} w{i + 2}" for i in range(40)))
    asked = {"study": of, "method": "discounted_backoff", "floor": False}
    assert "Some tokens have probability 0" in said(parts.cuts.blocks(**asked, mine=""))
    found = said(parts.bits.blocks(**asked))
    assert "has probability 0, so the perplexity is not finite" in found


@together("part", [parts.cuts, parts.bits, parts.costs])
def test_order_one_has_nothing_to_leave_out(part: Part) -> None:
    more = {"mine": ""} if part is parts.cuts else {}
    (problem,) = part.blocks(study=Counted(PRESETS[0], 1), **more)
    assert str(problem).startswith("Problem(words='At order 1 every word stands alone")


def test_pictures_hold_what_was_measured() -> None:
    it = base()
    model, held = it.model, it.counted.study.held_stream
    sizes = columns(small.sizes(it, "n-grams", 0.001))
    smaller = prune(model, 0.001, it.counted.study.raw)
    here = sizes["series"].index("chosen")
    assert sizes["x"][here] == small.ngrams(smaller)
    perplexity = float(np.exp(-np.log(smaller.probabilities(held)).mean()))
    assert sizes["value"][here] == pytest.approx(perplexity)
    assert sizes["x"][0] == small.ngrams(model)
    assert set(sizes["series"]) == {"cut-offs", "pruning", "chosen"}
    bound = columns(memory.bound(it))
    stored = [float(small.size_bytes(m)) for m in memory.by_order(it)]
    assert bound["value"][3:6] == stored
    assert parts.costs.blocks(study=it.counted)


def test_a_threshold_drops_what_costs_less() -> None:
    """Against Stolcke's formula (tests/ngram/test_prune.py), of the longest n-grams, which nothing needs."""
    it = base()
    p, raw = backoff.listed(it.model), it.counted.study.raw
    often_P = histories(it.model, p, raw)[2]
    first_P, lower_G = it.model.counts.orders[2].first_P, backoff.shorten(it.model, 3, p[1])
    nats_G = divergence(p[2], lower_G, first_P, it.model.gamma[2], often_P)
    kept = len(small.pruned(it, 1e-3).counts.orders[2])
    assert kept == int((np.expm1(nats_G) >= 1e-3).sum())


# --- the text, in the head


def test_the_text_in_the_head() -> None:
    given = {"lesson": lesson("sparsity")}
    assert head.values(given)["corpus"] == "python_docs" and head.values(given)["order"] == 5
    assert head.values({**given, "corpus": "students"})["order"] == 4
    assert head.key("sparsity", "corpus") == "study.corpus"
    found = said(described(CATS))
    counted = "4 lines counted, 1 more held out. Different n-grams by length: 9 of 1, 17 of 2."
    assert counted in found
    assert "Held out, never counted: the dog sat on the mat" in found
    lines, notes = own_lines("", ("a.txt", b"a b\n\nb a\n"))
    assert lines == ("a b", "b a") and all(note.startswith("a.txt: ") for note in notes)
    assert not own_lines("", None)[0] and LARGE.endswith(".")
    for text in ("", "  \n ", "\x00"):
        given = {"lesson": lesson("sparsity"), "corpus": "own", "own": text}
        found, study = head.answer({**given, **head.values(given)})
        assert study is None and isinstance(found[-1], Problem)


@together("id", small.METHODS)
def test_every_method(id: str) -> None:
    page = {"study": Counted(PRESETS[2], 4), "mine": ""}
    for part in (parts.cuts, parts.bits, parts.costs):
        assert not [b for b in asked(part, page, method=id, d=1.0) if isinstance(b, Problem)]


@pytest.mark.parametrize("text", ["a", *(HOSTILE[n] for n in ("emoji", "markup", "right to left"))])
def test_any_text_of_ones_own_is_counted(text: str) -> None:
    """By every part on counts; words that are typed: tests/frame/test_parts.py."""
    given = {"lesson": lesson("sparsity"), "corpus": "own", "order": 3, "own": f"{text}\n{text} ok"}
    _, study = head.answer({**given, **head.values(given)})
    for part in (*parts.PARTS, *smoothing.PARTS, *scoring.PARTS):
        assert asked(part, {"study": study, "mine": ""})
