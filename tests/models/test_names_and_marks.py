"""What an imported checkpoint is called, what is said of it, and marks that its model has no vectors
for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.__main__ import main
from engine.pretrained import checkpoint, naming
from engine.runs.store import RunStore
from tests.conftest import Capture, Patch, sampled, together
from tests.models.checkpoints import CLOSE, KINDS, apart, change, saved


@together(
    ("said", "folder", "name"),
    [
        ("", "my-llama", "my-llama"),
        ("somebody/small-llama", "hf", "somebody/small-llama"),
        ("gpt2", "hf", "gpt2"),
        ("/data/runs/poems/checkpoint-500", "x", "poems"),
        (r"C:\Users\me\models\poems", "x", "poems"),
        ("/home/me/hf", "mine", "mine"),
        ("/tmp/tmpab12cd34", "mine", "mine"),
        ("./output/", "mine", "mine"),
        ("somebody/model", "mine", "somebody"),
        (None, "mine", "mine"),
        (["a"], "mine", "mine"),
        ("a\x00b", "mine", "mine"),
        ("", "poems/checkpoint-500", "poems"),
        ("", "poems/hf", "poems"),
        ("", "hub/models--maker--tiny/snapshots/" + "0a" * 20, "maker/tiny"),
        ("", "hub/models--gpt2-like/snapshots/" + "0a" * 20, "gpt2-like"),
    ],
)
def test_its_own_name(said: Any, folder: str, name: str) -> None:
    place = Path("/somewhere") / folder
    assert naming.name_of(place, {"_name_or_path": said}) == name
    assert naming.name_of(place, {"_name_or_path": said}, "maker/x") == "maker/x"


def test_a_folder_that_says_nothing() -> None:
    for path in ("/tmp/hf", "/home/somebody/model", "/hf", "/tmp/tmp8u3xk1qz/checkpoint-12"):
        assert naming.name_of(Path(path), {}) == ""


def test_the_command_names_it(tmp_path: Path, capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    place = tmp_path / "hf"
    saved("llama", place)
    change(place, _name_or_path="somebody/small-llama")
    assert main(["import", str(place), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["title"] == "somebody/small-llama" and told["run"] == "small-llama"
    sizes = [told[of] for of in ("family", "layers", "heads", "notes")]
    assert sizes == ["Llama", 2, 4, []] and told["numbers"] > 10_000
    assert main(["import", str(place), "--name", "My llama"]) == 0
    said = capsys.readouterr().out
    assert "my-llama: My llama, a Llama of 2 layers, 4 heads and" in said
    store = RunStore()
    assert {run.id for run in store.all("transformer")} >= {"small-llama", "my-llama"}
    assert store.find("my-llama").title == "My llama"


def test_code_of_its_own_is_named(tmp_path: Path) -> None:
    """And settings that only that code reads."""
    net = saved("llama", tmp_path)
    own = {"AutoModelForCausalLM": "me/x--modeling_own.Own", "AutoTokenizer": ["a.B", None]}
    change(tmp_path, auto_map=own, residual_multiplier=0.5, own=3, sliding_window=None)
    notes = checkpoint.note(tmp_path)["checkpoint"]["notes"]
    assert notes == [
        "It comes with code of its own (a.py, modeling_own.py), which was not run: its numbers are"
        " those of the library's own Llama.",
        "Its config.json has settings that the library's Llama does not have, so they change"
        " nothing: residual_multiplier, own.",
    ]
    assert apart("llama", checkpoint.load(tmp_path), net) < CLOSE
    change(tmp_path, model_type="own")
    with pytest.raises(ValueError, match=r"type 'own'.*code that comes with it .*is never run"):
        checkpoint.find(str(tmp_path))


@sampled("family", KINDS)
def test_nothing_is_said_of_a_plain_one(family: str, tmp_path: Path) -> None:
    """Of settings under the library's own names, old and new."""
    saved(family, tmp_path)
    change(tmp_path, torch_dtype="float32", gradient_checkpointing=True, auto_map={})
    assert checkpoint.note(tmp_path)["checkpoint"]["notes"] == []


def padded(family: str, place: Path, mark: str = "<more>") -> Any:
    """A checkpoint whose tokenizer got a mark for filling, and whose model was not resized."""
    import transformers as hf

    net = saved(family, place)
    made = hf.AutoTokenizer.from_pretrained(place, local_files_only=True)
    tokens = [f"<pad {i}>" for i in range(max(0, net.config.vocab_size - len(made)))]
    made.add_tokens(tokens)
    made.add_special_tokens({"pad_token": mark})
    assert made.pad_token_id == net.config.vocab_size
    made.save_pretrained(place)
    return net


@pytest.mark.parametrize("family", ["gpt2", "llama", "bert", "roberta", "t5", "opt"])
def test_a_mark_without_a_vector_is_no_reason_to_refuse(family: str, tmp_path: Path) -> None:
    net = padded(family, tmp_path)
    ours = checkpoint.load(tmp_path)
    assert apart(family, ours, net) < CLOSE
    tokenizer = ours.tokenizer
    assert tokenizer.beyond == ("<more>",) and tokenizer.pad == -1
    again = type(tokenizer).from_state(tokenizer.state())
    text = "the cat<more> sat"
    for each in (tokenizer, again):
        found = each.encode(text)
        assert found.ids.max() < len(each.vocab)
        at = [found.spans[i] for i in found.unknown] or list(found.lost)
        assert [text[a:b] for a, b in at] == ["<more>"]
        assert bool(found.unknown) == (each.unknown >= 0)
        assert len(found.ids) == len(found.labels) == len(found.spans)
        assert each.ids([text])[0].tolist() == found.ids.tolist()
    both = ours.trace("the cat<more> sat" + (" => a dog" if family == "t5" else ""))
    assert not [p for field in both.values() for p in field.problems()]
    notes = checkpoint.name_unknown(tokenizer)
    assert len(notes) == 1 and "no vectors for: <more>." in notes[0]


def test_an_end_without_a_vector_is_the_config_s(tmp_path: Path) -> None:
    import transformers as hf

    net = saved("gpt2", tmp_path)
    made = hf.AutoTokenizer.from_pretrained(tmp_path, local_files_only=True)
    made.add_tokens([f"<pad {i}>" for i in range(300 - len(made))])
    made.add_special_tokens({"eos_token": "<|im_end|>", "pad_token": "<|im_end|>"})
    made.save_pretrained(tmp_path)
    ours = checkpoint.load(tmp_path)
    assert apart("gpt2", ours, net) < CLOSE
    assert ours.tokenizer.boundary == 0 == ours.tokenizer.opening


def test_the_import_says_so(tmp_path: Path, capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    padded("gpt2", tmp_path / "poems")
    for title in ((), ("--title", "Poems")):  # the second does not read it again
        assert main(["import", str(tmp_path / "poems"), *title, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        run = RunStore().load(RunStore().find("poems"))
        assert told["notes"] == checkpoint.name_unknown(run.tokenizer)
    model = RunStore().load(RunStore().find("poems"))
    once = checkpoint.load(tmp_path / "poems")
    ids = [each.tokenizer.encode("the <more> cat").ids for each in (model, once)]
    np.testing.assert_array_equal(*ids)
