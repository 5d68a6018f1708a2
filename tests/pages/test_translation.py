"""The page on cross-attention: its numbers, its source words, a beam search by message, the
parameters, odd texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.conftest import only_runs
from tests.pages.test_every_page import answered, check, opened

Trained = Callable[[str], Any]
TEXT = "the old dog sat\nle vieux"


@pytest.fixture(scope="module", autouse=True)
def small_run(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    yield from only_runs(
        tmp_path_factory, {id: run_folder(id) for id in ("encoder_decoder", "seq2seq")}
    )


def test_the_reply_holds_the_model_s_numbers(trained: Trained) -> None:
    model = trained("encoder_decoder")
    header, numbers = answered(opened("translation"), "translation", TEXT)
    check(header, numbers, TEXT)
    (part,) = header["readings"]
    assert part["labels"] == ["<s>", "le", "vieux"] and part["source"] == {
        "labels": ["the", "old", "dog", "sat", "</s>"],
        "spans": [[0, 3], [4, 7], [8, 11], [12, 15], [0, 0]],
        "unknown": [],
    }
    trace = model.trace(TEXT)
    fields = {
        f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
        for f in part["fields"]
    }
    for name in ("cross.attention", "attention", "encoder.attention"):
        np.testing.assert_allclose(fields[name], trace.field(name).values, atol=1e-6)
    assert fields["cross.attention"].shape[-2:] == (3, 5)
    end = trace.field("probability").values[:, model.tokenizer.boundary]
    np.testing.assert_allclose(fields["ends"], -np.log2(end), rtol=1e-5)


def test_unknown_english_is_told() -> None:
    header, _ = answered(opened("translation"), "translation", "the zebra sat")
    assert header["readings"][0]["source"]["unknown"] == [1] and header["readings"][0][
        "labels"
    ] == ["<s>"]


def test_a_beam_of_one_is_greedy(trained: Trained) -> None:
    model, at = trained("encoder_decoder"), opened("translation")
    for _ in range(40):
        header, _ = answered(
            at, "translation", "the old dog sat", beams={"of": 3, "width": 1, "steps": 6}
        )
        found = header["readings"][0]["said"]["beams"]
        if found["done"]:
            break
    assert found["done"] and found["of"] == 3 and not found["problem"]
    ids = model.translated(torch.from_numpy(model.source("the old dog sat").ids)[None])[0][:6]
    vocab = model.tokenizer.vocab
    kept = [next(row for row in rows if row[4] != "dropped") for rows in found["rows"]]
    assert [row[1] for row in kept] == [vocab[i] for i in ids]
    assert found["greedy"][2] == len(ids)


def test_parameters_of_the_paper_and_of_the_file(trained: Trained) -> None:
    at = opened("translation")
    said = " ".join(m.value for m in at.markdown)
    assert "44,138,496" in said and "18,944,000" in said and "63,082,496" in said
    at.toggle(key="tied").set_value(False).run()
    assert f"{44_138_496 + 3 * 18_944_000:,}" in " ".join(m.value for m in at.markdown)
    at.segmented_control(key="towers").set_value("the model on this page").run()
    assert not at.exception
    counted = sum(
        values.size
        for name, values in trained("encoder_decoder").weights().items()
        if name != "tokenizer"
    )
    assert f"{counted:,}" in " ".join(m.value for m in at.markdown)
    at.segmented_control(key="towers").set_value("my own").run()
    at.number_input(key="own_layers").set_value(1).run()
    assert f"**{3_152_384 + 4_204_032:,}**" in " ".join(m.value for m in at.markdown)


def test_which_head_follows_and_which_words_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.ui.translation import heads

    monkeypatch.setattr(heads, "PAIRS", 12)
    at = opened("translation")
    at.segmented_control(key="translation_part").set_value("Which head follows the words").run()
    assert not at.exception
    assert "word order crosses" in " ".join(m.value for m in at.markdown)
    at.segmented_control(key="translation_part").set_value("The words it knows").run()
    assert "vieux" in " ".join(m.value for m in at.markdown)


def test_how_its_length_is_decided(trained: Trained) -> None:
    from engine.analysis import lengths

    model, at = trained("encoder_decoder"), opened("translation")
    at.segmented_control(key="translation_part").set_value("How its length is decided").run()
    assert not at.exception
    at.text_input(key="read_text").set_value("the old dog sat").run()
    source = model.source("the old dog sat").ids
    most = min(30, model.config.context - 2)
    every = lengths.best(model, source, 6, most)
    best = max(range(most + 1), key=lambda m: every[m].total / (m + 1) ** 1.0)
    assert f"α = 1: {best}" in " ".join(c.value for c in at.caption)
    assert ".36" in " ".join(m.value for m in at.markdown)
    at.text_input(key="read_text").set_value(" ").run()
    assert not at.exception and at.info


def test_what_reaches_the_first_word(trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.models import source_gradients
    from engine.views.base import number
    from pages.ui.translation import reach

    monkeypatch.setattr(reach, "SEEDS", 1)
    model, at = trained("encoder_decoder"), opened("translation")
    at.segmented_control(key="translation_part").set_value("What reaches the first word").run()
    at.text_input(key="read_text").set_value("the old dog sat").run()
    at.text_input(key="right_text").set_value("le vieux chien").run()
    assert not at.exception
    ((source, target),) = model.numbered([("the old dog sat", "le vieux chien")])
    first = source_gradients.each(model, source, target)[:, 0]
    assert any(
        "the first one" in table.value
        and [*table.value["the first one"]] == [number(float(g)) for g in first]
        for table in at.dataframe
    )
    at.text_input(key="read_text").set_value(" ").run()
    assert not at.exception


def test_which_words_it_covered(trained: Trained) -> None:
    model, at = trained("encoder_decoder"), opened("translation")
    at.segmented_control(key="translation_part").set_value("Which words it covered").run()
    at.text_input(key="read_text").set_value("the old dog sat").run()
    assert not at.exception
    table = next(d.value for d in at.dataframe if "coverage" in d.value)
    assert [*table["source word"]] == ["the", "old", "dog", "sat", "</s>"]
    ids = model.translated(torch.from_numpy(model.source("the old dog sat").ids)[None], 30)[0]
    assert sum(map(float, table["coverage"])) == pytest.approx(len(ids), abs=0.01)
    at.text_input(key="read_text").set_value(" ").run()
    assert not at.exception


def test_the_recurrent_translator_and_how_long_a_sentence_each_can_take(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.text.corpora.phrases import CORPUS
    from pages.ui.translation import lengths

    model, at = trained("seq2seq"), opened("translation")
    at.selectbox(key="translation.run").set_value("seq2seq")
    header, numbers = answered(at, "translation", TEXT)
    check(header, numbers, TEXT)
    (part,) = header["readings"]
    fields = {
        f["name"]: numbers[f["at"] : f["at"] + f["count"]].reshape(f["shape"])
        for f in part["fields"]
    }
    assert set(fields) == {"cross.attention", "ends"}
    np.testing.assert_allclose(
        fields["cross.attention"], model.trace(TEXT).field("cross.attention").values, atol=1e-6
    )

    assert f"**{sum(p.numel() for p in model.net.parameters()):,}**" in " ".join(
        m.value for m in at.markdown
    )
    chosen = (
        at.segmented_control(key="translation_part")
        .set_value("How long a sentence it can take")
        .run()
    )
    assert "no translator here learned from it" in chosen.info[-1].value
    pairs = (
        ("the cat saw the dog", "le chat a vu le chien"),
        ("the old dog sat", "le vieux chien s'est assis"),
        ("the dog ate the cat", "le chien"),
    )
    notes = {run.note["corpus"]["digest"] for run in lengths.cache.runs_of(*lengths.MODELS)}
    assert len(notes) == 1 and CORPUS.id == "phrases"
    monkeypatch.setattr(lengths, "sentences", lambda: (next(iter(notes)), pairs))
    at.segmented_control(key="translation_part").set_value("How long a sentence it can take").run()
    assert not at.exception
    table = next(d.value for d in at.dataframe if "11 words or more" in d.value.columns)
    by_hand = [
        sum(trained(id).judge([f"{a}\t{b}"])["exact"] for a, b in pairs) / 3
        for id in ("encoder_decoder", "seq2seq")
    ]
    assert list(table["all"]) == [f"{100 * share:.1f} %" for share in by_hand]


def test_how_good_it_is(trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.analysis import bleu
    from pages.ui.translation import quality

    at = opened("translation")
    at.segmented_control(key="translation_part").set_value("How good it is").run()
    assert "that this model has not learned from" in at.info[-1].value
    pairs = (("the cat saw the dog", "le chat a vu le chien"), ("the dog ate", "un chat"))
    monkeypatch.setattr(quality, "unseen", lambda run: pairs)
    at.run()
    assert not at.exception
    made = trained("encoder_decoder").translations([source for source, _ in pairs])
    found = bleu.of(made, [target for _, target in pairs])
    said = " ".join(m.value for m in at.markdown)
    assert f"**BLEU {found.score:.1f}**" in said and f"{100 * found.precisions[0]:.1f} %" in said
    table = next(d.value for d in at.dataframe if "written" in d.value.columns)
    assert list(table["written"]) == made and list(table["right"]) == [b for _, b in pairs]


def test_sentences_are_counted_by_their_length() -> None:
    from pages.ui.translation.lengths import BINS, grouped, label

    share, count = grouped(
        np.array([3, 4, 5, 6, 12, 15]), np.array([True, False, True, True, False, True])
    )
    assert count.tolist() == [3, 1, 0, 0, 0, 0, 0, 2] and np.allclose(
        share, [2 / 3, 1, *[np.nan] * 5, 0.5], equal_nan=True
    )
    assert [label(*some) for some in BINS][::7] == ["3 to 5", "12 or more"] and label(
        *BINS[1]
    ) == "6"


def test_two_texts_and_a_list_of_pieces() -> None:
    at = opened("translation")
    at.segmented_control(key="translation_part").set_value("One vocabulary or two").run()
    assert not at.exception
    sizes, cut, published = [frame.value for frame in at.dataframe][-3:]
    assert list(sizes["entries"])[:2] == ["12", "11"] and "32,768,000" in sizes.to_string()
    assert dict(cut.to_numpy().tolist())["matis"] == "mat · ##is" and len(published) == 7
    for key in ("voc_English", "voc_words", "voc_list"):
        at.text_input(key=key).set_value("").run()
        assert not at.exception
    at.text_input(key="voc_French").set_value("Le roi <b>zyx</b> dort").run()
    assert not at.exception and any("zyx" in line.value for line in at.markdown)


def test_numbers_backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    from functools import cache

    from engine.analysis import digit_programs
    from pages.ui.translation import digits

    short = cache(lambda *of: digit_programs.learned(*of[:4], 25, of[5]))
    monkeypatch.setattr(digits, "learned", short)
    at = opened("translation")
    at.segmented_control(key="translation_part").set_value("Numbers backwards").run()
    assert not at.exception
    said = " ".join(m.value for m in at.markdown)
    assert "gradient of 0 at each" in said and "128 numbers, and 64" in said
    tables = [frame.value for frame in at.dataframe]
    written = next(t for t in tables if "what it writes" in t)
    for kind, wrote in zip(digit_programs.KINDS, written["what it writes"], strict=True):
        net = short(kind, 5, 1, True, 300, 1).net
        assert wrote == digit_programs.written(net, [3, 1, 4, 1, 5])[0]
    assert any("parameters, of 32,202" in t for t in tables)
    at.slider(key="digits_layers").set_value(2).run()
    assert not at.exception and "192 numbers" in str([c.value for c in at.caption])
    at.text_input(key="digits_text").set_value("none").run()
    assert not at.exception and "0 to 9" in at.info[-1].value


def test_six_stages_in_training_and_in_use() -> None:
    """The loss and the words on the page are those of the model that it trained."""
    from engine.analysis import phrasebook

    at = opened("translation")
    at.segmented_control(key="translation_part").set_value("Six stages").run()
    assert not at.exception and any("a matrix of 4 × 32" in line.value for line in at.markdown)
    for stage in at.segmented_control(key="phrase_stage").options[1:]:
        at.segmented_control(key="phrase_stage").set_value(stage).run()
        assert not at.exception
    assert any("“De”, is put behind" in line.value for line in at.markdown)
    at.slider(key="phrase_count").set_value(2).run()
    assert any("is the end mark" in line.value for line in at.markdown)
    at.selectbox(key="phrase_way").set_value("training").run()
    tables = [frame.value for frame in at.dataframe]
    (loss,) = (table["loss, nats"] for table in tables if "loss, nats" in table)
    trace = phrasebook.learned(120, 1).model.trace("You are welcome\nDe nada")
    p_TV, end = trace.field("probability").values, 2
    wanted = [*trace.ids[1:].tolist(), end]
    found = [f"{-np.log(p_TV[t, v]):.4f}" for t, v in enumerate(wanted)]
    assert loss.tolist() == found
    at.text_input(key="phrase_text").set_value("Good night").run()
    assert at.text_input(key="phrase_right").value == "Buenas noches"
    at.text_input(key="phrase_text").set_value("zyx 🙂").run()
    assert not at.exception
    at.text_input(key="phrase_text").set_value(" ").run()
    assert not at.exception and "Type a sentence" in at.info[-1].value


def test_one_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it writes back, and the sum behind a number of a step, are the net's own."""
    from functools import cache

    from engine.analysis import one_vector
    from pages.ui.translation import vector

    short = cache(lambda *of: one_vector.learned(*of, 20))
    monkeypatch.setattr(vector, "learned", short)
    at = opened("translation")
    at.segmented_control(key="translation_part").set_value("One vector").run()
    assert not at.exception
    net = short(16, False, True, 1).net
    (wrote,) = (f.value["what it writes"] for f in at.dataframe if "what it writes" in f.value)
    letters = one_vector.read("abcadb")
    assert wrote.tolist() == [one_vector.written(net, letters[:n]) for n in range(1, 7)]
    at.selectbox(key="vector_context").set_value("every").run()
    at.slider(key="vector_step").set_value(3).run()
    assert not at.exception and any("W_{cs}" in latex.value for latex in at.latex)
    assert any(line.value.startswith("Step 3, number 1: tanh(") for line in at.markdown)
    at.text_input(key="vector_text").set_value("xyz").run()
    assert not at.exception and "from a to d" in at.info[-1].value
