"""Decoding below its live pictures: the same seed writes the same text, every copy that it claims stands in
the corpus, and what is measured."""

from __future__ import annotations

import re
from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.analysis import decode
from engine.analysis.decode.beam import best
from engine.analysis.decode.sample import written
from engine.core.registry import smoothings
from engine.frame.blocks import Rows, blocks_in
from engine.frame.part import Part
from engine.language.markdown import escaped
from engine.lessons import beam_search
from engine.lessons.decoding import parts
from engine.ngram.generate import Generated
from engine.runs.store import RunStore
from engine.views.theme import visible
from tests.conftest import TEXT, together
from tests.lessons.blocks import asked, charts, said
from tests.lessons.test_sparsity import own

COUNTED = own(TEXT, 4)


def texts(begin: str, length: int, seed: int) -> tuple[list[int], list[Generated]]:
    given = COUNTED.study.tokenizer.encode(begin).ids.tolist()
    return given, parts.by_order(COUNTED, "kneser_ney", given, length, 1.0, seed)


def drawn(**given: Any) -> list[tuple[Any, ...]]:
    """(word, probability) of every draw of the longest n-gram."""
    drawn = [*charts(parts.counts.blocks(**given)).values()]
    columns = drawn[0].columns if drawn else {}
    rows = zip(*(columns[n] for n in ("text", "word", "p")), strict=True) if columns else []
    last = f"order {given.get('longest', 5)}"
    return [(word, p) for text, word, p in rows if text == last]


def test_a_seed_is_a_text_word_by_word() -> None:
    whole = drawn(written=30)
    assert whole == drawn(written=30) != drawn(written=30, draw=2)
    assert drawn(written=3) == whole[:3] and not drawn(written=0)
    greedy: dict[str, Any] = {"written": 30, "temperature": 0.0, "corpus": "cats"}
    assert drawn(**greedy) == drawn(**greedy, draw=2), "the likeliest word needs no random number"


def test_what_is_called_a_copy_stands_in_the_corpus() -> None:
    given, found = texts("the", 40, 3)
    main, study = found[-1], COUNTED.study
    of = parts.copied(COUNTED, given, main)
    span = max(of.spans, key=lambda s: s.length)
    mark = of.covered(2)
    assert span.length == of.longest and mark[span.start : span.stop].all()
    assert mark.mean() == of.share(2)
    ids, stream = [*given, *main.ids], study.stream.tolist()
    run = ids[span.start : span.stop]
    places = [i for i in range(len(stream)) if stream[i : i + len(run)] == run]
    assert places[0] == span.place and len(places) == span.count
    assert not any(
        stream[i : i + span.length + 1] == ids[s : s + span.length + 1]
        for i in range(len(stream))
        for s in range(len(ids) - span.length)
    )
    words = " ".join(study.vocab[i] for i in run if i != study.tokenizer.boundary)
    line = next(n for n, text in enumerate(study.lines, 1) if words in text)
    home = str(parts.home_of(COUNTED, span))
    assert f"in line {line:,}:" in home and f"**{words}**" in home


def test_all_orders_get_the_same_random_numbers() -> None:
    _given, found = texts("", 20, 1)
    longest = max(found, key=lambda t: len(t.steps)).steps
    for n, text in enumerate(found, 1):
        assert [s.u for s in text.steps] == [s.u for s in longest[: len(text.steps)]]
        assert all(s.order <= n for s in text.steps)


def test_the_strip_holds_the_text() -> None:
    given, found = texts("the zyx", 10, 1)
    chart = parts.strip(COUNTED, ("the", "zyx"), found[-1:], given, 5, "The text", "kneser_ney")
    columns = chart.entries[0].columns  # type: ignore[union-attr]
    assert columns["word"][:2].tolist() == ["the", "zyx"]
    assert np.isnan(columns["value"][:2]).all()
    assert columns["value"][2:].tolist() == [s.order for s in found[-1].steps]
    assert columns["p"][2:].tolist() == [s.probability for s in found[-1].steps]


@together("method", smoothings.ids())
def test_every_method_writes_and_says_where_nothing_can_follow(method: str) -> None:
    given: dict[str, Any] = {"corpus": "cats", "method": method, "temperature": 1.5}
    for cut in ("words", "characters"):
        assert drawn(**given, cut=cut, written=30)
    if method == "mle":
        assert "Nothing can follow" in said(parts.counts.blocks(**given, begin="zyx", written=10))


def test_exposure_and_latency_are_measured(
    trained: Any, run_folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PASSAGES", 2)
    monkeypatch.setattr(parts, "LENGTH", 5)
    monkeypatch.setattr(parts, "WRITTEN", 12)
    given: dict[str, Any] = {
        "model": trained("lstm"),
        "run": RunStore().find(str(run_folder("lstm"))),
    }
    gap = said(parts.forcing.blocks(**given, mine="", measure=("stories", 0.75)))
    assert "a gap of" in gap and "ε is 0.999, 0.871, 0.500 and 0.043" in gap
    assert "times as long" in said(parts.latency.blocks(**given, measure=True))


def written_blocks(part: Part, model: Any, **given: Any) -> list[Any]:
    page = {"model": model, "run": SimpleNamespace(id="run"), "above": "the cat sat on the"}
    return [*blocks_in(asked(part, page, **given))]


@pytest.mark.parametrize("kind", ["transformer", "lstm", "ngram"])
def test_what_is_written_is_what_the_engine_writes(kind: str, trained: Any) -> None:
    model, text = trained(kind), "the cat sat on the"
    found = written_blocks(parts.drawn, model, temperature=0.8, top_p=0.9, seed=2)
    texts = [b for b in found if isinstance(b, str) and b.startswith("the cat sat on the")]
    for told, rules in zip(
        texts, ({"temperature": 0}, {"temperature": 0.8, "top_p": 0.9}), strict=True
    ):
        made = "".join(decode.sample(model, text, steps=parts.TOKENS, seed=2, **rules))
        plain = re.sub(r":red-background\[(.*?)\]", r"\1", told, flags=re.S)
        assert plain == text + escaped(made)
    place = decode.read(model, model.tokens(text))
    ids = [*islice(written(place, decode.Rules(0.8, top_p=0.9), 2), parts.TOKENS)]
    again = len(ids) - 3 - len({tuple(ids[n : n + 4]) for n in range(len(ids) - 3)})
    share = f"{100 * again / (len(ids) - 3):.0f} %"
    assert any(share in str(block) and "**drawn**" in str(block) for block in found)


@pytest.mark.parametrize("kind", ["transformer", "lstm", "ngram"])
def test_the_table_is_what_the_search_considered(kind: str, trained: Any) -> None:
    model, text = trained(kind), "the cat sat on the"
    steps = [
        *decode.beams(decode.read(model, model.tokens(text)), 2, 4, beam_search.ends(model), most=2)
    ]
    found = written_blocks(parts.search, model, beams=2, long=4, alpha=0.7)
    each, table = (b for b in found if isinstance(b, Rows))
    for n, step in enumerate(steps, 1):
        cells = [row[f"step {n}"] for row in each.rows if row[f"step {n}"]]
        assert len(cells) == len(step.seen)
        for cell, h in zip(cells, step.seen, strict=True):
            assert f"{visible(model.tokenizer.vocab[h.ids[-1]])} {h.total:.2f}" in cell
            assert cell.startswith({"dropped": "× ", "ended": "■ "}.get(h.fate, ""))
            if n > 1:
                before = [one.ids for one in steps[n - 2].seen]
                assert cell.endswith(f"← {before.index(h.ids[:-1]) + 1}")
    for row, h in zip(table.rows, best(steps, 0.7), strict=False):
        assert row["score"] == pytest.approx(h.total / len(h.ids) ** 0.7)


def test_the_input_is_the_target_moved_by_one(trained: Any) -> None:
    for text in ("the cat sat", "🙂", "zyx " * 500):
        rows = parts.shifted(trained("ngram"), text)
        assert rows[0]["read"] == "start"
        assert [r["read"] for r in rows[1:]] == [r["should say"] for r in rows[:-1]]
    assert not parts.shifted(trained("ngram"), "")
