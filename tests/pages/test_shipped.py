"""What addresses open, with all that is shipped; and pages of several runs, of which test_every_page.py sees fewer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.measure import surprisal
from engine.course.curriculum import lesson
from engine.lessons.attention import live
from engine.lessons.masks import imposed
from engine.lessons.masks.imposed import Mask
from engine.lessons.masks.live import LEAST
from engine.lessons.optimisers import parts as optimiser_parts
from engine.lessons.optimisers import small_net
from tests.conftest import shipped, spread
from tests.pages.opening import opened, said, seeing
from tests.pages.tables import tables
from tests.pages.test_every_page import HOSTILE, answered, check, fields

shipped_runs = seeing()


def test_folds_of_before_are_parts() -> None:
    at = opened("attention", panel="fold.learn", learn_start="keys 0")
    assert at.selectbox(key="attention.learn.learn_start").value == "keys"
    # When it was a fold, and its controls stood under bare names.
    old = {"panel": "fold.filling", "filling_text": "The dog", "filling_score": "general"}
    at = opened("scores", **old, filling_places="5", filling_way="masked in both")
    assert at.text_input(key="scores.filling.filling_text").value == "The dog"
    assert at.selectbox(key="scores.filling.filling_score").value == "bilinear"
    assert at.slider(key="scores.filling.filling_places").value == 5
    assert "two places need a mask" in said(at).lower() and "**Le chien" not in said(at)


def test_any_head_that_a_browser_asks_for() -> None:
    """A head that is not there is the nearest one; the reply holds that head's numbers alone."""
    page = opened("attention")
    for at in (None, [99, 99], [-3, 2], ["x", None], "layer", [1], {"layer": 1}, [0, 1, "column"]):
        asked: dict[str, Any] = dict(zip(("layer", "head", "with"), at)) if type(at) is list else {}
        header, _ = answered(page, "attention", "The cat sat", before=at, **asked or {"layer": at})
        (reading,) = header["readings"]
        layer, head, how = reading["said"]["at"]
        assert how in dict(live.WAYS) and 0 <= layer < 99 and 0 <= head < 99
        assert at != [-3, 2] or (layer, head) == (0, 2)
        axes = {f["name"]: f["axes"] for f in reading["fields"]}
        assert axes["attention"] == ["query", "key"]
        assert set(reading["said"]["reach"]) >= {"query", "product", "masked"}


SIZES = "How many numbers"


def test_a_link_opens_a_part_with_what_its_controls_held() -> None:
    """In an address of before, they stood under bare names."""

    def free(model: str) -> str:
        rows = next(t for t in tables(at) if "free numbers" in t.columns)
        return str(rows.set_index("model").loc[model, "free numbers"])

    for name in ("s", "hmm.sizes.s"):
        at = opened("hmm", part=SIZES, k="3", **{name: "2"})
        assert free("hidden Markov model") == "7"  # 2² + 2 · 3 − 2 − 1
    at.slider(key="hmm.sizes.n").set_value(3).run()
    assert free("all texts") == "26" and free("hidden Markov model") == "7"  # 3³ − 1


def test_a_link_of_three_and_a_line_too_long() -> None:
    links = opened("hmm").get("page_link")
    link = next(one for one in links if "On one text" in one.proto.label)
    assert link.proto.query_string == "runs=hmm%2Cngram%2Crnn"
    at = opened("compare", runs="hmm,ngram,rnn")
    runs = next(of for of in at.multiselect if of.value)
    assert [*runs.value] == ["hmm", "ngram", "rnn"]
    at = opened("hmm", part="Two states by hand")
    at.text_input(key="hmm.textbook.signs").set_value("1 2 3 " * 9).run()
    assert not at.exception
    assert "That was 54 characters long; the first 40 are kept." in said(at)
    assert at.text_input(key="hmm.textbook.signs").value == ("1 2 3 " * 9)[:40]


def test_an_address_opens_what_was_chosen() -> None:
    """In one of before, controls stood under bare names."""
    for name in ("schedule", "optimisers.schedule.schedule"):
        asked = {name: "noam", "s_steps": "5000", "surface": "four", "of": "sgd", "times": "1"}
        at = opened("optimisers", **asked)
        assert at.selectbox(key="optimisers.schedule.schedule").value == "noam"
        assert at.number_input(key="optimisers.schedule.s_steps").value == 5000
        assert at.selectbox(key="optimisers.race.of").value == "sgd"
        assert at.slider(key="optimisers.race.times").value == 1
        assert at.number_input(key="optimisers.race.x").value == -0.5
    held = {"part": "Label smoothing", "epsilon": "0.3", "right": "2"}
    at = opened("optimisers", racers=["muon", "adam"], **held)
    assert [*at.multiselect(key="optimisers.race.racers").value] == ["adam", "muon"]
    assert at.slider(key="optimisers.smoothing.epsilon").value == 0.3
    odd = {"racers": "no such one", "x": "far", "step_n": "-7", "s_rate": "9" * 400}
    assert "RMSprop is lowest after 150 steps" in said(opened("optimisers", **odd))


def test_another_surface_begins_elsewhere() -> None:
    """Unless the start was chosen together with it."""
    at = opened("optimisers", x="-1.2")
    assert at.number_input(key="optimisers.race.x").value == -1.2
    at.selectbox(key="optimisers.race.surface").set_value("four").run()
    assert at.number_input(key="optimisers.race.x").value == -0.5
    at.number_input(key="optimisers.race.x").set_value(2.0).run()
    at.multiselect(key="optimisers.race.racers").set_value(["muon"]).run()
    assert at.number_input(key="optimisers.race.x").value == 2.0
    at.multiselect(key="optimisers.race.racers").set_value([]).run()
    assert not at.exception and "Choose at least one optimiser above" in said(at)
    at = opened("optimisers", surface="saddle", x="-1.2", y="0.5")
    assert at.number_input(key="optimisers.race.y").value == 0.5


def test_a_training_begins_with_its_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_net, "LETTERS", 3_000)
    monkeypatch.setattr(optimiser_parts, "NET_STEPS", 2)
    monkeypatch.setattr(optimiser_parts, "UNITS", (2,))
    at = opened("optimisers", part="A small network", **{"optimisers.net.net_start": "true"})
    assert "some seconds for each optimiser" in said(at)  # no link begins it
    at.multiselect(key="optimisers.net.net_racers").set_value(["adam"]).run()
    at.button(key="optimisers.net.net_start.button").click().run()
    assert not at.exception and "**Adam** is lowest" in said(at)
    at = opened("optimisers", part="Learning rate", s_steps="5")
    begin = at.button(key="optimisers.schedule.s_train.button")
    assert not begin.disabled
    begin.click().run()
    assert not at.exception and at.session_state["optimisers.schedule.s_train"][3] == 5
    at.number_input(key="optimisers.schedule.s_steps").set_value(401).run()
    assert at.button(key="optimisers.schedule.s_train.button").disabled


PAIR = "The key is white and it is small\nLa clé est blanche et il est"


def test_a_link_chooses_the_order() -> None:
    """As addresses said it before there was a frame, and as another language says it."""
    for name in ("looks", "scores.head.looks"):
        at = opened("scores", **{name: "Bahdanau: davor"})
        assert at.segmented_control(key="scores.head.looks").value == "before"
    at = opened("scores", looks="Bahdanau: before")
    header, _ = answered(at, "scores", PAIR)
    titles = [panel["title"] for panel in header["layout"]["panels"]]
    assert "It looks before the cell (Bahdanau)" in titles
    at = opened("scores", looks="no such order")
    assert at.segmented_control(key="scores.head.looks").value == "after"


CUTS, MEMORY = "Which n-grams can go?", "How much memory?"


def part(at: AppTest) -> str:
    return str(at.session_state["sparsity.part"])


@pytest.mark.parametrize(
    ("page", "asked", "where", "held"),
    [
        ("sparsity", {"after": "the dog"}, MEMORY, {}),
        ("sparsity", {"panel": "zipf"}, "A few words do most of the work", {}),
        ("size", {"in": "bytes"}, CUTS, {"cuts.by": "bytes"}),
        ("size", {"panel": "ranked", "method": "Kneser-Ney"}, CUTS, {"method": "kneser_ney"}),
        ("size", {"bits": "3"}, "How few bits are enough?", {"bits": 3}),
    ],
)
def test_an_address_of_before(page: str, asked: Any, where: str, held: dict[str, Any]) -> None:
    at = opened(page, corpus="Four sentences", order="3", **asked)
    assert part(at) == where
    assert at.session_state["study.corpus"] == "cats" and at.session_state["study.order"] == 3
    for name, value in held.items():
        assert at.session_state[f"sparsity.{name}"] == value, name


def test_a_broken_link_opens_and_settings_stay() -> None:
    assert part(opened("sparsity", corpus="<script>", order="99", cut="__proto__", bits="-1"))
    assert part(opened("sparsity", after="\u202e" * 50, method="Absolute discounting", d="nan"))
    at = opened("sparsity", corpus="cats", order="3", threshold="5%")
    for title in ("A few words do most of the work", "How few bits are enough?"):
        next(b for b in at.get("button_group") if b.key == "sparsity.part").set_value(title).run()
    assert not at.exception and at.session_state["sparsity.threshold"] == "5%"
    assert any("Pruned at 5%" in m.value for m in at.markdown)


def test_what_is_chosen_goes_along_both_ways() -> None:
    at = opened("sparsity", corpus="students", order="2")
    for page, text in (("smoothing", "francisco"), ("sparsity", "cats")):
        held = at.session_state["study.corpus"], at.session_state["study.order"]
        at.query_params.clear()
        at.switch_page(f"pages/{lesson(page).page}").run()
        assert not at.exception
        assert (at.session_state["study.corpus"], at.session_state["study.order"]) == held
        at.selectbox(key="study.corpus").set_value(text).run()


TYPED = "The girl looked at the old man"


def test_the_reply_holds_the_model_under_the_mask() -> None:
    at, model = opened("masks", run="transformer"), shipped("transformer")
    ids = model.tokens(TYPED).ids
    window, odd = {"pattern": 4, "size": 3}, {"pattern": 99, "size": "x", "with": "nowhere"}
    below = [({"pattern": 1, "with": way}, Mask("below", 4, way)) for way in ("inf", "e9")]
    for chosen, mask in ((window, Mask("window", 3)), *below, (odd, Mask())):
        header, numbers = answered(at, "masks", TYPED, layer=2, head=3, **chosen)
        part = header["readings"][0]
        want, said = imposed.run(model, ids, mask), part["said"]["numbers"]
        found = fields(part, numbers)
        weight, shown = want.attention_LNTS[2, 3], found["mask.attention"]
        hidden = ~mask.may(len(ids)) & ~(weight > LEAST)
        np.testing.assert_allclose(shown, np.where(hidden, np.nan, weight), atol=1e-5)
        np.testing.assert_allclose(found["cost"][:-1], want.bits_T[1:], atol=1e-4)
        own = surprisal(model.trace(TYPED, fields=("probability",)))
        np.testing.assert_allclose(found["own"][:-1], own[1:], atol=1e-4)
        assert said["pairs"] == mask.may(len(ids)).sum()
        assert said["empty"] == (0 if mask.pattern != "below" else 1)
        assert said["lost"] == (0 if mask.way != "inf" else len(ids) - 1)
        if mask.way == "inf":
            assert said["mean"] is None and said["next"] is None
        else:
            assert said["mean"] == pytest.approx(want.bits_T[1:].mean(), abs=1e-4)
            assert said["next"] == want.p_V.argmax()


SEVERAL = ("feedforward", "external", "pooling", "scores")
TEXTS = ("nothing", "spaces", "emoji", "unknown words", "half of a character")


@pytest.mark.parametrize(("page", "names"), spread(SEVERAL, TEXTS))
def test_page_survives_any_text(page: str, names: list[str]) -> None:
    at = opened(page)
    assert not at.exception, at.exception
    for name in names:
        check(*answered(at, page, HOSTILE[name]), HOSTILE[name])


def test_the_text_of_a_link_stays_where_a_part_has_one_of_its_own() -> None:
    """On Positions, whose first part shuffles words under the same name."""
    at = opened("positions", text="The king said yes", part="Shuffle the words")
    assert "".join(at.query_params["text"]) == "The king said yes"
    assert "positions.shuffle.text" not in at.query_params
