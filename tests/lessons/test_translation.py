"""The parts below the translators: what they say is what the models write, look at and are judged by."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis.decode.beam import score
from engine.analysis.measures import bleu
from engine.frame.part import Part
from engine.lessons.translation import live, parts, stopping
from engine.lessons.translation import stopping as lengths
from engine.runs.store import RunStore
from tests.conftest import shipped, together
from tests.lessons.blocks import asked, charts, said, tables
from tests.lessons.test_scores_decoder_step import model as random_model

TEXT = "the old dog sat"


def told(part: Part, model: Any, **given: Any) -> tuple[str, list[Any], list[Any]]:
    """The sentences, the rows of the tables, and what the charts draw."""
    page = {"model": model, "run": RunStore().find("translator"), "above": TEXT, **given}
    found = asked(part, page)
    return said(found), tables(found), [*charts(found).values()]


def test_how_its_length_is_decided(trained: Any) -> None:
    model = trained("encoder_decoder")
    source = model.source(TEXT).ids
    most = min(30, model.config.context - 2)
    every = stopping.best(model, source, 6, most)
    best = max(range(most + 1), key=lambda m: every[m].total / (m + 1) ** 1.0)
    _, (_, each), _ = told(parts.stops, model, penalty=1.0)
    (chosen,) = (row for row in each if row["chosen"])
    assert chosen["tokens"] == best
    assert chosen["ln P"] == pytest.approx(every[best].total, abs=0.005)
    assert "Type a sentence" in told(parts.stops, model, read_text=" ")[0]


def test_a_beam_of_one_is_greedy(trained: Any) -> None:
    model = trained("encoder_decoder")
    _, (each, found), _ = told(parts.search, model, beams=1, long=6)
    ids = model.translated(torch.from_numpy(model.source(TEXT).ids)[None])[0][:6]
    (kept, dropped) = each
    cells = [cell for name, cell in kept.items() if name != "row"]
    firsts = [cell.removeprefix("■ ").split()[0] for cell in cells]
    assert firsts == [model.tokenizer.vocab[i] for i in ids]
    last = float(cells[-1].split()[1 + cells[-1].startswith("■")])
    assert last == pytest.approx(found[0]["ln P"], abs=0.006)
    assert all(c.endswith("← 1") for c in cells[1:]) and dropped["step 1"].startswith("× ")
    assert [row["found by"] for row in found] == ["both"]


def test_the_families_are_counted(trained: Any) -> None:
    """An encoder and a decoder are as many numbers as the model has, without its tables and last norms."""
    model = trained("encoder_decoder")
    _, (table,), _ = told(parts.families, model)
    config, net = model.config, model.net
    tables = sum(p.numel() for name, p in net.named_parameters() if "embed" in name)
    ends = 4 * config.width if config.norm_first else 0
    own = sum(p.numel() for p in net.parameters()) - tables - ends
    assert table[-1]["encoder and decoder"] == own
    assert "is recurrent" in told(parts.families, shipped("seq2seq"))[0]


@pytest.mark.parametrize("text", ["the old dog\nle vieux", "the old dog", "the dog\nle chien </s>"])
def test_what_each_place_shall_write(trained: Any, text: str) -> None:
    model = trained("encoder_decoder")
    trace = model.trace(text)
    found = {name: values for name, (_, values) in live.derive(model, trace, {}).items()}
    end, p_TV = model.tokenizer.boundary, trace.field("probability").values
    ended = trace.ids[-1] == end and len(trace.ids) > 1
    asked = [*trace.ids[1:].tolist(), *([] if ended else [end])]
    nats = [-np.log(float(p_TV[t, id])) for t, id in enumerate(asked)]
    np.testing.assert_array_equal(found["target"][: len(asked)], asked)
    np.testing.assert_allclose(found["loss"][: len(asked)], nats, rtol=1e-5)
    assert found["places"] == len(asked) and found["nats"] == pytest.approx(np.mean(nats))
    assert found["right"] == sum(int(p_TV[t].argmax()) == id for t, id in enumerate(asked))
    cross_LNTS = trace.field("cross.attention").values
    for t, layer, head in np.ndindex(found["most"].shape):
        here_S = cross_LNTS[layer, head, t]
        assert here_S[found["most"][t, layer, head]] == here_S.max()


def test_which_words_it_covered_and_which_head_follows(trained: Any) -> None:
    model = trained("encoder_decoder")
    _, (table,), _ = told(parts.covered, model)
    assert [row["source word"] for row in table] == ["the", "old", "dog", "sat", "</s>"]
    ids = model.translated(torch.from_numpy(model.source(TEXT).ids)[None], 30)[0]
    assert sum(float(row["coverage"]) for row in table) == pytest.approx(len(ids), abs=0.01)
    assert "no attention" in told(parts.covered, shipped("seq2seq"))[0]
    text, _, (hits, crossing) = told(parts.heads, shipped("translator"))
    layer, head = divmod(int(crossing.values.argmax()), crossing.values.shape[1])
    assert f"crosses, by head {head + 1} of layer {layer + 1}" in text
    assert hits.values.max() > 0.5


def test_how_long_a_sentence_each_can_take(trained: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = (("the cat saw the dog", "le chat a vu le chien"), ("the dog ate the cat", "le chien"))
    pairs += (("the old dog sat", "le vieux chien s'est assis"),)
    monkeypatch.setattr(parts, "sentences", lambda: pairs)
    monkeypatch.setattr(parts, "learned_it", lambda run: True)
    ids = ("encoder_decoder", "seq2seq")
    runs = [SimpleNamespace(id=id, title=id, step=None) for id in ids]
    of = {"runs": runs, "run": runs[0], "open_run": lambda run: trained(run.id)}
    _, (table,), _ = told(parts.lengths, None, **of)
    by_hand = [sum(trained(id).judge([f"{a}\t{b}"])["exact"] for a, b in pairs) / 3 for id in ids]
    assert [row["all"] for row in table] == [f"{100 * share:.1f} %" for share in by_hand]


def test_how_good_it_is(trained: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = trained("encoder_decoder")
    pairs = (("the cat saw the dog", "le chat a vu le chien"), ("the dog ate", "un chat"))
    monkeypatch.setattr(parts, "find_unseen", lambda run: pairs)
    made = model.translations([source for source, _ in pairs])
    found = bleu.measure(made, [target for _, target in pairs])
    text, (table,), _ = told(parts.quality, model)
    assert f"**BLEU {found.score:.1f}**" in text and f"{100 * found.precisions[0]:.1f} %" in text
    assert [row["written"] for row in table] == made and "vieux" in text
    monkeypatch.setattr(parts, "find_unseen", lambda run: ())
    assert "that this model has not learned from" in told(parts.quality, model)[0]


def test_sentences_are_counted_by_their_length() -> None:
    right_N = np.array([True, False, True, True, False, True])
    share, count = parts.grouped(np.array([3, 4, 5, 6, 12, 15]), right_N)
    assert count.tolist() == [3, 1, 0, 0, 0, 0, 0, 2]
    assert np.allclose(share, [2 / 3, 1, *[np.nan] * 5, 0.5], equal_nan=True)
    named = [parts.label(*some) for some in parts.BINS]
    assert named[::7] == ["3 to 5", "12 or more"] and named[1] == "6"


def probability(made: Any, text: str) -> np.ndarray:
    found: np.ndarray = made.trace(f"the cat\n{text}").field("probability").values[-1]
    return found.astype(np.float64)


@together("attention", ["none", "dot"])
def test_the_likeliest_of_each_length(attention: str) -> None:
    made = random_model(attention=attention)
    source, end = made.source("the cat").ids, made.tokenizer.boundary
    p_V = probability(made, "")
    words = [i for i in range(len(p_V)) if i != end]
    rows = {i: behind(made, source, (i,)) for i in words}
    # the likeliest of each length, all of them tried
    best = lengths.best(made, source, len(words), 1)
    assert best[0].ids == () and best[0].total == pytest.approx(math.log(p_V[end]), rel=1e-4)
    likeliest = max(words, key=lambda i: p_V[i] * rows[i][end])
    assert best[1].ids == (likeliest,)
    whole = math.log(p_V[likeliest] * rows[likeliest][end])
    assert best[1].total == pytest.approx(whole, rel=1e-4)
    assert score(best[1].total, 2, 1.0) == pytest.approx(whole / 2, rel=1e-4)


def behind(made: Any, source: np.ndarray, ids: tuple[int, ...]) -> np.ndarray:
    import torch

    with torch.inference_mode():
        read = made.halves.read(torch.from_numpy(source)[None])
        logit_V = made.halves.write(torch.tensor([[made.start, *ids]]), read)[0, -1]
    return logit_V.double().softmax(-1).numpy()


def test_the_end_along_one_text() -> None:
    made = random_model(attention="additive")
    source, end = made.source("the cat").ids, made.tokenizer.boundary
    found = lengths.ends(made, source, (3, 5))
    by_hand = [behind(made, source, ids)[end] for ids in ((), (3,), (3, 5))]
    np.testing.assert_allclose(found, by_hand, rtol=1e-6)


def test_there_and_back(trained: Any) -> None:
    """The table is what the two write; without two translators it says so."""
    store = RunStore()
    runs = [store.find(id) for id in (parts.THERE, parts.BACK, "score_dot_after")]
    page = {"runs": runs, "open_run": lambda run: shipped(run.id)}
    text = "God said to him,"
    found = asked(parts.there_and_back, page, text=text)
    (ways,) = tables(found)
    (abroad,) = shipped(parts.THERE).translations([text])
    (again,) = shipped(parts.BACK).translations([abroad])
    assert (ways[0]["There"], ways[0]["Back"]) == (abroad, again)
    shared = bleu.measure([again], [text]).precisions[0]
    assert ways[0]["in common"] == shared and len(ways) == 1 + parts.DRAWN
    assert list(parts.translators(page)) == [parts.THERE, parts.BACK]
    pairs = parts.find_unseen(runs[0])
    came = shipped(parts.BACK).translations(
        shipped(parts.THERE).translations([english for english, _spanish in pairs])
    )
    score = bleu.measure(came, [english for english, _spanish in pairs]).score
    assert f"BLEU {score:.1f}" in said(found) and f"Of {len(pairs)} sentences" in said(found)
    assert "Type a sentence" in said(asked(parts.there_and_back, page, text=" "))
    alone = said(asked(parts.there_and_back, page | {"runs": runs[2:]}, text=text))
    assert "needs a translator for each way" in alone
