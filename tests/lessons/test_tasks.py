"""Task heads: questions from trees, what counts in a loss, heads and tuned layers by another way, one's own labels,
lines that are made, and the game with replaced words."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score, roc_auc_score
from torch.nn import functional as F

from engine.analysis import task_heads as store
from engine.analysis.back_translation import there_and_back
from engine.core.registry import corpora
from engine.lessons.tasks import (
    LESSON,
    augment,
    build,
    domain,
    examples,
    game,
    learning,
    live,
    own,
    parts,
    questions,
    reading,
    writing,
)
from engine.lessons.tasks.examples import NOTHING
from engine.models.bert import Bert
from engine.nn.tuning import lora
from engine.runs.store import SHIPPED, RunStore
from tests.conftest import shipped
from tests.lessons import blocks
from tests.lessons.blocks import tables

CONLLU = """\
# newdoc id = one
# text = The captain wrote a long letter on Monday.
1\tThe\tthe\tDET\tDT\tPronType=Art\t2\tdet\t_\t_
2\tcaptain\tcaptain\tNOUN\tNN\tNumber=Sing\t3\tnsubj\t_\t_
3\twrote\twrite\tVERB\tVBD\tTense=Past|VerbForm=Fin\t0\troot\t_\t_
4\ta\ta\tDET\tDT\tPronType=Art\t6\tdet\t_\t_
5\tlong\tlong\tADJ\tJJ\tDegree=Pos\t6\tamod\t_\t_
6\tletter\tletter\tNOUN\tNN\tNumber=Sing\t3\tobj\t_\t_
7\ton\ton\tADP\tIN\t_\t8\tcase\t_\t_
8\tMonday\tMonday\tPROPN\tNNP\tNumber=Sing\t3\tobl\t_\tSpaceAfter=No
9\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

# text = Paris is the capital.
1\tParis\tParis\tPROPN\tNNP\tNumber=Sing\t4\tnsubj\t_\t_
2\tis\tbe\tAUX\tVBZ\tTense=Pres\t4\tcop\t_\t_
3\tthe\tthe\tDET\tDT\tPronType=Art\t4\tdet\t_\t_
4\tcapital\tcapital\tNOUN\tNN\tNumber=Sing\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def model() -> Bert:
    found = shipped("bert")
    assert isinstance(found, Bert)
    return found


def test_questions_leave_out_one_branch_of_the_tree() -> None:
    first, second = questions.read(CONLLU)
    assert [(asked, first.text[a:b]) for asked, a, b in questions.ask(first)] == [
        ("What wrote a long letter?", "The captain"),
        ("What did the captain write?", "a long letter"),
        ("When did the captain write a long letter?", "on Monday"),
    ]
    assert [(asked, second.text[a:b]) for asked, a, b in questions.ask(second)] == [
        ("Who is Paris?", "the capital"),
        ("What is the capital?", "Paris"),
    ]
    made = questions.make(CONLLU)
    answered = [one for one in made if one.stop]
    assert {one.passage[one.start : one.stop] for one in answered} == {
        "The captain",
        "a long letter",
        "on Monday",
        "the capital",
        "Paris",
    }
    for one in made:  # where it is said not to be there, it is not
        if not one.stop:
            right = {a.passage[a.start : a.stop] for a in answered if a.asked == one.asked}
            assert not any(answer in one.passage for answer in right)


def test_only_the_first_piece_of_a_word_counts(model: Bert) -> None:
    names = ("DET", "NOUN", "PUNCT")
    line = "the/DET unbelievableness/NOUN ./PUNCT"
    (one,) = examples.of_tagged(model, [line], names)
    pieces = model.tokens("the unbelievableness .").labels
    wanted, words = [], iter([0, 1, 2])
    for piece in pieces:
        counts = piece not in ("[CLS]", "[SEP]") and not piece.startswith("##")
        wanted.append(next(words) if counts else NOTHING)
    assert any(piece.startswith("##") for piece in pieces)
    assert one.target.tolist() == wanted
    logit_NK = torch.randn(len(wanted), 3)
    counted = [t for t, target in enumerate(wanted) if target != NOTHING]
    mean = -np.mean([float(logit_NK[t].log_softmax(0)[wanted[t]]) for t in counted])
    assert float(learning.active(logit_NK, torch.tensor(wanted))) == pytest.approx(mean, rel=1e-5)
    assert float(learning.active(logit_NK, torch.full((len(wanted),), NOTHING))) == 0


def test_the_span_is_asked_of_the_passage_alone() -> None:
    ids_BT = torch.tensor([[1, 5, 6, 2, 7, 8, 9, 2]])
    logit_BT2 = torch.randn(1, 8, 2)
    found = float(learning.span_loss(logit_BT2, ids_BT, torch.tensor([[4, 6]]), end=2))
    inside = logit_BT2[0, 4:7]
    first, last = (F.cross_entropy(inside[:, n], torch.tensor(at)) for n, at in ((0, 0), (1, 2)))
    assert found == pytest.approx(float(first + last), rel=1e-5)
    assert store.find_passage(ids_BT[0].numpy(), 2).tolist() == [False] * 4 + [True] * 3 + [False]


def test_the_best_span_by_brute_force() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        p_T2 = store.softmax(rng.normal(size=(30, 2)), 0)
        every = [(a, b) for a, b in product(range(30), repeat=2) if a <= b < a + store.LONGEST]
        best = max(every, key=lambda pair: p_T2[pair[0], 0] * p_T2[pair[1], 1])
        assert store.find_span(p_T2[:, 0], p_T2[:, 1]) == best
        assert tuple(learning.best_spans(np.log(p_T2)[None])[0]) == best


def test_measures_by_another_library() -> None:
    rng = np.random.default_rng(0)
    score_N, is_N = rng.integers(0, 9, 200) / 9, rng.integers(0, 2, 200)
    assert learning.area(score_N, is_N) == pytest.approx(roc_auc_score(is_N, score_N))
    for _ in range(20):
        said, right = (np.sort(rng.integers(0, 12, 2)) for _n in range(2))
        marks = [[int(a <= t <= b) for t in range(12)] for a, b in (right, said)]
        assert learning.overlap(said[None], right[None])[0] == pytest.approx(f1_score(*marks))


def test_the_two_halves_are_the_body(model: Bert) -> None:
    ids_BT = torch.from_numpy(model.tokens("The old captain opened the door.").ids)[None]
    with torch.no_grad():
        whole = model.net(ids_BT)
        halves = store.upper(model.net)(store.lower(model.net)(ids_BT))
    assert torch.equal(whole, halves)


def test_the_page_says_what_torch_says(model: Bert) -> None:
    """Heads and LoRA by their modules in torch, not folded in."""
    text = LESSON.example
    of, trace = store.shipped(), model.trace(text, fields=("residual",))
    counted_T = reading.find_counted(model, trace.ids, trace.tokens)
    bodies = reading.read_bodies(model, trace.field("residual").values)
    found = reading.answers(model, trace.ids, counted_T, bodies)
    tower = store.upper(model.net).eval()
    plan: Any = SimpleNamespace(
        lora_targets=lora.ALL, lora_rank=of.results["rank"], lora_alpha=of.results["alpha"]
    )
    lora.install(tower, plan)
    named = dict(tower.named_parameters())
    narrow = {
        n.removeprefix(store.LORA): x for n, x in of.arrays.items() if n.startswith(store.LORA)
    }
    assert set(narrow) == set(lora.learns(tower, plan))
    with torch.no_grad():
        for name, x in narrow.items():
            named[name].copy_(torch.from_numpy(x))
        ids_BT = torch.from_numpy(trace.ids)[None]
        below = store.lower(model.net)(ids_BT)
        for b, above in enumerate((store.upper(model.net), tower)):
            heads = learning.Heads(model.config.width, len(of.names))
            prefix = f"{store.BODIES[b]}."
            heads.heads.load_state_dict(
                {
                    name.removeprefix(prefix): torch.from_numpy(x)
                    for name, x in of.arrays.items()
                    if name.startswith(prefix)
                }
            )
            x_BTD = above(below)
            for head in ("class", "pair"):
                logits = heads.logits(head, x_BTD, model.net)
                wanted = [float(logits[way].softmax(-1)[0, 1]) for way in learning.WAYS]
                np.testing.assert_allclose(found[head][1][:, b], wanted, atol=1e-4)
            tag_TK = heads.logits("tags", x_BTD, model.net)["token"][0].softmax(-1).numpy()
            said_T = found["tag"][1][:, b]
            np.testing.assert_array_equal(said_T[counted_T], tag_TK.argmax(1)[counted_T])
            assert np.isnan(said_T[~counted_T]).all()


def test_without_a_second_sentence_nothing_is_asked_of_it(model: Bert) -> None:
    trace = model.trace("A fine film.", fields=("residual",))
    found = live.derive(model, trace, {})
    assert np.isnan(found["pair"][1]).all() and np.isnan(found["first"][1]).all()
    assert not len(found["answer"][1])


def test_a_head_for_labels_of_ones_own(model: Bert) -> None:
    of = own.read(own.example())
    assert of.names == ["food", "money", "weather"] and len(of.labels) == 18
    vector_NWD = np.stack([*own.read_vectors(model, of.texts)])
    asked_WD = next(own.read_vectors(model, [parts.ASKED]))
    found = own.compare(vector_NWD, of, parts.ASKED, asked_WD)
    best = max(found[way].right for way in own.WAYS)
    assert best > found[own.COUNTS].right + 0.1  # what the page says of its example
    for one in found.values():
        assert sum(one.said.values()) == pytest.approx(1)
    assert found["cls"].numbers == 3 * 257


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("good: a\ngood: b\ngood: c\ngood: d", "All lines have the same label"),
        ("good: a\nbad: b", "at least 4 lines"),
        ("no label here", "Line 1 is not a label"),
        ("", "Type some lines"),
        (" \n\n", "Type some lines"),
        ("good: a", "One line is too few"),
        ("good:", "Line 1 is not a label"),
        (": a", "Line 1 is not a label"),
        ("a: b\n" * 300, "These are 300 lines"),
    ],
)
def test_lines_that_do_not_do(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        own.read(text)


def test_mixup_of_the_notes() -> None:
    found = augment.mix(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]), 0.7)
    np.testing.assert_allclose(found, [1.6, 2.0, 2.4])


def test_what_is_made_of_a_line_keeps_its_words() -> None:
    rng, words = np.random.default_rng(0), "the old captain opened the door".split()
    assert sorted(augment.swap(words, 0.3, rng)) == sorted(words)
    fewer = augment.delete(words, 0.5, rng)
    assert 0 < len(fewer) < len(words) and all(word in words for word in fewer)
    assert augment.delete(["one"], 1.0, rng) == ["one"]
    space = shipped("skipgram").space  # type: ignore[attr-defined]
    found = augment.synonyms(["captain"], space, 1.0, rng)
    row = space.row("captain")
    cosine_V = space.unit @ space.unit[row]
    cosine_V[row] = -1
    assert found == [space.words[int(cosine_V.argmax())]]
    assert augment.synonyms(["the"], space, 1.0, rng) == ["the"]  # too common


def test_lines_that_come_back_and_what_they_gain(
    model: Bert, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way back of the part is that of the two translators; gains are those of the shares."""
    table: Any = shipped("skipgram")
    there, back = shipped("translator_spanish"), shipped("translator_english")
    make = parts.Made(table.space, there, back)  # type: ignore[arg-type]
    lines = ["God said to him,", "He went to the city."]
    made = make(augment.BACK, lines, 0.2, np.random.default_rng(5))
    seed = int(np.random.default_rng(5).integers(2**31))
    drawn = there_and_back(there, back, lines, parts.HEAT, seed)  # type: ignore[arg-type]
    assert made == [again for _abroad, again in drawn] != lines
    given = {"model": model, "table": table, "there": there, "back": back, "copies": 1}
    monkeypatch.setattr(augment, "DRAWS", 2)
    found = parts.augmented.blocks(**given, start=True)
    shown, rows = tables(found)
    assert [row["made by"] for row in shown] == ["as it is", *[*parts.AUGMENTED.values()][:-1]]
    assert [row["lines"] for row in rows] == ["as they are", *parts.AUGMENTED.values()]
    of = own.read(own.example())
    x_ND = np.stack([*own.read_vectors(model, of.texts)])[:, parts.VECTORS.index("mean")]
    plain = [augment.judge(x_ND, of.labels, None, seed) for seed in range(2)]
    assert rows[0]["right"] == pytest.approx(np.mean(plain)) and rows[0]["gain in points"] == ""
    mixed = [
        augment.judge(x_ND, of.labels, augment.mixed(x_ND, 1, np.random.default_rng(n)), n)
        for n in range(2)
    ]
    gain = 100 * float(np.subtract(mixed, plain).mean())
    assert rows[-1]["gain in points"].replace("−", "-").startswith(f"{gain + 0.0:+.1f} (")
    told = {
        "plain": [0.5, 0.5, 0.6],
        "up": [0.7, 0.7, 0.81],
        "down": [0.1, 0.1, 0.19],
        "as": [0.5, 0.6, 0.5],
    }
    said = blocks.said(parts.gains(told))
    assert "More right than by chance: **up**" in said and "not by chance: **down**" in said
    assert "No difference" in blocks.said(
        parts.gains({name: told[name] for name in ("plain", "as")})
    )
    said = parts.augmented.blocks(**{**given, "back": None})
    assert "they are missing" in blocks.said(said)


def test_a_line_is_not_judged_by_what_was_made_of_it() -> None:
    """Vectors of noise, whose copies are the lines themselves: whoever looked would be right about all."""
    rng = np.random.default_rng(0)
    x_ND, labels = rng.normal(size=(40, 30)), [str(n % 2) for n in range(40)]
    plain = augment.judge(x_ND, labels, None)
    copied = augment.judge(x_ND, labels, augment.changed(x_ND.copy(), range(40)))
    assert plain < 0.8 and copied < 0.8


def test_the_game(model: Bert) -> None:
    made = game.play(model, parts.TEXT, 0.2, seed=3)
    assert made.replaced and made.replaced <= made.touched <= {*made.asked}
    for t, (before, after) in enumerate(zip(made.before, made.after, strict=True)):
        assert (before != after) == (t in made.replaced)
    assert made.score([*made.replaced]) == (len(made.replaced), 0)
    assert len(made.guess) == len(made.replaced)
    with pytest.raises(ValueError, match="three words"):
        game.play(model, "Yes", 0.2, 0)


def test_words_are_written_at_a_mask_at_the_end(model: Bert) -> None:
    text = "The old captain opened the door and"
    for _word in range(3):
        asked = model.trace(f"{text} [MASK]", fields=("fill",))
        p_V = asked.field("fill").values[-2]  # before the mark that closes the text
        text += f" {model.tokenizer.vocab[int(p_V.argmax())]}"
    assert f"The old captain opened the door and {writing.go_on(model, text[:35], 3)}" == text
    assert writing.go_on(model, "word " * 500, 3) == ""  # no room
    with pytest.raises(ValueError, match="Type some words"):
        writing.go_on(model, " ", 3)


def test_going_on_with_another_text_leaves_the_shipped_weights(
    model: Bert, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is judged before and after are the model and the tuned one, on lines that neither learned from."""
    monkeypatch.setattr(domain, "EXAMPLES", 8)
    before = {name: x.copy() for name, x in model.weights().items()}
    text = corpora.get("scenes").text()
    *_steps, found = domain.adapt(RunStore(SHIPPED).find("bert"), model, text, 2)
    assert len(found.losses) == 2 and found.model is not None
    for name, x in model.weights().items():
        np.testing.assert_array_equal(x, before[name])
    for judged, one in ((found.before, model), (found.after, found.model)):
        assert judged["new"] == domain.judge(one, domain.lines_of("scenes")[1])
    for name, judged in found.before.items():  # the same masked words, guessed by others
        assert judged.words == found.after[name].words
        assert judged.nats != found.after[name].nats
    with pytest.raises(ValueError, match="several lines"):
        next(domain.adapt(RunStore(SHIPPED).find("bert"), model, "One line.", 2))


def test_what_going_on_is_worth_is_what_was_measured(model: Bert) -> None:
    from scipy.stats import t

    found = domain.measured()
    assert "python_docs" in found and {*found} <= {*domain.TEXTS}
    for one in found.values():
        for name in parts.KINDS:
            gains = [end[1] - one.before[name][1] for end in one.after[name]]
            mean, n = float(np.mean(gains)), len(gains)
            scale = float(np.std(gains, ddof=1)) / n**0.5
            wanted = mean, *t.interval(0.95, n - 1, loc=mean, scale=scale)
            assert one.gain(name, 1) == pytest.approx(wanted) and n == domain.SEEDS
    docs = found["python_docs"]
    judged = domain.judge(model, domain.lines_of("python_docs")[1], domain.MANY)
    assert docs.before["new"] == pytest.approx((judged.right, judged.nats), abs=2e-3)
    assert docs.words["new"] == judged.words


def test_names_of_another_number_than_the_head_has_tags_are_refused() -> None:
    of = store.shipped()
    with pytest.raises(ValueError, match="16 names for 17 tags"):
        store.unpack(of.arrays, {**of.results, "tags": of.names[:-1]})


def test_what_is_shipped_is_what_was_measured() -> None:
    of = store.shipped()
    assert of.results["learned"].keys() == build.LEARNED.keys()
    for head in of.heads["frozen"]:
        assert head in of.heads["tuned"]
    for name, _called in parts.SCORES:
        assert 0 < of.results["frozen"][name] < 1 and 0 < of.results["tuned"][name] < 1
    assert store.ARRAYS.stat().st_size < 400_000
