"""The page on generation: the same seed writes the same text, and every copy it claims stands in
the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.study import Study
from engine.core.registry import smoothings
from engine.ngram.orders import every_order
from engine.saving.export import render
from engine.text.tokenizers.words import never_of
from pages.ui.generation import writer, writing
from tests.conftest import ROOT, TEXT, diagonal, only_runs
from tests.lessons.test_sparsity import HOSTILE

SECONDS = 180


@pytest.fixture(scope="module", autouse=True)
def one_run(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    yield from only_runs(tmp_path_factory, {"ngram": run_folder("ngram")})


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS).switch_page(
        "pages/225_generation.py"
    )
    for name, value in {"corpus": "Four sentences", **state}.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info))


def press(at: AppTest, label: str) -> AppTest:
    return next(b for b in at.button if b.label == label).click().run()


def drawn(at: AppTest) -> list[tuple[str, str]]:
    """(word, probability) of every draw on the page."""
    if not at.dataframe:
        return []
    frame = at.dataframe[0].value
    return list(zip(frame["word"], frame["probability"], strict=True))


@pytest.fixture(scope="module")
def who() -> writer.Writer:
    study = Study.of(TEXT, 4)
    models = every_order(smoothings.get("kneser_ney")(), study.raw, never_of(study.tokenizer))
    return writer.Writer("test", "A test", study.tokenizer, tuple(models), study)


def test_opens_with_a_text_already_written() -> None:
    at = opened()
    assert not at.exception and len(at.header) == 1 and len(at.subheader) == 2
    assert drawn(at) and len(at.get("vega_lite_chart") or at.get("arrow_vega_lite_chart")) == 2


def test_word_by_word_is_the_same_text() -> None:
    at = opened(words=0, corpus="Little stories")
    assert not drawn(at) and "Nothing written yet" in said(at)
    for n in range(1, 4):
        assert len(drawn(press(at, "Next word"))) == n
    three = drawn(at)
    assert drawn(press(at, "Whole sentence"))[:3] == three
    assert not drawn(press(at, "Start again"))


def test_a_seed_is_a_text() -> None:
    first = drawn(opened(words=30))
    assert (
        first == drawn(opened(words=30)) != drawn(opened(words=30, seed=2, corpus="Little stories"))
    )
    at = opened(words=30, temperature=0.0)
    greedy = drawn(at)
    assert greedy == drawn(press(at, "Another sample")), "the likeliest word needs no random number"


def test_the_address_holds_the_state() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(
        {
            "corpus": "Four sentences",
            "seed": "7",
            "words": "5",
            "start": "the cat",
            "method": "Laplace (add-1)",
        }
    )
    at.switch_page("pages/225_generation.py").run()
    assert not at.exception
    assert (at.session_state["seed"], at.session_state["words"], at.session_state["start"]) == (
        7,
        5,
        "the cat",
    )
    assert at.session_state["method"] == "Laplace (add-1)" and len(drawn(at)) <= 5


@pytest.mark.parametrize(
    "bad",
    [{"seed": "x"}, {"words": "999"}, {"temperature": "-4"}, {"method": "<b>"}, {"from": "nobody"}],
    ids=str,
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(bad)
    assert not at.switch_page("pages/225_generation.py").run().exception


@pytest.mark.parametrize(
    "start",
    ["", "the", "zyx", "<script>alert(1)</script>", "👩‍🚀", "</s> <s>", "x" * 500, "a\nb", "\x00"],
)
def test_survives_any_beginning(start: str) -> None:
    at = opened(start=start, words=20)
    assert not at.exception, at.exception


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_survives_any_text_of_ones_own(text: str) -> None:
    at = opened(corpus="Your own text", own=text, words=20)
    assert not at.exception, at.exception


@diagonal(
    "method,cut", [smoothings.get(id).title for id in smoothings.ids()], ["words", "characters"]
)
def test_every_method_writes(method: str, cut: str) -> None:
    at = opened(method=method, cut=cut, words=30, temperature=1.5)
    assert not at.exception and drawn(at)


def test_where_nothing_can_follow_the_page_says_so() -> None:
    at = opened(method="Maximum likelihood", start="zyx", words=10)
    assert not at.exception and "Nothing can follow" in said(at)


def test_the_trained_model_writes_and_has_no_corpus_to_look_in() -> None:
    at = opened(**{"from": writer.TRAINED, "words": 20})
    assert not at.exception and drawn(at)
    assert "is not stored with it" in said(at)


def test_lower_orders_of_a_trained_model_are_distributions(trained: Callable[[str], Any]) -> None:
    model = trained("ngram").smoothed
    models = writer.lower(model)
    assert [m.order for m in models] == list(range(1, model.order + 1)) and models[-1] is model
    for m in models:
        p_TV = m.distributions(m.counts.places(np.array([m.counts.boundary, 5, 6])))
        np.testing.assert_allclose(p_TV.sum(1), 1, atol=1e-5)


def test_what_is_called_a_copy_stands_in_the_corpus(who: writer.Writer) -> None:
    written = writing.write(who, "the", 40, 1.0, 3)
    found = writing.copied(written, written.main)
    assert found is not None
    mark, span = writing.marked(found, 1 + len(written.main.steps), 2)
    assert span is not None and span.length == found.longest and mark[span.start : span.stop].all()
    assert mark.mean() == found.share(2)
    ids, stream = [*written.given, *written.main.ids], who.study.stream.tolist()  # type: ignore[union-attr]
    run = ids[span.start : span.stop]
    places = [i for i in range(len(stream)) if stream[i : i + len(run)] == run]
    assert places[0] == span.place and len(places) == span.count
    assert not any(
        stream[i : i + span.length + 1] == ids[s : s + span.length + 1]
        for i in range(len(stream))
        for s in range(len(ids) - span.length)
    )
    words = [who.label(i) for i in run if i != who.tokenizer.boundary]
    line = next(n for n, text in enumerate(who.study.lines, 1) if " ".join(words) in text)  # type: ignore[union-attr]
    assert f"in line {line:,}:" in writing.home_of(
        written, span
    ) and f"**{' '.join(words)}**" in writing.home_of(written, span)


def test_all_orders_get_the_same_random_numbers(who: writer.Writer) -> None:
    written = writing.write(who, "", 20, 1.0, 1)
    longest = max(written.by_order, key=lambda t: len(t.steps)).steps
    for text in written.by_order:
        assert [s.u for s in text.steps] == [s.u for s in longest[: len(text.steps)]]
    assert all(s.order <= n for n, text in enumerate(written.by_order, 1) for s in text.steps)


def test_the_strip_holds_the_text_and_can_be_saved(who: writer.Writer) -> None:
    written = writing.write(who, "the zyx", 10, 1.0, 1)
    marks = [np.zeros(2 + len(written.main.steps), bool)]
    plate = writing.rows(written, [("the text", written.main)], marks, "written", "The text")
    columns = plate.entries[0].columns
    assert columns["word"][:2].tolist() == ["the", "zyx"] and columns["order"][:2].tolist() == [
        -1,
        -1,
    ]
    assert columns["probability"][2:].tolist() == [s.probability for s in written.main.steps]
    assert (
        b"<svg" in render(plate.figure(True), "svg")[:200]
        and plate.make("npz", False)[:2] == b"PK"
        and b"views" in plate.make("py", False)
    )


@pytest.mark.parametrize(
    "link",
    [
        {"order": "1", "words": "0", "temperature": "0.0"},
        {"order": "2", "words": "7", "temperature": "0.3"},
    ],
)
def test_a_link_opens_what_it_says(link: dict[str, str]) -> None:
    """The smallest values too, which a bound widget would leave out of the address."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    for name, value in link.items():
        at.query_params[name] = value
    at.switch_page("pages/225_generation.py").run()
    assert not at.exception
    assert {name: str(at.session_state[name]) for name in link} == link
    assert {name: "".join(at.query_params[name]) for name in link} == link


def test_the_next_word_leaves_the_maximum_length_as_it_was() -> None:
    at = opened(words=3, most=20, corpus="Little stories")
    next(b for b in at.button if b.label == "Next word").click().run()
    assert not at.exception
    assert (at.session_state["words"], at.session_state["most"]) == (4, 20)
    assert at.query_params["words"] in ("4", ["4"])
    next(b for b in at.button if b.label == "Start again").click().run()
    assert "No part of it occurs" not in " ".join(m.value for m in at.markdown)
