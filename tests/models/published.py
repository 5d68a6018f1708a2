"""Small translators with random weights, in the files that Marian and M2M-100 are published as."""

from __future__ import annotations

import io
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import torch
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from tests.models.checkpoints import HALVES, MARIAN, change, write_json

ENGLISH = (
    "the cat sat on the mat",
    "a dog saw the old cat",
    "she read the book, and he wrote a letter",
    "visit http://example.com/a?b=1&c=2 now: 1,234.50 € (20%)",
)
GERMAN = (
    "die Katze saß auf der Matte",
    "ein Hund sah die alte Katze",
    "Größe der Straße: übermäßig, und doch schön",
    "日本語 é ½",
)
# in the list, and in neither model
ODD = ("ж", "жж", ">>fra<<")

# what their config.json says besides
WRITES = {
    "num_beams": 6,
    "max_length": 512,
    "early_stopping": True,
    "gradient_checkpointing": False,
}
WRITES |= {"_name_or_path": "/tmp/hf", "transformers_version": "4.7.0.dev0", "num_hidden_layers": 2}
OLD = {"add_bias_logits": False, "add_final_layernorm": False, "classif_dropout": 0.0}
OLD |= {"normalize_before": False, "normalize_embedding": False, "extra_pos_embeddings": 0}
OLD |= {"static_position_embeddings": True, "_num_labels": 3, "forced_eos_token_id": 0}


@cache
def cutter(lines: tuple[str, ...], kind: str = "unigram", size: int = 120) -> bytes:
    """A model of SentencePiece, with the normalisation that it has by itself, nmt_nfkc."""
    made = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 20),
        model_writer=made,
        model_type=kind,
        vocab_size=size,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
    )
    return made.getvalue()


def pieces(raw: bytes) -> list[str]:
    model = SentencePieceProcessor(model_proto=raw)
    every = (model.id_to_piece(id) for id in range(model.get_piece_size()))
    return [piece for piece in every if piece not in ("<s>", "</s>", "<unk>")]


def marian(place: Path, **how: Any) -> Any:
    """As Helsinki-NLP/opus-mt-en-de; its list lacks some pieces of the source."""
    place.mkdir(parents=True)
    source, target = cutter(ENGLISH), cutter(GERMAN)
    (place / "source.spm").write_bytes(source)
    (place / "target.spm").write_bytes(target)
    every = sorted({*pieces(source)[:-9], *pieces(target), *ODD})
    numbers = {piece: id for id, piece in enumerate(["</s>", "<unk>", *every, "<pad>"])}
    write_json(place / "vocab.json", numbers)
    about = {"target_lang": "deu", "source_lang": "eng", "model_max_length": 512}
    write_json(place / "tokenizer_config.json", about)
    n = len(numbers)
    more = {"vocab_size": n, "decoder_vocab_size": n, "pad_token_id": n - 1, "eos_token_id": 0}
    net = _net("Marian", "MTModel", MARIAN | more | {"decoder_start_token_id": n - 1}, place, **how)
    change(place, "generation_config.json", bad_words_ids=[[n - 1]], forced_eos_token_id=0)
    change(place, **WRITES, **OLD, bad_words_ids=[[n - 1]])
    return net


def m2m(place: Path, kind: str = "bpe", **how: Any) -> Any:
    """As facebook/m2m100_418M."""
    from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES as CODES

    place.mkdir(parents=True)
    (place / "sentencepiece.bpe.model").write_bytes(raw := cutter(ENGLISH + GERMAN, kind, 150))
    every = ["<s>", "<pad>", "</s>", "<unk>", *pieces(raw)]
    write_json(place / "vocab.json", {piece: id for id, piece in enumerate(every)})
    marks = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "sep_token": "</s>"}
    marks |= {"pad_token": "<pad>"}
    about = {"src_lang": None, "tgt_lang": None, "num_madeup_words": 8, "language_codes": "m2m100"}
    about |= {"tokenizer_class": "M2M100Tokenizer", "model_max_length": 1024}
    write_json(place / "tokenizer_config.json", about | marks)
    languages = [f"__{code}__" for code in CODES["m2m100"]]
    write_json(place / "special_tokens_map.json", marks | {"additional_special_tokens": languages})
    more = {"vocab_size": len(every) + len(languages) + 8, "pad_token_id": 1, "bos_token_id": 0}
    more |= {"decoder_start_token_id": 2, "eos_token_id": 2, "scale_embedding": True}
    net = _net("M2M100", "ForConditionalGeneration", more, place, **how)
    change(place, **WRITES)
    return net


def _net(
    name: str,
    head: str,
    settings: dict[str, Any],
    place: Path,
    legacy: bool = False,
    parts: bool = False,
) -> Any:
    """`legacy`: written as before 2020; `parts`: in two files."""
    import transformers as hf

    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    torch.manual_seed(7)
    net = getattr(hf, name + head)(getattr(hf, f"{name}Config")(**HALVES | settings)).eval()
    net.save_pretrained(place)
    (place / "model.safetensors").unlink()
    state, plain = net.state_dict(), not legacy
    if not parts:
        torch.save(state, place / "pytorch_model.bin", _use_new_zipfile_serialization=plain)
        return net
    tied = [
        name
        for name in state
        if name.endswith(("shared.weight", "embed_tokens.weight", "lm_head.weight"))
    ]
    listed: dict[str, str] = {}
    for number, part in enumerate((tied, [name for name in state if name not in tied]), 1):
        file = f"pytorch_model-{number:05}-of-00002.bin"
        torch.save({name: state[name] for name in part}, place / file)
        listed |= dict.fromkeys(part, file)
    write_json(place / "pytorch_model.bin.index.json", {"metadata": {}, "weight_map": listed})
    return net


def copied(place: Path, to: Path) -> Path:
    return Path(shutil.copytree(place, to))
