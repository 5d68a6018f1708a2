"""The numbers on the screen equal an independent recomputation from the weights file.

Every text is typed key by key, so that the replies that only hold what changed are checked too.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from engine.runs.store import Run, RunStore
from engine.storage.quantised import unpack
from tests.browser.conftest import Live
from tests.conftest import ROOT

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
RunOf = Callable[[str], Run]
TYPED = " in May they"


def arrays(run: Run) -> dict[str, np.ndarray]:
    """The weights file as float64."""
    return {
        k: v.astype(np.float64)
        for k, v in unpack(load_file(run.folder / "weights.safetensors")).items()
        if v.dtype.kind == "f"
    }


def ids_of(run: Run, text: str, labels: list[str]) -> np.ndarray:
    """Token ids of a text; its labels must be the ones on the screen."""
    tokens = RunStore().load(run).tokens(text)
    assert list(tokens.labels) == labels
    return np.asarray(tokens.ids)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def check_expected(
    fields: dict[str, Any], p_TV: np.ndarray, ids: np.ndarray, tolerance: float
) -> None:
    """Surprisal of every token, and the list of likeliest next ones, from probabilities (T, V)
    computed here."""
    _, _, bits = fields["surprisal"]
    expected = [-math.log2(p_TV[t - 1, ids[t]]) for t in range(1, len(ids))]
    assert math.isnan(bits[0])
    np.testing.assert_allclose(bits[1:], expected, atol=20 * tolerance, rtol=1e-3)
    _, _, shown = fields["probability"]
    np.testing.assert_allclose(shown, np.sort(p_TV[-1])[::-1][: len(shown)], atol=tolerance)


def test_lstm(page: Page, run_of: RunOf) -> None:
    run = run_of("lstm")
    live = page("lstm").fill('She said "yes"')
    live.type(TYPED)
    fields, text = live.numbers(), 'She said "yes"' + TYPED
    axes, labels, _ = fields["cell"]
    assert axes == ["layer", "token", "unit"]
    ids, w = ids_of(run, text, labels[1]), arrays(run)
    x_TD = w["embed.weight"][ids]
    for layer in range(run.note["config"]["layers"]):
        part = f"layers.{layer}.fused."
        bias = w[part + "bias_ih_l0"] + w[part + "bias_hh_l0"]
        h = c = np.zeros(run.note["config"]["units"])
        steps: dict[str, list[np.ndarray]] = {
            n: []
            for n in ("gate.input", "gate.forget", "candidate", "gate.output", "cell", "hidden")
        }
        for x in x_TD:
            i, f, g, o = np.split(
                w[part + "weight_ih_l0"] @ x + w[part + "weight_hh_l0"] @ h + bias, 4
            )
            i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
            c = f * c + i * g
            h = o * np.tanh(c)
            for name, value in zip(steps, (i, f, g, o, c, h), strict=True):
                steps[name].append(value)
        for name, values in steps.items():
            np.testing.assert_allclose(
                fields[name][2][layer],
                values,
                atol=2e-4,
                rtol=1e-4,
                err_msg=f"{name} of layer {layer}",
            )
        x_TD = np.array(steps["hidden"])
    check_expected(fields, softmax(x_TD @ w["head.weight"].T + w["head.bias"]), ids, 2e-4)


def norm(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weight + bias


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def turned(x_TK: np.ndarray) -> np.ndarray:
    """Rotary places as complex numbers: dimensions i and i + K/2 are one, turned by place times
    10,000^(-2i/K)."""
    half = x_TK.shape[1] // 2
    z = (x_TK[:, :half] + 1j * x_TK[:, half:]) * np.exp(
        1j * np.arange(len(x_TK))[:, None] * 10_000.0 ** (-np.arange(half) / half)
    )
    return np.concatenate([z.real, z.imag], 1)


@pytest.mark.slow
def test_attention(page: Page, run_of: RunOf) -> None:
    run = run_of("transformer")
    opened = 2, 1  # layer and head
    live = page("attention", query={"layer": opened[0], "head": opened[1]}).fill(
        "The students opened their books"
    )
    live.type(TYPED)
    fields, text = live.numbers(), "The students opened their books" + TYPED
    axes, labels, _ = fields["attention"]
    assert axes == ["query", "key"]
    ids, w = ids_of(run, text, labels[0]), arrays(run)
    count, heads = len(ids), run.note["config"]["heads"]
    x = w["embed.weight"][ids]
    mask = np.triu(np.full((count, count), -np.inf), 1)
    for layer in range(run.note["config"]["layers"]):
        part = f"tower.blocks.{layer}."
        normed = norm(x, w[part + "norm_1.weight"], w[part + "norm_1.bias"])
        q, k, v = np.split(
            normed @ w[part + "attention.qkv.weight"].T + w[part + "attention.qkv.bias"], 3, axis=-1
        )
        size = q.shape[1] // heads
        read = np.zeros_like(x)
        for head in range(heads):
            one = slice(head * size, (head + 1) * size)
            q[:, one], k[:, one] = (turned(x_TD[:, one]) for x_TD in (q, k))
            score = q[:, one] @ k[:, one].T / math.sqrt(size) + mask
            weight = softmax(score)
            read[:, one] = weight @ v[:, one]
            if (layer, head) == opened:
                wanted = {
                    "residual.before": x,
                    "query": q[:, one],
                    "key": k[:, one],
                    "value": v[:, one],
                    "reading": read[:, one],
                    "attention": weight,
                }
                for name, numbers in wanted.items():
                    np.testing.assert_allclose(
                        fields[name][2],
                        numbers,
                        atol=2e-4,
                        rtol=1e-4,
                        err_msg=name,
                    )
                product = q[:, one] @ k[:, one].T
                for name, numbers in (
                    ("product", product),
                    ("scaled", product / math.sqrt(size)),
                    ("masked", score),
                    ("attention", weight),
                ):
                    np.testing.assert_allclose(
                        fields[name][2], numbers, atol=2e-3, rtol=1e-4, err_msg=name
                    )
        x = x + read @ w[part + "attention.out.weight"].T + w[part + "attention.out.bias"]
        normed = norm(x, w[part + "norm_2.weight"], w[part + "norm_2.bias"])
        wide = gelu(
            normed @ w[part + "feed_forward.up.weight"].T + w[part + "feed_forward.up.bias"]
        )
        x = x + wide @ w[part + "feed_forward.down.weight"].T + w[part + "feed_forward.down.bias"]
    logits = norm(x, w["tower.norm.weight"], w["tower.norm.bias"]) @ w["embed.weight"].T
    home = page("home").fill(text).numbers()
    check_expected(
        {name: home[f"transformer.{name}"] for name in ("surprisal", "probability")},
        softmax(logits),
        ids,
        2e-4,
    )


def next_words(run: Run, context: str, env: dict[str, str]) -> dict[str, float]:
    """What the command line says comes next, over the whole vocabulary."""
    command = [sys.executable, "-m", "engine", "next", str(run.folder), context, "--all", "--json"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=os.environ | env, check=True
    )
    return {row["token"]: row["probability"] for row in json.loads(done.stdout)["next"]}


@pytest.mark.slow
def test_ngrams(page: Page, run_of: RunOf) -> None:
    run = run_of("ngram")
    live = page("ngrams").fill("It was one of the")
    live.type(TYPED)
    fields, text = live.numbers(), "It was one of the" + TYPED
    axes, labels, mass = fields["mass"]
    assert axes == ["token", "order"] and labels[0][1:] == text.split()
    expected = next_words(run, text, {})
    assert abs(sum(expected.values()) - 1) < 1e-3
    _, (words,), shown = fields["probability"]
    np.testing.assert_allclose(shown, [expected[word] for word in words], rtol=1e-4)
    np.testing.assert_allclose(
        shown, sorted(expected.values(), reverse=True)[: len(shown)], rtol=1e-4
    )
    before = next_words(run, text.rsplit(" ", 1)[0], {})
    assert abs(fields["surprisal"][2][-1] + math.log2(before[text.split()[-1]])) < 1e-3
    np.testing.assert_allclose(mass.sum(1), 1, atol=1e-4)
    trace = RunStore().load(run).trace(text)
    np.testing.assert_allclose(mass, trace.field("mass").values, atol=1e-5)
    np.testing.assert_allclose(fields["matched"][2], trace.field("matched").values)


@pytest.mark.slow
def test_embeddings(page: Page, run_of: RunOf) -> None:
    run = run_of("skipgram")
    model = RunStore().load(run)
    words = [w for w in ("the", "king", "sea", "cat", "old", "dog") if w in model.vocab]
    live = page("embeddings").fill(words[0])
    live.type(" " + " ".join(words[1:]))
    vectors = arrays(run)["vectors"]
    known = np.linalg.norm(vectors, axis=1) > 0
    unit = vectors[known] / np.linalg.norm(vectors[known], axis=1, keepdims=True)
    vocab = [w for w, has in zip(model.vocab, known, strict=True) if has]
    row = vocab.index(words[-1])
    cosine = unit @ unit[row]
    cosine[row] = -np.inf
    rows = live.page.evaluate(
        """() => {
          let holder = document.querySelector("[data-unrolled]");
          while (!holder.unrolledApp) holder = holder.parentElement;
          return holder.unrolledApp.panels.find((p) => p.spec.id === "neighbours").listed().rows;
        }"""
    )
    assert len(rows) >= 5
    for (word, shown), at in zip(rows, np.argsort(-cosine, kind="stable"), strict=False):
        assert abs(float(shown) - cosine[at]) < 1e-3
        # a tie may stand the other way
        assert word == vocab[at] or abs(cosine[vocab.index(word)] - cosine[at]) < 1e-4


@pytest.mark.slow
def test_home_agrees_with_the_lessons(page: Page, run_of: RunOf) -> None:
    """Each reader's surprise on the home page is the one that its own page shows."""
    text = "The old king said yes"
    home = page("home").fill(text[:8]).type(text[8:]).numbers()
    for lesson, reader in (("ngrams", "ngram"), ("lstm", "lstm")):
        alone = page(lesson).fill(text).numbers()
        for name in ("surprisal", "probability"):
            theirs, ours = alone[name][2], home[f"{reader}.{name}"][2]
            np.testing.assert_allclose(
                ours, theirs[: len(ours)], atol=2e-3, err_msg=f"{name} of {reader}"
            )
