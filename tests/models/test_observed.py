"""Checkpoints of families that are not described here: the library's own code reads the text, so what is shown
is what it says of the net that was saved; nothing is edited, and files that lie end in a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.analysis import surgery
from engine.core.cache import forget
from engine.core.registry import OBSERVED, models
from engine.core.tap import Edit
from engine.models.abilities import Fills
from engine.models.observed import READ_ONLY as SAID
from engine.pretrained import check, checkpoint
from engine.pretrained import observed as observing
from engine.runs.imported import store
from engine.runs.store import Run, RunStore
from tests.conftest import Patch, only_runs
from tests.models.checkpoints import CLOSE, READ_ONLY, TEXT, change, read_json, saved
from tests.pages.opening import opened

BLIND = {"gpt_oss": "rows do not sum to 1: a sink takes some", "mamba": "no attention at all"}
EXACT = 1e-5
LAST = ("norm.deviation", "encoder.norm.deviation")


def told(net: Any, ours: Any, text: str) -> dict[str, np.ndarray]:
    """What the saved net says of the tokens, by our names of fields."""
    net.set_attn_implementation("eager")
    tokens = ours.tokens(text)
    given = {"input_ids": torch.from_numpy(tokens.ids.copy())[None]}
    towers = [("", "hidden_states", "attentions")]
    if tokens.source:
        source = torch.from_numpy(tokens.source.ids.copy())[None]
        given = {"input_ids": source, "decoder_input_ids": given["input_ids"]}
        towers = [
            (f"{of}.", f"{of}_hidden_states", f"{of}_attentions") for of in ("encoder", "decoder")
        ]
    with torch.no_grad():
        made = net(**given, output_hidden_states=True, output_attentions=True, return_dict=True)
    found = {"logits": made.logits[0], "fill": made.logits[0].softmax(-1)}
    found["probability"] = found["fill"]
    for prefix, streams, looks in towers:
        before = "" if prefix == "decoder." else prefix
        x_LTD = torch.cat([*made[streams]])
        found |= {f"{before}residual.before": x_LTD[:-1], f"{before}residual": x_LTD[1:]}
        if made.get(looks):
            found[f"{before}attention"] = torch.cat([*made[looks]])
    if tokens.source:
        found["cross.attention"] = torch.cat([*made.cross_attentions])
    return {name: values.numpy() for name, values in found.items()}


@pytest.mark.parametrize("name", READ_ONLY)
def test_what_is_shown_is_what_the_library_says(name: str, tmp_path: Path) -> None:
    net = saved(name, tmp_path / "theirs")
    run = store(str(tmp_path / "theirs"), tmp_path / "run")
    ours: Any = RunStore().load(run)
    assert run.model in OBSERVED and run.model not in models.ids()
    assert (run.model == "observed_states") == (name in BLIND)
    about = run.note["checkpoint"]  # which mark a text is read behind is no choice of a translator
    assert ("opens" in about) == (run.model in ("observed_decoder", "observed_states"))
    text = f"{TEXT} => a dog" if run.model == "observed_translator" else TEXT
    trace, want = ours.trace(text), told(net, ours, text)
    assert set(trace) == {spec.name for spec in ours.spec()}
    assert {"residual", "residual.before"} <= set(trace)
    assert ("attention" in trace) == (name not in BLIND) == (ours.config.heads > 0)
    for field in trace:
        np.testing.assert_allclose(trace.field(field).values, want[field], atol=EXACT, rtol=1e-4)
    assert want["logits"].std() > 1e-3
    notes = run.note["checkpoint"]["notes"]
    assert "read-only" in notes[0] and (len(notes) > 1) == (name in BLIND)


def test_one_number_too_much_is_seen(tmp_path: Path) -> None:
    """The comparison above: other weights give other numbers."""
    net = saved("starcoder2", tmp_path)
    ours = checkpoint.load(tmp_path)
    with torch.no_grad():
        net.model.layers[1].self_attn.q_proj.weight[3] *= 1.1
    trace, want = ours.trace(TEXT), told(net, ours, TEXT)
    assert np.abs(trace.field("attention").values - want["attention"]).max() > 10 * EXACT


@pytest.mark.parametrize("name", ["starcoder2", "deberta", "pegasus"])
def test_nothing_is_edited_trained_or_made_up(name: str, tmp_path: Path) -> None:
    saved(name, tmp_path)
    ours = checkpoint.load(tmp_path)
    for field in ("residual", "attention"):
        with pytest.raises(ValueError, match="read-only") as problem:
            ours.trace("the cat", (Edit(field, {"layer": 0}),))
        assert str(problem.value) == SAID
    assert surgery.changeable(ours) == {} == surgery.operable(ours)
    with pytest.raises(ValueError, match="can't be trained"):
        type(ours).fit("the cat", ours.config, seed=0)
    names = {spec.name for spec in ours.spec()}
    assert not {"query", "key", "value", "score", "embedding.token", "residual.middle"} & names
    assert check.validate(tmp_path, ours) == []


def test_halves_of_another_depth_are_read_only(tmp_path: Path) -> None:
    """The description of BART has no place for them."""
    net = saved("bart", tmp_path, decoder_layers=1)
    ours: Any = checkpoint.load(tmp_path)
    assert ours.card.id == "observed_translator"
    text = f"{TEXT} => a dog"
    trace, want = ours.trace(text), told(net, ours, text)
    assert [len(trace.field(f"{of}residual").values) for of in ("encoder.", "")] == [2, 1]
    for field in trace:
        np.testing.assert_allclose(trace.field(field).values, want[field], atol=EXACT, rtol=1e-4)


def test_an_encoder_without_a_head_and_one_for_labels(tmp_path: Path) -> None:
    import transformers as hf

    saved("mpnet", tmp_path)
    config = hf.MPNetConfig(**READ_ONLY["mpnet"].small)
    for kind in (hf.MPNetModel, hf.MPNetForSequenceClassification):
        net = kind(config).eval()
        net.save_pretrained(tmp_path)
        ours: Any = checkpoint.load(tmp_path)
        assert not ours.config.masked and ours.context == 39  # places are counted from 2 on
        trace = ours.trace(TEXT)
        bare = net if kind is hf.MPNetModel else net.mpnet
        ids = torch.from_numpy(trace.ids.copy())[None]
        with torch.no_grad():
            want = bare(ids).last_hidden_state[0]
        np.testing.assert_allclose(trace.field("residual").values[-1], want, atol=EXACT)
        longest = ours.trace("cat " * 60)
        assert len(longest.tokens) == 39
        assert ours.look([(trace.ids, [2])]) == [(None, None)]


HUGE = 10**12
LIES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "starcoder2": [
        ({"num_hidden_layers": 10**9}, "layers do not fit its"),
        ({"num_hidden_layers": 3}, r"nothing for the library's model\.layers\.2"),
        ({"hidden_size": 20}, "can't be shown"),
        ({"intermediate_size": HUGE}, "sizes that its weights do not have"),
        ({"vocab_size": HUGE}, "sizes that its weights do not have|can't be shown"),
        ({"num_attention_heads": 0}, "can't be shown"),
        ({"hidden_act": "mish-mash"}, "can't be shown"),
    ],
    "gpt_neo": [
        ({"max_position_embeddings": HUGE}, "sizes that its weights do not have|can't be shown"),
        ({"attention_types": 7}, "can't be (read|shown)"),
    ],
    "deberta": [({"num_hidden_layers": -1}, "can't be shown")],
    "pegasus": [
        ({"encoder_layers": 10**9}, "layers do not fit"),
        ({"decoder_layers": 1}, r"more layers than its own config\.json says"),
        ({"is_encoder_decoder": 3}, "can't be"),
    ],
}


@pytest.mark.parametrize("name", LIES)
def test_a_config_that_lies_ends_in_a_sentence(name: str, tmp_path: Path) -> None:
    saved(name, tmp_path)
    sound = read_json(tmp_path / "config.json")
    for changes, said in LIES[name]:
        (tmp_path / "config.json").write_text(json.dumps(sound | changes), encoding="utf-8")
        with pytest.raises(ValueError, match=said) as problem:
            checkpoint.load(tmp_path)
        assert "\n" not in str(problem.value) and "Error" not in str(problem.value), changes


def test_no_code_of_a_checkpoint_is_run(tmp_path: Path) -> None:
    net = saved("starcoder2", tmp_path)
    (tmp_path / "modeling_evil.py").write_text("raise SystemExit('run')", encoding="utf-8")
    change(tmp_path, auto_map={"AutoModelForCausalLM": "modeling_evil.Evil"})
    ours, note = checkpoint.load(tmp_path), checkpoint.note(tmp_path)
    assert any("code of its own (modeling_evil.py)" in said for said in note["checkpoint"]["notes"])
    assert "evil" not in ours.config.about
    torch.save(net.state_dict(), tmp_path / "pytorch_model.bin")
    (tmp_path / "model.safetensors").unlink()
    again = checkpoint.load(tmp_path).weights()
    assert all((again[name] == values).all() for name, values in ours.weights().items())


def test_weights_that_are_not_those(tmp_path: Path) -> None:
    saved("gpt_neo", tmp_path)
    file = tmp_path / "model.safetensors"
    sound = load_file(file)
    save_file(sound | {"more": torch.ones(3)}, file, metadata={"format": "pt"})
    assert checkpoint.note(tmp_path)["checkpoint"]["left_out"] == ["more"]
    others = {f"other.{name}": values for name, values in sound.items()}
    for wrong in (others, {"a": torch.ones(1)}):
        save_file(wrong, file, metadata={"format": "pt"})
        with pytest.raises(ValueError, match="can't be shown"):
            checkpoint.load(tmp_path)


def test_a_model_of_pictures_is_none(tmp_path: Path) -> None:
    saved("gpt_neo", tmp_path)
    change(tmp_path, model_type="vit")
    with pytest.raises(ValueError, match="type 'vit'; there are albert"):
        checkpoint.load(tmp_path)


@pytest.fixture
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    seen = only_runs(tmp_path_factory)
    next(seen)
    place = tmp_path_factory.mktemp("theirs")
    made = {}
    for name in ("starcoder2", "mamba", "deberta", "pegasus"):
        saved(name, place / name)
        made[name] = store(str(place / name), called=name)
    yield made
    for run in made.values():
        forget(str(run.folder))
    next(seen, None)


@pytest.mark.slow
def test_the_pages_draw_them(runs: dict[str, Run]) -> None:
    for page, name in (
        ("heads", "starcoder2"),
        ("heads", "deberta"),
        ("bert", "deberta"),
        ("decoding", "starcoder2"),
        ("decoding", "mamba"),
        ("translation", "pegasus"),
        ("inspect", "mamba"),
        ("inspect", "pegasus"),
    ):
        at = opened(page, run=runs[name].id)
        assert not at.exception and not at.error, (page, name)
    at = opened("heads", run=runs["mamba"].id)  # it is not among the runs of this page
    assert not at.exception and at.selectbox(key="heads.run").value != runs["mamba"].id


def test_a_run_that_lies_ends_in_a_sentence(tmp_path: Path) -> None:
    """A zip of a run may come from anybody: what its config asks for is made by classes of the library alone."""
    saved("gpt_neo", tmp_path / "theirs")
    run = store(str(tmp_path / "theirs"), tmp_path / "run")
    sound = read_json(run.folder / "run.json")
    about = json.loads(sound["config"]["about"])
    lies: list[dict[str, Any]] = [
        *({"head": head} for head in ("evil", "translator", 3)),
        *({"about": one} for one in ("[", "[]", "3", "{}", '{"model_type": ["gpt2"]}')),
        *(
            {"about": json.dumps(about | {"model_type": kind})}
            for kind in ("vit", "bert", "x" * 99)
        ),
        {"about": json.dumps(about | {"num_layers": 10**9})},
        {"about": json.dumps(about | {"hidden_size": 10**9})},
    ]
    for lie in lies:
        config = sound["config"] | lie
        (run.folder / "run.json").write_text(
            json.dumps(sound | {"config": config}), encoding="utf-8"
        )
        with pytest.raises(ValueError, match="can't be opened") as problem:
            RunStore().load(RunStore().find(str(run.folder)))
        assert "\n" not in str(problem.value) and "Error" not in str(problem.value), lie
    kept = {"auto_map": {"AutoModelForCausalLM": "evil.Evil"}, "quantization_config": {"bits": 4}}
    config = sound["config"] | {"about": json.dumps(about | kept)}
    (run.folder / "run.json").write_text(json.dumps(sound | {"config": config}), encoding="utf-8")
    assert len(RunStore().load(RunStore().find(str(run.folder))).trace("the cat"))


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert", "modernbert", "m2m_100"])
def test_a_described_one_says_the_same(name: str, tmp_path: Path, monkeypatch: Patch) -> None:
    """The library's code and ours, of one checkpoint: fields, answers at masks, and how well words are guessed."""
    saved(name, tmp_path)
    ours: Any = checkpoint.load(tmp_path)
    theirs: Any = observing.make(tmp_path).model
    text = f"{TEXT} => a dog" if ours.card.id == "encoder_decoder" else f"{TEXT}\nthe old cat"
    mine, other = ours.trace(text), theirs.trace(text)
    np.testing.assert_array_equal(mine.ids, other.ids)
    ends = any(field in LAST for field in mine)
    last = {"residual", "encoder.residual"} if ends else set()
    for field in other:
        got, want = mine.field(field).values, other.field(field).values
        if field in last:  # the library gives what the last norm makes of it
            got, want = got[:-1], want[:-1]
        np.testing.assert_allclose(got, want, atol=CLOSE, rtol=1e-3)
    if not isinstance(ours, Fills):
        return
    ids = ours.tokens("the cat [MASK] on the mat").ids
    for (p_NV, _pair), (q_NV, none) in zip(
        ours.look([(ids, [3, 5])]), theirs.look([(ids, [3, 5])]), strict=True
    ):
        np.testing.assert_allclose(p_NV, q_NV, atol=CLOSE)
        assert none is None
    monkeypatch.setattr("engine.models.observed_encoder.SOME", 64)
    lines = ["the cat sat on the mat. a dog saw the old cat.", "she read the book. he wrote."]
    judged, want_judged = theirs.judge(lines), ours.judge(lines)
    if not ours.config.pairs:  # which are drawn in another way
        assert judged == pytest.approx(want_judged, abs=1e-4)
    assert judged["masked_words"] > 0 and judged["nats"] > 0
