"""Fine-tuning: what was shipped says what the page says, and its counts are those of the course."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from engine.course.curriculum import lesson
from engine.frame.blocks import Chart, Problem, Rows, blocks_in
from engine.lessons.finetuning import build, changed, counted, labels, parts, results, split
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import RunStore
from engine.storage import quantised
from tests.cli.test_cli import good
from tests.conftest import TEXT, Capture, Patch


def test_numbers_that_learn() -> None:
    """T51 to T53."""
    bert = counted.MODELS["base"]
    assert bert.layer == 7_087_872
    assert [bert.unfrozen(n, 2) for n in (0, 1, 2)] == [1_538, 7_089_410, 14_177_282]
    assert bert.adapters(64) == 12 * 99_136 == 1_189_632
    assert bert.lora(4, 2) == 147_456
    whole = bert.all + bert.head(2)
    assert round(100 * bert.lora(4, 2) / whole, 4) == 0.1347
    assert round(100 * bert.adapters(64) / whole, 2) == 1.09
    assert_allclose(counted.rates(2, 1.0, 0.5), [0.125, 0.25, 0.5, 1.0])


def test_sizes_are_those_of_the_library() -> None:
    from transformers import BertConfig, BertModel, GPT2Config, GPT2Model

    from engine.nn.meta_init import unfilled

    large = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
    large |= {"intermediate_size": 4096}
    with unfilled():
        nets = {
            "base": BertModel(BertConfig()),
            "large": BertModel(BertConfig(**large)),
            "gpt2": GPT2Model(GPT2Config()),
        }
    for id, net in nets.items():
        assert sum(p.numel() for p in net.parameters()) == counted.MODELS[id].all, id
    layer = nets["base"].encoder.layer[0]
    assert sum(p.numel() for p in layer.parameters()) == counted.MODELS["base"].layer


@pytest.mark.parametrize("way", changed.WAYS)
def test_what_is_shipped_says_what_was_measured(way: str) -> None:
    """In 8 bits it is a little off."""
    found, pair = results.read().way[way], changed.example(way)
    step, new, old = found.rows[-1]
    first = found.rows[0]
    assert step == build.STEPS and first[0] == 0
    some = build.text(build.NEW + 1000, build.UNSEEN)
    assert build.nats(pair.before, some) == pytest.approx(first[1], abs=1e-3)
    assert build.nats(pair.after, some) == pytest.approx(new, abs=0.03)
    assert build.nats(pair.after, results.old_text()) == pytest.approx(old, abs=0.15)
    assert new < first[1] and old > first[2]  # learned, and forgotten


def test_the_change_of_lora_is_its_product() -> None:
    pair = changed.example("lora")
    learned = quantised.read(results.SHIPPED / results.file("lora"))
    scale = 16 / 8
    for name, (kind, layer) in {
        "query 2": ("qkv.lora_query", 1),
        "down 1": ("down.lora_down", 0),
    }.items():
        part = "attention" if "query" in kind else "feed_forward"
        key = f"tower.blocks.{layer}.{part}.{kind}"
        want = scale * learned[f"{key}.up.weight"] @ learned[f"{key}.down.weight"]
        delta = pair.matrices()[name][1]
        assert_allclose(delta, want, atol=1e-5)
        assert int(torch.linalg.matrix_rank(torch.from_numpy(delta), rtol=1e-3)) == 8
    assert not changed.example("lora").matrices()["embed"][1].any()
    assert not changed.example("last layer").matrices()["query 1"][1].any()
    assert not changed.example("output").matrices()["query 2"][1].any()


def test_a_rank_holds_what_is_left_of_the_error() -> None:
    delta = changed.example("whole").matrices()["query 2"][1]
    u, s, v = np.linalg.svd(delta)
    share = changed.held(changed.spectrum(delta))
    for rank in (1, 8, 30):
        low = (u[:, :rank] * s[:rank]) @ v[:rank]
        error = ((delta - low) ** 2).sum() / (delta**2).sum()
        assert share[rank - 1] == pytest.approx(1 - error, abs=1e-4)
    assert changed.held(np.zeros(3)).tolist() == [1, 1, 1]


def test_blocks_are_averaged() -> None:
    grid = np.arange(24.0).reshape(4, 6)
    assert_allclose(changed.shrunk(grid, 2), grid.reshape(2, 2, 2, 3).mean((1, 3)))
    assert_allclose(changed.shrunk(grid, 64), grid)


def test_weights_that_were_trained_before_are_ahead_at_every_amount() -> None:
    found = {(o.model, o.characters, o.scratch): o.nats for o in results.read().amounts}
    assert len(found) == 2 * 2 * len(build.AMOUNTS)
    for (model, characters, scratch), nats in found.items():
        if scratch:
            assert nats > found[model, characters, False]


CONLLU = "".join(
    f"# sent_id = {kind}-page{n}-0001\n# text = {kind} number {n} has these eight words here\n\n"
    for n in range(3 * max(labels.COUNTS) // 5 + 4)
    for kind in labels.KINDS
    if kind != "email" or n < 3 * max(labels.COUNTS) // 5
)


def test_labels_are_as_many_of_each_kind_and_no_drawing_shares_one() -> None:
    texts = labels.sentences(CONLLU + "# sent_id = email-a\n# text = Too short to be one\n")
    seen: set[str] = set()
    for seed in range(labels.SEEDS):
        parts_ = [labels.draw(texts, count, seed) for count in labels.COUNTS]
        for count, part in zip(labels.COUNTS, parts_, strict=True):
            assert len(set(part)) == count and part == parts_[-1][:count]
            kinds = [labels.KINDS.index(text.partition(" ")[0]) for _kind, text in part]
            assert [kind for kind, _text in part] == kinds  # the label is that of its document
            assert np.bincount(kinds).tolist() == [count // 5] * 5
        assert not seen & {text for _kind, text in parts_[-1]}
        seen |= {text for _kind, text in parts_[-1]}


@pytest.mark.parametrize("title", labels.MODELS)
def test_trained_and_random_weights_begin_alike_but_for_their_numbers(
    title: str, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(labels, "STEPS", 20)
    run = RunStore().find(labels.MODELS[title])
    model = RunStore().load(run)
    assert isinstance(model, NeuralLanguageModel)
    fresh = labels.untrained(model, 0)
    same = {n: p.equal(dict(model.net.named_parameters())[n]) for n, p in fresh.named_parameters()}
    assert same.keys() == dict(model.net.named_parameters()).keys()
    assert not any(same[n] for n, p in fresh.named_parameters() if p.ndim == 2)
    assert all(
        p.equal(q) for p, q in zip(fresh.parameters(), labels.untrained(model, 0).parameters())
    )
    for net in map(labels.Classifier, (model.net, fresh)):
        texts = [(0, "A good hotel."), (3, "Where can I buy a cat, and what does it eat at night?")]
        ids, kinds = labels.ids_of(model, texts)
        assert not net(*labels.fill(ids)).any()  # the head begins as nothing
        torch.nn.init.normal_(net.head.weight)
        each = [net(*labels.fill([one]))[0] for one in ids]
        assert_allclose(  # a shorter one is not changed by what fills it up
            net(*labels.fill(ids)).detach(), torch.stack(each).detach(), atol=1e-5
        )
        before = [p.detach().clone() for p in net.parameters()]
        labels.fit(net, ids, kinds, 1e-3, 0)
        assert labels.right(net, ids, kinds) == 1
        moved = [not p.equal(q) for p, q in zip(net.parameters(), before, strict=True)]
        assert sum(moved) >= len(moved) - 1


def test_the_mean_of_a_text_is_that_of_its_states() -> None:
    """Against the trace of the model, where nothing is filled up."""
    model = changed.example("lora").before
    net = labels.Classifier(model.net, labels=96)
    torch.nn.init.eye_(net.head.weight)
    text = "Long ago Gregor walked"
    ids, _kinds = labels.ids_of(model, [(0, text)])
    with torch.no_grad():
        state_TD = model.net.stream(torch.from_numpy(ids[0])[None])[0]  # type: ignore[operator]
        assert_allclose(net(*labels.fill(ids))[0], state_TD.mean(0), atol=1e-5)


def test_shares_of_labels_are_shown_with_their_spread() -> None:
    found = results.read_labelled()
    nets = {(m, n, s) for m in labels.MODELS for n in labels.COUNTS for s in (False, True)}
    words = {(results.WORDS, n, False) for n in labels.COUNTS}
    assert {(o.model, o.labels, o.scratch) for o in found} == nets | words
    assert all(len(o.shares) == labels.SEEDS for o in found)
    assert all(
        abs(share * o.unseen - round(share * o.unseen)) < 0.05 for o in found for share in o.shares
    )
    mean = {(o.model, o.labels, o.scratch): o.mean for o in found}
    assert max(mean, key=lambda key: mean[key]) == (results.WORDS, max(labels.COUNTS), False)
    blocks = list(blocks_in(parts.amount.make(by="labels")))
    charts = {b.name: b.figure().frame for b in blocks if isinstance(b, Chart)}
    raw = json.loads((results.SHIPPED / "labels.json").read_text(encoding="utf-8"))
    said = re.sub(r"\s%", "%", " ".join(map(str, blocks)))
    for model in labels.MODELS:
        frame = charts[f"labels-{model.lower()}"]
        share = {
            scratch: {
                o["labels"]: o["shares"]
                for o in raw
                if (o["model"], o["scratch"]) == (model, scratch)
            }
            for scratch in (False, True)
        }
        for name, some in (("trained before", share[False]), ("from scratch", share[True])):
            drawn = frame[frame["series"] == name]
            assert dict(zip(drawn["x"], drawn["value"], strict=True)) == pytest.approx(
                {n: np.mean(of) for n, of in some.items()}
            )
        most = max(labels.COUNTS, key=lambda n: np.mean(share[False][n]) - np.mean(share[True][n]))
        helps = min(share[False][most]) > max(share[True][most])
        assert (f"{model}: training before helps most with {most:,} labels" in said) == helps
        for some in (share[False][most], share[True][most]):
            assert f"{np.mean(some):.0%}** ({min(some):.0%} to {max(some):.0%})" in said


def test_the_first_minute_is_true() -> None:
    says = [step.says for step in lesson("finetuning").minute]
    pair = changed.example("lora")
    for model, wanted in ((pair.before, " the"), (pair.after, " J")):
        p_V = model.trace(parts.SENTENCE).field("probability").values[-1]
        assert model.tokenizer.vocab[int(p_V.argmax())] == wanted
    share = changed.held(changed.spectrum(changed.example("whole").matrices()["query 2"][1]))[7]
    assert f"{100 * share:.0f} %" in says[1]
    ends = {name: way.rows[-1] for name, way in results.read().way.items()}
    assert max(ends, key=lambda name: ends[name][2]) == "last layer"
    assert f"{ends['last layer'][2]:.2f} nats" in says[2]
    assert f"it was {results.read().ways[0].rows[0][2]:.2f}" in says[2]
    assert min(ends, key=lambda name: ends[name][2]) == "adapters"
    assert max(ends, key=lambda name: ends[name][1]) == "adapters"


def test_what_is_typed_is_read_before_and_after() -> None:
    """Key by key the models go on from what they read last, and say what they say of the whole."""
    for text in ("Jane had", "Jane had a", "Jane had", "Joan had a"):
        found = list(blocks_in(parts.said.make(text=text, of="whole")))
    charts = {b.name: b for b in found if isinstance(b, Chart)}
    model = changed.example("whole").after
    trace = model.trace(text, fields=("probability",))
    p_TV = trace.field("probability").values
    assert_allclose(charts["after"].entries[0].values, p_TV[-1], rtol=1e-3)
    assert list(charts["after"].figure().frame["next"]) == np.argsort(-p_TV[-1])[:8].tolist()
    ids = model.tokens(text).ids
    bits = [-np.log2(p_TV[t, ids[t + 1]]) for t in range(len(ids) - 1)]
    assert_allclose(charts["bits"].entries[0].values[1], bits, rtol=1e-3)
    assert list(blocks_in(parts.said.make(text="", of="lora")))


def test_heads_are_compared_on_what_is_typed() -> None:
    pair, text = changed.example("lora"), "Long ago Gregor walked"
    for typed in (text[:-1], text):
        found = list(blocks_in(parts.heads.make(text=typed, of="lora", head="2.1")))
    charts = {b.name: b for b in found if isinstance(b, Chart)}
    old, new = (
        model.trace(text, fields=("attention",)).field("attention").values
        for model in (pair.before, pair.after)
    )
    for name, weight_LNTT in (("before", old), ("after", new)):
        assert_allclose(charts[f"head-{name}"].entries[0].values, weight_LNTT[1, 0], atol=1e-5)
    (shown,) = charts["turned"].entries
    tokens = old.shape[-1]
    by_hand = sum(
        max(0.0, new[1, 0, q, k] - old[1, 0, q, k]) for q in range(1, tokens) for k in range(q + 1)
    )
    assert shown.values[0, 1] == pytest.approx(by_hand / (tokens - 1), abs=1e-5)
    furthest = np.unravel_index(int(np.abs(new - old)[..., 1:, :].sum((-1, -2)).argmax()), (2, 4))
    said = next(str(b) for b in found if "changed most" in str(b))
    assert f"head {furthest[1] + 1} of layer {furthest[0] + 1} changed most" in said
    with pytest.raises(ValueError, match="Type some words"):
        list(parts.heads.make(text="", of="lora", head=parts.FURTHEST))


@pytest.mark.parametrize(("model", "tune"), [("transformer", "adapters"), ("lstm", "layers")])
def test_runs_of_the_reader_are_read_too(
    model: str, tune: str, tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    sizes = {"transformer": "layers=2 width=16 heads=2 context=32", "lstm": "units=8 width=8"}
    asked = f"{sizes[model]} span=12 batch=4 steps=4 tokenizer=chars".split()
    on = f"tune={tune} span=12 batch=4 steps=4 rate=0.02".split()
    for name, start, chosen in (("first", "", asked), ("second", "first", on)):
        more = ["--start", start] if start else []
        settings = [part for one in chosen for part in ("--set", one)]
        out = str(tmp_path / "runs" / name)
        command = ["train", model, "--text", str(tmp_path / "a.txt"), "--out", out]
        good(capsys, *command, *more, *settings)
    assert list(changed.tuned()) == ["second"]
    assert "second" in parts.tunings({})
    for part in (parts.said.make(text="the cat", of="second"), parts.layers.make(of="second")):
        assert any(isinstance(block, Chart | Rows) for block in blocks_in(part))
    blocks = parts.heads.make(text="the cat", of="second", head=parts.FURTHEST)
    if model == "lstm":
        with pytest.raises(ValueError, match="no heads of attention"):
            list(blocks)
    else:
        assert any(isinstance(block, Chart) for block in blocks_in(blocks))
    assert parts.called("query 2") == "query, layer 2" and parts.called("embed") == "embedding"
    moved = {name: bool(d.any()) for name, (_w, d) in changed.own("second").matrices().items()}
    assert any(moved.values()) == (tune == "layers") and not all(moved.values())


@pytest.mark.parametrize(
    ("count", "wanted"),
    [
        (100, (69, 16, 15)),
        (200, (139, 31, 30)),
        (1_000, (700, 150, 150)),
        (10_000, (7_000, 1_500, 1_500)),
    ],
)
def test_a_split_in_two_cuts_is_the_librarys(count: int, wanted: split.Sizes) -> None:
    """T49"""
    assert split.two_cuts(count, 0.15, 0.15) == wanted


def test_the_other_ways_to_split() -> None:
    assert split.one_cut(100, 0.15, 0.15) == split.hamilton(100, 0.15, 0.15) == (70, 15, 15)
    for count in range(10, 200):
        for ways in (split.one_cut, split.two_cuts, split.hamilton):
            assert sum(ways(count, 0.15, 0.25)) == count
        wanted = np.multiply(count, (0.6, 0.15, 0.25))
        assert np.abs(np.subtract(split.hamilton(count, 0.15, 0.25), wanted)).max() < 1
    rng = np.random.default_rng(0)
    drawn = rng.hypergeometric(10, 90, 15, 20_000)
    low, high = split.drawn(100, 10, 15)
    assert (
        np.mean((drawn >= low) & (drawn <= high)) >= 0.95 > np.mean((drawn > low) & (drawn < high))
    )


def test_a_split_that_leaves_nothing_is_refused() -> None:
    problem = parts.kept.blocks(count=10, validation=45, test=45)[-1]
    assert isinstance(problem, Problem) and "nothing to learn from" in problem.words
    assert not any(
        isinstance(b, Problem) for b in parts.kept.blocks(count=11, validation=45, test=45)
    )
