"""What the engine computes of things that the browser computes too, as JSON for the tests of the
JavaScript.

`python -m tests.js.golden FOLDER` writes one file a twin.  Every number comes out of Python; the
tests under Node (tests/js/*.test.js) have the browser's code compute it again.  A number that is
not finite is written as "NaN", "Infinity" or "-Infinity".
"""

from __future__ import annotations

import base64
import itertools
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.analysis import surgery
from engine.analysis.activations import ALL
from engine.analysis.decode.rules import choose
from engine.core.trace import Axis, Field, FieldSpec, Kind, Trace
from engine.lessons.compare import alignment
from engine.lessons.convolution import images, networks, sums
from engine.lessons.decoding import rules as decoding_rules
from engine.lessons.hmm import live as hmm_live
from engine.lessons.lstm import order
from engine.lessons.neuron.one_neuron import TASKS, Neuron
from engine.lessons.rnn.weights import Weights
from engine.lessons.softmax.softmax_loss import LOSSES, Logits
from engine.live import cache as live_cache
from engine.live import declared
from engine.live.reader import Reader
from engine.live.reply import Header, Reply, read
from engine.live.shown import Shown
from engine.live.window import tokens, window
from engine.live.wire import pack
from engine.models.markov import Markov
from engine.runs.store import SHIPPED, RunStore
from engine.text import segmentation
from engine.text.subword import study
from engine.views import theme
from pages.ui import address
from tests.text import sentences

Json = dict[str, Any]
SENTENCE = "the old cat saw 👩‍🚀 a small bird, the cat saw naïve שלום\nthe end"


def plain(value: Any) -> Any:
    """As JSON can hold it."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def tokens_trace(fields: dict[str, np.ndarray], count: int, offset: int = 0) -> Trace:
    """Fields (layer, token, unit) over tokens named t0, t1 ..."""
    tokens = tuple(f"t{t}" for t in range(count))
    made = []
    for name, values in fields.items():
        spec = FieldSpec(name, Kind.STATE, ("layer", "token", "unit"), "A number.", name)
        names = (
            Axis("layer", tuple(map(str, range(values.shape[0])))),
            Axis("token", tokens),
            Axis("unit", tuple(map(str, range(values.shape[2])))),
        )
        made.append(Field(spec, values, names))
    return Trace("", tokens, tuple(made), offset=offset, total=offset + count)


def sent(trace: Trace) -> Json:
    """The fields of a trace as the browser keeps them."""
    fields = {name: trace.field(name) for name in trace}
    return {
        "labels": trace.tokens,
        "offset": trace.offset,
        "fields": {
            name: {"axes": f.axis_names, "shape": f.values.shape, "values": f.values.ravel()}
            for name, f in fields.items()
        },
    }


def decode() -> Json:
    """Rules between logits and what is drawn: ties, -inf, one token, repeats, temperature 0."""
    rng = np.random.default_rng(3)
    inf = math.inf
    logits = {
        "random": np.round(rng.normal(0, 3, 40), 3),
        "ties": np.array([1.0, 2.0, 2.0, 0.5, 2.0, -1.0, 0.5]),
        "uniform": np.zeros(8),
        "halves": np.log([0.5, 0.25, 0.25]),
        "impossible": np.array([-inf, 0.0, -inf, 1.0, -2.0]),
        "one": np.array([0.3]),
        "only one possible": np.array([-inf, -3.0, -inf]),
        "far apart": np.array([900.0, -900.0, 0.0, 899.0]),
        "probabilities": np.log([0.1, 0.2, 0.7]),
    }
    asked = (
        "off t0 t0.5 t0.01 t2 k1 k3 k2.5 k0.4 k1000000 p0.5 p0.3 p1 p0.01 m0.1 m1 y0.5 y0.9 y0.01 r1.5 r0.5"
        " t0.8_k5_p0.9 t1.3_k6_p0.8_m0.05_y0.7_r1.2 t0_k3_r2 k3_k0 t9 p0 m7 r0 t-1 x3 t k tt1 t0x10 t1e-1 k1_0"
    ).split()
    cases = []
    for name, logit_V in logits.items():
        for text in asked:
            rules = decoding_rules.read(text)
            for seen in ((), (0, 1, 1)) if len(logit_V) > 1 else ((), (0,)):
                found = choose(logit_V, rules, seen)
                cuts = [[c.rule.replace("_", "-"), c.mass, c.left] for c in found.cuts]
                case = {"logits": name, "rules": text, "seen": seen, "p": found.p_V, "cuts": cuts}
                cases.append(case | {"left": 1 - found.cut})
    read = [[text, _rules(text)] for text in [*asked, "", "t0.8_t0.9", " t0.5", "t0.5 ", "_"]]
    return {"logits": logits, "cases": cases, "read": read}


def _rules(text: str) -> Json:
    found = decoding_rules.read(text)
    p, y = (1 if of is None else of for of in (found.top_p, found.typical))
    whole = {"t": found.temperature, "k": found.top_k or 0, "p": p}
    return whole | {"m": found.min_p or 0, "y": y, "r": found.repetition_penalty}


def orders() -> Json:
    """Units in the order of a statistic, with equal units, units that never move, and one token."""
    rng = np.random.default_rng(5)
    cases = []
    for count_T in (1, 2, 7):
        gate = rng.random((2, count_T, 9)).astype(np.float32)
        state = rng.normal(0, 1, (2, count_T, 9)).astype(np.float32)
        state[..., 4] = state[..., 2]  # equal units
        state[..., 6] = 0.25  # never moves: no correlation
        gate[..., 1], gate[..., 3], gate[..., 5] = 0, 1, gate[..., 7]
        trace = tokens_trace({"gate.forget": gate, "cell": state}, count_T, offset=10)
        keeps = {"gate.forget": False, "cell": True} if count_T == 7 else {"gate.forget": False}
        wishes = [
            {"order": name, "by": by, "with": "cell", "up": up, "token": token}
            for name in [*order.STATISTICS, "nonsense"]
            for by in ("gate.forget", "cell", "nothing")
            for up in (0, 1)
            for token in (10, 10 + count_T - 1, 99)
            if not (keeps.get("cell") and name == "half_life" and by == "cell")
        ]
        found = [order.order(trace, wish, keeps, ("gate.forget", "cell"))[0] for wish in wishes]
        units = {"names": ["gate.forget", "cell"], "keeps": keeps}
        cases.append(sent(trace) | {"units": units, "wishes": wishes, "found": found})
    return {"cases": cases}


def edits() -> Json:
    """Texts of edits as a link has them, and the same written again."""
    sizes = dict.fromkeys(("gate.forget", "cell", "attention", "score", "reading"), (4, 64))
    texts = [
        "",
        "gate.forget:1:21:5-:set:0",
        "gate.forget:*:3-9:*:scale:0.5,cell:0:0:2:add:-3",
        "cell:0-2:*:4-7:freeze",
        "attention:3:5:7:2:set:0,score:0:*:*:1-:add:-1000",
        "reading:3:5:*:scale:0",
        " cell:0:0:2:add:1 , cell:1:1:*:freeze ,,",
        "cell:0:1:2:set:1e2,cell:0:1:2:set:0.30",
    ]
    rows = []
    for text in texts:
        found, problems = surgery.read(text, sizes)
        assert not problems, problems
        again = surgery.write(found)
        parts = [
            {
                "field": e.name,
                **{axis: _inside(e.where.get(axis)) for axis in surgery.placed(e.name)},
                "how": str(e.how),
                "to": None if e.how == "freeze" else e.to,
            }
            for e in found
        ]
        rows.append(
            {"text": text, "written": again, "edits": parts, "begins": surgery.begins(found)}
        )
    return {"rows": rows, "most": surgery.MOST}


def _inside(at: int | tuple[int, int | None] | None) -> list[int]:
    """Which of the numbers 0 to 11 a place reaches."""
    first, stop = (0, None) if at is None else at if isinstance(at, tuple) else (at, at + 1)
    return list(range(12))[first:stop]


def segments() -> Json:
    """Readers that cut one text differently: blanks of every kind, unknown words, -log2 0."""
    text = "The cat\u0085sat\x1c on\u2003it.\nA 👩‍🚀\ufeffend "
    points = list(text)
    letters = [(0, 0), *((c, c + 1) for c in range(len(points)))]
    ends = [c for c in alignment.words(text) if c]
    words = [(0, 0), *zip([0, *ends[:-1]], ends, strict=True)]
    halves = [(0, 2), *((c, min(c + 3, len(points))) for c in range(2, len(points), 3))]
    rng = np.random.default_rng(2)
    cuts: dict[str, Sequence[tuple[int, int]]] = {"letters": letters, "words": words}
    cuts |= {"halves": halves, "mark": [(0, 0)], "none": []}
    several = "letters,letters words,words halves letters,letters halves,mark words,none words,"
    cases = []
    for names in several.split(","):
        readings, given = [], []
        for name in names.split():
            spans = cuts[name]
            bits = np.round(rng.random(len(spans)) * 9, 4)
            if name == "words":
                bits[3] = math.inf
            unknown = [t for t in range(1, len(spans)) if t % 4 == 0]
            lost = [(c, c + 1) for c in (2, 9, 14)] if name == "halves" else []
            sent_bits = [1e9 if math.isinf(b) else float(b) for b in bits]
            given.append({"spans": spans, "bits": sent_bits, "unknown": unknown, "lost": lost})
            unknown_T = np.isin(np.arange(len(spans)), unknown)
            stop_T = np.array([stop for _, stop in spans], int)
            begin = int(stop_T[0]) if len(spans) else 0
            about = (begin, stop_T[1:], bits[1:], unknown_T[1:], tuple(a for a, _ in lost))
            readings.append(alignment.Reading(*about))
        for by_words in (False, True):
            found = alignment.segments(readings, alignment.words(text) if by_words else None)
            case = {"readers": given, "words": by_words, "labels": found.labels(text)}
            case |= {"start": found.start_S, "stop": found.stop_S}
            cases.append(case | {"bits": found.bits_SM, "unknown": found.unknown_SM})
    return {"text": text, "cases": cases}


def as_text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def wire() -> Json:
    """Replies to a text that is typed, and what must be on the screen after each."""
    typed = ["", "the", "the old", "the old cat", SENTENCE, SENTENCE + " of"]
    typed += ["", "the", "the old dog", "half \ud83d", "x"]
    asked = {"lstm_small": ("cell", "gate.forget"), "transformer_learned": ("attention", "score")}
    found: Json = {}
    for id, names in asked.items():
        run = RunStore(SHIPPED).find(id)
        model = RunStore(SHIPPED).load(run)
        reader = Reader(id, id, model, "", "tokens", names)
        replies: list[Json] = []
        before: Shown | None = None
        for text in typed:
            now = Shown.of(reader, run, text, window(len(text), 400), tokens(model, text))
            shown = now.after(before)
            trace = model.trace(text, fields=reader.needs, window=shown.window)
            head: Header = {"page": "", "seq": 0, "text": text, "notes": []}
            fields = {name: trace.field(name).values for name in names if name in trace}
            reply = {"data": as_text(pack(Reply(head, (read(shown, trace),)))), "keep": shown.keep}
            reply["labels"] = [label.encode("utf-8", "replace").decode() for label in trace.tokens]
            reply |= {"spans": trace.spans, "shapes": {n: v.shape for n, v in fields.items()}}
            reply["fields"] = {n: as_text(v.astype("<f4").tobytes()) for n, v in fields.items()}
            replies.append(reply)
            before = shown.after(None)
        found[id] = replies
    return found


def selection() -> Json:
    """Links, and what Python takes from them; all here makes sense to it."""
    links = (
        "token=3&layer=1&unit=12 order=half_life&by=gate.forget&up=1&first=4&shown=9 next=1984"
        " masks=3&rules=t0.8_p0.9&seed=7 field=gate.forget&reader=lstm&with=2"
        " edits=cell%3A0%3A0%3A2%3Aadd%3A1 steps=2024&size=16&stop=5&head=0&other=2"
        " layer=abc&unit=1.5&head=-1"
    ).split()
    names = {*address.NUMBERS, *address.NAMES, *address.INSPECTED, "edits", "steps", "next"}
    rows = [[link, address._selection(dict(address.parse_qsl(link)))] for link in links]
    return {"rows": rows, "names": sorted(names)}


def elman() -> Json:
    """The weights that are sent of a recurrent network, and the states and logits they must give."""
    store = RunStore(SHIPPED)
    model = store.load(store.find("rnn"))
    weights = Weights(model)
    trace = model.trace("the old cat", fields=["preactivation", "hidden", "probability"])
    fields = (*(trace.field(name) for name in trace), *weights.inputs(trace))
    found = sent(Trace(trace.text, trace.tokens, fields, ids=trace.ids, offset=trace.offset))
    found["probability"] = found["fields"].pop("probability")
    return found | {"weights": weights.packed() | {"activation": model.config.activation}}


def merging() -> Json:
    """A training of merges, and the text after each of them."""
    texts = ["low lower lowest", "a##b ##a ##a## aa", "naïve 👩‍🚀 naïve", "", "x"]
    cases = []
    for kind in study.KINDS:
        for text in texts:
            found = study.study(text, kind, "letters")
            case = {"kind": kind, "symbols": found.symbols, "gone": found.gone}
            after = [found.tokens(step) for step in range(len(found.steps) + 1)]
            cases.append(case | {"steps": len(found.steps), "tokens": after})
    return {"cases": cases}


def difference() -> Json:
    """Two runs of one text, and the change of a field: two scores of -inf differ by nothing."""
    rng = np.random.default_rng(6)
    old = rng.normal(0, 1, (1, 4, 3)).astype(np.float32)
    new = old + rng.normal(0, 1, old.shape).astype(np.float32)
    old[0, 1, 1] = new[0, 1, 1] = -np.inf
    old[0, 2, 0] = -np.inf
    a, b = (tokens_trace({"score": values}, 4) for values in (new, old))
    change = surgery.compare(b, a).field("change.score").values
    return {"edited": sent(a), "plain": sent(b), "change": change.ravel()}


def grammar() -> Json:
    """What declared pictures read of a shipped model, and what a few sentences have to say of it."""
    cases = []
    for run, text in (("hmm", "the old house"), ("hmm_tagger", "You can open the zygrob\nNow")):
        model = live_cache.model(RunStore(SHIPPED).find(run), Markov)
        names = ("predict", "filter", "smooth", "path.back", "viterbi", "path.score")
        trace = model.trace(text, fields=names)
        made = hmm_live.derive(model, trace, {"picks": "2:1,4:3"})
        derived = [
            Field.of(name, Kind.SCORE, dict(zip(axes, map(range, np.shape(v)), strict=True)), v, "")
            for name, (axes, v) in made.items()
            if axes
        ]
        best_T = trace.field("viterbi").values.astype(int)
        filter_TS = trace.field("filter").values.astype(float)
        parts = [filter_TS[t - 1] * model.a_SS[:, best_T[t]] for t in range(1, len(best_T))]
        cases.append(
            {
                **sent(Trace(text, trace.tokens, (*(trace.field(n) for n in names), *derived))),
                "numbers": {name: float(v) for name, (axes, v) in made.items() if not axes},
                "spec": declared.pack_once(hmm_live.LIVE, hmm_live.once(model)),
                "best": best_T,
                "parts": [np.sort(part)[::-1][:3] for part in parts],
                "from": [np.argsort(-part, kind="stable")[:3] for part in parts],
            }
        )
    return {"cases": cases}


def digits() -> Json:
    """What torch computes of digits with the weights that are shipped, in every network; digits that
    were moved."""
    import torch
    from torch.nn import functional as F

    of = networks.shipped()
    cells = of.held_out.cells[[29, 0, 7]]
    moved = images.moved(cells, 1, -2)
    rows = []
    for net in of.networks:
        kernel, bias, dense, dense_bias = map(
            torch.from_numpy, (net.kernel_FKK, net.bias_F, net.dense_KZ, net.dense_bias_K)
        )
        for one in (*cells, *moved):
            x = torch.from_numpy(one / images.FULL)[None, None]
            total = F.conv2d(x, kernel[:, None], bias, net.stride, net.padding)
            pooling = F.max_pool2d if net.pooling == "max" else F.avg_pool2d
            pooled = pooling(total.relu(), networks.POOL)
            logit = F.linear(pooled.flatten(1), dense, dense_bias)
            votes = dense[3].reshape(networks.FILTERS, -1) * pooled.reshape(networks.FILTERS, -1)
            found = {"sum": total, "relu": total.relu(), "pooled": pooled, "logit": logit}
            found |= {"p": logit.softmax(1), "votes": votes.sum(1)}
            row = {name: part.ravel().numpy() for name, part in found.items()}
            rows.append({"net": networks.plain(net), "cells": one.ravel(), **row})
    every = itertools.product((5, 8, 28, 224), (1, 3, 5), (1, 2, 3), (0, 1, 3))
    sizes = [[*size, sums.size(*size)] for size in every]
    about = {"moved": [cells[0].ravel(), moved[0].ravel()], "text": images.written(cells[0])}
    return {"rows": rows, **about, "sizes": sizes}


def patches() -> Json:
    """What torch reads in digits cut into patches, with the weights that the page sends: in their order with
    positions, and in another without."""
    import torch

    from engine.lessons.pictures import parts, store
    from engine.lessons.pictures.patches import Reader, cut

    cells = networks.shipped().held_out.cells[[29, 0, 7]]
    rows = []
    for name, placed in (("placed", True), ("placed", False), ("set", False)):
        net, kept = Reader(placed).double(), store.shipped()[name].state_dict()
        sent = parts.weights(name)
        net.load_state_dict(
            {
                key: torch.tensor(sent[key], dtype=torch.double).view(value.shape)
                for key, value in kept.items()
            }
        )
        order = np.arange(16) if placed else np.random.default_rng(0).permutation(16)
        for one in cells:
            x = cut(torch.tensor(one / images.FULL)[None])[:, order]
            with torch.no_grad():
                logit, attention = net.attend(x)
            found = {"logit": logit[0], "p": logit[0].softmax(0), "attention": attention[:, 0]}
            row = {key: value.numpy() for key, value in found.items()}
            rows.append(
                {"net": name, "placed": placed, "order": order, "cells": one.ravel(), **row}
            )
    return {"nets": {name: parts.weights(name) for name in ("placed", "set")}, "rows": rows}


def activations() -> Json:
    z = np.array([-40.0, -9.5, -6, -4, -3, -2, -1, -0.1, 0, 0.1, 0.5, 1, 2, 3, 4, 6, 9.5, 40])
    start = {of.id: Neuron((1.5, -1.0), 0.5, of.id) for of in ALL}
    learned = [
        (id, task, one.w, one.b, one.loss(wanted), one.right(wanted))
        for id, before in start.items()
        for task, wanted in TASKS.items()
        for one in (before.learned(wanted, 0.05, 200),)
    ]
    curves = {of.id: {"of": of.of(z), "slope": of.slope(z)} for of in ALL}
    return {"z": z, "curves": curves, "learned": learned}


def softmax() -> Json:
    starts = [Logits((2, 1, 0.1, -1), 0), Logits((-6, 6, 0), 0, 2.0), Logits((9, -9), 1, 0.3)]
    return {
        "rows": [
            (
                *(one.z, one.target, one.t, one.p, kind),
                *(one.loss(kind), one.gradient(kind), one.learned(kind, 50).z),
            )
            for one in starts
            for kind in LOSSES
        ]
    }


def network() -> Json:
    """Small networks in torch, in doubles: outputs, losses, gradients, and weights after steps of two
    optimisers.  Weights in one row: layer by layer the matrix, then its biases."""
    import torch
    from torch.nn import functional

    kinds: dict[str, Any] = {"tanh": torch.tanh, "relu": torch.relu, "leaky": functional.leaky_relu}
    kinds |= {"sigmoid": torch.sigmoid, "linear": lambda z: z}

    def read(p: list[torch.Tensor], x: torch.Tensor, kind: str) -> torch.Tensor:
        for n in range(0, len(p), 2):
            x = functional.linear(x, p[n], p[n + 1])
            x = kinds[kind](x) if n < len(p) - 2 else x
        return x

    def error(z: torch.Tensor, t: torch.Tensor, loss: str) -> torch.Tensor:
        if loss == "entropy":
            each = functional.binary_cross_entropy_with_logits(z, t, reduction="none")
        else:
            each = (torch.sigmoid(z) - t) ** 2 / 2
        return each.sum(1).mean()

    def row(parts: Sequence[torch.Tensor]) -> np.ndarray:
        return np.concatenate([part.detach().numpy().ravel() for part in parts])

    rngs = [np.random.default_rng(seed) for seed in (11, 12)]
    cases = []
    for sizes in ([2, 1], [2, 4, 1], [2, 3, 5, 2, 1], [2, 3, 2]):
        for kind in kinds:
            rng = rngs[kind == "leaky"]
            for loss in ("entropy", "squared"):
                shapes = [s for n, m in itertools.pairwise(sizes) for s in ((m, n), (m,))]
                p = [torch.tensor(rng.normal(0, 1, s), requires_grad=True) for s in shapes]
                x = torch.tensor(rng.normal(0, 1, (6, 2)))
                t = torch.tensor(rng.integers(0, 2, (6, sizes[-1])).astype(float))
                z = read(p, x, kind)
                found = error(z, t, loss)
                gradient = torch.autograd.grad(found, p)
                steps = {}
                for name, make in (("sgd", torch.optim.SGD), ("adam", torch.optim.Adam)):
                    own = [part.detach().clone().requires_grad_() for part in p]
                    optimiser = make(own, lr=0.1)
                    for _ in range(5):
                        optimiser.zero_grad()
                        error(read(own, x, kind), t, loss).backward()
                        optimiser.step()
                    steps[name] = row(own)
                case = {"sizes": sizes, "activation": kind, "loss": loss, "steps": steps}
                case |= {"p": row(p), "x": row([x]), "t": row([t]), "gradient": row(gradient)}
                case |= {"outputs": torch.sigmoid(z).detach().numpy(), "error": found.item()}
                cases.append(case)
    return {"cases": cases, "course": course(rngs[0])}


def course(rng: np.random.Generator) -> Json:
    """Fifty steps of ten of forty points each, by both optimisers: which points, the weights after each
    step, and the loss of all points."""
    import torch
    from torch import nn
    from torch.nn import functional

    net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
    for part in net.double().parameters():
        part.data = torch.from_numpy(rng.normal(0, 0.8, tuple(part.shape)))
    start = {name: part.clone() for name, part in net.state_dict().items()}
    x = torch.from_numpy(rng.uniform(-1, 1, (40, 2)))
    t = (x[:, :1] * x[:, 1:] > 0).double()
    order = [row.tolist() for _ in range(13) for row in rng.permutation(40).reshape(4, 10)][:50]
    flat = nn.utils.parameters_to_vector
    after: dict[str, Json] = {}
    for name, make in (("sgd", torch.optim.SGD), ("adam", torch.optim.Adam)):
        net.load_state_dict(start)
        optimiser, p, loss = make(net.parameters(), lr=0.1), [], []
        for which in order:
            optimiser.zero_grad()
            functional.binary_cross_entropy_with_logits(net(x[which]), t[which]).backward()
            optimiser.step()
            p.append(flat(net.parameters()).tolist())
            loss.append(functional.binary_cross_entropy_with_logits(net(x), t).item())
        after[name] = {"p": p, "loss": loss}
    net.load_state_dict(start)
    points = {"x": x.numpy().ravel(), "t": t.numpy().ravel()}
    return {"p": flat(net.parameters()).tolist(), **points, "order": order, "after": after}


def boltzmann() -> Json:
    """Small machines whose every configuration is summed in torch, and 50 steps of each method with given
    uniform numbers.  Parameters in one row: W by rows, then b, then c."""
    import torch

    def flat(*parts: torch.Tensor) -> np.ndarray:
        return np.concatenate([part.detach().numpy().ravel() for part in parts])

    def every(units: int) -> torch.Tensor:
        rows = list(itertools.product((0.0, 1.0), repeat=units))
        return torch.tensor(rows, dtype=torch.float64)

    def likelihood(p: Sequence[torch.Tensor], rows: torch.Tensor) -> torch.Tensor:
        """The mean ln P(v), by all configurations."""
        w, b, c = p
        v, h = every(len(b)), every(len(c))
        log_VH = (v @ b)[:, None] + h @ c + v @ w @ h.T
        own = (rows @ b)[:, None] + h @ c + rows @ w @ h.T
        return own.logsumexp(1).mean() - log_VH.logsumexp((0, 1))

    rng, cases = np.random.default_rng(21), []
    for n, m in ((3, 2), (6, 4), (9, 5)):
        shapes = ((n, m), (n,), (m,))
        p = [torch.tensor(rng.normal(0, 1, s), requires_grad=True) for s in shapes]
        rows = torch.tensor(rng.integers(0, 2, (5, n)).astype(float))
        mean = likelihood(p, rows)
        h_M = rng.integers(0, 2, m).astype(float)
        e = -(rows[0] @ p[1]), -(torch.tensor(h_M) @ p[2]), -(rows[0] @ p[0] @ torch.tensor(h_M))
        case = {"n": n, "m": m, "p": flat(*p), "rows": rows.numpy(), "likelihood": mean.item()}
        case |= {"gradient": flat(*torch.autograd.grad(mean, p)), "h": h_M}
        cases.append(case | {"energy": [part.item() for part in e]})
    n, m, rate, size = 6, 4, 0.3, 3
    start = [torch.tensor(rng.normal(0, 0.1, s)) for s in ((n, m), (n,), (m,))]
    rows = torch.tensor(rng.integers(0, 2, (9, n)).astype(float))
    order = [rng.permutation(9)[:size].tolist() for _ in range(50)]
    first = torch.tensor(rng.integers(0, 2, (2, n)).astype(float))
    uniforms = [rng.random(5 * size * (n + m)).tolist() for _ in range(50)]
    after: dict[str, Any] = {}
    for method, turns in (("cd1", 1), ("cd5", 5), ("pcd", 1), ("exact", 0)):
        (w, b, c), chains, after[method] = [part.clone() for part in start], first.clone(), []
        for which, given in zip(order, uniforms, strict=True):
            data, drawn = rows[which], iter(given)
            hidden = torch.sigmoid(data @ w + c)
            seen = data.T @ hidden / size, data.mean(0), hidden.mean(0)
            if method == "exact":
                p = [part.clone().requires_grad_() for part in (w, b, c)]
                steps = torch.autograd.grad(likelihood(p, data), p)
            else:
                of = [one.clone() for one in (chains if method == "pcd" else data)]
                for k, v in enumerate(of):
                    for _ in range(turns):
                        h = torch.tensor([float(next(drawn) < q) for q in torch.sigmoid(v @ w + c)])
                        h = h.double()
                        v = torch.tensor([float(next(drawn) < q) for q in torch.sigmoid(w @ h + b)])
                        v = v.double()
                    of[k] = v
                model = torch.stack(of)
                chains = model if method == "pcd" else chains
                drawn_h = torch.sigmoid(model @ w + c)
                found = model.T @ drawn_h / len(model), model.mean(0), drawn_h.mean(0)
                steps = tuple(a - e for a, e in zip(seen, found, strict=True))
            w, b, c = (q + rate * step for q, step in zip((w, b, c), steps, strict=True))
            after[method].append(flat(w, b, c))
    course = {"n": n, "m": m, "rate": rate, "p": flat(*start), "rows": rows.numpy()}
    course |= {"order": order, "chains": first.numpy(), "uniforms": uniforms, "after": after}
    return {"cases": cases, "course": course}


def adversarial() -> Json:
    """Fifty turns of two nets against each other in torch, in doubles, for each loss and cure, with
    given points and noise.  Parameters in one row: layer by layer the matrix, then its biases."""
    import torch
    from torch import nn
    from torch.nn import functional

    rng, hidden, size, noise, rate, weight = np.random.default_rng(31), 5, 6, 2, 0.01, 1.0
    turns = 50
    draw = lambda *shape: torch.tensor(rng.normal(0, 1, shape))  # noqa: E731
    given = [(draw(size, 2), draw(size, noise), draw(size, noise)) for _ in range(turns)]
    shares = [torch.tensor(rng.random((size, 1))) for _ in range(turns)]
    flat = nn.utils.parameters_to_vector
    wells = {"plain": functional.softplus, "wasserstein": torch.neg}
    cases = []
    for loss, cure in (
        *(("plain", cure) for cure in ("none", "statistics", "spectral")),
        ("saturating", "none"),
        ("wasserstein", "none"),
        ("wasserstein", "penalty"),
    ):
        inputs = 4 if cure == "statistics" else 2

        def layers(n: int, m: int) -> nn.Sequential:
            leaky = [nn.LeakyReLU(0.01) for _ in range(2)]
            parts = nn.Linear(n, hidden), leaky[0], nn.Linear(hidden, hidden), leaky[1]
            net = nn.Sequential(*parts, nn.Linear(hidden, m)).double()
            for part in net.parameters():
                part.data = torch.tensor(rng.normal(0, 0.7, tuple(part.shape)))
            return net

        g, d = layers(noise, 2), layers(inputs, 1)
        start = {"G": flat(g.parameters()).tolist(), "D": flat(d.parameters()).tolist()}

        def judged(x: torch.Tensor, d: nn.Sequential = d, cure: str = cure) -> torch.Tensor:
            if cure == "statistics":
                spread = (x.var(0, correction=0) + 1e-8).sqrt()
                x = torch.cat([x, spread.expand(len(x), 2)], 1)
            return d(x)[:, 0]

        of_d, of_g = (
            torch.optim.Adam(net.parameters(), lr=rate, betas=(0.5, 0.999)) for net in (d, g)
        )
        after = []
        for (real, z_d, z_g), share in zip(given, shares, strict=True):
            made = g(z_d).detach()
            r, f = judged(real), judged(made)
            if loss == "wasserstein":
                lost = f.mean() - r.mean()
                if cure == "penalty":
                    between = (share * real + (1 - share) * made).requires_grad_()
                    (slope,) = torch.autograd.grad(d(between).sum(), between, create_graph=True)
                    lost = lost + weight * ((slope.norm(dim=1) - 1) ** 2).mean()
            else:
                lost = functional.softplus(-r).mean() + functional.softplus(f).mean()
            of_d.zero_grad()
            lost.backward()
            of_d.step()
            if cure == "spectral":
                with torch.no_grad():
                    for part in d[::2]:
                        part.weight /= torch.linalg.matrix_norm(part.weight, 2)
            made = judged(g(z_g))
            each = (
                -functional.softplus(made)
                if loss == "saturating"
                else wells[loss](-made if loss == "plain" else made)
            )
            of_g.zero_grad()
            each.mean().backward()
            of_g.step()
            after.append({"G": flat(g.parameters()).tolist(), "D": flat(d.parameters()).tolist()})
        told = {"loss": loss, "cure": cure, "start": start, "after": after}
        real, made = given[0][0], g(given[0][2]).detach()
        r, f = judged(real), judged(made)
        told["scores"] = f.tolist()
        entropy = functional.softplus(-r).mean() + functional.softplus(f).mean()
        told["lossD"] = (f.mean() - r.mean() if loss == "wasserstein" else entropy).item()
        cases.append(told)
    draws = [
        {
            "real": real.numpy().ravel(),
            "zD": a.numpy().ravel(),
            "zG": b.numpy().ravel(),
            "share": s.ravel().tolist(),
        }
        for (real, a, b), s in zip(given, shares, strict=True)
    ]
    return {"hidden": hidden, "noise": noise, "rate": rate, "draws": draws, "cases": cases}


def segmented() -> Json:
    """Characters of many scripts, and labels that are shortened."""
    texts = [*map(sentences.text, sentences.SENTENCES), "", "a\r\nb", "ok 中カa1️⃣x\u20e3 ง ราคา12.5"]
    labels = ["👩‍👩‍👧🇩🇪" * 4, "می‌نوشم", "a\u200db", "क्षि" * 9, "two words\n", "\u200bx"]
    labels.append("e\u0301" * 14)
    return {
        "cut": [[t, segmentation.clusters(t)] for t in texts],
        "first": [[t, segmentation.first(t, 3)] for t in texts],
        "shown": [[label, theme.visible(label, 14)] for label in labels],
    }


MADE = (
    decode,
    orders,
    edits,
    segments,
    wire,
    selection,
    elman,
    merging,
    difference,
    grammar,
    digits,
    patches,
)
TWINS: dict[str, Callable[[], Json]] = {
    made.__name__: made
    for made in (*MADE, activations, softmax, network, boltzmann, adversarial, segmented)
}


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in TWINS.items():
        text = json.dumps(plain(make()), allow_nan=False)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
