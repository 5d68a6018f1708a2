"""Long documents: tags that keep the rule, windows and their best span, ranking, centrality, a dialogue in a window,
and the attention over segments, each by another way."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer

from engine.analysis import task_heads
from engine.frame.blocks import Marked, Problem, blocks_in
from engine.lessons.documents import (
    LESSON,
    build,
    centrality,
    dialogue,
    entities,
    hierarchy,
    live,
    parts,
    ranking,
    reader,
    samples,
    store,
)
from engine.lessons.documents.entities import TAGS
from engine.lessons.tasks import live as task_live
from engine.models.base import Model
from engine.models.bert import Bert
from engine.models.wordspace import WordSpace
from engine.runs.store import RunStore
from tests.conftest import shipped
from tests.lessons import blocks

IOB = """\
# text = Ann Lee of New York called.
1\tAnn\tB-PER\t-\t-
2\tLee\tI-PER\t-\t-
3\tof\tO\t-\t-
4\tNew\tB-LOC\t-\t-
5\tYork\tI-LOC\t-\t-
6\tcalled\tO\t-\t-
7\t.\tO\t-\t-

"""


@pytest.fixture(scope="module")
def model() -> Bert:
    found = shipped("bert")
    assert isinstance(found, Bert)
    return found


@pytest.fixture(scope="module")
def glove() -> WordSpace[Any]:
    found = shipped("glove")
    assert isinstance(found, WordSpace)
    return found


def ids(*tags: str) -> np.ndarray:
    return np.array([TAGS.index(tag) for tag in tags])


def test_the_likeliest_tags_that_keep_the_rule_by_brute_force() -> None:
    rng = np.random.default_rng(0)
    for _case in range(20):
        p_NK = rng.dirichlet(np.full(len(TAGS), 0.5), size=4)
        rows = np.array([*product(range(len(TAGS)), repeat=4)])
        legal = [row for row in rows if not entities.broken(row).any()]
        best = max(legal, key=lambda row: float(np.log(p_NK[range(4), row]).sum()))
        assert entities.repaired(p_NK).tolist() == best.tolist()
    assert entities.repaired(np.zeros((0, len(TAGS)))).shape == (0,)


def test_a_tag_inside_follows_its_own_kind_alone() -> None:
    of = ids("I-PER", "I-PER", "B-LOC", "I-PER", "O", "I-ORG", "B-ORG", "I-ORG")
    assert entities.broken(of).tolist() == [True, False, False, True, False, True, False, False]
    assert entities.entities(of) == [
        (0, 2, "PER"),
        (2, 3, "LOC"),
        (3, 4, "PER"),
        (5, 6, "ORG"),
        (6, 8, "ORG"),
    ]


def test_an_entity_counts_with_its_kind_and_both_ends() -> None:
    said = [[(0, 2, "PER"), (3, 5, "LOC")], [(0, 1, "ORG")]]
    right = [[(0, 2, "PER"), (3, 4, "LOC")], [(0, 1, "PER")], []]
    of = entities.count(said, right[:2])
    assert of == {"said": 3, "there": 3, "right": 1} and entities.f1(of) == pytest.approx(1 / 3)
    judged = build.judged(said, right[:2], lost=1)
    assert judged["f1"] == pytest.approx(2 / 7) and judged["low"] <= judged["f1"] <= judged["high"]


def test_names_of_a_list_are_found_longest_first() -> None:
    names = entities.name_list(
        [
            (["New", "York", "and", "New"], [(0, 2, "LOC"), (3, 4, "ORG")]),
            (["New"], [(0, 1, "LOC")]),
            (["New"], [(0, 1, "LOC")]),
        ]
    )
    assert names == {("New", "York"): "LOC", ("New",): "LOC"}
    assert entities.look_up(["In", "New", "York", "New"], names) == [(1, 3, "LOC"), (3, 4, "LOC")]


def test_sentences_of_a_file_and_their_entities_by_characters(model: Bert) -> None:
    ((text, spans),) = build.tagged(IOB)
    assert text == "Ann Lee of New York called ."
    assert [(text[a:b], kind) for a, b, kind in spans] == [("Ann Lee", "PER"), ("New York", "LOC")]
    one = build.Sentence(model, task_heads.lower(model.net), (text, spans))
    assert one.texts == text.split() and one.right == [(0, 2, "PER"), (3, 5, "LOC")]
    assert [TAGS[k] for k in one.tag_N] == "B-PER I-PER O B-LOC I-LOC O O".split()


def test_how_a_word_is_written() -> None:
    found = entities.written(["The", "USA", "won", "2", "Games"])
    assert found[0].tolist() == [1, 0, 1, 0, 0, 0, 1, 1, 0]
    assert found[1].tolist() == [1, 1, 0, 0, 0, 1, 0, 0, 0]
    assert found[3].tolist() == [0, 0, 0, 1, 0, 0, 1, 0, 0]


def test_the_page_shows_the_tags_of_the_head(model: Bert) -> None:
    text = "Unbelievableness of Paris"
    trace = model.trace(text, fields=("residual",))
    words = entities.cut(trace.tokens, trace.spans)
    assert [text[a:b] for _t, a, b in words] == text.split()
    made = live.derive(model, trace, {})
    below_TD = trace.field("residual").values[task_heads.FROZEN - 1]
    p_NK = entities.tag(model, below_TD, words, text)
    assert np.allclose(p_NK.sum(1), 1)
    for n, (t, start, stop) in enumerate(words):
        inner = [m for m, (a, b) in enumerate(trace.spans) if a >= start and start < b <= stop]
        assert inner[0] == t
        for m in inner:  # every piece of a word has its tag
            assert np.allclose(made["p"][1][m], p_NK[n])
    assert np.isnan(made["said"][1][[0, -1]]).all()
    greedy = live.derive(model, trace, {"rule": live.LIKELIEST})
    assert greedy["said"][1][words[0][0]] == p_NK[0].argmax()
    for odd in ("", " ", "😀", "a"):
        live.derive(model, model.trace(odd, fields=("residual",)), {})


def test_a_short_passage_is_read_as_the_task_heads_read_it(model: Bert) -> None:
    asked, passage = samples.QUESTION, "The captain found the old lamp in the garden."
    *_progress, found = reader.read(model, asked, passage, 100, 50)
    assert isinstance(found, reader.Read) and len(found.windows) == 1
    start, stop = found.characters(found.chosen())
    trace = model.trace(f"{asked}\n{passage}", fields=("residual",))
    made = task_live.derive(model, trace, {})
    answer = [trace.spans[t] for t in made["answer"][1]]
    assert (answer[0][0] - len(asked) - 1, answer[-1][1] - len(asked) - 1) == (start, stop)
    odds = made["pair"][1][0, 1]
    assert found.holds_W[0] == pytest.approx(math.log(odds / (1 - odds)), rel=1e-3)


def test_the_best_span_by_brute_force() -> None:
    rng = np.random.default_rng(0)
    for _case in range(10):
        logit_T2 = rng.normal(size=(30, 2))
        every = [
            (logit_T2[i, 0] + logit_T2[j, 1], i, j)
            for i in range(30)
            for j in range(i, min(30, i + task_heads.LONGEST))
        ]
        best, first, last = max(every)
        assert reader.best_span(logit_T2, 5) == (5 + first, 5 + last, pytest.approx(best))


def test_every_window_is_read_and_the_pair_head_chooses(model: Bert) -> None:
    *steps, found = reader.read(model, samples.QUESTION, samples.PASSAGE, 48, 24)
    assert isinstance(found, reader.Read) and steps[-1] == 1.0
    assert len(found.windows) == len(found.best) == len(found.holds_W)
    start, stop = found.characters(found.chosen())
    assert "in the tower of the church" in samples.PASSAGE[start:stop]
    n = found.chosen()
    (first, last), text = found.windows[n], samples.PASSAGE
    alone = text[found.spans[first][0] : found.spans[last - 1][1]]
    *_steps, once = reader.read(model, samples.QUESTION, alone, 100, 50)
    assert isinstance(once, reader.Read)
    assert alone[slice(*once.characters(0))] == text[start:stop]
    assert once.holds_W[0] == pytest.approx(found.holds_W[n], abs=1e-2)


def test_sentences_are_cut_where_they_end() -> None:
    text = "Mr. Lee came.  He left!\n\nA line without an end\nand another."
    assert [text[a:b] for a, b in reader.sentences(text)] == [
        "Mr. Lee came.",
        "He left!",
        "A line without an end",
        "and another.",
    ]
    assert reader.sentences("") == reader.sentences(" \n ") == []


def test_bm25_by_its_formula() -> None:
    some = ["the old lamp", "the lamp and the lamp", "a ship at sea"]
    mean = (3 + 5 + 4) / 3

    def part(df: int, f: int, length: int) -> float:
        weight = math.log(1 + (3 - df + 0.5) / (df + 0.5))
        return weight * f * 2.2 / (f + 1.2 * (0.25 + 0.75 * length / mean))

    wanted = [part(2, 1, 3) + part(1, 1, 3), part(2, 2, 5), 0.0]
    assert ranking.bm25("Old lamp?", some) == pytest.approx(wanted)
    assert ranking.bm25("", some).tolist() == [0, 0, 0]


def test_vectors_of_sentences(model: Bert, glove: WordSpace[Any]) -> None:
    some = ["The old lamp.", "The lamp and the ship", "Quite another thing", "…"]
    library = TfidfVectorizer(token_pattern=r"\w+").fit_transform(some).toarray()
    own = ranking.vectors("tfidf", some)
    assert own @ own.T == pytest.approx(library @ library.T)
    space = glove.space
    rows = [space.row(word) for word in ("the", "old", "lamp")]
    mean = np.mean([space.values[r] / np.linalg.norm(space.values[r]) for r in rows], axis=0)
    found = ranking.vectors("words", some, space=space)
    assert found[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5) and not found[3].any()
    last_TD = model.trace(some[0], fields=("residual",)).field("residual").values[-1]
    mean = last_TD.mean(0)
    assert ranking.vectors("bert", some[:1], model)[0] == pytest.approx(
        mean / np.linalg.norm(mean), abs=1e-4
    )


def test_pagerank_as_networkx_has_it() -> None:
    rng = np.random.default_rng(1)
    x_SD = rng.normal(size=(9, 4))
    s_SS = centrality.similarity(x_SD / np.linalg.norm(x_SD, axis=1, keepdims=True))
    assert (s_SS == s_SS.T).all() and not s_SS.diagonal().any() and s_SS.min() == 0
    found, steps = centrality.pagerank(s_SS)
    wanted = nx.pagerank(nx.from_numpy_array(s_SS), alpha=0.85, tol=1e-12, max_iter=500)
    assert found == pytest.approx([wanted[n] for n in range(9)], abs=1e-7) and steps < 100
    assert centrality.degree(s_SS) == pytest.approx(s_SS.sum(0) / s_SS.sum())
    alone, _steps = centrality.pagerank(np.zeros((3, 3)))
    assert alone == pytest.approx(np.full(3, 1 / 3)) == centrality.degree(np.zeros((3, 3)))


def test_relevance_less_what_is_said_already() -> None:
    central_S = np.array([0.5, 0.45, 0.3])
    s_SS = np.array([[0, 0.9, 0.0], [0.9, 0, 0.1], [0.0, 0.1, 0]])
    assert centrality.choose(central_S, s_SS, 2, False) == [0, 1]
    # of 1: 0.45 - 0.45; of 2: 0.3 - 0
    assert centrality.choose(central_S, s_SS, 2, True) == [0, 2]
    assert centrality.choose(central_S, s_SS, 9, True) == [0, 2, 1]
    assert centrality.summary(["a", "b", "c"], [2, 0]) == "a\nc"


def test_a_name_is_gone_with_its_turn_and_comes_back_with_it() -> None:
    found: Model[Any] = shipped("transformer")
    turns = dialogue.turns_of(samples.DIALOGUE)
    whole = found.tokens(samples.DIALOGUE)
    seen = dialogue.see(found, turns, "Ann", len(whole), "none")
    assert seen.out == 0 and seen.text == samples.DIALOGUE and seen.back == -1
    cut = dialogue.see(found, turns, "Ann", 96, "none")
    assert samples.DIALOGUE.endswith(cut.text) and len(found.tokens(cut.text)) <= 97
    back = dialogue.see(found, turns, "Ann", 96, "fits")
    assert back.back == 0 and back.text.startswith(turns[0]) and back.out > cut.out
    assert len(found.tokens(back.text)) <= 98
    assert cut.p < 0.02 < 0.3 < seen.p and back.p > 0.3
    rows_TV = found.trace(cut.text).field("probability").values
    ann = found.tokens(f"{cut.text} Ann").ids[-1]
    assert cut.p == pytest.approx(float(rows_TV[-1, ann]), rel=1e-3)
    with pytest.raises(ValueError, match="two turns"):
        dialogue.turns_of("one")


def test_attention_over_tokens_and_segments_by_hand() -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    document = [rng.integers(1, 30, size=n) for n in (5, 3)]
    longer = [rng.integers(1, 30, size=7) for _n in range(3)]

    def soft(z: np.ndarray) -> np.ndarray:
        return np.exp(z) / np.exp(z).sum()

    for way in hierarchy.WAYS:
        net = hierarchy.Net(way, 30).eval()
        w = {name: p.detach().numpy() for name, p in net.named_parameters()}
        x = [w["embed.weight"][ids_T] for ids_T in document]

        def score(part: str, x_TD: np.ndarray, w: dict[str, np.ndarray] = w) -> np.ndarray:
            if f"{part}.0.weight" not in w:
                return np.zeros(len(x_TD))
            hidden = np.tanh(x_TD @ w[f"{part}.0.weight"].T + w[f"{part}.0.bias"])
            return np.asarray(hidden @ w[f"{part}.2.weight"][0])

        a = [soft(score("word", x_TD)) for x_TD in x]
        s_SD = np.stack([a_T @ x_TD for a_T, x_TD in zip(a, x, strict=True)])
        g_S = np.array([1.0, 0.0]) if way == "first" else soft(score("segment", s_SD))
        p = 1 / (1 + math.exp(-float(w["out.weight"][0] @ (g_S @ s_SD) + w["out.bias"][0])))
        said, weights, shares = hierarchy.answer(net, document)
        assert said == pytest.approx(p, abs=1e-5) and shares == pytest.approx(g_S, abs=1e-5)
        assert all(np.allclose(one, two, atol=1e-5) for one, two in zip(weights, a, strict=True))
        with torch.inference_mode():  # beside a longer one nothing changes
            both = net(hierarchy.padded([document, longer]))[0].sigmoid()
        assert float(both[0]) == pytest.approx(p, abs=1e-5)


def test_what_learns_tells_two_kinds_of_document_apart() -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    good = [bool(n % 2) for n in range(60)]
    some = [
        [np.append(rng.integers(5, 30, size=6), 3 if s == 1 and yes else 4) for s in range(3)]
        for yes in good
    ]
    net = hierarchy.Net("both", 30)
    losses = [*hierarchy.learn(net, some, good, 40, 0.02, batch=10)]
    assert losses[-1] < 0.2 < losses[0]
    p, weights, _shares = hierarchy.answer(net.eval(), some[1])
    assert good[1] and p > 0.5 and weights[1].argmax() == 6


def test_segments_are_cut_by_tokens(model: Bert) -> None:
    own, spans = hierarchy.segments(model, samples.REVIEW)
    ids, sizes = model.tokens(samples.REVIEW).ids, [*map(len, own)]
    marks = {model.tokenizer.start, model.tokenizer.end}
    assert np.concatenate(own).tolist() == [id for id in ids.tolist() if id not in marks]
    assert len(sizes) > 1 and sizes == [*map(len, spans)]
    assert all(size == hierarchy.BODY for size in sizes[:-1]) and sizes[-1] <= hierarchy.BODY


def test_what_is_shipped_says_good_of_good_words(model: Bert) -> None:
    def good(text: str) -> float:
        return hierarchy.answer(parts.nets()["both"], hierarchy.segments(model, text)[0])[0]

    assert good("a wonderful film , moving and excellent . the best of the year .") > 0.5
    assert good("the worst film of the year . a stupid , boring mess , a waste of time .") < 0.5


def page() -> dict[str, Any]:
    runs = [run for run in RunStore().all(None) if run.model in (LESSON.model, *LESSON.also)]
    names = "bert", "glove"
    found = {name: shipped(name) for name in names}
    return {
        "model": found["bert"],
        "glove": found["glove"],
        "runs": runs,
        "open_run": RunStore().load,
    }


def test_parts_mark_what_they_say() -> None:
    given = page()
    found = blocks.asked(parts.retrieval, given)
    assert "in the tower of the church" in blocks.said(found)
    (marked,) = (block for block in blocks_in(found) if isinstance(block, Marked))
    assert "".join(piece for piece, _p, _says in marked.pieces) == samples.PASSAGE
    lit = [piece for piece, strength, _says in marked.pieces if strength > 0]
    assert lit == [
        "On a Sunday in March the captain found the old lamp in the tower of the church."
    ]
    found = blocks.asked(parts.forgets, given)
    (marked,) = (block for block in blocks_in(found) if isinstance(block, Marked))
    assert "".join(piece for piece, _p, _says in marked.pieces) == samples.DIALOGUE
    assert marked.pieces[0][1] > 0 > marked.pieces[1][1]


def test_odd_input_gets_a_sentence() -> None:
    given, odd = page(), ("", "a", "😀", "x" * 5_000)
    for part, name in (
        (parts.answers, "passage"),
        (parts.summary, "text"),
        (parts.document, "text"),
    ):
        for text in odd:
            found = blocks.asked(part, given, **{name: text})
            problems = [block.words for block in found if isinstance(block, Problem)]
            assert all(words.endswith(".") for words in problems)
            assert problems or text not in odd[:1]


def test_what_is_shipped_is_small_and_whole() -> None:
    of = store.shipped()
    assert store.ARRAYS.stat().st_size < 1_000_000
    for name in ("greedy", "repaired", "names", *entities.KINDS):
        own = of.results["entities"][name]
        assert own["f1"] == pytest.approx(entities.f1(own), abs=1e-3)
        assert own["low"] <= own["f1"] <= own["high"]
    assert of.results["entities"]["broken"][1] == 0
