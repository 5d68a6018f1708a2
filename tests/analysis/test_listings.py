"""Listings that go wrong: each does go wrong, in the way that is said, and each repair agrees with
the engine, with torch, or with a sum by hand."""

from __future__ import annotations

import ast
import math
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.torch_version import TorchVersion

from engine.analysis.bag_of_words.bayes import posterior
from engine.analysis.listings import (
    attention_diagonal,
    attention_mask,
    bag_product,
    base,
    bert_labels,
    bptt_backward,
    cooccurrence_unseen,
    decoding_again,
    lstm_detach,
    lstm_gaps,
    memory_norm,
    ngrams_row,
    optimisers_warmup,
    positions_pair,
    scores_version,
    smoothing_size,
    training_adapter,
    training_lora,
    translation_coin,
    translation_depth,
    translation_forget,
    translation_ids,
    translation_scores,
)
from engine.analysis.listings.seeded import drawn, noise
from engine.core.registry import listings, scores
from engine.course.curriculum import LESSONS
from engine.ngram.counts import Counts, count
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.laplace import Laplace
from engine.ngram.smoothing.mle import MLE
from engine.nn import glove, mask
from engine.nn.cells.lstm import LSTM
from engine.nn.initial import initialise
from engine.nn.positions.sinusoidal import waves

FAIL = {
    "attention_half": "RuntimeError: value cannot be converted",
    "bag_product": "ZeroDivisionError",
    "scores_squeeze": "RuntimeError: Tensors must have same number of dimensions",
    "translation_depth": "RuntimeError: Expected hidden size (1, 1, 6), got [2, 1, 6]",
    "translation_ids": "ValueError: not enough values to unpack (expected 3, got 2)",
    "training_norm": "RuntimeError: Boolean value of Tensor",
    "lstm_detach": "RuntimeError: Trying to backward through the graph a second time",
    "optimisers_warmup": "ZeroDivisionError",
}


def both(id: str) -> tuple[dict[str, float], dict[str, float]]:
    """The numbers of the faulty program and of the repaired one."""
    listing = listings.get(id)
    return dict(listing.measured(listing.faulty)), dict(listing.measured(listing.repaired))


@pytest.mark.parametrize("id", listings.ids())
def test_the_faulty_one_goes_wrong_and_the_repaired_one_does_not(id: str) -> None:
    listing = listings.get(id)
    faulty, repaired = (base.run(listing, p) for p in (listing.faulty, listing.repaired))
    assert repaired.numbers and not repaired.error
    assert all(math.isfinite(x) for x in repaired.numbers.values())
    assert faulty.error.startswith(FAIL.get(id, "")) and bool(faulty.error) == (id in FAIL)
    if id not in FAIL:
        assert faulty.numbers.keys() == repaired.numbers.keys()
        assert faulty.numbers != pytest.approx(repaired.numbers, rel=0.01)
    assert base.run(listing, listing.repaired) == repaired, "the same numbers each time"
    assert id in base.of(id.partition("_")[0])
    shown = base.code(listing.faulty), base.code(listing.repaired)
    assert shown[0] != shown[1] and all(code.startswith("def ") for code in shown)
    assert id.partition("_")[0] in {item.id for item in LESSONS}


def smoothed(method: Any) -> tuple[dict[str, int], Smoothed]:
    names = ["</s>", *sorted({word for line in ngrams_row.LINES for word in line.split()})]
    ids = {word: i for i, word in enumerate(names)}
    stream = [0, *(i for line in ngrams_row.LINES for i in (*map(ids.get, line.split()), 0))]
    counts = Counts(list(count(np.array(stream), len(names), 2, 0)), 0)
    return ids, Smoothed.estimate(method, counts)


def test_counts_agree_with_the_engine() -> None:
    ids, model = smoothed(MLE())
    given = ngrams_row.repaired(ngrams_row.LINES)
    for v in ("cat", "mat", "the"):
        row = model.distributions(model.counts.places(np.array([0, ids[v]])))[-1]
        assert [given(v, w) for w in ids] == pytest.approx(row[: len(ids)].tolist())
    assert both("ngrams_row")[0] == {
        "sum of the row after “cat”": 0.5,
        "sum of the row after “mat”": 0,
    }
    assert smoothing_size.LINES == ngrams_row.LINES
    ids, model = smoothed(Laplace())
    row = model.distributions(model.counts.places(np.array([0, ids["the"]])))[-1]
    faulty, repaired = both("smoothing_size")
    assert repaired["P of “cat” after “the”"] == pytest.approx(row[ids["cat"]])
    assert faulty["sum of the row after “the”"] == pytest.approx(15 / 14)


def test_perplexity_and_products() -> None:
    faulty, repaired = both("scoring_sentences")
    assert [*faulty.values()] == [2**10, 2**20] and [*repaired.values()] == [4, 4]
    times = [[math.log2(p[w]) for w in bag_product.WORDS] for p in bag_product.GIVEN.values()]
    wanted = posterior(np.array(times).sum(1))
    assert wanted is not None
    assert [*both_of_bag()] == pytest.approx(wanted.tolist())
    joint = [math.prod(p[w] for w in bag_product.WORDS) for p in bag_product.GIVEN.values()]
    assert joint == [0, 0] and len(bag_product.WORDS) == 150
    assert math.ulp(0.0) == pytest.approx(5e-324)


def both_of_bag() -> list[float]:
    return [*bag_product.repaired(bag_product.WORDS, bag_product.GIVEN).values()]


def test_the_loss_of_glove_is_that_over_the_seen_pairs() -> None:
    x = np.array(cooccurrence_unseen.COUNTS)
    w, c = noise(3, 4).numpy(), noise(3, 4, seed=2).numpy()
    wanted = sum(
        float(glove.weight(x[i, j])) * (w[i] @ c[j] - math.log(x[i, j])) ** 2
        for i in range(3)
        for j in range(3)
        if x[i, j]
    )
    faulty, repaired = both("cooccurrence_unseen")
    assert repaired["loss"] == pytest.approx(wanted, rel=1e-5)
    assert [math.isnan(x) for x in faulty.values()] == [True, False] and [*faulty.values()][1] == 8


def test_the_backward_pass_is_torch_s() -> None:
    cell = nn.RNN(3, 2)
    w, u, b, b2 = cell.parameters()
    with torch.no_grad():
        u.copy_(torch.tensor(bptt_backward.W_HH))
        w.copy_(torch.tensor(bptt_backward.W_XH))
        b.fill_(bptt_backward.BIAS)
        b2.zero_()
    out, _ = cell(torch.tensor(bptt_backward.X))
    y = out @ torch.tensor(bptt_backward.W_HY).T + bptt_backward.BIAS
    (y - bptt_backward.WANTED).square().sum().backward()
    faulty, repaired = (np.array([*found.values()]) for found in both("bptt_backward"))
    assert u.grad is not None
    np.testing.assert_allclose(repaired, u.grad.flatten(), rtol=1e-5)
    assert (faulty / repaired).min() > 1.9 and (faulty / repaired).max() < 3.5
    np.testing.assert_allclose(faulty[:2], faulty[2:], rtol=1e-3)


def test_states_and_gates_of_an_lstm() -> None:
    lstm, parts = drawn(nn.LSTM(3, 4)), noise(15, 3).split(5)
    with pytest.raises(AttributeError, match="detach"):  # a state of two cannot be detached at once
        lstm(parts[0])[1].detach()
    lstm_detach.repaired(lstm, parts)
    carried = deepcopy(lstm)
    carried.zero_grad()
    lstm.zero_grad()
    _, state = lstm(parts[0])
    lstm(parts[1], tuple(s.detach() for s in state))[0].square().mean().backward()
    out, _ = carried(torch.cat(parts[:2]))
    out[5:].square().mean().backward()
    short, whole = ([*net.parameters()][1].grad for net in (lstm, carried))
    assert short is not None and whole is not None and not torch.allclose(short, whole, rtol=0.01)

    faulty, repaired = (next(iter(found.values())) for found in both("lstm_order"))
    assert faulty > 0.05 and repaired < 1e-6


def test_a_normalised_memory_forgets() -> None:
    faulty, repaired = both("memory_norm")
    assert [*faulty.values()] == pytest.approx([-1 / 3**0.5, 3**0.5], abs=1e-3)
    assert [*repaired.values()] == [2, 5]
    first = memory_norm.faulty(
        torch.tensor([2.0, 2, 2, 5]), *(torch.ones(4),) * 2, *(torch.zeros(4),) * 2
    )
    assert first[1][0] == pytest.approx(-1 / 3**0.5, abs=1e-3), "at the first token already"


def test_the_forget_bias_is_the_sum_of_two() -> None:
    faulty, repaired = (list(found.values()) for found in both("cells_bias"))
    assert faulty == pytest.approx([2, 0.880797, 0.880797**10], rel=1e-5)
    assert repaired == pytest.approx([1, 0.731059, 0.731059**10], rel=1e-5)
    cell = LSTM(3, 4)
    initialise(cell, "torch", 1.0)
    _, _, biases = cell.matrices()
    assert torch.stack(biases).sum(0)[4:8].tolist() == [1] * 4


def repaired_of(id: str) -> list[float]:
    """The numbers of the repaired program alone, where the faulty one fails."""
    listing = listings.get(id)
    return [*listing.measured(listing.repaired).values()]


def test_masks() -> None:
    faulty, repaired = both("attention_mask")
    assert faulty["filling of text 2, seen by head 1"] > 0.1
    assert repaired["filling of text 2, seen by head 1"] == 0
    assert faulty["last two tokens of text 1, seen by head 2"] == 0
    assert repaired["last two tokens of text 1, seen by head 2"] > 0.1
    score, real = noise(2, 2, 4, 4), torch.tensor(attention_mask.REAL)
    place = torch.arange(4)
    may = mask.allowed(place, place, causal=False, real_BS=real)
    assert may is not None
    hidden = score.masked_fill(~may, -math.inf)
    torch.testing.assert_close(attention_mask.repaired(score, real), mask.soften(hidden, may=may))
    with pytest.raises(RuntimeError):  # three texts, two heads
        attention_mask.faulty(noise(3, 2, 4, 4), torch.ones(3, 4, dtype=torch.bool))
    score = noise(4, 4)
    may = mask.allowed(place, place, causal=True)
    assert may is not None
    hidden = score.masked_fill(~may, -math.inf)
    torch.testing.assert_close(attention_diagonal.repaired(score), mask.soften(hidden, may=may))
    weight = attention_diagonal.faulty(score)
    assert weight[0].isnan().all() and not weight[1:].isnan().any()
    assert (weight @ weight).isnan().all(), "and so is all that comes after"


def test_a_mask_in_half_precision() -> None:
    assert repaired_of("attention_half") == [0, 1]
    score = noise(1, 4)  # a row that is all filling
    torch.testing.assert_close((score - 10_000).softmax(-1), score.softmax(-1), atol=1e-3, rtol=0)
    assert torch.finfo(torch.half).max == 65_504


def test_every_name_stands_beside_its_row() -> None:
    faulty, repaired = both("bert_labels")
    assert [*faulty.values()] == [0] and [*repaired.values()] == [6]
    weight = np.zeros((8, 8))
    weight[:, bert_labels.READ.index("bank")] = 1
    assert set(bert_labels.faulty(weight, bert_labels.WORDS, bert_labels.READ)) == {"is"}


def test_positions_are_those_of_the_engine() -> None:
    wanted = waves(torch.tensor([positions_pair.PLACE]), positions_pair.WIDTH)[0]
    assert [*both("positions_pair")[1].values()] == pytest.approx(wanted.tolist(), abs=1e-6)
    for p in (2, 5):  # a pair is one hand of a clock only in the repaired one
        far = [program(p, 6)[0] ** 2 + program(p, 6)[1] ** 2 for program in PAIRS]
        assert far[0] != pytest.approx(1, abs=0.01) and far[1] == pytest.approx(1)


PAIRS = (positions_pair.faulty, positions_pair.repaired)


def test_texts_of_a_batch_do_not_see_each_other() -> None:
    faulty, repaired = (list(found.values()) for found in both("transformer_batch"))
    assert faulty[0] > 0.01 and faulty[1] == 0
    assert repaired[0] == 0 and repaired[1] > 0.01


def test_both_write_the_same_text() -> None:
    net, ids = drawn(decoding_again.Net()), torch.tensor(decoding_again.PROMPT)
    with torch.no_grad():
        written = [
            p(net, ids, 20).tolist() for p in (decoding_again.faulty, decoding_again.repaired)
        ]
    assert written[0] == written[1]
    reads = [found["tokens read for them"] for found in both("decoding_again")]
    assert reads == [sum(range(5, 45)), 5 + 39]


def test_the_first_place_has_a_share_of_the_loss() -> None:
    faulty, repaired = both("translation_first")
    assert repaired["loss per token"] == pytest.approx(-math.log(0.9), abs=1e-4)
    assert faulty["loss per token"] == pytest.approx(
        (math.log(5000) - 11 * math.log(0.9)) / 12, abs=1e-4
    )


def test_a_translator_alone() -> None:
    differ = [next(iter(found.values())) for found in both("translation_forcing")]
    assert differ[0] > 0 and differ[1] == 0
    faulty, repaired = (list(found.values()) for found in both("translation_pads"))
    e = noise(5).exp()
    assert faulty[0] == pytest.approx((e[3:].sum() / e.sum()).item(), rel=1e-5)
    assert faulty[1] > 0.1 and repaired == pytest.approx([0, 0], abs=1e-6)
    faulty, repaired = (list(found.values()) for found in both("translation_zero"))
    assert faulty[0] == 0 and min(faulty[1], *repaired) > 0.1


def test_a_decoder_that_looks() -> None:
    _, repaired = (base.run(listings.get("scores_squeeze"), p) for p in programs("scores_squeeze"))
    assert [*repaired.numbers.values()] == [2 + 3, 2 + 1]
    faulty, again = (list(found.values()) for found in both("scores_keys"))
    assert [faulty[0], again[0]] == [8 * 9, 8] and faulty[1] == again[1]
    score = scores.get("additive")(4).requires_grad_(False)
    for part, n, seed in ((score.ask, 4, 4), (score.offer, 4, 4), (score.read, 1, 1)):
        part.weight.data = drawn(nn.Linear(4, n, False), seed).weight.data
    wanted = score(noise(9, 4, seed=2), noise(8, 4)).softmax(-1)[-1, 0]
    assert again[1] == pytest.approx(wanted.item(), rel=1e-5)
    faulty, layers = (list(found.values()) for found in both("translation_layers"))
    assert faulty == [0, 3] and layers[0] > 0.01 and layers[1] == 6


def programs(id: str) -> tuple[Any, Any]:
    listing = listings.get(id)
    return listing.faulty, listing.repaired


def test_scores_that_are_read_as_a_word() -> None:
    table = translation_scores.table().double()
    assert table.argmax(1).tolist() == [1, 2, 3, 4, 0], "the sentence is 1 2 3, 4 ends it"
    faulty, repaired = (list(found.values()) for found in both("translation_scores"))
    assert repaired == [4, 1]
    power = table[0].clone()  # 12 turns of the loop: the last reads what 11 have made
    for _ in range(10):
        power = power @ table
    assert faulty == [12, pytest.approx(power.abs().max().item(), rel=1e-4)]

    def step(read: torch.Tensor) -> torch.Tensor:
        return read @ table

    one_hot = torch.eye(5).double()
    sent = [p(step, one_hot.__getitem__, 0, 4, 12) for p in programs("translation_scores")]
    assert sent[1] == [1, 2, 3, 4] and 4 in sent[0][:-1], "the stop mark does not stop it"


def test_a_forget_gate_that_begins_half_shut() -> None:
    faulty, repaired = (list(found.values()) for found in both("translation_forget"))
    assert [faulty[0], repaired[0]] == pytest.approx([0.5, 1 / (1 + math.exp(-1))])
    assert repaired[2] > 100 * faulty[2] and repaired[1] == pytest.approx(faulty[1], rel=0.1)
    for program, kept in zip(programs("translation_forget"), (0.5, 0.731059), strict=True):
        lstm = drawn(nn.LSTM(3, 4))
        program(lstm, 4)
        for part in [*lstm.parameters()][:2]:
            part.data.zero_()
        memory = torch.ones(1, 4, requires_grad=True)
        _, (_, last) = lstm(torch.zeros(translation_forget.WORDS, 3), (torch.zeros(1, 4), memory))
        (slope,) = torch.autograd.grad(last.sum(), memory)
        assert slope[0].tolist() == pytest.approx([kept**20] * 4, rel=1e-4)


def test_numbers_of_words_have_vectors() -> None:
    assert repaired_of("translation_ids")[0] == 2
    source = torch.tensor(translation_ids.SOURCE)
    embed, lstm = translation_ids.nets()
    one_hot = nn.functional.one_hot(source, translation_ids.VOCABULARY).float()
    _, (want, _) = lstm(one_hot @ embed.weight)
    torch.testing.assert_close(translation_ids.repaired(embed, lstm, source), want[-1])


def test_a_coin_for_each_text() -> None:
    faulty, repaired = (list(found.values()) for found in both("translation_coin"))
    assert [faulty[0], faulty[2]] == [100, 1] and [repaired[0], repaired[2]] == [0, 0]
    wanted = [0.5, 0.5 / translation_coin.TEXTS**0.5]  # of a mean of n throws: 1/2 / root of n
    assert [faulty[1], repaired[1]] == pytest.approx(wanted, rel=0.05)
    embed = noise(9, 9)
    target = torch.arange(1, 9).view(2, 4)
    fallen = torch.tensor([[0.1, 0.9], [0.9, 0.1]])  # places, texts; below 1/2: the right word
    left = iter(fallen)
    scores = translation_coin.repaired(embed.__getitem__, target, lambda n: next(left)[:n])
    read = target[:, 0]
    for place in range(3):
        torch.testing.assert_close(scores[place], embed[read])
        if place < 2:
            own = embed[read].argmax(-1)
            read = torch.stack(
                [
                    target[text, place + 1] if fallen[place, text] < 0.5 else own[text]
                    for text in range(2)
                ]
            )
    assert next(left, None) is None and len(scores) == 3


def test_a_decoder_as_deep_as_it_may_be() -> None:
    encoder, decoder = translation_depth.nets(2, 1)
    source, begin = noise(1, 5, 2), noise(1, 1, 2, seed=2)
    _, state = encoder(source)
    out, _ = decoder(begin, state[1:])
    torch.testing.assert_close(
        translation_depth.repaired(encoder, decoder, source, begin), out[:, 0]
    )
    alike = translation_depth.nets(2, 2)
    torch.testing.assert_close(*(p(*alike, source, begin) for p in programs("translation_depth")))
    with pytest.raises(AssertionError):
        translation_depth.repaired(*translation_depth.nets(1, 2), source, begin)


def test_versions_are_ordered_as_torch_orders_them() -> None:
    faulty, repaired = (list(found.values()) for found in both("scores_version"))
    late = [x for x in scores_version.RELEASED if x in ("1.10.0", "1.13.1")]
    before = [x for x in scores_version.RELEASED if x in ("1.8.0", "1.9.0")]
    wrong = len(late) * len(before) + 1  # and 2.9.1 with 2.10.0
    assert faulty == [wrong, wrong] and repaired == [0, 0]
    for a in (*scores_version.RELEASED, "2.1.0+cu118"):
        for b in scores_version.RELEASED:
            assert scores_version.repaired(a, b) == (TorchVersion(a) >= b)


def test_groups_dropout_and_a_rate_below_0() -> None:
    assert [next(iter(found.values())) for found in both("optimisers_groups")] == [8, 10]
    faulty, repaired = (list(found.values()) for found in both("training_dropout"))
    assert faulty == [0, 0] and repaired[0] == pytest.approx(0.2, abs=0.05) and repaired[1] > 0.1
    faulty, repaired = (list(found.values()) for found in both("optimisers_decay"))
    assert faulty == pytest.approx([5e-5, 1e-4, -1e-4 / 9]) and repaired[2] == 0
    assert repaired_of("training_norm") == pytest.approx([5])
    with pytest.warns(UserWarning, match="dropout"):
        nn.LSTM(3, 4, dropout=0.2)


def test_training() -> None:
    faulty, repaired = (next(iter(found.values())) for found in both("training_clip"))
    assert faulty > 50 and repaired == pytest.approx(5, rel=1e-4)
    faulty, repaired = (next(iter(found.values())) for found in both("optimisers_best"))
    assert faulty == pytest.approx(2, rel=1e-5) and repaired == 0
    piled, single = both("training_zero")
    assert [*single.values()] == pytest.approx([0.8**n for n in (2, 5, 20)], rel=1e-5)
    assert [*piled.values()][:2] == pytest.approx([0.44, -0.80992], rel=1e-4)
    assert max(map(abs, piled.values())) > 1, "it does not come to rest"


def test_the_rate_of_the_first_step() -> None:
    rates = both_rates()
    assert rates == pytest.approx([1.7469e-7, 6.9877e-4, 3.4939e-4], rel=1e-4)
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    with pytest.raises(ZeroDivisionError):  # torch asks for step 0
        torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda n: optimisers_warmup.faulty(n, 512, 4000)
        )


def both_rates() -> list[float]:
    return [*optimisers_warmup.measured(optimisers_warmup.repaired).values()]


def test_the_code_is_shown_without_types_and_says_what_changed() -> None:
    assert base.changed(listings.get("ngrams_row")) == (
        """\
  def program(lines):
      pairs = Counter()
      words = Counter()
      for line in lines:
-         read = line.split()
-         words.update(read)
          pairs.update(pairwise(read))
      return lambda v, w: pairs[v, w] / words[v]""",
        """\
  def program(lines):
      pairs = Counter()
      words = Counter()
      for line in lines:
+         read = ["<s>", *line.split(), "</s>"]
+         words.update(read[:-1])
          pairs.update(pairwise(read))
      return lambda v, w: pairs[v, w] / words[v]""",
    )
    for id in listings.ids():
        for side in base.changed(listings.get(id)):
            ast.parse("\n".join(line[2:] for line in side.splitlines()))


def test_extensions_of_an_lstm() -> None:
    """T22: an empty memory reads as zero, and what is written does not ask what is there already."""
    faulty, repaired = both("external_content")
    assert [*faulty.values()] == [0, 0] and min(repaired.values()) > 0.01
    faulty, repaired = both("pooling_padding")
    assert faulty["weight on padding"] > 0.5 and [*repaired.values()] == pytest.approx(
        [0, 0], abs=1e-6
    )
    faulty, repaired = both("batches_reversible")
    assert min(faulty.values()) > 10
    assert [*repaired.values()] == pytest.approx([0, 0], abs=1e-3)
    assert repaired["start missed by, float64"] < 1e-11 < repaired["start missed by, float32"]


def test_no_layer_unfrozen_is_every_layer() -> None:
    """Against the parameters of BERT-base, counted by formula."""
    width, inner = 768, 3072
    layer = 4 * (width**2 + width) + 2 * width * inner + inner + width + 4 * width
    head = 2 * width + 2
    faulty, repaired = (
        [round(1000 * n) for n in found.values()] for found in both("training_unfreeze")
    )
    assert repaired == [head, layer + head, 2 * layer + head] == [1_538, 7_089_410, 14_177_282]
    assert faulty == [12 * layer + head, *repaired[1:]] == [85_056_002, *repaired[1:]]


def test_every_layer_has_its_own_adapter() -> None:
    layers, adapters = training_adapter.nets()
    x = noise(3, training_adapter.WIDTH)
    with torch.no_grad():
        own = [adapter(layer(x)) for layer, adapter in zip(layers, adapters, strict=True)]
        for program, answers in zip(
            programs("training_adapter"), ([own[-1]] * 12, own), strict=True
        ):
            layers, adapters = training_adapter.nets()
            program(layers, adapters)
            for layer, answer in zip(layers, answers, strict=True):
                torch.testing.assert_close(layer(x), answer)
    assert [list(found.values())[:2] for found in both("training_adapter")] == [[1, 1], [12, 12]]


def test_a_low_rank_update_is_added() -> None:
    x, weight, a, b = noise(3, 6), noise(6, 5, seed=2), noise(6, 2, seed=3), noise(2, 5, seed=4)
    layer = nn.Linear(6, 5, bias=False)
    layer.weight.data = (weight + 8 / 2 * a @ b).T  # merged, as it is when training has ended
    torch.testing.assert_close(training_lora.repaired(x, weight, a, b, 8.0), layer(x))
    faulty, repaired = (list(found.values()) for found in both("training_lora"))
    assert faulty[0] == 0 and repaired[0] == repaired[1] > 1
    assert [faulty[2], repaired[2]] == pytest.approx([2, 1])
    rank, width = training_lora.RANK, training_lora.WIDTH
    assert f"{2 * rank * width:,}" == "6,144" and f"{width**2:,}" == "589,824"
    said = listings.get("training_lora").happens
    assert "6,144" in said and "589,824" in said
    low = torch.zeros(rank, width, requires_grad=True)  # B = 0: it learns at once, A only after it
    high = noise(width, rank).requires_grad_()
    answer = training_lora.repaired(noise(1, width), noise(width, width), high, low, 1.0)
    by_b, by_a = torch.autograd.grad(answer.square().sum(), (low, high))
    assert by_b.norm() > 0 and by_a.norm() == 0


def test_an_lstm_counts_steps_and_not_days() -> None:
    faulty, repaired = (list(found.values()) for found in both("lstm_gaps"))
    assert faulty == [0, 0] and repaired[0] > 0.1 and repaired[1] == 0
    days = torch.tensor([2.0, 3, 10])
    read = lstm_gaps.repaired(torch.tensor([5.0, 6, 7]), days)
    assert read.tolist() == [
        [5, 0],
        [6, pytest.approx(math.log(2))],
        [7, pytest.approx(math.log(8))],
    ]
