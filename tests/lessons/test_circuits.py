"""Circuits: edges cut as by hand, sums that are sums, circuits that are ones, dictionaries that find what is there."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from engine import frame as fr
from engine.core.tap import Edit, How, Recorder
from engine.course.curriculum import lesson
from engine.lessons.circuits import (
    behaviours,
    circuit,
    dictionary,
    found,
    layer,
    live,
    parts,
    sae,
    superposition,
    truths,
)
from engine.lessons.circuits.behaviours import BEHAVIOURS, REPEATS
from engine.lessons.circuits.circuit import Question
from engine.lessons.circuits.wires import Edge, Wires, check
from engine.lessons.transformer import lens
from engine.models.abilities import Attends
from engine.runs.store import RunStore
from engine.text.corpora import agreement, brackets
from tests.conftest import shipped

COPYING, AGREEMENT = "transformer_copying", "transformer_agreement"


def net(run: str = COPYING) -> Attends[Any]:
    return check(shipped(run))


def asked(run: str = COPYING, count: int = 6, **more: Any) -> Question:
    model = net(run)
    behaviour = BEHAVIOURS.get(run.rpartition("_")[2], REPEATS)
    return Question(
        Wires(model), behaviours.batch(behaviours.pairs(model, behaviour, count)), **more
    )


# -------------------------------------------------------------- edges


@pytest.mark.parametrize(
    "run", [COPYING, AGREEMENT, "transformer_alibi", "transformer_shaw", "transformer_t5"]
)
def test_run_edge_by_edge_it_is_the_net(run: str) -> None:
    """All edges kept: the logits of the net; all cut: those of the twin."""
    of = asked(run)
    rows = torch.arange(len(of.batch))
    for gap_B, ids_BT in zip(of.ends, (of.batch.ids_BT, of.batch.twin_BT), strict=True):
        with torch.inference_mode():
            logit_BV = of.wires.model.net(ids_BT)[rows, of.batch.last_B].numpy()
        right, wrong = (i.numpy() for i in (of.batch.right_B, of.batch.wrong_B))
        assert gap_B == pytest.approx(logit_BV[rows, right] - logit_BV[rows, wrong], abs=1e-4)


class Instead(Recorder):
    """Of one run: keeps numbers by (layer, name), or puts others there."""

    def __init__(self, put: dict[tuple[int | None, str], Any] | None = None) -> None:
        super().__init__(fields=("head.output",))
        self.put, self.kept = put or {}, dict[tuple[int | None, str], Tensor]()

    def derived(self, name: str, make: Any, axes: tuple[str, ...]) -> None:
        if name == "head.output":
            self.kept[self._at.get("layer"), name] = make()

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        at = self._at.get("layer"), name
        self.kept[at] = value
        return self.put[at](value, self.kept) if at in self.put else value


def by_hand(model: Attends[Any], ids_BT: Tensor, twin_BT: Tensor, edge: Edge) -> Tensor:
    """Logits behind the last token with one edge cut, by the net's own modules: what the receiver makes of the stream
    with the twin's number in it is put in place of what it made."""
    tower, both = model.tower, []
    for ids in (ids_BT, twin_BT):
        tap = Instead()
        model.net(ids, tap)
        a, b = (tap.kept[None, f"embedding.{of}"] for of in ("token", "position"))
        both.append({**tap.kept, (-1, "embedded"): a + b})

    def wrote(kept: Any) -> Tensor:
        s = edge.sender
        if s.head == -2:
            return kept[-1, "embedded"]
        return (
            kept[s.layer, "feed_forward.output"]
            if s.head < 0
            else kept[s.layer, "head.output"][:, s.head]
        )

    away = wrote(both[1]) - wrote(both[0])
    r = edge.receiver
    if r.head == -2:
        norm = tower.norm
        assert norm is not None
        return model.read_out(norm(both[0][tower.design.layers - 1, "residual"] + away))[:, -1]
    block = tower.block(r.layer)
    if r.head < 0:
        x = both[0][r.layer, "residual.middle"] + away
        made = block.feed_forward(block.norm_2(x) if block.norm_2 is not None else x)
        put: dict[tuple[int | None, str], Any] = {
            (r.layer, "feed_forward.output"): lambda v, k: made
        }
    else:
        x = both[0][r.layer, "residual.before"] + away
        place = tower.places(0, x.shape[1], x.device)
        parts_3 = block.attention._parts(block.norm_1(x), None, tower.position.angles(place))
        name = {"Q": "query", "K": "key", "V": "value"}[edge.into]
        new = parts_3["QKV".index(edge.into)][:, r.head]

        def one_head(value: Tensor, kept: Any) -> Tensor:
            value = value.clone()
            value[:, r.head] = new
            return value

        put = {(r.layer, name): one_head}
    found: Tensor = model.net(ids_BT, Instead(put))[:, -1]
    return found


@pytest.mark.parametrize("run", [COPYING, AGREEMENT])
def test_path_patching_as_by_hand(run: str) -> None:
    """Every edge."""
    of = asked(run, 1)
    batch, wires = of.batch, of.wires
    effect_E = np.zeros(len(wires.edges))
    for some, effect_EB in circuit.sweep(of):
        effect_E[some] = effect_EB[:, 0]
    with torch.inference_mode():
        for n, edge in enumerate(wires.edges):
            logit_V = by_hand(wires.model, batch.ids_BT, batch.twin_BT, edge)[0]
            gap = float(logit_V[batch.right_B[0]] - logit_V[batch.wrong_B[0]])
            assert of.ends[0][0] - gap == pytest.approx(effect_E[n], abs=2e-4), edge
    assert np.abs(effect_E).max() > 3


def test_what_parts_add_is_the_lead_and_what_the_lens_says() -> None:
    of = asked()
    share_SB = of.wires.direct(of.batch, of.clean)
    assert share_SB.sum(0) == pytest.approx(of.ends[0], abs=1e-4)
    text, model = "kqzr=kq", of.wires.model
    trace = model.trace(text, fields=lens.NEEDS)
    vocab = model.tokenizer.vocab
    pair = behaviours.of_typed(model, BEHAVIOURS["copying"], text)
    assert pair is not None and (vocab[pair.right], vocab[pair.wrong]) == ("z", "a")
    last = lens.part(trace, len(trace.ids) - 1, len(trace.ids))
    right, wrong = (
        lens.pushes(model, last, np.array([id]), above=False)[:, 0]
        for id in (pair.right, pair.wrong)
    )
    batch = behaviours.batch([pair])
    ours_S = of.wires.direct(batch, of.wires.written(batch.ids_BT))[:, 0]
    theirs = right - wrong
    heads = model.tower.design.heads
    at = 2
    assert ours_S[0] == pytest.approx(theirs[:2].sum(), abs=1e-4)
    for n in range(model.tower.design.layers):
        first = 1 + n * (heads + 1)
        assert ours_S[first : first + heads] == pytest.approx(theirs[at : at + heads], abs=1e-4)
        assert ours_S[first + heads] == pytest.approx(theirs[at + heads + 1], abs=1e-4)
        at += heads + 2


def test_a_head_without_its_output_is_the_edit() -> None:
    of = asked(AGREEMENT, other="zero")
    model, lost_SB = of.wires.model, circuit.nodes(of)
    for b in range(3):
        stop = int(of.batch.last_B[b]) + 1
        words = " ".join(model.tokenizer.vocab[i] for i in of.batch.ids_BT[b, 1:stop].tolist())
        for at in range(model.tower.design.layers):
            edit = Edit("reading", {"layer": at, "head": 1}, 0.0, How.SCALE)
            logit_V = (
                model.trace(words, edits=(edit,), fields=("logits",)).field("logits").values[-1]
            )
            gap = logit_V[of.batch.right_B[b]] - logit_V[of.batch.wrong_B[b]]
            s = of.wires.senders.index(type(of.wires.senders[0])(at, 1))
            assert of.ends[0][b] - lost_SB[s, b] == pytest.approx(gap, abs=1e-4)


def test_edges_cut_together_and_apart() -> None:
    """Between two nodes: the one edge of a feed-forward part; a head's three at once."""
    of = asked(count=2)
    wires = of.wires
    effect_EB = np.zeros((len(wires.edges), 2))
    for some, effects in circuit.sweep(of):
        effect_EB[some] = effects
    joint_JB = circuit.joint_effects(of)
    for n, (sender, receiver) in enumerate(wires.layout.joints):
        here = [
            i for i, e in enumerate(wires.edges) if (e.sender, e.receiver) == (sender, receiver)
        ]
        if len(here) == 1:
            assert joint_JB[n] == pytest.approx(effect_EB[here[0]], abs=1e-4)
        else:
            on_E = np.ones(len(wires.edges), bool)
            on_E[here] = False
            gap_B = of.gaps(wires.kept(on_E[None]))[0][0]
            assert joint_JB[n] == pytest.approx(of.ends[0] - gap_B, abs=1e-4)


# -------------------------------------------------------------- circuits


def test_whole_and_nothing() -> None:
    of = asked()
    edges = len(of.wires.edges)
    kept = circuit.judge(of, np.stack([np.ones(edges, bool), np.zeros(edges, bool)]))
    assert kept.share == pytest.approx([1, 0], abs=1e-6) and kept.right[0] == 1
    low, high = circuit.interval(of, kept.gap_CB[0])
    assert low == pytest.approx(1) and high == pytest.approx(1)


def test_random_circuits_are_ways_to_the_answer() -> None:
    wires, rng = Wires(net()), np.random.default_rng(0)
    for count in (4, 10, 40):
        on_E = circuit.at_random(wires, count, rng)
        assert on_E.sum() >= count and (circuit.joined(wires, on_E) == on_E).all()
    lonely = np.zeros(len(wires.edges), bool)
    lonely[[n for n, e in enumerate(wires.edges) if e.receiver.short == "L1 FFN"]] = True
    assert not circuit.joined(wires, lonely).any()


@pytest.mark.parametrize("run", [COPYING, AGREEMENT, "transformer_lag"])
def test_the_shipped_circuit_keeps_what_random_ones_do_not(run: str) -> None:
    effects = found.known(RunStore().find(run))
    assert effects is not None
    of = found.question(net(run), run, "twin")
    on_E = circuit.chosen(of.wires, effects.mean_E, 0.02 * of.span)
    rng = np.random.default_rng(3)
    random = [circuit.at_random(of.wires, int(on_E.sum()), rng) for _n in range(8)]
    kept = circuit.judge(of, np.stack([on_E, ~on_E, *random]))
    assert on_E.sum() <= 12 and kept.share[0] > 0.8 > 0.05 > kept.share[1]
    assert kept.share[0] > kept.share[2:].max() and np.median(kept.share[2:]) < 0.1


@pytest.mark.parametrize("run", found.SHIPPED)
def test_some_of_what_is_shipped_measured_anew(run: str) -> None:
    effects = found.known(RunStore().find(run))
    assert effects is not None
    of = found.question(net(run), run, "twin")
    wires = of.wires
    some = np.argsort(-np.abs(effects.mean_E))[:: 40 if len(wires.edges) > 200 else 8][:4]
    keep = np.repeat(wires.may_SR[None], len(some), 0)
    keep[np.arange(len(some)), wires.places[0][some], wires.places[1][some]] = False
    effect_E = (of.ends[0] - of.gaps(keep)[0]).mean(1)
    assert effect_E == pytest.approx(effects.mean_E[some], rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("other", circuit.OTHERS)
def test_one_shipped_size_measured_anew(other: circuit.Other) -> None:
    effects = found.known(RunStore().find(COPYING))
    assert effects is not None
    of = found.question(net(), COPYING, other)
    rows = found.shipped()[COPYING]["sizes"][other]
    ways, each = circuit.strongest(of.wires, effects.mean_E, [int(row[0]) for row in rows[-2:]])
    kept = circuit.judge(of, ways)
    assert [int(row[0]) for row in rows[-1:]] == each[-1:]
    assert kept.share[-1] == pytest.approx(rows[-1][1], abs=1e-3) == pytest.approx(1, abs=1e-3)


def test_greedy_pruning_keeps_the_way() -> None:
    of = asked(count=8)
    shares, ways = zip(*((share, on.copy()) for share, on in circuit.greedy(of, 0.02)), strict=True)
    assert all(a <= b for a, b in pairwise(shares)) and shares[-1] == 1
    kept = circuit.judge(of, ways[-1][None])
    assert ways[-1].sum() < 25 and kept.share[0] > 0.85


# -------------------------------------------------------------- behaviours


@pytest.mark.parametrize(
    ("id", "text", "twin", "right", "wrong"),
    [
        ("copying", "kqzr=kq", "kqar=kq", "z", "a"),
        ("agreement", "The keys to the cabinet", "The key to the cabinet", "are", "is"),
        ("brackets", "([a]{b", "([a](b", "}", ")"),
        ("lag", "abacdbabac", "abacababac"[:4] + "a" + "babac", "d", "a"),
    ],
)
def test_twins_by_rule(id: str, text: str, twin: str, right: str, wrong: str) -> None:
    made = BEHAVIOURS[id].twin(text)
    assert made is not None and (made.text, made.twin, made.right, made.wrong) == (
        text,
        twin,
        right,
        wrong,
    )
    for odd in ("", " ", "🙂", "zz=zz=", "(((]", "no cause here", "x" * 5_000):
        other = BEHAVIOURS[id].twin(odd)
        assert other is None or len(other.text) == len(other.twin)


def test_the_twin_is_what_the_net_answers_otherwise() -> None:
    """In at least nine of ten texts, in all four."""
    for id in BEHAVIOURS:
        of = asked(f"transformer_{id}", 24)
        assert (of.ends[0] > 0).mean() >= 0.9 and (of.ends[1] < 0).mean() >= 0.9


def test_repeated_tokens() -> None:
    model = net("transformer_alibi")
    for pair in behaviours.pairs(model, REPEATS, 5):
        assert (pair.ids_T != pair.twin_T).sum() == 1
        at = int(np.flatnonzero(pair.ids_T != pair.twin_T)[0])
        assert (pair.ids_T[at], pair.twin_T[at]) == (pair.right, pair.wrong)
        assert pair.ids_T[at - 1] == pair.ids_T[-1]
    pair = behaviours.twin_of_repeat(np.array([0, 7, 8, 9, 7]))
    assert pair is not None and pair.right == 8 and pair.twin_T.tolist() == [0, 7, 9, 9, 7]
    assert behaviours.twin_of_repeat(np.array([0, 7])) is None


def test_what_has_no_twin_is_opened_all_the_same() -> None:
    for text in ("kqzr", "", "?", "k" * 60):
        trace = net().trace(text, fields=("probability",))
        got = live.deriving(BEHAVIOURS["copying"])(net(), trace, {})
        assert float(got["gap"][1]) == pytest.approx(float(np.sum(got["share"][1])))
        assert np.isnan(got["edge"][1]).all() and np.isnan(got["twin"][1]).all()
    other = next(id for id in ("bert", "lstm") if RunStore().find(id))
    with pytest.raises(ValueError, match="Transformer that writes"):
        check(shipped(other))


def test_two_texts_that_do_not_fit() -> None:
    for text, twin, why in (
        ("kqzr=kq", "kqzr=k", "they need as many"),
        ("kq", "kq", "the same"),
        ("", "k", "Type a text"),
        ("k" * 100, "q" * 100, "longer than the model"),
    ):
        with pytest.raises(ValueError, match=why):
            parts.typed_pair(net(), text, twin)


# -------------------------------------------------------------- dictionaries

SMALL = sae.Settings(12, "l1", 0.3, 40)


def test_the_loss_and_its_gradients() -> None:
    """By hand in numpy, and by finite differences."""
    rng = np.random.default_rng(0)
    x = torch.from_numpy(rng.normal(size=(5, 4)))
    made = sae.Autoencoder(4, SMALL).double()
    made.middle.data = torch.from_numpy(rng.normal(size=4) / 5)
    we, be, wd, bd = (
        p.detach().numpy() for p in (made.encoder, made.into, made.decoder, made.middle)
    )
    f = np.maximum((x.numpy() - bd) @ we.T + be, 0)
    wanted = ((x.numpy() - f @ wd - bd) ** 2).sum(1).mean() + 0.3 * f.sum(1).mean()
    loss = made.loss(x)[0]
    assert loss.item() == pytest.approx(wanted)
    loss.backward()
    for p in made.parameters():
        assert p.grad is not None
        flat, at = p.data.view(-1), int(p.grad.abs().argmax())
        each = []
        for step in (1e-6, -2e-6):
            flat[at] += step
            each.append(made.loss(x)[0].item())
        assert (each[0] - each[1]) / 2e-6 == pytest.approx(float(p.grad.view(-1)[at]), rel=1e-4)


def test_it_learns_as_plain_torch_does() -> None:
    planted = superposition.plant(10, 6, 0.1, count=500)
    settings = replace(SMALL, features=12, steps=60)
    *_before, made = sae.learn(planted.x_MD, settings)
    x = torch.from_numpy(planted.x_MD.astype(np.float32))
    x = x / float(np.sqrt((planted.x_MD**2).sum(1).mean() / 6))
    start = torch.randn(12, 6, generator=torch.Generator().manual_seed(0))
    start = nn.functional.normalize(start, dim=1)
    into, out = nn.Linear(6, 12), nn.Linear(12, 6)
    with torch.no_grad():
        into.weight.copy_(start)
        into.bias.zero_()
        out.weight.copy_(start.T)
        out.bias.copy_(x.mean(0))
    optimiser = torch.optim.Adam([*into.parameters(), *out.parameters()], lr=settings.rate)
    draw = torch.Generator().manual_seed(0)
    for step in range(60):
        some = x[torch.randint(500, (sae.BATCH,), generator=draw)]
        f = into(some - out.bias).relu()
        loss = (out(f) - some).square().sum(1).mean() + 0.3 * f.sum(1).mean()
        optimiser.param_groups[0]["lr"] = settings.rate * min(1.0, 5 * (1 - step / 60))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            out.weight.copy_(nn.functional.normalize(out.weight, dim=0))
    assert made.rows[-1]["loss"] == pytest.approx(loss.item(), rel=1e-4)
    assert made.directions == pytest.approx(out.weight.detach().numpy().T, abs=1e-4)


def test_it_finds_planted_directions_that_components_do_not() -> None:
    planted = superposition.plant(40, 20, 0.05)
    *_before, made = sae.learn(planted.x_MD, sae.Settings(80, "topk", 3.0, 1_000))
    assert (made.features(planted.x_MD) > 0).sum(1).max() <= 3
    assert np.linalg.norm(made.directions, axis=1) == pytest.approx(1, abs=1e-5)
    assert superposition.recovery(planted.directions_GD, made.directions).mean() > 0.97
    *_more, loose = sae.learn(planted.x_MD, sae.Settings(80, "topk", 8.0, 600))
    assert sae.score(loose, planted.x_MD).explained > sae.score(made, planted.x_MD).explained
    assert superposition.recovery(planted.directions_GD, loose.directions).mean() < 0.95
    for other in (superposition.components(planted.x_MD), np.eye(20)):
        assert superposition.recovery(planted.directions_GD, other).mean() < 0.65
    assert superposition.recovery(planted.directions_GD, planted.directions_GD) == pytest.approx(1)


def test_other_vectors_in_a_layer() -> None:
    """Its own: nothing changes; none: as the edit says."""
    model = net()
    lines = ["kqzr=kqzr", "abc=abc", "mnopq=mnopq"]
    read = layer.read(model, lines, 0, "residual", 1_000)
    own = layer.bits(model, read.cut, 0, "residual", None)
    assert layer.bits(model, read.cut, 0, "residual", lambda x: x) == own
    none = layer.bits(model, read.cut, 0, "residual", lambda x: 0 * x)
    edit = Edit("residual", {"layer": 0}, 0.0, How.SCALE)
    cost, count = 0.0, 0
    for line in lines:
        trace = model.trace(line, edits=(edit,), fields=("probability",))
        p_TV = trace.field("probability").values
        cost -= float(np.log2(p_TV[np.arange(len(p_TV) - 1), trace.ids[1:]]).sum())
        count += len(p_TV) - 1
    assert none == pytest.approx(cost / count, abs=1e-3) and none > own
    x_TD = model.trace(lines[1], fields=("residual",)).field("residual").values[0]
    assert read.x_MD[read.line_M == 1] == pytest.approx(x_TD[1:], abs=1e-4)
    assert [read.label(m) for m in np.flatnonzero(read.line_M == 1)] == list("abc=abc")


def test_truths_by_hand() -> None:
    assert truths.innermost("([a]{b}c)") == ["(", "[", "[", "(", "{", "{", "(", "(", ""]
    assert truths.deep("([a])").tolist() == [False, True, True, False, False]
    line = "The keys to the old cabinet are rusty."
    assert truths.plural(line).tolist() == [n >= line.index(" to") - 1 for n in range(len(line))]
    assert truths.past_mark("ab=ab").tolist() == [False, False, True, True, True]
    assert truths.back("d")("abacdbabac").tolist() == [False] * 9 + [True]
    for lines, every in (
        (brackets.CORPUS.generate(5), "brackets"),
        (agreement.CORPUS.generate(5), "agreement"),
    ):
        for line in lines:
            assert all(len(rule(line)) == len(line) for rule in truths.of(every).values())


def test_the_best_of_many_is_judged_on_other_lines() -> None:
    rng = np.random.default_rng(0)
    holds = rng.random(400) < 0.5
    value_MU = rng.normal(size=(400, 6))
    value_MU[:, 4] -= 3 * holds
    best, auc = dictionary.best_unit(value_MU[:200], value_MU[200:], holds[:200], holds[200:])
    assert best == 4 and auc > 0.95
    assert np.isnan(
        dictionary.best_unit(value_MU[:200], value_MU[200:], holds[:200] & False, holds[200:])[1]
    )


def test_a_dictionary_of_the_shipped_run() -> None:
    settings = dictionary.asked_for(96, "topk", 6, 0.5, 200)
    making = found.learned(
        model=net(), behaviour="copying", text="planted", at=1, site="residual", settings=settings
    )
    made = None
    while made is None:
        try:
            next(making)
        except StopIteration as end:
            made = end.value
    whole, with_it, without = made.bits
    assert made.scores.l0 <= 6.01 and made.scores.explained > 0.8
    assert whole <= with_it < without and 0.9 < made.recovered <= 1
    heads, rows = dictionary.raised(net(), made, 0)
    pushed = made.of.directions[0] * np.asarray(net().tower.norm.weight.detach())  # type: ignore[union-attr]
    weight_VD = net().output()[0].detach().numpy()  # type: ignore[index]
    push_V = (weight_VD - weight_VD.mean(0)) @ (pushed - pushed.mean())
    assert rows[0][1] == pytest.approx(push_V.max()) and rows[0][3] == pytest.approx(push_V.min())
    assert len(heads) == 4


def test_the_page_says_what_was_measured() -> None:
    run = RunStore().find(COPYING)
    (said,) = (
        block
        for block in parts.the_circuit.blocks(model=net(), run=run, above="kqzr=kq")
        if not isinstance(block, fr.Rows) and "edges**" in str(block)
    )
    of = found.question(net(), COPYING, "twin")
    effects = found.known(run)
    assert effects is not None
    on_E = circuit.chosen(of.wires, effects.mean_E, 0.02 * of.span)
    share = circuit.judge(of, on_E[None]).share[0]
    assert f"**{on_E.sum()} of 110 edges**" in str(said) and f"{share:.1%}".replace(
        "%", " %"
    ) in str(said)


# -------------------------------------------------------------- what the page says


def opened(text: str) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Numbers of the live part; what each part adds; the share of each line."""
    model = net()
    got = live.deriving(BEHAVIOURS["copying"])(
        model, model.trace(text, fields=("probability",)), {}
    )
    once = live.once(model).labels
    numbers = {name: float(value) for name, (axes, value) in got.items() if not axes}
    adds = dict(zip(once["part"], got["share"][1], strict=True))
    lines = dict(zip(once["wire"], got["edge"][1], strict=True))
    return numbers, adds, lines


def test_first_minute_and_examples() -> None:
    first, second, third, last = lesson("circuits").minute
    numbers, adds, lines = opened(first.text)
    assert (
        f"by {numbers['gap']:.2f}" in first.says and f"by {-numbers['twin.gap']:.2f}" in first.says
    )
    for line in ("L2 H4 → L2 FFN", "L2 FFN → answer"):
        assert f"{lines[line]:.0%}".replace("%", " %") in second.says
    assert max(lines, key=lambda line: abs(lines[line])) == "L2 H4 → L2 FFN"
    assert second.choices[-1] == "L2 H4"
    one, two, three = lesson("circuits").tries
    assert f"{adds['L2 FFN']:.1f}" in one.look and f"{-adds['L2 H4']:.2f}" in one.look
    numbers, _adds, lines = opened(two.text)
    assert f"{numbers['gap']:.1f}" in two.look
    for line in ("L2 H4 → L2 FFN", "L2 H4 → answer"):
        assert f"{lines[line]:.0%}".replace("%", " %") in two.look
    numbers, _adds, lines = opened(three.text)
    assert "twin.gap" not in numbers and np.isnan([*lines.values()]).all()
    assert net().tokenizer.vocab[int(numbers["right"])] == "="
    run, said = RunStore().find(COPYING), {}
    for other in ("twin", "mean"):
        blocks = parts.the_circuit.blocks(model=net(), run=run, above=first.text, other=other)
        said[other] = " ".join(str(one) for one in blocks if isinstance(one, str))
    assert (
        "**10 of 110 edges** keep **102.6 %**" in said["twin"]
        and "10 of 110 edges keep 102.6 %" in third.says
    )
    assert "keep 3.6 % on average" in said["twin"] and "3.6 %" in third.says
    assert (
        "of 10 edges, keeps only **8.8 %**" in said["mean"] and "those 10 keep 8.8 %" in last.says
    )


def test_the_lead_behind_every_token() -> None:
    model = net()
    got = live.deriving(BEHAVIOURS["copying"])(
        model, model.trace("kqzr=kq", fields=("probability",)), {}
    )
    right, wrong = (int(got[name][1]) for name in ("right", "wrong"))
    for name, text in (("lead", "kqzr=kq"), ("twin.lead", "kqar=kq")):
        logit_TV = model.trace(text, fields=("logits",)).field("logits").values
        assert got[name][1] == pytest.approx(logit_TV[:, right] - logit_TV[:, wrong], abs=1e-4)
