"""The page on hidden Markov models: what it sends adds up, and what stands below the live part is
right."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.hmm import forgetting, recursions
from engine.lessons.curriculum import lesson
from engine.stages.hmm import panels
from tests.conftest import ROOT, shipped
from tests.pages.test_every_page import answered

SECONDS = 180
SIZES = "How many numbers"


def opened(**address: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.switch_page("pages/240_hmm.py")
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.error))


@pytest.mark.parametrize("run", ["hmm_tagger", "hmm"])
def test_what_is_sent_of_a_model_is_its_tables(run: str) -> None:
    model = shipped(run)
    sent = panels.tables(model)
    a = np.frombuffer(base64.b64decode(sent["markov"]["transition"]), "<f4")
    np.testing.assert_allclose(a.reshape(model.a_SS.shape), model.a_SS, atol=1e-7)
    for s, writes in enumerate(sent["markov"]["writes"]):
        shares = [p for _, p in writes]
        assert shares == sorted(shares, reverse=True) and min(shares) > 0
        assert shares[0] == model.b_SV[s].max()
    assert sent["markov"]["named"] == (run == "hmm_tagger")
    eigenvalues = np.linalg.eigvals(model.a_SS)
    assert forgetting.second(model.a_SS) == pytest.approx(np.sort(np.abs(eigenvalues))[-2])


@pytest.mark.parametrize("run", ["hmm_tagger", "hmm"])
def test_what_is_derived_gives_the_filter_back(run: str) -> None:
    """Prediction times likelihood is the belief; the best path to a state is exp of its score."""
    model = shipped(run)
    trace = model.trace("You can open the zygrobbed door\nNow")
    likely, best = (field.values for field in panels.derive(model)(trace))
    both = trace.field("predict").values * likely
    np.testing.assert_allclose(recursions.rows(both), trace.field("filter").values, atol=1e-6)
    assert (best.max(1) == 1).all() and (best >= 0).all()
    path = trace.field("viterbi").values.astype(int)
    assert best[-1, path[-1]] == 1


def test_the_page_answers_with_every_panel_and_opens_each_part() -> None:
    header, _ = answered(opened(), "hmm", "Book the flight")
    assert [p["id"] for p in header["layout"]["panels"]][:4] == ["trellis", "step", "next", "joint"]


@pytest.mark.parametrize("name", ["s", "hmm.sizes.s"])
def test_a_link_opens_a_part_with_what_its_controls_held(name: str) -> None:
    """In an address of before, they stood under bare names."""
    at = opened(**{"part": SIZES, "k": "3", name: "2"})
    assert not at.exception
    assert "2² + 2 · 3 − 2 − 1 = **7**" in said(at)
    at.slider(key="hmm.sizes.n").set_value(3).run()
    assert "3³ − 1 = **26**" in said(at) and "2² + 2 · 3 − 2 − 1 = **7**" in said(at)
    at = opened(**{"hmm.part": "Wie viele Zahlen"})
    assert not at.exception and "17² + 17" in said(at)  # a link made in German
    at = opened(part="no such part")
    assert not at.exception and "17² + 17" not in said(at)
    at = opened(**{"part": SIZES, "hmm.sizes.s": "no number", "k": "99999999"})
    assert not at.exception and "17² + 17 · 10,000" in said(at)


def test_a_link_opens_the_three_beside_each_other() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page(f"pages/{lesson('hmm').page}").run()
    link = next(one for one in at.get("page_link") if "On one text" in one.proto.label)
    assert link.proto.query_string == "runs=hmm%2Cngram%2Crnn"
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["runs"] = "hmm,ngram,rnn"
    at.switch_page(f"pages/{lesson('compare').page}").run()
    assert not at.exception, at.exception
    runs = next(of for of in at.multiselect if of.value)
    assert [*runs.value] == ["hmm", "ngram", "rnn"]
