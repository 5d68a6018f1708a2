"""The options of a training: each does what it says, and none is lost when it goes on."""

from __future__ import annotations

import math
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.nn import functional as F
from torch.testing import assert_close

from engine.__main__ import main
from engine.cli import settings
from engine.cli.console import Wrong
from engine.core import registry
from engine.core.registry import clippings, models, optimisers, schedules
from engine.models.base import Progress
from engine.nn import loop, recompute, windows
from engine.nn.divergence import locate
from engine.nn.plan import Plan, Training
from engine.runs.store import Recipe, RunStore, digest
from engine.storage.run_folder import HISTORY, NOTE, WEIGHTS
from engine.training import best, diagnosis, status
from engine.training import fit as fitting
from engine.training.fit import fit
from engine.training.history import read
from tests.conftest import TEXT, Capture, Patch, sampled, small, text_of
from tests.nn.test_prefetch import told

GRADIENT = [id for id in models.ids() if issubclass(models.get(id).config_type, Training)]
KINDS = ["lstm", "transformer", "bert", "encoder_decoder", "seq2seq", "tagger_both"]
TINY = {"units": 4, "width": 4, "layers": 1, "span": 6, "batch": 4, "steps": 9, "warmup": 2}
TINY |= {"held_out_every": 2}


def tiny(**more: Any) -> Any:
    return small(models.get("lstm"), **TINY | more)


def steps(model: Any, config: Any, text: str = TEXT, resume: Any = None) -> list[Progress]:
    return list(model.fit(text, config, seed=1, resume=resume))


def losses(reports: list[Progress]) -> list[float]:
    return [r.metrics["loss_nats"] for r in reports]


def test_every_choice_is_one_of_what_there_is() -> None:
    for name in ("optimiser", "schedule", "clipping"):
        known = getattr(registry, f"{name.removesuffix('s')}s").ids()
        with pytest.raises(ValueError, match=f"no {name} 'foo'; there are {', '.join(known)}"):
            tiny(**{name: "foo"})
        with pytest.raises(Wrong, match=f"choose one of {', '.join(known)}"):
            settings.config(models.get("bert"), [f"{name}=foo"])
        found = settings.config(models.get("bert"), [f"{name}={known[-1]}"])
        assert getattr(found, name) == known[-1]
    with pytest.raises(ValueError, match="a batch of 4 can't be read in 5 parts"):
        tiny(accumulate=5)
    with pytest.raises(ValueError, match="choose one of them"):
        tiny(stateful=True, passages=True)


def test_what_was_added_later_changes_no_key_until_it_is_used() -> None:
    """The shipped sentiment run is older than all of these options: its key is the one in its note."""
    note, kind = RunStore().find("sentiment").note, models.get("sentiment").config_type
    learned = note["corpus"]["digest"], note["seed"]
    assert Recipe("sentiment", kind(**note["config"]), *learned).key == note["recipe"]
    other = kind(**note["config"], optimiser="adam")
    assert Recipe("sentiment", other, *learned).key != note["recipe"]


def goes_on(stateful: bool, **chosen: Any) -> None:
    """Seven steps, and the last four of them once more from the checkpoint of the third."""
    config = tiny(steps=7, dropout=0.2, rate=0.05, clip=0.3, stateful=stateful, **chosen)
    torch.manual_seed(0)
    net, stream = models.get("lstm").build(config, 12), np.random.default_rng(0).integers(0, 12, 90)
    start = {name: p.clone() for name, p in net.state_dict().items()}
    how: dict[str, Any] = {"seed": 1, "device": "cpu", "boundary": 0, "stateful": stateful}

    def run(resume: Any = None) -> Any:
        net.load_state_dict(start)
        return loop.train(net, stream, stream[:50], Plan.of(config), resume=resume, **how)

    kept: dict[str, Any] = {}
    whole = []
    for step in run():
        whole.append(told(step))
        if step.step == 3:
            kept = step.checkpoint()
    weights = {name: p.clone() for name, p in net.state_dict().items()}
    assert [told(step) for step in run(kept)] == whole[3:], config
    assert all(torch.equal(p, weights[name]) for name, p in net.state_dict().items()), config


@sampled("stateful,accumulate", [(False, 3), (False, 1), (True, 3), (True, 1)])
def test_a_training_goes_on_bit_for_bit(stateful: bool, accumulate: int) -> None:
    """Over the four cases, every optimiser with every schedule, every clipping with each of both."""
    for i, optimiser in enumerate(optimisers.ids()):
        for j, schedule in enumerate(schedules.ids()):
            if (i + j) % 4 == 2 * stateful + accumulate // 2 or schedule == "plateau":
                clipping = clippings.ids()[(i + 2 * j + stateful) % 4]
                chosen = {"optimiser": optimiser, "schedule": schedule, "clipping": clipping}
                goes_on(stateful, accumulate=accumulate, **chosen)


@pytest.mark.slow
@pytest.mark.parametrize("optimiser", optimisers.ids())
def test_a_training_goes_on_bit_for_bit_whatever_goes_together(optimiser: str) -> None:
    every = product(schedules.ids(), clippings.ids(), (False, True), (1, 3))
    for schedule, clipping, stateful, accumulate in every:
        chosen = {"optimiser": optimiser, "schedule": schedule, "clipping": clipping}
        goes_on(stateful, accumulate=accumulate, **chosen)


@sampled("id", KINDS, each=3)
def test_a_batch_in_parts_is_the_same_step(id: str) -> None:
    """Up to rounding; rows of a part may have fewer targets than those of another."""
    model = models.get(id)
    one, three = (
        steps(model, small(model, steps=6, batch=10, accumulate=n, dropout=0.0), text_of(model))
        for n in (1, 3)
    )
    assert_allclose(losses(one), losses(three), rtol=2e-5)
    norms = [[r.metrics["gradient_norm"] for r in reports] for reports in (one, three)]
    assert_allclose(*norms, rtol=1e-3)


@sampled("id", [*KINDS, "gru"], each=3)
def test_recomputed_layers_have_the_same_gradients(id: str) -> None:
    model = models.get(id)
    more = {"dropout": 0.3} | ({"recurrent_dropout": 0.2} if id == "gru" else {})
    kept, again = (
        steps(model, small(model, steps=4, recompute=on, **more), text_of(model))
        for on in (False, True)
    )
    assert_allclose(losses(kept), losses(again), rtol=1e-6)
    norms = [[r.metrics["gradient_norm"] for r in reports] for reports in (kept, again)]
    assert_allclose(*norms, rtol=1e-5)


def test_recomputed_layers_keep_less() -> None:
    """Counted in numbers that are kept for the way back; outside the six blocks they are few."""
    kind = models.get("transformer")
    net, ids = kind.build(small(kind, layers=6), 20).train(), torch.zeros(8, 12, dtype=torch.int64)

    def held() -> int:
        sizes: list[int] = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t: sizes.append(t.numel()) or t, lambda t: t
        ):  # type: ignore[func-returns-value]
            net(ids).sum()
        return sum(sizes)

    before = held()
    recompute.switch_on(net)
    assert held() < before / 3


def test_label_smoothing_by_hand() -> None:
    """Targets 1 and 0, share 0.2 of 4 answers: -(0.8 log p_y + 0.05 sum log p); -100 is no target."""
    logit = torch.tensor([[[0.0, 1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 0.0], [9.0, 9.0, 9.0, 9.0]]])
    y = torch.tensor([[1, 0, -100]])
    p = logit.double().log_softmax(-1)[0]
    wanted = -(0.8 * (p[0, 1] + p[1, 0]) + 0.05 * (p[0].sum() + p[1].sum())) / 2
    assert loop.nats(logit, y, y, 0.2).item() == pytest.approx(wanted.item())
    plain = F.cross_entropy(logit[0, :2], y[0, :2]).item()
    assert loop.nats(logit, y, y).item() == pytest.approx(plain)
    first, second = (steps(models.get("lstm"), tiny(steps=2, smoothing=s)) for s in (0.0, 0.3))
    assert second[0].metrics["loss_nats"] > first[0].metrics["loss_nats"]
    assert second[0].model is None and first[1].metrics["held_out_nats"] > 0


def test_stateful_batches_read_the_text_in_order() -> None:
    """Three tracks of ten tokens, four at a time: two windows are a round, the next begins anew."""
    ids = torch.arange(31)
    tracks = windows.Tracks(ids, Plan(steps=9, batch=3, span=4, rate=0.1))
    assert tracks.rounds == 2
    x, y = tracks.draw(1)
    assert x.tolist() == [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]
    assert torch.equal(y, x + 1)
    assert torch.equal(tracks.draw(2)[0], x + 4) and torch.equal(tracks.draw(3)[0], x)
    with pytest.raises(ValueError, match="the text has 3 tokens, too few for 3 tracks"):
        windows.Tracks(torch.arange(3), Plan(steps=9, batch=3, span=4, rate=0.1))


@sampled("id", ["lstm", "gru", "gru_after", "rnn", "dual_memory", "peephole"], each=3)
def test_a_carried_state_is_that_of_one_long_window(id: str) -> None:
    """Two windows have the logits of one window of both; gradients stop between them."""
    model = models.get(id)
    torch.manual_seed(0)
    net = model.build(small(model, layers=2), 9).train()
    ids = torch.randint(9, (49,))
    tracks = windows.Tracks(ids, Plan(steps=4, batch=4, span=6, rate=0.1))
    found = []
    for step in (1, 2):
        x, _ = tracks.draw(step)
        parts = [tracks.read(net, x[rows], rows) for rows in (slice(0, 3), slice(3, 4))]
        found.append(torch.cat(parts))
    whole = net(torch.stack([ids[12 * b : 12 * b + 12] for b in range(4)]))
    assert_close(torch.cat(found, 1), whole, rtol=1e-5, atol=1e-6)
    assert not any(part.requires_grad for layer in tracks.joined() for part in layer)


@pytest.mark.parametrize("id", ["lstm", "transformer"])
def test_filling_changes_no_loss(id: str) -> None:
    model = models.get(id)
    torch.manual_seed(0)
    net = model.build(small(model), 9).eval()
    rng = np.random.default_rng(0)
    parts = [rng.integers(0, 9, n) for n in (3, 9, 6)]
    x, y = windows.filled(parts)
    assert x.shape == (3, 8) and (y != windows.NOTHING).sum() == 2 + 8 + 5
    alone = 0.0
    for p in map(torch.from_numpy, parts):
        alone += F.cross_entropy(net(p[None, :-1])[0], p[1:], reduction="sum").item()
    wide = F.pad(x, (0, 3)), F.pad(y, (0, 3), value=windows.NOTHING)
    for ids, right in ((x, y), wide):
        assert loop.nats(net(ids), right, right).item() == pytest.approx(alone / 15, rel=1e-5)


def test_held_out_passages_are_read_from_their_own_beginning() -> None:
    """A net that sums what it has read, against one passage after the other by hand."""
    torch.manual_seed(0)

    class Sums(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(12, 12)

        def forward(self, ids_BT: torch.Tensor) -> torch.Tensor:
            return self.table(ids_BT).cumsum(1)

    net, total, count = Sums(), 0.0, 0
    said = [list(range(1, 4)), list(range(1, 12)), [7]]
    stream = np.array([0, *said[0], 0, *said[1], 0, *said[2], 0])
    for part in ([0, 1, 2, 3, 0], list(range(9)), [8, 9, 10, 11, 0], [0, 7, 0]):
        score = net(torch.tensor([part[:-1]])).detach()[0].log_softmax(-1)
        total -= sum(float(score[t, token]) for t, token in enumerate(part[1:]))
        count += len(part) - 1
    plan = Plan(steps=1, batch=2, span=8, rate=0.1)
    found = loop.held_out_passages(net, stream, plan, "cpu", 0)
    assert found == pytest.approx(total / count, rel=1e-6) and net.training
    assert math.isnan(loop.held_out_passages(net, stream[:1], plan, "cpu", 0))


def test_passages_are_whole_and_of_about_one_length() -> None:
    """0 stands before each passage; of 3 and 11 tokens, spans of 8: the long one is two parts."""
    stream = np.array([0, 1, 2, 3, 0, *range(11, 22), 0])
    found = windows.Passages(stream, Plan(steps=1, batch=2, span=8, rate=0.1), 0)
    wanted = [[0, 1, 2, 3, 0], [0, *range(11, 19)], [18, 19, 20, 21, 0]]
    assert [part.tolist() for part in found.parts] == wanted
    lengths = np.random.default_rng(0).integers(1, 60, 300)
    many = np.concatenate([*(np.r_[0, np.ones(n, np.int64)] for n in lengths), [0]])
    passages = windows.Passages(many, Plan(steps=1, batch=8, span=64, rate=0.1), 0)
    drawn = [passages.draw(0, step)[1] for step in range(50)]
    anyhow = [windows.filled(passages.parts[i : i + 8])[1] for i in range(0, 280, 8)]

    def filling(found: list[torch.Tensor]) -> float:
        return float(np.mean([(y == windows.NOTHING).float().mean() for y in found]))

    assert filling(drawn) < 0.1 < 0.3 < filling(anyhow)
    for id in ("lstm", "transformer"):
        reports = steps(models.get(id), small(models.get(id), passages=True, steps=40))
        assert reports[-1].metrics["loss_nats"] < reports[0].metrics["loss_nats"]


def test_some_windows_of_the_second_half_say_a_stretch_twice() -> None:
    plan, ids = Plan(steps=10, batch=400, span=40, rate=0.1), torch.arange(5000)
    plain = windows.drawn(ids, np.zeros(0, int), plan, 3, 6)
    for share, step in ((0.3, 5), (0.0, 6)):  # not before half of the steps, and not unasked
        assert windows.echoed(plain, plan, share, 3, step) is plain
    x, y = windows.echoed(plain, plan, 0.3, 3, 6)
    assert torch.equal(x[:, 1:], y[:, :-1]) and torch.equal(plain[0][:, 1:], plain[1][:, :-1])
    was, now = (torch.cat((one, other[:, -1:]), 1).numpy() for one, other in (plain, (x, y)))
    changed = np.flatnonzero((was != now).any(1))
    assert 80 < len(changed) < 160  # 120 of 400, and four standard errors of 9
    back = set()
    for i in changed:
        places = np.flatnonzero(was[i] != now[i])
        # one stretch, no longer than half of a window
        assert len(places) == places[-1] - places[0] + 1 and windows.SHORTEST <= len(places) <= 20
        # tokens count up, so each says where it comes from
        shift = int(places[0] - (now[i, places[0]] - was[i, 0]))
        assert shift >= len(places) and np.array_equal(now[i, places], was[i, places - shift])
        back.add(shift)
    assert len(back) > 15, "from how far back is left to chance"
    again = windows.echoed(windows.drawn(ids, np.zeros(0, int), plan, 3, 6), plan, 0.3, 3, 6)
    assert torch.equal(again[0], x)
    assert not torch.equal(windows.echoed(plain, plan, 0.3, 4, 6)[0], x)
    short = windows.drawn(ids, np.zeros(0, int), Plan(steps=10, batch=4, span=2, rate=0.1), 3, 6)
    assert windows.echoed(short, plan, 1.0, 3, 6) is short


@pytest.mark.parametrize("other", ["passages", "stateful"])
def test_echo_is_for_windows_drawn_by_chance(other: str) -> None:
    with pytest.raises(ValueError, match="echo changes randomly drawn windows"):
        models.get("lstm").config_type(echo=0.1, **{other: True})


def test_every_kind_of_dropout_is_at_work() -> None:
    for id in ("lstm", "transformer", "bert", "encoder_decoder", "sentiment"):
        model = models.get(id)
        for name in ("dropout", "recurrent_dropout")[: 1 + (id == "lstm")]:
            configs = (small(model, steps=1, **{"dropout": 0.0, name: p}) for p in (0.0, 0.5))
            plain, some = (losses(steps(model, config, text_of(model))) for config in configs)
            assert plain != some, f"{id}.{name}"


def test_a_loss_in_half_the_digits_is_scaled_and_goes_on(monkeypatch: Patch) -> None:
    """float16 on the processor stands in for a GPU without bfloat16."""
    model = models.get("transformer")
    plain = losses(steps(model, small(model, steps=9)))
    monkeypatch.setattr(loop, "half_of", lambda kind: torch.float16)
    kept: dict[str, Any] = {}
    whole = []
    for report in model.fit(TEXT, small(model, steps=9, mixed=True), seed=1):
        whole.append(report.metrics["loss_nats"])
        if report.step == 4:
            assert report.checkpoint is not None
            kept = dict(report.checkpoint())
    assert_allclose(whole, plain, rtol=0.02)
    assert kept["scale:scale"][0] == 2.0**16 and kept["scale:_growth_tracker"][0] == 4
    assert losses(steps(model, small(model, steps=9, mixed=True), resume=kept)) == whole[4:]


def test_a_scale_that_is_too_large_falls_without_a_step(monkeypatch: Patch) -> None:
    """A first scale of 1e38 overflows: the scale is halved, and the loss is a number all the same."""
    model = models.get("transformer")
    monkeypatch.setattr(loop, "half_of", lambda kind: torch.float16)
    first = loop.Scale.__init__

    def far(self: loop.Scale, kind: str, on: bool) -> None:
        first(self, kind, on)
        self._init_scale = 1e38

    monkeypatch.setattr(loop.Scale, "__init__", far)
    reports = list(model.fit(TEXT, small(model, steps=2, mixed=True), seed=1))
    kept = dict(reports[0].checkpoint()) if reports[0].checkpoint else {}
    assert not math.isfinite(reports[0].metrics["gradient_norm"])
    assert math.isfinite(reports[1].metrics["loss_nats"])
    assert kept["scale:scale"][0] < 0.6e38


def test_what_is_told_of_each_step() -> None:
    reports = steps(models.get("lstm"), tiny(clipping="adaptive", clip=0.01))
    for report in reports:
        m = report.metrics
        assert m["gradient_norm"] > 0
        cut = min(m["gradient_norm"], m["clip_threshold"])
        assert m["gradient_norm_clipped"] == pytest.approx(cut, rel=1e-5)
        assert m["tokens_per_second"] > 0 and m["rate"] > 0
        assert ("held_out_nats" in m) == (report.step % 2 == 0 or report.step == 9)
        if "held_out_nats" in m:
            assert m["held_out_perplexity"] == pytest.approx(math.exp(m["held_out_nats"]))
            assert m["held_out_bits_per_character"] > 0


WILD = {"optimiser": "sgd", "schedule": "constant", "warmup": 0, "clipping": "none"}
WILD |= {"momentum": 0.0, "decay": 0.0}


@pytest.fixture
def wild(monkeypatch: Patch) -> None:
    """From step 5 on the rate is out of all bounds."""
    after = lambda self, step, done: 1.0 if step < 5 else 1e45  # noqa: E731
    monkeypatch.setattr(schedules.get("constant"), "after", after)


def test_a_loss_that_is_no_number_ends_with_a_diagnosis(tmp_path: Path, wild: None) -> None:
    """The model measured at step 4 is what is left."""
    made, out = Recipe("lstm", tiny(steps=50, rate=0.1, **WILD), digest(TEXT), 0), tmp_path / "run"
    began = r"at step \d+, and it began in .*; the rate was 1e\+44, the gradient norm"
    with pytest.raises(ValueError, match="no longer a number " + began) as raised:
        list(fit(out, made, TEXT))
    said = str(raised.value)
    kept = "the same command with --resume --best makes it the run"
    assert f"Try clipping=norm or rate=0.01; the best model, of step 4, is kept: {kept}" in said
    assert said.count(". ") == 1, "two sentences"
    last = status.read(out)
    assert last and (last.state, last.error) == (status.FAILED, said)
    assert last.best and last.best[0] == 4
    assert set(read(out / HISTORY)) >= {"loss_nats", "gradient_norm"} and not (out / NOTE).exists()
    with pytest.raises(ValueError, match="other settings or another text"):
        best.keep_best(out, Recipe("lstm", tiny(steps=51, rate=0.1, **WILD), digest(TEXT), 0), TEXT)
    assert status.read(out) == last, "all is as it was"
    best.keep_best(out, made, TEXT)
    run = RunStore(tmp_path).find("run")
    assert run.note["steps"] == 4 <= run.note["stopped"]
    assert RunStore(tmp_path).load(run).trace("the cat").tokens
    assert {p.name for p in out.iterdir()} - {fitting.PACE} == {NOTE, WEIGHTS, HISTORY}


def test_the_first_part_that_was_no_number_is_named() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
    x = torch.ones(1, 2)
    assert locate(net, net, [[x]]) == ""
    net[0].bias.grad = torch.tensor([0.0, math.nan, 0.0])
    assert locate(net, net, [[x]]) == "the gradient of 0.bias"
    with torch.no_grad():
        net[0].weight.fill_(9.0)
        net[2].weight.fill_(3e38)  # a number, but three of them are too much
    assert locate(net, net, [[x]]) == "what 2 gives"
    with torch.no_grad():
        net[2].bias[0] = math.inf
    assert locate(net, net, [[x]]) == "the weights 2.bias"


def test_a_loss_that_explodes_and_stays_up_is_noticed() -> None:
    """Above three times its start for 50 steps, counted over a pause too; 49 steps are none."""
    watch = diagnosis.DivergenceMonitor({})
    for step in range(1, 300):
        watch(step, {"loss_nats": 9.1 if 10 < step % 60 < 60 else 3.0, "gradient_norm": 2.0})
    at, nats = np.arange(1, 32), np.array([3.0] + [10.0] * 30)
    before = {"loss_nats": (at, nats), "gradient_norm": (at, np.full(31, 2.0))}
    watch = diagnosis.DivergenceMonitor(before)
    with pytest.raises(diagnosis.Exploded) as raised:
        for step in range(32, 60):
            watch(step, {"loss_nats": 10.0, "rate": 0.1, "gradient_norm": 300.0})
    assert step == 51
    said = watch.said(raised.value, tiny(rate=0.1, mixed=True), None)
    assert said == (
        "at step 51 the loss is 10, for 50 steps above 3 times its first value 3; the rate was"
        " 0.1, the gradient norm before 300, and 2 is usual. Try rate=0.01 or mixed=false;"
        " nothing had been measured yet, so there is no model to keep"
    )
    assert watch.said(ValueError("another"), tiny(), None) == "another"


def training(folder: Path, settings: dict[str, Any]) -> list[str]:
    """The command that trains on a text in a folder."""
    (folder / "text.txt").write_text(TEXT)
    sets = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    files = ["--text", str(folder / "text.txt"), "--out", str(folder / "run")]
    return ["train", "lstm", *files, *sets]


def test_the_command_keeps_the_best_model(tmp_path: Path, capsys: Capture, wild: None) -> None:
    command = training(tmp_path, TINY | {"steps": 50, "rate": 0.1} | WILD)
    assert main([*command, "--resume", "--best"]) == 2
    assert "there is no model to keep" in capsys.readouterr().err
    assert main([*command, "--resume"]) == 2
    assert "--resume --best makes it the run" in capsys.readouterr().err
    assert main([*command, "--resume", "--best"]) == 0
    assert "lstm, 4 steps" in capsys.readouterr().out


def test_tensorboard_files_say_what_the_history_says(tmp_path: Path) -> None:
    from tensorboardX.proto.event_pb2 import Event

    assert main([*training(tmp_path, TINY), "--tensorboard"]) == 0
    found: dict[str, list[tuple[int, float]]] = {}
    histograms: dict[str, list[int]] = {}
    (file,) = (tmp_path / "run" / "tensorboard").iterdir()
    for record in records(file.read_bytes()):
        event = Event.FromString(record)
        for value in event.summary.value:
            if value.HasField("histo"):
                histograms.setdefault(value.tag, []).append(event.step)
                assert value.histo.num == sum(value.histo.bucket) > 0
            else:
                found.setdefault(value.tag, []).append((event.step, value.simple_value))
    history = read(tmp_path / "run" / HISTORY)
    for name, (at, values) in history.items():
        assert [step for step, _ in found[name]] == at.tolist(), name
        assert_allclose([value for _, value in found[name]], values, rtol=1e-5)
    assert "tokens_per_second" in found and "tokens_per_second" not in history
    measured = history["held_out_nats"][0].tolist()
    assert histograms["weights/head.weight"] == measured == [2, 4, 6, 8, 9]


def records(file: bytes) -> list[bytes]:
    """TFRecord: the length of a record in 8 bytes, a sum over them, the record, a sum over it."""
    found, at = [], 0
    while at < len(file):
        length = int.from_bytes(file[at : at + 8], "little")
        found.append(file[at + 12 : at + 12 + length])
        at += 16 + length
    return found


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
@pytest.mark.parametrize("id", ["lstm", "transformer", "bert", "encoder_decoder", "tagger"])
@pytest.mark.parametrize("mixed", [False, True])
def test_on_a_gpu(id: str, mixed: bool, tmp_path: Path) -> None:
    model = models.get(id)
    for optimiser, clipping in zip(optimisers.ids(), cycle(clippings.ids())):
        more = {"optimiser": optimiser, "clipping": clipping, "recompute": clipping == "value"}
        config = small(model, steps=6, mixed=mixed, dropout=0.0, **more)
        here = losses(steps(model, config, text_of(model)))
        there = losses(list(model.fit(text_of(model), config, seed=1, device="cuda")))
        assert_allclose(here, there, rtol=0.05 if mixed else 1e-3)
