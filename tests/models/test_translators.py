"""Checkpoints that translate: what is written for a source is what the library writes for it, whether a family
describes them or the library's own code reads them; with the marks that the tokenizer and the model ask for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import processors

from engine.lessons.translation import stopping
from engine.pretrained import checkpoint
from tests.models.checkpoints import TRANSLATORS, change, read_json, saved

LINES = ("the cat sat", "a dog saw the old cat", "she read the book, and he wrote a letter")
FORCED, LEAD = 5, 2


def marked(name: str, place: Path) -> Any:
    """A checkpoint whose tokenizer puts a mark before a source and whose translations begin with one."""
    net = saved(name, place)
    template = processors.TemplateProcessing(
        single="<unk> $A </s>", special_tokens=[("</s>", 1), ("<unk>", LEAD)]
    )
    about = read_json(place / "tokenizer.json")
    about["post_processor"] = json.loads(template.__getstate__())
    (place / "tokenizer.json").write_text(json.dumps(about), encoding="utf-8")
    change(place, "generation_config.json", forced_bos_token_id=FORCED)
    return net


@pytest.mark.parametrize("name", [*TRANSLATORS, "pegasus"])
def test_a_translation_is_the_library_s(name: str, tmp_path: Path) -> None:
    net = marked(name, tmp_path)
    ours: Any = checkpoint.load(tmp_path)
    assert (ours.card.id == "observed_translator") == (name == "pegasus")
    how = {"num_beams": 1, "do_sample": False, "forced_bos_token_id": FORCED, "max_new_tokens": 12}
    for line in LINES:
        source = ours.source(line)
        assert (source.ids[0], source.ids[-1]) == (LEAD, 1)
        ids = torch.from_numpy(source.ids.copy())[None]
        want = net.generate(ids, **how)[0].tolist()
        wrote = ours.translated(ids, 10)[0]  # of 12 the library makes the last one the end mark
        assert wrote[0] == FORCED and wrote == want[1 : len(wrote) + 1]
        assert len(wrote) == 11 or wrote[-1] == 1
        assert ours.tokens(f"{line} => a dog").ids.tolist()[:2] == [ours.start, FORCED]
        assert ours.tokens(f"{line} => a dog").source.ids.tolist() == source.ids.tolist()
    (found,) = ours.translations(LINES[:1])
    assert ours.tokenizer.vocab[FORCED] not in found or FORCED in ours.translated(ids)[0][1:]


def test_what_ends_a_text_is_asked_behind_its_marks(tmp_path: Path) -> None:
    """The likeliest texts of each length, and the end mark, as the library's own logits have them."""
    net = marked("m2m_100", tmp_path)
    ours: Any = checkpoint.load(tmp_path)
    source = ours.source(LINES[0]).ids
    first, second = stopping.best(ours, source, 2, 1)
    ids = torch.from_numpy(source.copy())[None]

    def ln(target: list[int]) -> torch.Tensor:
        with torch.no_grad():
            made = net(ids, decoder_input_ids=torch.tensor([[ours.start, FORCED, *target]]))
        return made.logits[0].double().log_softmax(-1)

    assert first.ids == () and first.stop == pytest.approx(float(ln([])[-1, 1]), abs=1e-4)
    assert len(second.ids) == 1
    assert second.words == pytest.approx(float(ln([])[-1, second.ids[0]]), abs=1e-4)
    ends = stopping.ends(ours, source, second.ids)
    assert ends == pytest.approx(ln([*second.ids])[1:, 1].exp().numpy(), abs=1e-5)


def test_a_filling_that_is_typed_has_no_place(tmp_path: Path) -> None:
    """NLLB counts places without it, and gives it none; the family of BART counts it."""
    for name in ("m2m_100", "bart"):
        net = saved(name, tmp_path / name)
        ours: Any = checkpoint.load(tmp_path / name)
        trace = ours.trace("the cat<pad> sat<pad><pad> on => a <pad>dog")
        source = torch.from_numpy(trace_source(ours))[None]
        assert (source == 0).sum() == 3
        target = torch.from_numpy(trace.ids.copy())[None]
        with torch.no_grad():
            want = net(source, decoder_input_ids=target).logits[0]
        assert (torch.tensor(trace.field("logits").values) - want).abs().max() < 1e-4


def trace_source(ours: Any) -> Any:
    return ours.tokens("the cat<pad> sat<pad><pad> on => a <pad>dog").source.ids.copy()


def test_places_that_an_old_file_holds(tmp_path: Path) -> None:
    """Marian's table is read where a file has it, M2M-100's is made anew."""
    from safetensors.torch import load_file, save_file

    from tests.models.checkpoints import CLOSE, apart

    for name, end in (("marian", "weight"), ("m2m_100", "weights")):
        place = tmp_path / name
        net = saved(name, place)
        file = place / "model.safetensors"
        tables = {
            f"model.{half}.embed_positions.{end}": getattr(
                net.model.get_submodule(f"{half}.embed_positions"), end
            )
            .detach()
            .clone()
            for half in ("encoder", "decoder")
        }
        save_file(load_file(file) | tables, file, metadata={"format": "pt"})
        assert apart(name, checkpoint.load(place), net) < CLOSE
