"""What all translators have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tests.models import test_encoder_decoder, test_seq2seq

MADE = {
    "encoder_decoder": test_encoder_decoder.model,
    **{
        f"seq2seq {attention} {cell}": lambda attention=attention, cell=cell: test_seq2seq.model(
            attention=attention, cell=cell
        )
        for attention, cell in (("additive", "gru_after"), ("none", "lstm"), ("dot", "gru"))
    },
}


@pytest.mark.parametrize("kind", MADE)
def test_filling_changes_nothing(kind: str) -> None:
    ours: Any = MADE[kind]()
    pairs = ours.numbered(
        [("the cat", "Le chat s'est assis"), ("the cat sat on a dog", "Le chat"), ("a dog", "Le")]
    )
    with torch.no_grad():
        both = ours.net(ours.batch(pairs)[0])
        for i, pair in enumerate(pairs):
            alone = ours.net(ours.batch([pair])[0])[0]
            np.testing.assert_allclose(
                both[i, : len(pair[1])].numpy(), alone[: len(pair[1])].numpy(), atol=1e-5
            )


@pytest.mark.parametrize("kind", MADE)
def test_lines_together_are_translated_as_each_alone(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.models.translating.TOGETHER", 2)
    ours: Any = MADE[kind]()
    lines = [
        "the cat sat on a dog",
        "",
        "a dog",
        "  ",
        "the cat",
        "a dog",
        "zyx 👩‍🚀",
        "the cat " * 40,
    ]
    found = ours.translations(lines)
    assert [ours.translations([line])[0] for line in lines] == found
    assert found[1] == found[3] == ""
    assert ours.translations([]) == []
    ids = ours.translated(torch.from_numpy(ours.source("the cat").ids)[None])[0]
    assert (
        found[4] == ours.tokenizer.decode([i for i in ids if i != ours.tokenizer.boundary]).strip()
    )


def test_what_the_decoder_reads_and_shall_write_as_specified() -> None:
    """foundations T31: eight steps of decoding, taught in one pass."""
    from engine.models.seq2seq import MODEL, Config, Net
    from engine.text.tokenizers.words import Words

    said = "Le chat est sur le tapis ."
    words = Words(sorted({*"The cat is on the mat .".split(), *said.split()}))
    config = Config(units=4, width=4)
    model = MODEL(config, words, Net(len(words.vocab), config))
    x_2BL, y_BL = model.batch(model.numbered([("The cat is on the mat .", said)]))
    steps = [(words.vocab[a], words.vocab[b]) for a, b in zip(x_2BL[1, 0], y_BL[0], strict=True)]
    first, *_, last = said.split()
    assert steps[0][1] == first and steps[-1] == (last, words.vocab[words.boundary])
    assert [b for _, b in steps[:-1]] == said.split() == [a for a, _ in steps[1:]]
    assert len(steps) == 8 and steps[0][0] == words.vocab[model.start]
