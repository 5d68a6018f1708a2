"""Checkpoints of every family: all that their traces show is what the library computes, edits do what
they say, and what is carried from token to token changes nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from safetensors.torch import load_file, save_file

from engine.__main__ import main
from engine.core.registry import models
from engine.core.tap import Edit
from engine.core.trace import Field
from engine.lessons.masks import imposed
from engine.lessons.transformer import lens
from engine.lessons.transformer.stops import stops, vectors
from engine.pretrained import checkpoint
from engine.runs.store import RunStore
from tests.analysis.head_matrices import projection
from tests.conftest import Capture, sampled
from tests.models import checkpoints
from tests.models.checkpoints import CLOSE, KINDS, TEXT, read_json, saved, write_json
from tests.models.test_every_setting import LLAMA_3, YARN

DECODERS = ("gpt2", "llama", "mistral", "qwen2", "qwen3", "gemma", "gpt_neox", "opt", "phi", "phi3")
DECODERS = (*DECODERS, "falcon", "bloom", "gptj", "mpt", "stablelm", "olmo", "granite", "cohere")
DECODERS = (*DECODERS, "olmo2", "smollm3", "gemma2", "gemma3_text")
ENCODERS = ("bert", "roberta", "distilbert", "albert", "electra", "xlm_roberta", "camembert")
ENCODERS = (*ENCODERS, "modernbert")
CHANGED: dict[str, dict[str, Any]] = {
    "mistral": {"sliding_window": 4},
    "llama": {"rope_parameters": LLAMA_3},
    "qwen3": {"rope_parameters": YARN, "num_key_value_heads": 2},
}
WINDOWS = {"sliding_window": 4, "full_every": 2}
Open = Callable[[str], tuple[Any, Any]]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Open:
    """Our model, and the library's, of one family."""
    made: dict[str, tuple[Any, Any]] = {}

    def of(name: str) -> tuple[Any, Any]:
        if name not in made:
            place = tmp_path_factory.mktemp("families") / name
            saved(name, place, **copy.deepcopy(CHANGED.get(name, {})))
            kind = getattr(__import__("transformers"), KINDS[name].head)
            net = kind.from_pretrained(place, attn_implementation="eager", local_files_only=True)
            made[name] = checkpoint.load(place), net.eval()
        return made[name]

    return of


def apart(ours: np.ndarray, theirs: torch.Tensor) -> float:
    assert ours.shape == tuple(theirs.shape)
    return float(np.abs(ours - theirs.numpy()).max() / max(1.0, theirs.std()))


@sampled("name", (*DECODERS, *ENCODERS), each=3)
@torch.no_grad()
def test_a_trace_holds_the_library_s_numbers(name: str, opened: Open) -> None:
    """Every layer's attention weights and streams, and what the parts write into them."""
    ours, net = opened(name)
    trace = ours.trace(TEXT)
    ids = torch.from_numpy(trace.ids.copy())[None]
    want = net(ids, output_attentions=True, output_hidden_states=True, return_dict=True)
    assert not [p for f in trace.values() if isinstance(f, Field) for p in f.problems()]
    depth = ours.depth
    assert len(want.attentions) == depth and checkpoints.apart(name, ours, net) < CLOSE
    for i in range(depth):
        assert apart(trace.field("attention").values[i], want.attentions[i][0]) < CLOSE
        assert apart(trace.field("residual.before").values[i], want.hidden_states[i][0]) < CLOSE
    for after, before, added in (
        ("residual.middle", "residual.before", "attention.output"),
        ("residual", "residual.middle", "feed_forward.output"),
    ):
        if ours.tower.design.first:
            total = trace.field(before).values + trace.field(added).values
            assert_allclose(trace.field(after).values, total, atol=1e-4)


@sampled("name", DECODERS, each=3)
def test_typing_goes_on_from_what_is_carried(name: str, opened: Open) -> None:
    ours, last = opened(name)[0], None
    for text in ("the cat", "the cat sat on the mat", "the cat sat on the mat and a dog", "a"):
        last = ours.trace(text, after=last)
        whole = ours.trace(text)
        for field in ("logits", "attention", "residual"):
            assert_allclose(last.field(field).values, whole.field(field).values, atol=1e-4)


@sampled("name", DECODERS, each=3)
@torch.no_grad()
def test_a_head_that_is_off_is_one_without_output_weights(name: str, opened: Open) -> None:
    """In the library too, where the columns of the head are set to 0."""
    ours, net = opened(name)
    size, other = ours.tower.design.head, copy.deepcopy(net)
    ends = ("o_proj.weight", "out_proj.weight", "attention.dense.weight", "attn.c_proj.weight")
    ends = (*ends, "self_attn.dense.weight")
    out = [p for n, p in other.named_parameters() if n.endswith(ends)][1]
    columns = out if name != "gpt2" else out.T
    columns[:, size : 2 * size] = 0
    edited = ours.trace(TEXT, (Edit("reading", {"layer": 1, "head": 1}, 0.0),))
    ids = torch.from_numpy(edited.ids.copy())[None]
    want = other(ids).logits[0]
    assert apart(edited.field("logits").values, want) < CLOSE
    assert apart(edited.field("logits").values, net(ids).logits[0]) > 10 * CLOSE


@sampled("name", DECODERS, each=3)
@torch.no_grad()
def test_a_feed_forward_part_that_is_off_writes_nothing(name: str, opened: Open) -> None:
    ours, net = opened(name)
    other = copy.deepcopy(net)
    ends = ("down_proj", "fc2", "dense_4h_to_h", "mlp.c_proj", "mlp.fc_out")
    part = next(m for n, m in other.named_modules() if n.endswith(ends))
    for parameter in part.parameters():
        parameter.zero_()
    edited = ours.trace(TEXT, (Edit("feed_forward.output", {"layer": 0}, 0.0),))
    ids = torch.from_numpy(edited.ids.copy())[None]
    assert apart(edited.field("logits").values, other(ids).logits[0]) < CLOSE


@sampled("name", (*DECODERS, *ENCODERS))
def test_what_the_page_draws_of_a_token(name: str, opened: Open) -> None:
    """The norms between the parts are made in the browser: what they give is what the parts read."""
    ours = opened(name)[0]
    trace, walk = ours.trace(TEXT), stops(ours)
    found = vectors(ours, trace, 3, walk)
    assert found.shape == (sum("words" not in stop for stop in walk), ours.tower.design.width)
    if not ours.tower.design.first:
        return
    thinks = next(i for i, s in enumerate(walk) if s["name"] == "feed-forward" and s["layer"] == 1)
    block = ours.tower.block(1)
    read = block.feed_forward(torch.from_numpy(found[thinks - 1])[None, None].float())
    read = read if block.added_2 is None else block.added_2(read)
    wrote = trace.field("feed_forward.output").values[1, 3]
    assert_allclose(read[0, 0].detach().numpy(), wrote, atol=1e-3)


@sampled("name", DECODERS, each=3)
def test_the_pushes_of_all_parts_add_up(name: str, opened: Open) -> None:
    ours = opened(name)[0]
    if not lens.has_pushes(ours):
        return
    trace = ours.trace(TEXT)
    logits = trace.field("logits").values
    answers = logits.argmax(-1)
    found = lens.pushes(ours, trace, answers, above=False)
    picked = np.take_along_axis(logits, answers[:, None], 1)[:, 0]
    assert_allclose(found.sum(0), picked, rtol=1e-3, atol=1e-3)


@sampled("name", DECODERS, each=3)
def test_a_head_s_matrices_make_its_queries(name: str, opened: Open) -> None:
    """Before the norm and the turn that some have: values have neither."""
    ours = opened(name)[0]
    trace, part = ours.trace(TEXT), projection(ours, 1, 1)
    assert part is not None
    x = torch.from_numpy(trace.field("residual.before").values[1].copy())
    norm = ours.tower.block(1).norm_1
    read = (x if norm is None else norm(x)).detach().numpy()
    heads, groups = ours.tower.design.heads, trace.field("value").values.shape[1]
    value = trace.field("value").values[1, groups // heads if groups < heads else 1]
    assert_allclose(read @ part.value_KD.T + part.bias_3K[2], value, atol=1e-3)


@sampled("name", ("qwen3", "gemma", "gpt_neox", "opt", "albert", "electra"), each=3)
def test_a_family_is_imported(name: str, tmp_path: Path, capsys: Capture) -> None:
    """On the command line, into a run that says the same."""
    place, out = tmp_path / name, tmp_path / "run"
    saved(name, place)
    assert main(["import", str(place), "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    left = {"albert.pooler.weight", "albert.pooler.bias"}
    left |= {"sop_classifier.classifier.weight", "sop_classifier.classifier.bias"}
    assert set(told["left_out"]) == (left if name == "albert" else set())
    store = RunStore()
    again, once = store.load(store.find(str(out))), checkpoint.load(place)
    first, second = (model.trace(TEXT) for model in (once, again))
    for field in ("attention", "residual"):
        assert_array_equal(first.field(field).values, second.field(field).values)
    wide = sum(p.numel() for p in again.net.parameters())
    assert wide == sum(p.numel() for p in once.net.parameters())


def test_shared_layers_are_kept_once(tmp_path: Path) -> None:
    net = saved("albert", tmp_path)
    ours = checkpoint.load(tmp_path)
    blocks = sum(p.numel() for p in ours.net.tower.blocks.parameters())
    theirs = net.albert.encoder.albert_layer_groups
    assert blocks == sum(p.numel() for p in theirs.parameters())
    assert len(ours.tower.blocks) == 2 and ours.depth == 4
    assert ours.tower.block(1) is ours.tower.block(0) is not ours.tower.block(2)


def test_an_output_layer_under_either_name(tmp_path: Path) -> None:
    """Files have embed_out, as Pythia's, which hold constant masks too; the library says lm_head."""
    saved("gpt_neox", tmp_path)
    file = tmp_path / "model.safetensors"
    new = checkpoint.load(tmp_path).trace(TEXT).field("logits").values
    weights = load_file(file)
    weights["lm_head.weight"] = weights.pop("embed_out.weight")
    weights["gpt_neox.layers.0.attention.bias"] = torch.ones(1, 1, 64, 64)
    weights["gpt_neox.layers.0.attention.masked_bias"] = torch.tensor(-1e9)
    save_file(weights, file, metadata={"format": "pt"})
    assert checkpoint.note(tmp_path)["checkpoint"]["left_out"] == []
    assert_array_equal(checkpoint.load(tmp_path).trace(TEXT).field("logits").values, new)


@torch.no_grad()
def test_a_discriminator_finds_replaced_words(tmp_path: Path) -> None:
    """As the library says; it never learned to guess hidden words, so none are invented."""
    import transformers as hf

    saved("electra", tmp_path)
    for act in ("gelu", "relu"):
        config = hf.ElectraConfig(**KINDS["electra"].small, hidden_act=act)
        net = hf.ElectraForPreTraining(config).eval()
        net.discriminator_predictions.dense_prediction.bias.fill_(0.7)
        net.save_pretrained(tmp_path)
        ours = checkpoint.load(tmp_path)
        trace = ours.trace(TEXT)
        want = net(torch.from_numpy(trace.ids.copy())[None]).logits[0].sigmoid()
        found = trace.field("replaced")
        assert "fill" not in trace and "sentence" not in trace
        assert found.axis("label").labels == ("original", "replaced") and want.std() > 1e-3
        assert apart(found.values[:, 1], want) < CLOSE and not found.problems()
        assert checkpoint.note(tmp_path)["checkpoint"]["left_out"] == []


@pytest.mark.parametrize(
    ("id", "changed"),
    [
        ("transformer", {"parallel": True, "position": "rope", "rotary": 0.5}),
        ("transformer", {"query_norm": True, "position": "rope", "scaling": "llama3:4:1:4:8"}),
        ("transformer", {"embedding_scaled": True, "activation": "geglu", "norm": "rms"}),
        ("transformer", {"added_norm": True, "output_bias": True, "tied": False}),
        ("transformer", {"position": "rope", "unplaced": 2}),
        ("transformer", {"position": "rope", **WINDOWS, "near_base": 500.0}),
        ("bert", {"embedding_width": 8, "shared": 1}),
        ("bert", {"position": "none", "distances": 4, "farthest": 20}),
    ],
)
def test_such_a_model_can_be_trained_and_opened(id: str, changed: dict[str, Any]) -> None:
    kind = models.get(id)
    small = {"width": 16, "heads": 2, "layers": 2, "context": 24, "span": 24, "vocabulary": 60}
    config = kind.config_type(**small, steps=6, batch=4, **changed)
    text = "the cat sat on the mat. a dog saw the old cat.\n" * 40
    made = [progress.model for progress in kind.fit(text, config, seed=0)][-1]
    again = kind.from_weights(config, made.weights())
    one, other = (model.trace("the cat sat on") for model in (made, again))
    for field in ("attention", "residual"):
        assert_array_equal(one.field(field).values, other.field(field).values)
    moved = kind.build(config, len(made.tokenizer.vocab)).state_dict()
    assert moved.keys() == made.net.state_dict().keys()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"scaling": "llama3:4", "position": "rope"}, "no scaling 'llama3:4'"),
        ({"scaling": "llama3:4:1:4:8"}, "learned turns nothing"),
        ({"rotary": 0.5}, "learned turns nothing"),
        ({"rotary": 0.4, "position": "rope", "width": 16, "heads": 2}, "has to be even"),
        ({"parallel": True, "norm_first": False}, "leave norm_first on"),
        ({"added_norm": True, "norm_first": False}, "leave norm_first on"),
        ({"unplaced": 2}, "learned turns nothing"),
        ({"full_every": 2, "position": "rope"}, "no layer has a window"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        models.get("transformer").config_type(**changed)
    with pytest.raises(ValueError, match="can't share 9"):
        models.get("bert").config_type(shared=9)


@torch.no_grad()
def test_scores_and_logits_are_capped(opened: Open) -> None:
    """What the trace shows of them is what the softmax reads, and the steps of the page are that too."""
    ours = opened("gemma2")[0]
    trace, part = ours.trace(TEXT), ours.tower.block(1).attention
    q, k = (
        trace.field(name).values[1, 1 // 2 if name == "key" else 1] for name in ("query", "key")
    )
    score, seen = trace.field("score").values[1, 1], np.isfinite(trace.field("score").values[1, 1])
    bare = q @ k.T * part.scale
    assert np.abs(bare[seen]).max() > 1.5 >= np.abs(score[seen]).max()
    assert_allclose(score[seen], 1.5 * np.tanh(bare[seen] / 1.5), atol=1e-5)
    assert 2.0 < np.abs(trace.field("logits").values).max() <= 2.5
    assert ours.output() is None and lens.has_lens(ours) and not lens.has_pushes(ours)
    causal = imposed.run(ours, trace.ids, imposed.Mask("causal", way="inf"))  # without the window
    near = np.s_[0, :, :4, :4]
    assert_allclose(causal.attention_LNTS[near], trace.field("attention").values[near], atol=1e-5)


TIED, UNTIED = ({"tie_word_embeddings": tied} for tied in (True, False))
GROUPS = {"new_decoder_architecture": True, "num_kv_heads": 2}
FAR: dict[str, Any] = {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000.0}
NEAR = {"rope_type": "default", "rope_theta": 50.0}
OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("falcon", GROUPS),
    ("falcon", GROUPS | {"num_ln_in_parallel_attn": 1, "bias": True} | UNTIED),
    ("falcon", {"parallel_attn": False, "multi_query": False, "bias": True}),
    ("stablelm", {"use_parallel_residual": True, "use_qkv_bias": True} | TIED),
    *((name, TIED) for name in ("phi", "gptj", "olmo", "olmo2")),
    *((name, UNTIED) for name in ("bloom", "mpt", "smollm3")),
    ("gptj", {"n_embd": 88, "n_head": 2, "rotary_dim": 30}),  # 30 / 44 * 44 is less than 30
    ("granite", TIED | {"attention_bias": True}),
    ("cohere", UNTIED | {"attention_bias": True, "num_key_value_heads": 1}),
    (
        "phi3",
        TIED | {"sliding_window": 4, "rope_parameters": NEAR | {"partial_rotary_factor": 0.5}},
    ),
    ("gemma2", {"attn_logit_softcapping": None, "final_logit_softcapping": None} | UNTIED),
    ("gemma3_text", {"sliding_window": 64}),  # it hides nothing, and turns otherwise all the same
    ("gemma3_text", {"rope_parameters": {"full_attention": FAR, "sliding_attention": NEAR}}),
]


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_the_usual_options(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    net = saved(name, tmp_path, **copy.deepcopy(options))
    assert checkpoints.apart(name, checkpoint.load(tmp_path), net) < CLOSE


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("falcon", {"alibi": True}, "alibi = True"),
        ("bloom", {"n_head": 12, "hidden_size": 24}, "n_head = 12 can't be shown; only a power of"),
        ("mpt", {"attn_config": {"clip_qkv": 6.0}}, "attn_config has clip_qkv = 6.0"),
        ("olmo", {"clip_qkv": 8.0}, "clip_qkv = 8.0"),
        ("smollm3", {"no_rope_layers": [0, 1]}, r"no_rope_layers = \[0, 1\] can't be shown"),
        ("phi", {"qk_layernorm": True}, "qk_layernorm = True"),
    ],
)
def test_what_is_not_here_is_refused(
    name: str, options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    saved(name, tmp_path, **copy.deepcopy(options))
    with pytest.raises(ValueError, match=said):
        checkpoint.find(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "older"),
    [
        ("gpt_neox", {"rotary_pct": 0.5, "rotary_emb_base": 700}),
        ("llama", {"rope_theta": 500.0, "rope_scaling": dict(LLAMA_3)}),
        ("qwen2", {"rope_theta": 500.0, "rope_scaling": {"type": "yarn", "factor": 4.0}}),
        ("gemma", {"hidden_act": "gelu", "hidden_activation": None}),
    ],
)
@torch.no_grad()
def test_settings_under_their_older_names(name: str, older: dict[str, Any], tmp_path: Path) -> None:
    """As most files at the hub have them."""
    net = saved(name, tmp_path)
    config = read_json(tmp_path / "config.json")
    config.pop("rope_parameters")
    write_json(tmp_path / "config.json", config | older)
    net = type(net).from_pretrained(tmp_path, local_files_only=True).eval()
    trace = checkpoint.load(tmp_path).trace(TEXT)
    want = net(torch.from_numpy(trace.ids.copy())[None]).logits[0]
    assert apart(trace.field("logits").values, want) < CLOSE


@torch.no_grad()
def test_a_head_of_modernbert_that_is_off(opened: Open) -> None:
    """In a layer with a window and in one without, as in the library with its columns set to 0."""
    ours, net = opened("modernbert")
    size = ours.tower.design.head
    for layer in (2, 3):
        other = copy.deepcopy(net)
        other.model.layers[layer].attn.Wo.weight[:, size : 2 * size] = 0
        edit = Edit("reading", {"layer": layer, "head": 1}, 0.0)
        edited = ours.trace(TEXT, (edit,), fields=("fill",))
        ids = torch.from_numpy(edited.ids.copy())[None]
        want, plain = (one(ids).logits[0].softmax(-1) for one in (other, net))
        assert apart(edited.field("fill").values, want) < CLOSE
        assert apart(edited.field("fill").values, plain) > 10 * CLOSE
