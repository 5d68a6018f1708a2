"""Marian and M2M-100 open as they are published, with models of SentencePiece, a vocab.json and a
pytorch_model.bin: texts are cut as the library's own tokenizers cut them, source and target, what is computed and
written is the library's, and files that do not belong together leave nothing."""

from __future__ import annotations

import os
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sentencepiece import SentencePieceProcessor

from engine.__main__ import main
from engine.lessons.translation import stopping
from engine.pretrained import checkpoint
from engine.runs.adding import Adding
from engine.runs.imported import store
from engine.runs.store import RunStore
from engine.text.tokenizers.sentencepieces import SentencePieces
from pages.ui.runs_add import ENDINGS
from tests.conftest import Capture, Patch
from tests.models import published
from tests.models.checkpoints import CLOSE, apart, change, read_json, write_json
from tests.models.published import ENGLISH, GERMAN, ODD, copied

TEXTS = [
    *("", " ", "  ", "\t\n", "a", "  the   cat  ", " cat", "\u00a0the\u200bcat\ufeff \u3000", "▁the ▁"),
    *("Größe der Straße, ÄÖÜ äöü ß", "déjà vu, naïve", "e\u0301 e\u0323\u0302 o\u0302\u0301 a\u030a"),
    *("😀 👩\u200d👩\u200d👧 🇩🇪 👍🏽", "日本語テスト 中文、한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
    *("ｶﾞ ﾊﾟ Ｆｕｌｌ ㌀ ﬁ ½ ²", "नमस्ते क\u093c", "ж жж жжж жa", "\x00\x01\x7f", "ﷺ", "the cat. " * 60),
    "https://www.example.com/x/y?z=%20&q=1#frag",
    *("</s> <unk> a<pad>", "<s>", "a</s>b", ">>fra<< the cat", ">>fra<<", ">>xx<< the", "the >>fra<< cat"),
    *(">> a << b", ">>", "</s>>>fra<< a", "__de__ Haus", "das __fr__Haus", "__xx__ a", "x" * 300, "ß" * 40),
]  # fmt: skip
LETTERS = [chr(c) for c in (*range(32, 0x250), *range(0x300, 0x340), *range(0x900, 0x980))]
LETTERS += [
    chr(c) for c in (*range(0x1100, 0x1200), *range(0x2000, 0x2070), *range(0x3040, 0x3100))
]


def drawn(n: int) -> list[str]:
    rng = random.Random(3)
    return [
        "".join(
            rng.choice(LETTERS if rng.random() < 0.4 else "abcdehtonsi   ßü")
            for _ in range(rng.randint(1, 25))
        )
        for _ in range(n)
    ]


@pytest.fixture(scope="module", params=["marian", "m2m_100", "unigram", "legacy", "parts"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """(what it is, folder, the library's net)."""
    place = tmp_path_factory.mktemp("published") / request.param
    match request.param:
        case "marian":
            return "marian", place, published.marian(place)
        case "legacy":
            return "marian", place, published.marian(place, legacy=True)
        case "parts":
            return "m2m_100", place, published.m2m(place, parts=True)
        case "unigram":
            return "m2m_100", place, published.m2m(place, "unigram")
    return "m2m_100", place, published.m2m(place)


def theirs(place: Path) -> Any:
    import transformers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return transformers.AutoTokenizer.from_pretrained(place, local_files_only=True)


def test_texts_are_cut_as_by_the_library(made: Any) -> None:
    _kind, place, _net = made
    ours: Any = checkpoint.load(place)
    assert isinstance(ours.tokenizer, SentencePieces)
    ours = type(ours).from_weights(ours.config, ours.weights())
    slow = theirs(place)
    assert type(slow).__name__ in ("MarianTokenizer", "M2M100Tokenizer")
    texts = [*TEXTS, *drawn(400)]
    for text in texts:
        assert (
            ours.tokenizer.encode(text).ids.tolist()
            == slow(text, add_special_tokens=False).input_ids
        )
        if len(text) < 40:
            assert ours.source(text).ids.tolist() == slow(text).input_ids, text
    if len(slow("a").input_ids) == 2:  # Marian's target has a model of its own
        for text in texts:
            wants = slow(text_target=text, add_special_tokens=False).input_ids
            assert ours.tokenizer.target.encode(text).ids.tolist() == wants
        assert (
            ours.tokenizer.encode("Straße").ids.tolist()
            != ours.tokenizer.target.encode("Straße").ids.tolist()
        )
    lines = ours.tokenizer.ids(texts)
    assert all(
        row.tolist() == ours.tokenizer.encode(text.replace("\n", " ")).ids.tolist()
        for row, text in zip(lines, texts, strict=True)
    )


def test_texts_are_cut_as_by_the_published_models(tmp_path: Path) -> None:
    """By the models and the list alone, without the library."""
    published.marian(tmp_path / "m")
    numbers = read_json(tmp_path / "m" / "vocab.json")
    tokenizer = checkpoint.load(tmp_path / "m").tokenizer
    for file, read, lines in (
        ("source.spm", tokenizer, ENGLISH),
        ("target.spm", tokenizer.target, GERMAN),
    ):
        model = SentencePieceProcessor(model_file=str(tmp_path / "m" / file))
        for text in (*lines, "the Straße жж x", *drawn(50)):
            want = [numbers.get(piece, 1) for piece in model.encode(text, out_type=str)]
            assert read.encode(text).ids.tolist() == want
            assert read.decode(read.encode(text).ids) == "".join(
                "<unk>" if id == 1 else [*numbers][id].replace("▁", " ") for id in want
            ).removeprefix(" ")
    assert [*numbers][tokenizer.encode("жж").ids[-1]] == "жж", "in the list, and in no model"


def test_pieces_know_where_they_lie(made: Any) -> None:
    tokenizer = checkpoint.load(made[1]).tokenizer
    for text in [*TEXTS, *drawn(200), "\ud83d the", "\ud800"]:
        tokens, at = tokenizer.encode(text), (0, 0)
        for a, b in tokens.spans:
            assert 0 <= a < b <= len(text) and (a, b) >= at
            at = (a, b)
        assert all(tokens.labels)
        assert tokens.unknown == tuple(np.flatnonzero(tokens.ids == tokenizer.unknown))
        assert all(tokens.labels[i] == text[slice(*tokens.spans[i])] for i in tokens.unknown)
    text = "the  cat saß a</s>b"
    spans = tokenizer.encode(text).spans
    assert {i for a, b in spans for i in range(a, b)} >= {i for i, c in enumerate(text) if c != " "}
    assert "</s>" in [text[a:b] for a, b in spans]


def test_what_is_computed_and_written_is_the_library_s(
    made: Any, tmp_path: Path, monkeypatch: Patch
) -> None:
    kind, place, net = made
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    run = store(str(place), called="x")
    ours: Any = RunStore().load(RunStore().find("x"))
    said = ["As its own settings ask, no translation has <pad> in it: its probability is 0."]
    assert run.note["checkpoint"]["notes"] == (said if kind == "marian" else [])
    assert run.note["checkpoint"]["numbers"] == sum(
        value.numel() for name, value in {**dict(net.named_parameters()), **_biases(net)}.items()
    )
    assert apart(kind, ours, net) < CLOSE
    for line in (*ENGLISH[:2], ">>fra<< the cat"):
        ids = torch.from_numpy(ours.source(line).ids.copy())[None]
        barred = {"bad_words_ids": [[ours.tokenizer.pad]]} if kind == "marian" else {}
        how = {
            "num_beams": 1,
            "do_sample": False,
            "max_new_tokens": 12,
            "forced_eos_token_id": None,
        }
        want = net.generate(ids, **how, **barred)[0].tolist()
        wrote = ours.translated(ids, 12)[0]
        assert wrote == want[1 : len(wrote) + 1] and len(wrote) == len(want) - 1


def test_by_the_door_of_files(made: Any, tmp_path: Path, monkeypatch: Patch) -> None:
    kind, place, net = made
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    tell: Any = lambda share, what: None  # noqa: E731
    files = sorted(place.iterdir())
    assert {path.suffix[1:] for path in files} <= {*ENDINGS}
    (tmp_path / "runs").mkdir()
    (folder := tmp_path / "job").mkdir()
    for n, path in enumerate(files):
        (folder / f"{n}.part").write_bytes(path.read_bytes())
    asked = {"names": [path.name for path in files], "model": "", "at_hub": ""}
    came = Adding.do(folder, asked, tell)
    assert apart(kind, RunStore().load(RunStore().find(came["id"])), net) < CLOSE


def _biases(net: Any) -> dict[str, Any]:
    return {name: value for name, value in net.named_buffers() if name == "final_logits_bias"}


def test_what_a_translation_never_has(tmp_path: Path) -> None:
    """The filling would be written here, and is not, since generation_config.json says so."""
    published.marian(tmp_path / "m")
    state = torch.load(tmp_path / "m" / "pytorch_model.bin", weights_only=True)
    state["final_logits_bias"][0, -1] = 1e4
    torch.save(state, tmp_path / "m" / "pytorch_model.bin")
    ours: Any = checkpoint.load(tmp_path / "m")
    pad = ours.tokenizer.pad
    source = torch.from_numpy(ours.source("the cat").ids.copy())[None]
    assert ours.tokenizer.barred == pad and pad not in ours.translated(source)[0]
    p_TV = np.asarray(ours.trace("the cat => die").field("probability").values)
    assert not p_TV[:, pad].any()
    np.testing.assert_allclose(p_TV.sum(-1), 1, rtol=1e-5)
    texts = stopping.best(ours, source[0].numpy(), 2, 3)
    assert not any(pad in text.ids for text in texts)
    assert stopping.ends(ours, source[0].numpy(), texts[-1].ids)[-1] > 0
    change(tmp_path / "m", "generation_config.json", bad_words_ids=None)
    change(tmp_path / "m", bad_words_ids=None)
    ours = checkpoint.load(tmp_path / "m")
    assert ours.tokenizer.barred == -1 and set(ours.translated(source)[0]) == {pad}


def test_the_language_that_a_tokenizer_names(tmp_path: Path) -> None:
    published.m2m(tmp_path / "m")
    change(tmp_path / "m", "tokenizer_config.json", src_lang="de", tgt_lang="fr")
    ours: Any = checkpoint.load(tmp_path / "m")
    assert ours.source("saß").labels[0] == "__de__" and ours.source("").labels == ("__de__", "</s>")
    tokens = ours.tokens("saß => the cat")
    assert tokens.labels[:4] == ("</s>", "__fr__", " the", " cat")
    assert ours.tokens("saß => __fr__ the").ids.tolist() == tokens.ids[:3].tolist()
    assert (
        ours.translated(torch.from_numpy(ours.source("saß").ids.copy())[None])[0][0]
        == tokens.ids[1]
    )


def cut(name: str, share: float) -> Any:
    def change(place: Path) -> None:
        raw = (place / name).read_bytes()
        (place / name).write_bytes(raw[: int(share * len(raw))])

    return change


def without(name: str) -> Any:
    return lambda place: (place / name).unlink()


def numbered(change: Any) -> Any:
    def write(place: Path) -> None:
        write_json(place / "vocab.json", change(read_json(place / "vocab.json")))

    return write


def behind_a_piece(place: Path) -> None:
    """What SentencePiece itself takes: pieces, and nothing that says how they were made."""
    from sentencepiece import sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto.FromString((place / "source.spm").read_bytes())
    model.ClearField("normalizer_spec")
    SentencePieceProcessor(model_proto=model.SerializeToString())
    (place / "source.spm").write_bytes(model.SerializeToString())


class Evil:
    def __reduce__(self) -> Any:
        return os.mkdir, (os.environ["UNROLLED_HOME"] + "/evil",)


def holding(**more: Any) -> Any:
    return lambda place: torch.save(more, place / "pytorch_model.bin")


def stretched(place: Path) -> None:
    """A tensor of 40 TB by its shape, of one number in the file."""
    torch.save({"model.shared.weight": torch.ones(1).expand(10**13)}, place / "pytorch_model.bin")


WRONG: dict[str, tuple[Any, str]] = {
    "cut source": (cut("source.spm", 0.5), r"source\.spm is damaged, or no model of SentencePiece"),
    "empty source": (cut("source.spm", 0), r"source\.spm is damaged"),
    "cut target": (cut("target.spm", 0.999), r"target\.spm is damaged"),
    "behind a piece": (behind_a_piece, r"source\.spm is damaged"),
    "no target": (without("target.spm"), r"tokenizer in .* is incomplete: target\.spm is missing"),
    "no list": (without("vocab.json"), r"incomplete: vocab\.json is missing"),
    "cut list": (cut("vocab.json", 0.5), r"vocab\.json is damaged"),
    "a list": (numbered(list), r"vocab\.json is damaged: it has no number for each piece"),
    "words": (numbered(lambda of: dict.fromkeys(of, "a")), "no number for each piece"),
    "of another": (
        numbered(lambda of: {f"{piece}x": id for piece, id in of.items()}),
        r"source\.spm does not belong to the vocab\.json beside it, which numbers 0 of its",
    ),
    "too many": (numbered(lambda of: of | {"y": 10**6}), "they do not belong together"),
    "no unknown": (
        numbered(lambda of: {piece: id for piece, id in of.items() if piece != "<unk>"}),
        "no tokenizer that can be read",
    ),
    "cut weights": (cut("pytorch_model.bin", 0.5), r"pytorch_model\.bin is damaged, or holds more"),
    "no weights": (cut("pytorch_model.bin", 0), r"pytorch_model\.bin is damaged, or holds more"),
    "evil": (holding(a=Evil()), r"pytorch_model\.bin is damaged, or holds more than tensors"),
    "numbers": (holding(a=3), r"pytorch_model\.bin is damaged, or holds more than tensors"),
    "stretched": (stretched, r"pytorch_model\.bin is damaged, or holds more than tensors"),
    "others": (holding(a=torch.ones(3)), "can't be shown"),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sound") / "marian"
    published.marian(place)
    return place


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_one_sentence_and_leaves_nothing(
    name: str, sound: Path, tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    spoil, says = WRONG[name]
    place = copied(sound, tmp_path / name / "theirs")
    (home := tmp_path / name / "home").mkdir()
    monkeypatch.setenv("UNROLLED_HOME", str(home))
    spoil(place)
    with pytest.raises(ValueError, match=says) as error:
        store(str(place))
    assert "\n" not in str(error.value)
    assert main(["import", str(place)]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not [path for path in home.rglob("*") if path.is_file() or path.name == "evil"]


def test_languages_without_marks_are_refused(tmp_path: Path) -> None:
    """An NLLB without its tokenizer.json: the library's reading would begin each source with something unknown."""
    published.m2m(tmp_path / "m")
    (tmp_path / "m" / "vocab.json").unlink()
    change(tmp_path / "m", "tokenizer_config.json", tokenizer_class="NllbTokenizer")
    with pytest.raises(ValueError, match="has no marks for languages; put its"):
        checkpoint.load(tmp_path / "m")


def test_nllb(tmp_path: Path) -> None:
    """As facebook/nllb-200-distilled-600M: its tokenizer.json has the languages, its weights are pickled."""
    place = tmp_path / "m"
    published.m2m(place)
    (place / "vocab.json").unlink()
    change(place, "tokenizer_config.json", tokenizer_class="NllbTokenizer", tgt_lang="deu_Latn")
    whole = theirs(place).backend_tokenizer
    whole.add_special_tokens(["eng_Latn", "deu_Latn"])
    whole.save(str(place / "tokenizer.json"))
    ours, slow = checkpoint.load(place), theirs(place)
    assert type(slow).__name__ == "NllbTokenizer"
    assert ours.source("the cat").labels[0] == "eng_Latn"
    assert ours.tokens("the cat => Katze").labels[:2] == ("</s>", "deu_Latn")
    for text in (*ENGLISH, *GERMAN):
        assert ours.source(text).ids.tolist() == slow(text).input_ids[: ours.config.context]


def test_safetensors_count_before_pickled_weights(tmp_path: Path) -> None:
    net = published.marian(tmp_path / "m")
    net.save_pretrained(tmp_path / "m")
    holding(a=3)(tmp_path / "m")
    assert apart("marian", checkpoint.load(tmp_path / "m"), net) < CLOSE


def test_the_odd_pieces_are_odd() -> None:
    known = {
        *published.pieces(published.cutter(ENGLISH)),
        *published.pieces(published.cutter(GERMAN)),
    }
    assert not known & {*ODD}
