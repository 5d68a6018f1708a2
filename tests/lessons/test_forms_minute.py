"""What the first minutes of pages of forms say, read off the pages as their steps set them."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import lesson
from engine.course.first_minute import PLACES, places
from engine.lessons.convolution import images
from engine.lessons.convolution import networks as digit_networks
from engine.runs.store import SHIPPED, RunStore
from pages.ui import minute
from tests.conftest import ROOT
from tests.test_javascript import NODE, needs_node

SECONDS = 180
STEPS = [(id, n) for id in PLACES for n in range(len(PLACES[id]))]
LONG = {"units", "training"}  # seconds for their first step
# what the page says or lists at a step of a lesson that bears out its sentence: patterns.  Map: its search answers,
# and Network is computed in the browser: see the test below.
BORNE_OUT = r"""
smoothing 1: After “the cat”: 4 times ¦ </s>\s+2 ¦ saw\s+1 ¦ sat\s+1
smoothing 2: Both occur 3 times ¦ 3\.06 to 1
smoothing 3: are 0 \(“books”\)
smoothing 4: dog\s+0\.1042\d*\s+0\.6666\d*\s+0\.1604
scoring 1: 11\.71401
scoring 2: 11\.71401 ¦ 1\.95233 ¦ \*\*3\.87\*\*
scoring 3: \*\*21\.3\*\*
scoring 4: Zero events: 1 of ¦ Unknown words: 0
sparsity 1: 1,456 different words make \$6\.54 \\times 10\^\{15\}\$ ¦ \*\*103,467\*\* of them ¦
    \*\*64 %\*\* of those only once
sparsity 2: about 0\.28 times the count ¦ about 1\.4 times as many
sparsity 3: 42853\s+369030\s+4\.52 ¦ 10701\s+116798\s+4\.739
sparsity 4: 10,701 of 42,853 ¦ equal width\s+4\s+177930\s+0\.11\d*\s+4\.5816 ¦ 369030
word2vec 1: this centre has \*\*4\*\* around it
word2vec 2: \*\*1 of 8\*\* rows of the input table and \*\*8 of 8\*\* rows of the output
word2vec 3: \*\*4 of 7\*\* rows of the output
pieces 1: has \*\*34\*\* different ¦ 34 of them occur ¦ not known
pieces 2: 14 of the 34 ¦ all 42 different ¦ \*\*0\.69\*\*
pieces 3: unhappiest\s+Skip-gram word vectors\s+no vector ¦ unhappiest\s+GloVe word vectors\s+no vector ¦
    fastText word vectors\s+built ¦ CharNgram word vectors\s+built
moved 1: gay\s+1\.059\d*\s.*sweet, bright.*openly, committed, pride
moved 2: gay\s+1\.059\d*\s+0\.13, rarely 0\.21 ¦ 4\.9352
moved 3: 0\s+gay\s+1\.06 ¦ 0\s+woman\s+0\.20
units 1: inside quotation marks” holds.*\*\*99\.70 %\*\*.*\*\*lower\*\*
units 2: two brackets deep” holds.*\*\*95\.0 %\*\*.*\*\*higher\*\* ¦ against 20 hypotheses
units 3: In \*\*57\.7 %\*\* of all such pairs
cells 1: GRU .*99\.2 % ¦ LSTM .*85\.5 % ¦ Elman RNN .*33\.6 % ¦ A guess is right 25 %
cells 2: Elman RNN\s+86\s+8600\s+25\.2 % ¦ LSTM\s+40\s+8640\s+25\.2 % ¦ GRU\s+47\s+8460\s+100\.0 % ¦
    LSTM of 1997\s+47\s+8460\s+100\.0 %
cells 3: LSTM\s+40\s+8640\s+100\.0 %
cells 4: 365568 ¦ 274176
neuron 1: = 0\.9933 ¦ AND: \*\*4 of 4\*\*
neuron 2: No line parts the ones of XOR
neuron 3: \+ 0 = 0\n ¦ 100 % of the largest slope, 0\.250
neuron 4: \*\*69 %\*\* of the candidates ¦ 1 +Forget gate, σ +\S+ +\S+ +0\.09 ¦ 2 +Forget gate, σ +\S+ +\S+ +0\.10
softmax 1: The target has 63\.8 %
softmax 2: The target has 86\.2 %
softmax 3: Confidently wrong ¦ \*\*14\*\* with.*2,000 are not enough
softmax 4: float32 .*\?, \?, \?, \? +0\.638, 0\.235
cures 1: becomes 808: \*\*it explodes\*\* ¦ by 1\.25
cures 2: The loss is (7\.11 × 10⁻⁴|0\.0007)
cures 3: \*\*2\.30 × 10⁻⁷\*\* reaches ¦ With LSTM, it is \*\*3\.01 × 10⁻⁷\*\*
cures 4: forget bias 3, it is \*\*0\.0809\*\*: \*\*it flows\*\*
prompting 1: 4 \+ drill = no +0\.00\d+ +0\.867 ¦ 0 +0\.16\d+ +0\.0006 ¦ no line calls an animal blue
prompting 2: cat = blue +0\.0020[5-9]\d* ¦ drill = no +0\.935
prompting 3: 14011 ¦ 14002
convolution 1: Read as \*\*6\*\*, 100\.0 % \(it is a 6\)
convolution 2: learn \*\*80\*\* numbers; a dense layer to as many places would learn 33,280
convolution 3: reads \*\*416\*\* right, \*\*93\.5 %\*\*\. Its maps have 4 × 4
convolution 4: Read as \*\*4\*\*, 93\.9 %\. Of 445 .*\*\*98\.2 %\*\*
pictures 1: Of 445 held-out digits it reads \*\*432\*\*
pictures 2: Of 445 held-out digits it reads \*\*96\*\*
pictures 3: convolution and LSTM\D+32\S+4 % .* 99\S+0 %
pictures 4: which thing of 16, never seen\D+74\S+5 % ¦ which thing of 16, seen\D+100\S+0 %
corpora 1: \*\*1,469 different words\*\* in 397,128; 0 of them
corpora 2: 39,069 sentences: mean 10\.2, median 9, longest 22
corpora 3: None of the 8,000 passages occurs twice
optimisers 1: RMSprop is lowest after 150 steps ¦ -2\.8.*40
optimisers 2: SGD diverges: its loss is infinite \(beyond float32\) from step 55 on ¦ w - 0\.08
optimisers 3: its loss is 0\.500\.
batches 1: 431 tokens ¦ 512 cells
batches 2: 12 tokens\s+\S+\s+1\.0 ¦ 15 cells\s+\S+\s+0\.8 ¦ 3 lines\s+\S+\s+4\.0
batches 3: fresh\s+0\.00079 ¦ one mask\s+0\.70
training 1: 875,966
training 2: 3,320,766
training 3: 122,128
runs 1: LSTM, character by character\s+lstm\s+1\.6486
runs 2: 8 of 29 settings differ ¦ steps in 3\.2 h
runs 3: bits per character\s+1\.65\s+1\.72
"""


def patterns(id: str, n: int) -> list[str]:
    lines = BORNE_OUT.replace(" ¦\n    ", " ¦ ").strip().split("\n")
    of = dict(line.split(": ", 1) for line in lines)
    return of.get(f"{id} {n + 1}", "").split(" ¦ ")


@cache
def at_step(id: str, n: int) -> tuple[str, dict[str, Any]]:
    """What a page says and lists where only the step stands in the address, and its state."""
    run = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    run.switch_page(f"pages/{lesson(id).page}")
    run.query_params["step"] = str(n + 1)
    run.run()
    assert not run.exception, run.exception
    words = [str(e.value) for kind in ("markdown", "caption", "latex") for e in getattr(run, kind)]
    words += [f"{m.label} {m.value}" for m in run.metric]
    words += [d.value.to_string() for d in run.dataframe]
    names = minute.chosen(places(id)[n].link)
    state = {name: run.session_state[name] for name in names if name in run.session_state}
    return "\n".join(words), state


@pytest.mark.parametrize(
    ("id", "n"),  # the first step of each page here, the others with `make bench`
    [pytest.param(*at, marks=pytest.mark.slow if at[1] or at[0] in LONG else ()) for at in STEPS],
)
def test_the_page_says_so_too(id: str, n: int) -> None:
    said, state = at_step(id, n)
    for pattern in patterns(id, n):
        assert re.search(pattern, said), (pattern, said[:3000])
    for name, value in minute.chosen(places(id)[n].link).items():
        if name not in ("corpus", "text_of", "corpora.text", "training.text.text", "runs_with"):
            assert state[name] == value, name


def test_the_six_that_was_moved() -> None:
    """What the last step of Convolution says is the image of the first, moved."""
    link = minute.chosen(places("convolution")[3].link)
    held = digit_networks.shipped().held_out
    six = held.cells[int(link["convolution.digit.image"]) - 1]
    assert held.digit[int(link["convolution.digit.image"]) - 1] == 6
    assert link["convolution.digit.drawing"] == images.written(images.moved(six, 0, 2))
    assert images.moved(six, 0, 2).sum() == six.sum()  # nothing has left the square


@needs_node
def test_what_the_small_network_learns() -> None:
    """What the steps of the page on a network say, by the code of the browser."""
    asked = [minute.chosen(step.link)["network.asked"] for step in places("network")]
    links = [dict(parse_qsl(one)) for one in asked]
    script = """
      globalThis.location = { search: "", pathname: "" };
      const { Trainer } = await import(process.argv[1]);
      const one = new Trainer();
      console.log(JSON.stringify(JSON.parse(process.argv[2]).map((asked) => {
        one.read(asked);
        const p = Array.from(one.data.t, (_, n) => one.net.forward(one.data.x, 2 * n)[0]);
        return { ...one.measure(), count: one.net.count, p, t: [...one.data.t], step: one.step };
      })));
      one.read({ ...JSON.parse(process.argv[2])[2], net_seed: 2 });
      console.log(JSON.stringify(one.measure()));
      one.read(JSON.parse(process.argv[2])[1]);
      console.log(JSON.stringify([[0, 0], [0, 1], [1, 0], [1, 1]].map((x) => {
        one.net.forward(x);
        return [...one.net.a[1]];
      })));
    """
    module = (ROOT / "assets/live/network/trainer.js").as_uri()
    command = [NODE, "--input-type=module", "-e", script, module, json.dumps(links)]
    found = subprocess.check_output(command, text=True, timeout=60)
    (line, hand, stuck, linear), other, units = map(json.loads, found.splitlines())
    assert line["step"] == 500 and f"{line['train']['loss']:.3f}" == "0.693"
    orange = [p for p, t in zip(hand["p"], hand["t"], strict=True) if t]
    assert {f"{p:.5f}" for p in orange} == {"0.99995"} and hand["t"] == [0, 1, 1, 0]
    assert [[round(a), round(b)] for a, b in units] == [[0, 1], [1, 1], [1, 1], [1, 0]]
    assert f"{stuck['train']['loss']:.3f}" == "0.348" and stuck["train"]["right"] == 2
    assert other["train"]["right"] == 4
    assert linear["train"]["right"] == 56 and linear["count"] == 249 and linear["step"] == 2000


def test_the_best_by_characters() -> None:
    """What the first step of Runs says of the shipped runs."""
    notes = {r.id: r.note for r in RunStore(SHIPPED).all() if "character by character" in r.title}
    bits = {id: note["held_out"]["bits_per_char"] for id, note in notes.items()}
    took = {id: note["seconds"] for id, note in notes.items()}
    assert len(bits) > 5
    assert min(bits, key=bits.__getitem__) == "lstm" == max(took, key=took.__getitem__)
    assert f"{bits['lstm']:.2f}" == "1.65" and f"{took['lstm'] / 3600:.1f}" == "3.2"
