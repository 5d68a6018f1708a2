"""Preferences: fit, losses and steps against sums by hand and other libraries; what ships is what is said of it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import torch
from scipy import optimize
from sklearn.linear_model import LogisticRegression

from engine.course.curriculum import lesson
from engine.jobs import process
from engine.jobs.status import FINISHED, STOPPED
from engine.lessons import former_pages
from engine.lessons.preferences import head, judges, live, parts, replies, reward, tuned, tuning
from engine.lessons.preferences import study as studies
from engine.lessons.preferences.judges import Pair
from engine.lessons.preferences.replies import Reply
from engine.lessons.preferences.study import Asked, Study
from engine.lessons.preferences.tuning import Settings, Task, Tuner
from engine.models.base import train
from engine.models.neural import copy_apart
from engine.models.transformer import Transformer
from engine.runs.store import RunStore
from engine.text.tokenizers.base import Tokens
from tests.conftest import TEXT, shipped, small, together
from tests.lessons.blocks import charts, said, tables


@pytest.fixture(scope="module")
def net() -> Transformer:
    of: Any = {"context": 64, "tokenizer": "chars", "steps": 3, "bias_start": "uniform"}
    found = train(Transformer, TEXT, small(Transformer, **of))
    assert isinstance(found, Transformer)
    return found


@pytest.fixture(scope="module")
def usual() -> Study:
    return studies.make(RunStore().find("transformer"), shipped("transformer"), Asked())


def away(n: int, e: int) -> np.ndarray:
    return np.random.default_rng(n).normal(size=(n, e))


def test_the_fit_is_that_of_sklearn_and_of_scipy() -> None:
    for n, e in ((2, 5), (40, 9), (30, 200)):
        away_NE = away(n, e)
        theta_E = reward.fit(away_NE)
        other = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
        # each pair both ways, half as heavy, since sklearn wants both classes
        other.fit(np.r_[away_NE, -away_NE], np.r_[np.ones(n), np.zeros(n)], np.full(2 * n, 0.5))
        np.testing.assert_allclose(theta_E, other.coef_[0], atol=1e-4)
        found = optimize.minimize(reward.nats, np.zeros(e), (away_NE,), tol=1e-12)
        assert reward.nats(theta_E, away_NE) <= found.fun + 1e-9
    one_E = away(1, 7)
    np.testing.assert_allclose(reward.fit(np.r_[one_E, -one_E]), 0, atol=1e-12)
    assert (reward.fit(one_E * 1e3) @ one_E[0]) > 0  # far apart: no overflow


def test_of_pairs_that_were_left_out_whole_prompts_are() -> None:
    """Against a loop over prompts; a fit that has seen the prompt would be right every time."""
    away_NE, names = away(60, 80), [f"p{n % 5}" for n in range(60)]
    right = 0.0
    for name in sorted({*names}):
        out_N = np.array([one == name for one in names])
        theta_E = reward.fit(away_NE[~out_N])
        right += ((away_NE[out_N] @ theta_E) > 0).sum()
    assert reward.unseen(away_NE, names) == pytest.approx(right / 60)
    assert reward.agreement(reward.fit(away_NE), away_NE) == 1
    assert 0 <= reward.unseen(away_NE[:2], ["a", "a"]) <= 1


@together(
    ("better", "worse"), [(0.0, 0.0), (2.0, -1.0), (-3.0, 4.0), (900.0, -900.0), (-900.0, 900.0)]
)
def test_the_loss_of_two_rewards_is_a_log_sigmoid(better: float, worse: float) -> None:
    loss, p = reward.compare(better, worse)
    gap = torch.tensor(better - worse, dtype=torch.float64)
    assert loss == pytest.approx(float(-torch.nn.functional.logsigmoid(gap)))
    assert p == pytest.approx(math.exp(-loss))


def test_dpo_against_its_formula_and_finite_differences(net: Transformer) -> None:
    rng, beta = np.random.default_rng(0), 0.3
    new_B2, old_B2 = rng.normal(-20, 5, (2, 6, 2))
    hand = 0.0
    for (new_w, new_l), (old_w, old_l) in zip(new_B2, old_B2, strict=True):
        gap = beta * (new_w - old_w) - beta * (new_l - old_l)
        hand -= math.log(1 / (1 + math.exp(-gap))) / 6
    found = tuning.dpo(torch.tensor(new_B2), torch.tensor(old_B2), beta)
    assert float(found) == pytest.approx(hand, rel=1e-12)

    model = copy_apart(net)
    model.net.double()
    learned = tuning.learns(model.net)
    some = [replies.write(net, "the cat", 1, seed)[0] for seed in (0, 1)]
    ids_BT, own_BT = replies.batch(net, some)

    def loss() -> torch.Tensor:
        new_B = tuning.reply_logs(model.net, ids_BT, own_BT)
        return tuning.dpo(new_B[None], torch.tensor([[-20.0, -21.0]]), beta)

    loss().backward()  # type: ignore[no-untyped-call]
    for name in ("tower.blocks.0.attention.qkv.bias", "tower.norm.weight"):
        p, far = learned[name], 1e-5
        assert p.grad is not None
        with torch.no_grad():
            p[3] += far
            up = float(loss())
            p[3] -= 2 * far
            down = float(loss())
            p[3] += far
        assert float(p.grad[3]) == pytest.approx((up - down) / (2 * far), rel=1e-4, abs=1e-9)


def test_ppo_against_a_sum_by_hand() -> None:
    rng, clip = np.random.default_rng(1), 0.2
    old_BT = rng.normal(-3, 1, (4, 5))
    new_BT, gain_B = old_BT + rng.normal(0, 0.4, (4, 5)), rng.normal(size=4)
    own_BT = rng.random((4, 5)) < 0.7
    total, count = 0.0, 0
    for b in range(4):
        for t in range(5):
            if own_BT[b, t]:
                q = math.exp(new_BT[b, t] - old_BT[b, t])
                total += min(q * gain_B[b], min(max(q, 0.8), 1.2) * gain_B[b])
                count += 1
    new, old, gain, own = map(torch.tensor, (new_BT, old_BT, gain_B, own_BT))
    found = tuning.ppo(new, old, gain, own, clip)
    assert float(found) == pytest.approx(-total / count, rel=1e-12)
    made = tuning.advantages(torch.tensor([[1.0, 2.0, 6.0], [4.0, 4.0, 4.0]])).numpy()
    np.testing.assert_allclose(made[0], (np.array([1, 2, 6]) - 3) / np.std([1, 2, 6]), rtol=1e-5)
    np.testing.assert_allclose(made[1], 0)


def test_replies_are_drawn_as_without_a_cache_and_end_with_their_sentence(net: Transformer) -> None:
    ends = replies.find_ends(tuple(net.tokenizer.vocab))
    assert {net.tokenizer.vocab[n] for n in ends} >= {"\n"}
    start_T = torch.tensor(net.tokens("the cat").ids.astype(np.int64))
    drawn_BT = replies.draw(net.net, start_T, 5, ends, 3)
    coin = torch.Generator().manual_seed(3)
    now_BT = start_T[None].expand(5, -1)
    with torch.no_grad():
        for t in range(drawn_BT.shape[1]):
            p_BV = (net.net(now_BT)[:, -1] / replies.HEAT).softmax(-1)
            now_BT = torch.cat((now_BT, torch.multinomial(p_BV, 1, generator=coin)), 1)
            kept_B = drawn_BT[:, t] >= 0
            assert torch.equal(drawn_BT[kept_B, t], now_BT[kept_B, -1])
    for row in drawn_BT.tolist():
        own = [id for id in row if id >= 0]
        assert not {*own[:-1]} & ends and (own[-1] in ends or len(own) == replies.MOST)
        assert row[len(own) :] == [-1] * (len(row) - len(own))
    with pytest.raises(ValueError, match="Type a beginning"):
        replies.write(net, "  ", 1, 0)


def test_what_is_read_of_replies_is_the_trace(net: Transformer) -> None:
    some = [*replies.write(net, "the", 3, 0), *replies.write(net, "a cat", 2, 1)]
    ids_BT, own_BT = replies.batch(net, some)
    log_B = tuning.reply_logs(net.net, ids_BT, own_BT).detach()
    for layer in range(net.depth):
        states = replies.states(net, some, layer)
        for one, state_TD, log in zip(some, states, log_B, strict=True):
            start = len(net.tokens(one.prompt))
            ids = np.append(net.tokens(one.prompt).ids, one.ids)
            whole = net.trace("", tokens=_tokens(net, ids))
            np.testing.assert_allclose(
                state_TD, whole.field("residual").values[layer, start:], atol=1e-5
            )
            p_TV = whole.field("probability").values
            hand = sum(math.log(p_TV[start - 1 + n, id]) for n, id in enumerate(one.ids))
            assert float(log) == pytest.approx(hand, abs=1e-4)


def _tokens(model: Transformer, ids: np.ndarray) -> Tokens:
    labels = tuple(model.tokenizer.vocab[id] for id in ids)
    return Tokens(ids.astype(np.int64), labels, ((0, 0),) * len(ids))


def test_rules_count_words_and_tokens() -> None:
    words = judges.liked("she HER -he −him")
    assert words == {"she": 1, "her": 1, "he": -1, "him": -1}
    one = Reply("x", (1, 2, 3), " She saw her; he, him and Her heir.")
    assert judges.score("words", words, one) == 1 and judges.score("shorter", {}, one) == -3
    group = [Reply("x", (1,) * n, f"{n}") for n in (2, 5, 2)]
    found = judges.pairs([group], [[judges.score("shorter", {}, one) for one in group]])
    assert [(len(a), len(b)) for a, b in found] == [(2, 5), (2, 5)]
    with pytest.raises(ValueError, match="Type the words"):
        judges.liked(" - ")


def test_a_file_of_choices_comes_back() -> None:
    pairs = [Pair("A", "ä “b”", "c"), Pair("A", "c", "d")]
    assert judges.read(judges.write(pairs)) == pairs
    for raw, words in (
        (b"", "no pairs"),
        (b"{}\n", "Line 1 of this file is no pair"),
        (b"\xff\xfe", "Line 1 of this file is no pair"),
        (b'{"prompt": "a", "chosen": "b", "rejected": "b"}', "two different replies"),
        (b'{"prompt": 1, "chosen": "b", "rejected": "c"}', "is no pair"),
        (b"[" * 100_000, "is no pair"),
    ):
        with pytest.raises(ValueError, match=words):
            judges.read(raw)


def test_choices_that_say_nothing_are_told_in_a_sentence(net: Transformer) -> None:
    a, b = Pair("the", "cat sat.", "mat."), Pair("the", "mat.", "cat sat.")
    for clicks, words in (
        ((), "Choose the better of two replies"),
        ((a,), "One choice says too little"),
        ((a, b), "Each choice is taken back by another"),
    ):
        with pytest.raises(ValueError, match=words):
            studies.clicked(net, clicks)
    more = Pair("the", "cat.", "dog.")
    assert "1 pair was chosen both ways" in studies.clicked(net, (a, b, more))[1][0]
    assert "All choices are of the same pair" in studies.clicked(net, (a, a, a))[1][0]
    of = studies.make(
        RunStore().find("transformer"), shipped("transformer"), Asked("words", "zzzz")
    )
    assert "Hardly any reply has one of these words" in of.problem and not of.theta_E.any()
    with pytest.raises(ValueError, match="Choose a run of the model Transformer"):
        studies.check(shipped("lstm"))


def task(net: Transformer) -> Task:
    some = [[*replies.write(net, prompt, 4, 0)] for prompt in ("the", "a cat")]
    pairs = judges.pairs(some, [[judges.score("shorter", {}, one) for one in g] for g in some])
    return Task(
        net,
        pairs,
        ("the", "a cat"),
        ("my", "his"),
        lambda some: -np.array([*map(len, some)], float),
    )


@pytest.mark.parametrize("way", ["dpo", "ppo"])
def test_a_tuning_that_goes_on_takes_the_same_steps(net: Transformer, way: Any) -> None:
    settings, of = Settings(way, 0.1, 4, 1e-2), task(net)
    whole, first, second = (Tuner(of, settings) for _ in range(3))
    before = {n: p.clone() for n, p in net.net.named_parameters()}
    rows = [row for __, row in tuning.run(whole)][-1]
    for _ in range(2):
        first.take_step()
    second.go_on(first.state())
    for _ in range(2):
        second.take_step()
    for name, values in whole.difference().items():
        np.testing.assert_array_equal(values, second.difference()[name])
        assert values.any() or "norm" not in name
    assert all(torch.equal(p, before[n]) for n, p in net.net.named_parameters())
    assert [row["step"] for row in rows] == [0, 4] and rows[0]["kl"] == pytest.approx(0, abs=1e-6)
    # the KL, by hand, of one reply
    made = tuning.changed(net, whole.difference())
    probe = Tuner(Task(net, of.pairs, of.prompts, ("my",), of.reward), settings)
    probe.go_on(whole.state())
    some = replies.write(made, "my", tuning.PROBED, 7_000)
    kl = 0.0
    for one in some:
        start, ids = net.tokens("my").ids, torch.tensor([[*net.tokens("my").ids, *one.ids]])
        with torch.no_grad():
            new_TV, old_TV = (m.net(ids)[0, len(start) - 1 : -1].softmax(-1) for m in (made, net))
        kl += float((new_TV * (new_TV / old_TV).log()).sum()) / len(some)
    assert probe.probe()["kl"] == pytest.approx(kl, rel=1e-3)


def test_dpo_makes_the_better_likelier_and_a_small_beta_lets_it_go_farther(
    net: Transformer,
) -> None:
    of, kl = task(net), []
    for beta in (2.0, 0.1):
        tuner = Tuner(of, Settings("dpo", beta, 12, 1e-2))
        losses = [tuner.take_step()["loss"] for _ in range(12)]
        assert losses[0] == pytest.approx(math.log(2), abs=1e-4) and losses[-1] < losses[0]
        kl.append(tuner.probe()["kl"])
    assert kl[1] > kl[0] > 0


def test_the_shipped_replies_are_drawn_again_and_the_tunings_are_what_was_measured(
    usual: Study,
) -> None:
    model = usual.model
    groups = studies.groups(usual.run, model)
    assert [group[0].prompt for group in groups] == [*studies.PROMPTS]
    assert [*map(len, groups)] == [studies.GROUP] * len(groups)
    again = replies.write(model, studies.PROMPTS[3], studies.GROUP, 3)
    same = [a.ids == b.ids for a, b in zip(again, groups[3], strict=True)]
    assert (
        np.mean(same) >= 0.7
    )  # another processor rounds otherwise, and a draw may fall to a neighbour
    for name, row in tuned.shipped().items():
        assert row["rows"][0]["kl"] < 1e-3 < row["rows"][-1]["kl"]
        path = studies.ASSETS / f"{name}.safetensors"
        if path.is_file():
            assert path.stat().st_size < 60_000


def test_the_parts_say_what_was_computed(usual: Study, net: Transformer) -> None:
    pairs = task(net).pairs
    away_NE = studies.differences(net, pairs, 0)
    theta_E = reward.fit(away_NE)
    small_one = Study(usual.run, net, Asked("clicks"), pairs, away_NE, theta_E)
    chosen = head.Chosen(small_one, "a tuning", net, ())
    blocks = parts.fitted.blocks(judge=chosen, chosen=2.0, rejected=-1.0, layers=True)
    assert "= 0.049" in said(blocks) and f"{len(theta_E):,} numbers, to {len(pairs)} pairs" in said(
        blocks
    )
    values = charts(blocks)["layers"].columns["value"]
    assert values[0] == pytest.approx(100 * small_one.unseen) and len(values) == net.depth
    (row, *_rest), gap = tables(blocks)[0], float(away_NE[0] @ theta_E)
    assert row["P(better)"] == pytest.approx(1 / (1 + math.exp(-gap)))
    # compared with itself, a model has lost and won nothing
    words = said(parts.dpo.blocks(judge=chosen))
    assert "the loss is 0.693, and the better one wins with 50%" in words.replace(" %", "%")
    written = tables(parts.written.blocks(judge=chosen, above="the cat"))
    assert written[0] == written[1] and len(written[0]) == 6
    rewards = [row["reward"] for row in written[0]]
    assert rewards == sorted(rewards, reverse=True)


def test_what_the_page_says_of_too_much() -> None:
    """The KL holds a tuning back, and without it replies repeat themselves."""
    rows = [row for row in tuned.shipped().values() if row["settings"]["way"] == "ppo"]
    ends = {row["settings"]["beta"]: row["rows"][-1] for row in rows}
    assert sorted(ends) == [0, 0.3, 1, 3]
    assert ends[0]["reward"] > ends[1]["reward"] > rows[0]["rows"][0]["reward"]
    assert ends[0]["kl"] > ends[0.3]["kl"] > ends[1]["kl"] > ends[3]["kl"] > 0
    words = [judges.WORD.findall(one.lower()) for one in ends[0]["sample"].splitlines()]
    assert sum(len({*w}) for w in words) < 0.6 * sum(map(len, words)) and ends[0]["repeated"] > 0.5
    assert ends[1]["repeated"] < 0.25
    assert "75 % have stood in it" in said(parts.too_much.blocks()).replace("%", " %").replace(
        "  ", " "
    )


def test_what_the_first_minute_says(usual: Study) -> None:
    after = tuned.read(usual.model, studies.ASSETS / "dpo_words.safetensors")
    vocab = usual.model.tokenizer.vocab
    (old_he, old_she), (he, she) = (
        [
            float(one.trace("The doctor said that").field("probability").values[-1][vocab.index(w)])
            for w in (" he", " she")
        ]
        for one in (usual.model, after)
    )
    assert (round(100 * old_he), round(100 * old_she), round(100 * she)) == (
        31,
        3,
        29,
    ) and he < 0.001
    trace = usual.model.trace(
        lesson("preferences").tries[1].text, fields=("residual", "probability", "key", "value")
    )
    found = live.Comparing(head.Chosen(usual, "", None, ()))(usual.model, trace, {})["reward"][1]
    by_token = dict(zip(trace.tokens, found.round(2).tolist(), strict=True))
    assert max(by_token, key=by_token.__getitem__) == " she"
    assert (by_token[" she"], by_token[" his"]) == (0.33, -0.74)
    rows = tuned.shipped()["ppo_words_0"]["rows"]
    assert [round(rows[0]["reward"], 1), round(rows[-1]["reward"])] == [-2.6, 17]
    assert round(rows[-1]["repeated"], 2) == 0.75
    numbers = [p.numel() for p in usual.model.net.parameters()]
    tuned_here = sum(p.numel() for p in usual.model.net.parameters() if p.dim() == 1)
    assert f"{tuned_here:,} of its {sum(numbers):,}" in lesson("preferences").differs


def test_she_becomes_likelier_with_every_key(usual: Study) -> None:
    after = tuned.read(usual.model, studies.ASSETS / "dpo_words.safetensors")
    chosen = head.Chosen(usual, "DPO", after, ())
    deriving = live.Comparing(chosen)
    text = "Nobody knew that"
    for typed in (text[:6], text, f"{text} she", f"{text} he", text):
        trace = usual.model.trace(typed, fields=("residual", "probability", "key", "value"))
        found, anew = (
            deriving(usual.model, trace, {}),
            live.Comparing(chosen)(usual.model, trace, {}),
        )
        for name, (_axes, values) in anew.items():
            np.testing.assert_allclose(found[name][1], values, rtol=1e-3, atol=1e-5, err_msg=name)
    vocab = usual.model.tokenizer.vocab
    last = {
        vocab[id]: (p, q)
        for id, p, q in zip(
            *(found[n][1][-1] for n in ("candidate", "p.before", "p.after")), strict=True
        )
    }
    assert last[" she"][1] > 1.2 * last[" she"][0] and last[" he"][1] < last[" he"][0] / 2
    old_V, new_V = (m.trace(text).field("probability").values[-1] for m in (usual.model, after))
    kl = float((new_V * np.log(new_V / old_V)).sum())
    assert found["kl"][1][-1] == pytest.approx(kl, rel=1e-3)
    # the bars over the tokens of a reply are its reward
    one = studies.groups(usual.run, usual.model)[0][0]
    ids = np.append(usual.model.tokens(one.prompt).ids, one.ids)
    trace = usual.model.trace(
        one.prompt + one.text, fields=("residual", "probability", "key", "value")
    )
    if np.array_equal(trace.ids, ids):
        bars = deriving(usual.model, trace, {})["reward"][1]
        assert bars[-len(one) :].sum() == pytest.approx(usual.reward([one])[0], abs=1e-3)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    yield tmp_path


def wait(until: Any, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.slow  # what stops and resumes a job is tested with it: tests/jobs
def test_a_job_is_stopped_and_goes_on(home: Path) -> None:
    run = RunStore().find("transformer_rope")
    of = studies.make(run, shipped("transformer_rope"), Asked("shorter"))
    settings = Settings("dpo", 0.1, 25, 3e-3)
    folder, others = tuned.place(of, settings), {*psutil.Process().children()}
    assert tuned.find(folder).state == "" and tuned.share(folder) is None
    tuned.begin(of, settings)
    with pytest.raises(ValueError, match="Another tuning is at work"):
        tuned.begin(of, Settings("dpo", 0.2))
    wait(lambda: len(tuned.rows(folder)) > 1 or not tuned.find(folder).alive)
    tuned.stop(folder)
    wait(lambda: not tuned.find(folder).alive)
    assert tuned.find(folder).state == STOPPED and len(tuned.rows(folder)) > 1
    before = tuned.rows(folder)
    tuned.begin(of, settings, 1)
    assert tuned.resumed(folder) == 1
    wait(lambda: not tuned.find(folder).alive)
    assert tuned.find(folder).state == FINISHED
    rows = tuned.rows(folder)
    assert [*rows[: len(before)]] == [*before] and [r["step"] for r in rows] == [*range(0, 26, 5)]
    names = dict(tuned.finished(run))
    assert names == {"DPO: shorter, β = 0.1, 25 steps": folder / tuned.TUNED}
    assert json.loads((folder / tuned.REQUEST).read_text())["again"] == 1
    wait(lambda: {one for one in psutil.Process().children() if one.status() != "zombie"} <= others)
    process.reap()


def test_links_to_the_part_of_before_lead_here() -> None:
    for at in ("part-what-people-prefer", "fold.preference", "chosen"):
        assert former_pages.PARTS["transformer"][at] == ("preferences", "part-a-reward-from-pairs")
