"""The heads on an external memory, once more in numpy and loops; the machine around them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from engine.lessons.external import copies
from engine.models.ntm import NTM, START, Config
from engine.nn import external
from engine.text.corpora.repeats import LETTERS, LONGEST, Repeats, written

SMALL = Config(units=5, width=3, slots=6, numbers=4, steps=3, batch=4)
LINES = Repeats(60)


@pytest.fixture(scope="module")
def machine() -> NTM:
    *_, last = NTM.fit(LINES.text(), SMALL, seed=1)
    assert isinstance(last.model, NTM)
    return last.model


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return np.asarray(e / e.sum())


def head(says: np.ndarray, memory: np.ndarray, last: np.ndarray) -> dict[str, np.ndarray]:
    """One address from the D + 6 numbers of a head, slot by slot."""
    n, d = memory.shape
    key, (strength, gate), shift = says[:d], says[d : d + 2], softmax(says[d + 2 : d + 5])
    cosine = [row @ key / (np.linalg.norm(row) * np.linalg.norm(key)) for row in memory]
    content = softmax(math.log1p(math.exp(strength)) * np.array(cosine))
    g = float(sigmoid(np.array(gate)))
    mixed = g * content + (1 - g) * last
    moved = np.zeros(n)
    for i in range(n):
        for j, by in enumerate(external.SHIFTS):
            moved[i] += shift[j] * mixed[(i - by) % n]
    power = moved ** (1 + math.log1p(math.exp(says[-1])))
    return {"content": content, "mixed": mixed, "moved": moved, "address": power / power.sum()}


def test_a_trace_is_the_machine_by_hand(machine: NTM) -> None:
    text = "abca=abc"
    trace = machine.trace(text)
    w = {k: v.astype(float) for k, v in machine.weights().items() if k != "tokenizer"}
    h = c = np.zeros(5)
    memory, write, read, reading = np.full((6, 4), START), np.eye(6)[0], np.eye(6)[0], np.zeros(4)
    u = {k.removeprefix("controller.fused."): v for k, v in w.items()}
    for t, id in enumerate(trace.ids):
        x = np.concatenate([w["embed.weight"][id], reading])
        a = u["weight_ih_l0"] @ x + u["bias_ih_l0"] + u["weight_hh_l0"] @ h + u["bias_hh_l0"]
        i, f, g, o = np.split(a, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        found = {"write": head(w["write.says.weight"] @ h + w["write.says.bias"], memory, write)}
        write = found["write"]["address"]
        erase, add = np.split(w["puts.weight"] @ h + w["puts.bias"], 2)
        for n in range(6):
            memory[n] = memory[n] * (1 - write[n] * sigmoid(erase)) + write[n] * np.tanh(add)
        found["read"] = head(w["read.says.weight"] @ h + w["read.says.bias"], memory, read)
        read = found["read"]["address"]
        reading = read @ memory
        p = softmax(w["head.weight"] @ np.concatenate([h, reading]) + w["head.bias"])
        for which, steps in found.items():
            for name, values in steps.items():
                at = trace.field(f"{which}.{name}").values[t]
                np.testing.assert_allclose(at, values, atol=2e-5)
        for name, values in (("memory", memory), ("reading", reading), ("probability", p)):
            np.testing.assert_allclose(trace.field(name).values[t], values, atol=2e-5)
    assert not [p for name in trace for p in trace.field(name).problems()]


def test_the_paper_s_two_ways_to_find_a_slot() -> None:
    memory = torch.tensor([[[1.0, 0], [0, 1], [-1, 0], [0, -1]]])
    found = external.by_content(torch.tensor([[0.0, 3.0]]), torch.tensor([[50.0]]), memory)
    assert found[0].argmax() == 1 and found[0, 1] > 0.99, "the length of a key says nothing"
    last = torch.tensor([[0.0, 0, 0, 1]])
    on = external.moved(last, torch.tensor([[0.0, 0, 1]]))
    assert on.tolist() == [[1, 0, 0, 0]], "behind the last slot comes the first"
    assert external.moved(last, torch.tensor([[1.0, 0, 0]])).tolist() == [[0, 0, 1, 0]]
    soft = torch.tensor([[0.1, 0.6, 0.2, 0.1]])
    sharp = external.sharpened(soft, torch.tensor([[2.0]]))
    np.testing.assert_allclose(sharp[0], (soft[0] ** 2 / (soft[0] ** 2).sum()), rtol=1e-5)


def test_erase_then_add() -> None:
    memory, address = torch.ones(1, 3, 2), torch.tensor([[0.0, 1.0, 0.5]])
    erase, add = torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 3.0]])
    found = external.written(memory, address, erase, add)
    assert found.tolist() == [[[1, 1], [2, 4], [1.5, 2.5]]]
    assert external.read(found, address).tolist() == [[2.75, 5.25]]


def test_it_goes_on_from_what_it_carries(machine: NTM) -> None:
    before = machine.trace("abcdab=abc")
    after, whole = machine.trace("abcdab=abcd", after=before), machine.trace("abcdab=abcd")
    for name in whole:
        np.testing.assert_allclose(after.field(name).values, whole.field(name).values, atol=1e-5)


def test_no_weight_belongs_to_a_slot(machine: NTM) -> None:
    more = copies.with_slots(machine, 11)
    assert more.trace("ab=").field("memory").shape == (4, 11, 4)
    sizes = [sum(v.size for v in each.weights().values()) for each in (more, machine)]
    assert sizes[0] == sizes[1]
    assert copies.with_slots(machine, 6) is machine


def test_lines_and_how_they_are_counted(machine: NTM) -> None:
    lines = Repeats(400).generate(400)
    assert {len(line) // 2 for line in lines} == set(range(1, LONGEST + 1))
    assert all(line[: len(line) // 2] == line[len(line) // 2 + 1 :] for line in lines)
    assert any(len(set(line)) < len(line) // 2 for line in lines)
    assert set("".join(lines)) == {*LETTERS, "="}
    assert Repeats().facts("ab=ab")[1].second == (4, 5) and Repeats().facts("no mark") == []
    [share] = copies.measure_copying(machine, [4], lines=10, seed=3)
    rng, found = np.random.default_rng(3), 0
    vocab = machine.tokenizer.vocab
    for _ in range(10):
        line = written(rng, 4)
        p = machine.trace(line).field("probability").values
        found += sum(vocab[p[t].argmax()] == line[t - 5] for t in range(5, 9))
        found += vocab[p[9].argmax()] == vocab[machine.tokenizer.boundary]
    assert share == pytest.approx(found / 50)
