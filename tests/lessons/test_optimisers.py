"""How a step is chosen, against torch, sums by hand or the definition; then what the parts of the lesson say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.analysis.optimising import noise_scale
from engine.analysis.optimising.fitting import fitting
from engine.core.registry import models, optimisers, schedules
from engine.frame.blocks import Block, Board, Warn, blocks_in
from engine.frame.part import Part
from engine.lessons.optimisers import boards, decay, early, parts, race, smoothing, steps
from engine.lessons.optimisers import small_net as small
from engine.lessons.optimisers.accumulate import compare, updates
from engine.lessons.optimisers.race import Course
from engine.lessons.optimisers.surfaces import SURFACES
from engine.models.neural import NeuralLanguageModel
from engine.nn.plan import Plan
from engine.runs.store import RunStore
from engine.training import verdict
from tests.conftest import TEXT, shipped, together
from tests.lessons import blocks
from tests.lessons.blocks import charts, said, tables

RACERS = race.racers()
PEERS: dict[str, Any] = {
    "plain": lambda w: torch.optim.SGD([w], 0.001),
    "sgd": lambda w: torch.optim.SGD([w], 0.001, momentum=0.9),
    "rmsprop": lambda w: torch.optim.RMSprop([w], 0.001, alpha=0.99, eps=1e-8),
    "adam": lambda w: torch.optim.Adam([w], 0.001, betas=(0.9, 0.99)),
    "adamw": lambda w: torch.optim.AdamW([w], 0.001, betas=(0.9, 0.99), weight_decay=0),
    "muon": lambda w: torch.optim.Muon([w], 0.001, 0.0, 0.9, adjust_lr_fn="match_rms_adamw"),
}


@together("id", SURFACES)
def test_the_lowest_places_are_lowest(id: str) -> None:
    """No slope there, and nothing lower on a fine grid; each loss again in numpy."""
    surface = SURFACES[id]
    grid = surface.grid()
    for place in surface.lowest:
        w = torch.tensor(place, dtype=torch.float64, requires_grad=True)
        loss = surface.loss(w)
        loss.backward()
        assert w.grad is not None and w.grad.abs().max() < 1e-3
        assert abs(loss.item()) < 1e-6 and grid.min() >= loss.item() - 1e-9
    x, y = -1.3, 0.7
    by_hand = {
        "valley": (x * x + 40 * y * y) / 2,
        "turned": ((x + y) ** 2 + 40 * (x - y) ** 2) / 4,
        "rosenbrock": (1 - x) ** 2 + 100 * (y - x * x) ** 2,
        "saddle": x * x / 2 - y * y / 2 + y**4 / 8 + 0.5,
        "four": (x * x + y - 11) ** 2 + (x + y * y - 7) ** 2,
    }
    assert float(surface.loss(torch.tensor([x, y]))) == pytest.approx(by_hand[id], rel=1e-5)
    left, right, bottom, top = surface.box
    assert left < surface.start[0] < right and bottom < surface.start[1] < top


@together("id", PEERS)
def test_a_race_takes_the_steps_of_torch(id: str) -> None:
    """Rosenbrock, 12 steps, beside torch's own optimiser on the gradient written out by hand."""
    surface = SURFACES["rosenbrock"]
    path = race.run(surface, RACERS[id], 0.001, Course((-0.5, 0.6), 12))
    w = torch.nn.Parameter(torch.zeros(1, 2))
    peer = PEERS[id](w)
    for step in range(12):
        x, y = path.w[step].tolist()
        g = [-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)]
        np.testing.assert_allclose(path.gradient[step], g, rtol=1e-4, atol=1e-4)
        w.data = torch.tensor(path.w[step])[None]
        w.grad = torch.tensor([g])
        peer.step()
        # torch's Muon makes matrices orthogonal in bfloat16
        tolerance = 1e-4 if id == "muon" else 1e-6
        ours, theirs = path.w[step + 1] - path.w[step], w.detach().numpy()[0] - path.w[step]
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=tolerance)


def test_racers_are_the_rooms_and_adam_begins_with_a_sign() -> None:
    assert {racer.optimiser for racer in RACERS.values()} == set(optimisers.ids())
    assert RACERS["plain"].momentum == 0
    # 0.001 and gradients 0.5 and -2000: -0.001 and +0.001 (foundations T44, lstm B33).
    plan = race.plan_of(RACERS["adam"], 0.001, Course((0, 0)))
    net = race.Weights((0.0, 0.0))
    optimiser = optimisers.get("adam").make(net, plan)
    net.w.grad = torch.tensor([[0.5, -2000.0]])
    optimiser.step()
    np.testing.assert_allclose(net.w.detach()[0], [-0.001, 0.001], rtol=1e-5)


@together(("id", "racer"), [("valley", "plain"), ("four", "sgd")])
def test_the_rates_are_the_best_ones(id: str, racer: str) -> None:
    surface = SURFACES[id]
    course = Course(surface.start)
    assert race.best_rate(surface, RACERS[racer], course) == surface.rates[racer]


def test_a_divergence_is_told_and_noise_leaves_a_ridge() -> None:
    """Each step multiplies y by 1 - 0.08 * 40 = -2.2; 20 y^2 passes 3.4e38 where 20 * 2.2^(2n) is above it."""
    path = race.run(SURFACES["valley"], RACERS["plain"], 0.08, Course((-2.8, 1.0)))
    first = math.ceil((math.log(3.4028e38) - math.log(20)) / (2 * math.log(2.2)))
    assert path.lost == (first, "infinite (beyond float32)") and len(path.w) == first == path.steps
    np.testing.assert_allclose(path.w[3, 1], -(2.2**3), rtol=1e-5)
    assert r"\text{not finite}" not in steps.lines(path, 1)[-1]
    calm = race.run(SURFACES["valley"], RACERS["sgd"], 0.08, Course((-2.8, 1.0)))
    assert calm.lost is None and calm.loss[-1] < 1e-3
    surface = SURFACES["saddle"]
    courses = (Course((-2.0, 0.0), noise=noise, seed=3) for noise in (0.0, 0.1))
    still, noisy = (race.run(surface, RACERS["plain"], 0.1, course) for course in courses)
    assert still.w[-1, 1] == 0 and still.loss[-1] == pytest.approx(0.5)
    assert noisy.loss[-1] < 0.05
    # 0.01 times 0.001 is a hundred-thousandth (lstm B42)
    drawn = np.random.default_rng(3).normal(size=(150, 1, 2))[0, 0]
    np.testing.assert_allclose(noisy.gradient[0] - still.gradient[0], 0.1 * drawn, atol=1e-6)


def test_the_formula_ends_at_the_next_weights() -> None:
    """The last line of each formula is the weights that torch came to, and its numbers give them."""
    for id in RACERS:
        path = race.run(SURFACES["four"], RACERS[id], 0.01, Course((-0.5, -1.5), 5, decay=0.1))
        last = steps.lines(path, 3)[-1]
        assert steps._v(path.w[3]) in last
    path = race.run(SURFACES["four"], RACERS["adam"], 0.01, Course((-0.5, -1.5), 5))
    m = 0.1 * sum(0.9**k * path.gradient[2 - k] for k in range(3))
    s = 0.01 * sum(0.99**k * path.gradient[2 - k] ** 2 for k in range(3))
    delta = (m / (1 - 0.9**3)) / (np.sqrt(s / (1 - 0.99**3)) + 1e-8)
    assert steps._v(delta) in steps.lines(path, 3)[-2]
    np.testing.assert_allclose(path.w[2] - 0.01 * delta, path.w[3], rtol=1e-5)


def test_schedules_of_the_notes() -> None:
    """transformers T42 and T43; lstm T9."""

    def rate(kind: str, step: int, peak: float, warm: int, steps: int) -> float:
        return dict(boards.curve(kind, peak, warm, steps))[step]

    kind, peak, warm, steps = boards.READY["First Transformer, width 512"]
    assert peak == pytest.approx(6.9877e-4, rel=1e-4)
    for step, wanted in ((1, 1.7469e-7), (4_000, 6.9877e-4), (100_000, 1.3975e-4)):
        assert rate(kind, step, peak, warm, steps) == pytest.approx(wanted, rel=1e-4)
        formula = 512**-0.5 * min(step**-0.5, step * 4_000**-1.5)
        assert rate(kind, step, peak, warm, steps) == pytest.approx(formula)
    plan = Plan(steps=steps, batch=1, span=1, rate=peak, schedule=kind, warmup=warm)
    noam = schedules.get(kind)(plan)
    noam_at = (100, 1.7469e-5), (1_000, 1.7469e-4), (8_000, 4.9411e-4), (16_000, 3.4939e-4)
    for step, wanted in noam_at:
        assert noam.rate(step) == pytest.approx(wanted, rel=1e-4)
    assert noam.rate(0) == 0  # 0^-0.5 in the listing: a division by zero
    wider = schedules.get(kind)(replace(plan, rate=768**-0.5 * 4_000**-0.5))
    assert wider.rate(4_000) == pytest.approx(5.7054e-4, rel=1e-4)
    kind, peak, warm, steps = boards.READY["Warm-up and a straight line"]
    plan = Plan(steps=steps, batch=1, span=1, rate=peak, schedule=kind, warmup=warm)
    line = schedules.get(kind)(plan)
    for step, wanted in ((1, 1e-8), (5_000, 5e-5), (9_999, 9.999e-5), (10_000, 1e-4)):
        assert line.rate(step) == pytest.approx(wanted, rel=1e-4)
    for step, wanted in ((32_500, 7.5e-5), (55_000, 5e-5), (77_500, 2.5e-5)):
        assert line.rate(step) == pytest.approx(wanted, rel=1e-4)
    assert line.rate(0) == 0 <= line.rate(100_000) < 2e-9
    rising = schedules.get("constant")(replace(plan, rate=1.0, warmup=10, steps=200))
    assert [rising.rate(n) for n in (1, 5, 9, 10, 100)] == pytest.approx([0.1, 0.5, 0.9, 1, 1])


def test_parts_add_up_to_the_batch() -> None:
    """lstm T24, transformers T44, rnn E20."""
    run = shipped("lstm_small")
    assert isinstance(run, NeuralLanguageModel)
    ids = noise_scale.windows(run, TEXT * 8, 6, 16, 0)
    found = compare(run, ids, 4)
    assert found.sizes == (1, 2, 1, 2) and found.away < 1e-6 < found.length
    shares = np.array(found.sizes) / 6
    assert float(shares @ np.array(found.losses)) == pytest.approx(found.loss, rel=1e-6)
    assert found.undivided > 2 * found.length
    assert updates(10, 4, False) == 2
    assert [updates(*x, True) for x in ((10, 4), (8, 4), (5, 2))] == [3, 2, 3]


def test_label_smoothing() -> None:
    """transformers T45, and torch."""
    logits = np.array([2, 1, 0.1, 0.0])
    notes, all_of_them = (smoothing.target(4, 0, 0.1, on) for on in (False, True))
    assert smoothing.loss(logits, smoothing.target(4, 0, 0.0)) == pytest.approx(0.502461, abs=1e-6)
    assert smoothing.loss(logits, notes) == pytest.approx(0.665794, abs=1e-6)
    assert smoothing.loss(logits, all_of_them) == pytest.approx(0.624961, abs=1e-6)
    peaked = np.array([0, 0, 5, 0.0])
    for share, wanted in ((0.1, 0.520012), (0.03, 0.170012), (0.0, 0.020012)):
        q = smoothing.target(4, 2, share, False)
        assert smoothing.loss(peaked, q) == pytest.approx(wanted, abs=1e-6)
    assert smoothing.loss(peaked, smoothing.target(4, 2, 0.1)) == pytest.approx(0.395012, abs=1e-6)
    assert smoothing.target(4, 2, 0.03, False) == pytest.approx([0.01, 0.01, 0.97, 0.01])
    for share, wanted in ((0.1, 0.434944), (0.03, 0.167701)):
        floor = smoothing.floor(smoothing.target(4, 0, share, False))
        assert floor == pytest.approx(wanted, abs=1e-6)
    assert smoothing.gap(notes, 0) == pytest.approx(3.295837, abs=1e-6)
    assert smoothing.gap(smoothing.target(4, 0, 0.0), 0) == math.inf
    assert smoothing.gap(smoothing.target(4, 0, 1.0, False), 0) == -math.inf
    assert smoothing.as_torch(0.1, 4) == pytest.approx(0.13333, abs=1e-5)
    for share in (0.1, smoothing.as_torch(0.1, 4)):
        peer = F.cross_entropy(torch.tensor(logits), torch.tensor(0), label_smoothing=share)
        q = smoothing.target(4, 0, share)
        assert smoothing.loss(logits, q) == pytest.approx(peer.item(), abs=1e-9)
    same = smoothing.target(4, 0, smoothing.as_torch(0.1, 4))
    assert smoothing.loss(logits, same) == pytest.approx(smoothing.loss(logits, notes))


def test_decay_is_divided_away_in_adam_and_not_in_adamw() -> None:
    """AdamW: (1 - rate decay)^n, whatever the gradients; Adam: all but nothing where they are large."""
    adam, adamw = (decay.fading(RACERS[id], 0.01, 0.1, 100)[-1] for id in ("adam", "adamw"))
    np.testing.assert_allclose(adamw, (1 - 0.001) ** 100, atol=0.01)
    assert adam[0] < 0.6 < adam[1] and adam[2] == pytest.approx(1, abs=0.01)


def test_patience() -> None:
    """transformers T54: stops at 5, the best is 2.  A loss that is no number is never the best."""
    found = early.stop([1.0, 0.9, 0.95, 0.96, 0.97, 0.8], 3)
    assert (found.best, found.end, found.stopped) == (2, 5, True)
    assert early.stop([1.0, 0.9], 0).end == 2
    assert early.stop([1.0, math.nan, math.nan], 2).best == 1
    before = torch.random.get_rng_state()
    found = early.overfit(2, most=12)
    assert torch.equal(before, torch.random.get_rng_state())
    assert found.stop.stopped and found.stop.end == found.stop.best + 2 == len(found.held)
    assert found.stop.best == found.held.argmin() + 1


def test_the_small_net_is_trained_by_the_room() -> None:
    chosen = {**small.SIZES, "optimiser": "adam", "rate": 0.02, "steps": 30}
    chosen |= {"units": 8, "warmup": 1}
    found = list(small.train(TEXT * 20, chosen))[-1]
    assert len(found.loss) == len(found.norm) == 30 and not found.lost
    assert found.ends < 0.95 * found.loss[0] and found.parameters > 500
    assert math.isfinite(found.held)
    assert found.ends == pytest.approx(sum(found.loss[-3:]) / 3)
    kind = models.get(small.MODEL)
    *_, end = kind.fit(TEXT * 20, kind.config_type(**chosen), seed=0)
    last: Any = end.model
    learned = [part.detach().numpy().ravel() for part in last.net.parameters()]
    assert np.sort(found.weights) == pytest.approx(np.sort(np.concatenate(learned)), abs=1e-6)
    decays = ({**chosen, "optimiser": "adamw", "decay": decay} for decay in (0.0, 1.0))
    free, pulled = ([*small.train(TEXT * 20, of)][-1] for of in decays)
    assert np.square(pulled.weights).mean() < 0.8 * np.square(free.weights).mean()


GIVEN: Any = {"runs": RunStore().all(None), "open_run": lambda run: shipped("lstm_small")}


def answer(part: Part, **chosen: Any) -> list[Block]:
    return blocks.asked(part, {**GIVEN, "model": shipped("lstm_small")}, **chosen)


def within(part: Part, kind: type[Any], **chosen: Any) -> list[Any]:
    """Its blocks of a kind, those inside others too."""
    return [block for block in blocks_in(answer(part, **chosen)) if isinstance(block, kind)]


def test_the_race_follows_what_is_chosen() -> None:
    assert "RMSprop is lowest after 150 steps" in said(answer(boards.race))
    fast: dict[str, Any] = {"times": 4, "of": "plain", "step_n": 999}
    path = boards.run("valley", "plain", 4, "constant", 0, 0.0, 0.0, 0, -2.8, 1.0)
    assert (
        path.lost is not None and boards.count_steps(boards.race.values({"times": 4})) == path.steps
    )
    diverges = f"its loss is infinite (beyond float32) from step {path.lost[0]} on"
    assert diverges in said(answer(boards.race, **fast))
    assert within(boards.race, Warn, **fast)  # its last step
    assert "Choose at least one optimiser" in said(answer(boards.race, racers=())[-1:])
    muon: dict[str, Any] = {"racers": ("muon",), "surface": "four", "of": "adam"}
    assert r"\text{orthogonal}" in said(answer(boards.race, **muon))
    (board,) = within(boards.race, Board, **muon)
    assert board.data["start"] == SURFACES["four"].start  # where that one begins


def test_what_a_browser_draws_is_held_in_range() -> None:
    held = boards.race.values({"x": 99.0, "y": -0.5})
    assert (held["x"], held["y"]) == (3.2, -0.5)
    held = boards.race.values({"x": "a", "y": float("nan")})
    assert (held["x"], held["y"]) == SURFACES["valley"].start
    least, most = boards.RANGES["rate"]
    held = boards.schedule.values({"s_rate": 5, "s_warmup": -3, "s_steps": 10**9})
    assert held["s_rate"] == most > least and held["s_warmup"] == 0
    assert held["s_steps"] == boards.RANGES["steps"][1]


def test_a_schedule_is_trained_for_what_it_was_begun_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "LETTERS", 3_000)
    chosen = {"schedule": "linear", "s_rate": 0.01, "s_warmup": 0, "s_steps": 3}
    begun = tuple(chosen.values())
    *_, table = charts(answer(boards.schedule, **chosen, s_train=begun)).values()
    sizes = {**small.SIZES, "schedule": "linear", "rate": 0.01, "warmup": 0, "steps": 3}
    *_, trained = small.train(small.stories(), sizes)
    np.testing.assert_allclose(table.columns["value"], small.smooth(trained.loss), rtol=1e-6)
    assert small.smooth([1.0, 3.0]) == [1.0, 2.0]
    assert small.smooth([0.0] * 5 + [1.0] * 10)[-1] == 1.0
    assert not boards.schedule.values({**chosen, "s_steps": 4, "s_train": begun})["s_train"]
    assert not boards.schedule.values({**chosen, "s_train": "true"})["s_train"]


def test_sizes_and_decays_are_trained_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "LETTERS", 3_000)
    monkeypatch.setattr(parts, "UNITS", (2, 4))
    monkeypatch.setattr(parts, "NET_STEPS", 3)
    monkeypatch.setattr(parts, "SHARES", (0.0, 0.3))
    known: dict[Any, small.Training] = {}
    train = small.trained

    def kept(told: Any, **chosen: Any) -> Any:
        found = known[chosen.get("units"), chosen.get("decay")] = yield from train(told, **chosen)
        return found

    monkeypatch.setattr(small, "trained", kept)
    found = answer(parts.net, net_racers=("adam", "muon"), net_start=True, net_sizes=True)
    assert "Lowest on held-out text" in said(found)
    sizes = [f"{known[units, None].parameters:,}" for units in (2, 4)]
    assert " to ".join(sizes) in said(found)
    assert [row["optimiser"] for row in tables(found)[0]] == ["Adam", "Muon"]
    assert tables(found)[0][1]["held-out loss"] == known[32, None].held  # the later one
    rows = tables(answer(parts.weight_decay, decay_train=True))[0]
    assert [row["weight decay"] for row in rows] == [0.0, 0.3]
    pulled = known[None, 0.3]
    assert rows[1]["held-out loss"] == pulled.held
    wanted = np.sqrt(np.mean(np.square(pulled.weights)))
    assert rows[1]["root mean square of the weights"] == pytest.approx(wanted)


def test_the_noise_of_a_run_is_measured_where_it_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(0).normal(size=(64, 7)) + 1
    made = noise_scale.Noise(chance @ chance.T, np.zeros(64), 7)
    monkeypatch.setattr(noise_scale, "measure", lambda model, text, seed: made)
    found = answer(parts.noise, noise_seed=4_711, noise_steps=True)
    run = next(run for run in GIVEN["runs"] if run.id == "lstm_small")
    at = [int(x) for x in charts(found)["noise-steps"].columns["x"]]
    assert at[:-1] == sorted(run.snapshots) and f"{made.scale * 64:,.0f} tokens" in said(found)


def test_the_verdict_is_that_of_the_curves() -> None:
    whole = early.overfit(0, seed=0)
    end = early.overfit(4, seed=0).stop.end
    at = np.arange(1, end + 1)
    found = fitting((at, whole.train[:end]), (at, whole.held[:end]))
    words = said(answer(parts.stopping))
    assert found is not None and str(verdict.judge_fit(found, "measurement")) in words
    assert found.verdict == "overfitted" and "**Overfitted.**" in words
    assert f"ends at measurement **{end}**" in words
