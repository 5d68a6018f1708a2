"""Tools on word vectors: against numbers worked by hand, brute force, gensim and scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.fasttext import ft_ngram_hashes
from numpy.testing import assert_allclose

from engine.storage.run_folder import EVALUATION
from engine.vectors import analogy, axis, evaluate, odd, results
from engine.vectors.base import Vectors, top
from engine.vectors.grams import gram_hash, grams

CITIES = Vectors(
    ("Paris", "France", "Rome", "Italy", "Madrid", "Spain"),
    np.array(
        [[0.9, 0.8], [0.8, 0.1], [-0.65, 0.95], [-0.8, 0.2], [0.1, 0.85], [0.05, 0.1]], np.float32
    ),
)


def made_up(words: int = 60, width: int = 8, seed: int = 0) -> Vectors:
    value_VD = np.random.default_rng(seed).normal(size=(words, width)).astype(np.float32)
    return Vectors(tuple(f"w{i}" for i in range(words)), value_VD)


def in_gensim(space: Vectors) -> KeyedVectors:
    found = KeyedVectors(space.values.shape[1])
    found.add_vectors(list(space.words), space.values)
    return found


def test_neighbours_of_a_sum_of_vectors() -> None:
    """Paris - France + Italy = (-0.7, 0.9); with Rome 0.455 + 0.855 over 1.140175 * 1.151086."""
    value = dict(zip(CITIES.words, CITIES.values, strict=True))
    found = dict(CITIES.nearest(value["Paris"] - value["France"] + value["Italy"]))
    want = {"Rome": 0.998141, "Italy": 0.787056, "Madrid": 0.712212, "Spain": 0.431455}
    want |= {"Paris": 0.065552, "France": -0.511293}
    assert list(found) == list(want) and found == pytest.approx(want, abs=2e-6)
    others = CITIES.nearest(value["Rome"], 2, without=("rome", "ROME", "Rome"))
    assert others == CITIES.nearest(value["Rome"], 3)[1:]
    assert CITIES.row("paris") is None and Vectors(("a",), np.ones((1, 2))).row("A") == 0


@pytest.mark.parametrize("most", [0, 1, 7, 500])
def test_neighbours_are_those_of_brute_force(most: int) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(200, 9)).astype(np.float32)
    values[17] = 0
    space = Vectors(tuple(f"w{i}" for i in range(200)), values)
    query = rng.normal(size=9)
    lengths = np.linalg.norm(values.astype(float), axis=1) * np.linalg.norm(query)
    cosines = values.astype(float) @ query / np.where(lengths > 0, lengths, 1)
    best = sorted(range(200), key=lambda i: (-cosines[i], i))[:most]
    assert [word for word, _ in space.nearest(query, most)] == [f"w{i}" for i in best]
    assert np.allclose([c for _, c in space.nearest(query, most)], cosines[best], atol=1e-6)


def test_a_word_is_found_in_small_letters_too() -> None:
    space = Vectors(("paris", "US", "us"), np.eye(3, dtype=np.float32))
    assert [space.row(word) for word in ("Paris", "US", "us", "Us", "london")] == [0, 1, 2, 2, None]


def test_rows_and_words_must_agree() -> None:
    with pytest.raises(ValueError, match="2 words need a table"):
        Vectors(("a", "b"), np.zeros((3, 4), np.float32))


def test_the_largest_are_found_in_order_also_among_equals() -> None:
    score_V = np.array([1, 3, 2, 3, 0, 3], np.float32)
    assert top(score_V, 2).tolist() == [1, 3] and top(score_V, 4).tolist() == [1, 3, 5, 2]
    assert top(score_V, 99).tolist() == [1, 3, 5, 2, 0, 4] and top(score_V, 0).tolist() == []


@pytest.mark.parametrize("seed", range(4))
def test_analogies_are_those_of_gensim(seed: int) -> None:
    space = made_up(seed=seed)
    found = analogy.solve(space, "w1", "w2", "w3", 5)
    want = in_gensim(space).most_similar(positive=["w2", "w3"], negative=["w1"], topn=5)
    assert [w for w, _ in found.usual] == [w for w, _ in want]
    assert_allclose([c for _, c in found.usual], [c for _, c in want], atol=1e-5)
    unit_VD = space.values / np.linalg.norm(space.values, axis=1, keepdims=True)
    target_D = unit_VD[2] - unit_VD[1] + unit_VD[3]
    cosine_V = unit_VD @ target_D / np.linalg.norm(target_D)
    assert [w for w, _ in found.honest] == [f"w{i}" for i in np.argsort(-cosine_V)[:5]]
    assert found.differ == (found.honest[0][0] in ("w1", "w2", "w3"))


def test_the_plane_of_an_analogy_keeps_true_lengths() -> None:
    space = made_up(width=20)
    answer = analogy.solve(space, "w1", "w2", "w3")
    place_P2, off_P = analogy.plane(space, answer, ("w4", "w5"))
    point_PD = np.stack([*space.unit[[1, 2, 3]], answer.target, *space.unit[[4, 5]]])
    apart_PP = np.linalg.norm(point_PD[:, None] - point_PD, axis=2)
    drawn_PP = np.linalg.norm(place_P2[:, None] - place_P2, axis=2)
    assert_allclose(drawn_PP[:4, :4], apart_PP[:4, :4], atol=1e-6)
    assert off_P[:4] == pytest.approx(0, abs=1e-6)
    assert_allclose(drawn_PP[4:, :4] ** 2 + off_P[4:, None] ** 2, apart_PP[4:, :4] ** 2, atol=1e-6)
    assert place_P2[0] == pytest.approx(0) and place_P2[2, 1] == pytest.approx(0)


def test_an_analogy_of_one_word_thrice_and_of_unknown_words() -> None:
    space = made_up()
    answer = analogy.solve(space, "w1", "w1", "w1")
    assert answer.honest[0][0] == "w1"
    assert np.isfinite(analogy.plane(space, answer, ("w2",))[0]).all()
    with pytest.raises(LookupError, match="no vector for “x”, “y”"):
        analogy.solve(space, "x", "y", "x")
    assert analogy.solve(Vectors(("a",), np.ones((1, 2))), "a", "a", "a").usual == ()


def test_the_odd_one_is_the_one_of_gensim() -> None:
    # mean (1.6, 1.8) / 3 has the direction (0.6644, 0.7474)
    hand = odd.scores(np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32))
    assert_allclose(hand, [0.66436, 0.99654, 0.74741], atol=1e-5)
    for seed in range(5):
        space = made_up(7, seed=seed)
        theirs = in_gensim(space).doesnt_match(list(space.words))
        assert space.words[int(odd.scores(space.unit).argmin())] == theirs
    assert odd.scores(np.zeros((0, 3), np.float32)).shape == (0,)


def test_a_word_axis_has_its_ends_at_minus_one_and_one() -> None:
    unit_ND = made_up().unit
    low_D, high_D = unit_ND[0], unit_ND[1]
    found = axis.project(np.stack([low_D, high_D, (low_D + high_D) / 2]), low_D, high_D)
    assert found == pytest.approx([-1, 1, 0], abs=1e-6)
    assert axis.project(
        np.array([[0.0, 0.0, 1.0]]), np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    ) == pytest.approx([0])
    assert axis.crossing((low_D, high_D), (high_D, low_D)) == pytest.approx(-1)
    with pytest.raises(ValueError, match="two different words"):
        axis.project(unit_ND, low_D, low_D)


def test_evaluation_is_that_of_gensim(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    offset_D = rng.normal(size=8)
    base_VD = rng.normal(size=(30, 8))
    moved_VD = base_VD + offset_D + 0.25 * rng.normal(size=(30, 8))
    value_VD = np.concatenate([base_VD, moved_VD]).astype(np.float32)
    space = Vectors(tuple(f"w{i}" for i in range(60)), value_VD)
    at = [(i, j) for i in range(12) for j in range(30) if i != j]
    rows = [f"W{i} w{i + 30} w{j} w{j + 30}" for i, j in at]
    text = "\n".join([": one", *rows[:150], "w1 w2 w3 unheard", ": two", *rows[150:]])
    (tmp_path / "analogies.txt").write_text(text)
    share, sections = in_gensim(space).evaluate_word_analogies(str(tmp_path / "analogies.txt"))
    found = list(evaluate.analogies(space, evaluate.read_questions(text)))
    assert [(s.name, s.right, s.known - s.right) for s in found] == [
        (s["section"], len(s["correct"]), len(s["incorrect"])) for s in sections[:2]
    ]
    assert sum(s.right for s in found) / sum(s.known for s in found) == pytest.approx(share)
    assert 0.1 < share < 1
    assert found[0].asked == found[0].known + 1
    unit_VD = space.unit
    targets = ((unit_VD[i + 30] - unit_VD[i] + unit_VD[j], j + 30) for i, j in at)
    honest = sum(int((unit_VD @ target_D).argmax() == right) for target_D, right in targets)
    assert sum(s.honest for s in found) == honest < sum(s.right for s in found)

    pairs = [
        (f"w{i}", f"w{j}", float(round(s)))
        for i, j, s in zip(range(50), range(9, 59), 5 + 3 * rng.normal(size=50), strict=True)
    ]
    (tmp_path / "pairs.tsv").write_text(
        "".join(f"{a}\t{b}\t{s}\n" for a, b, s in [*pairs, ("w1", "unheard", 3.0)])
    )
    _, want, ratio = in_gensim(space).evaluate_word_pairs(str(tmp_path / "pairs.tsv"))
    read = evaluate.read_pairs((tmp_path / "pairs.tsv").read_text())
    likeness = evaluate.likeness(space, "pairs", read)
    assert (likeness.pairs, likeness.known, ratio) == (51, 50, pytest.approx(100 / 51))
    assert likeness.spearman == pytest.approx(want.statistic)


def test_rank_correlation_with_ties() -> None:
    """By hand: ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4; around 2.5 they give 4.5 / sqrt(4.5 * 5)."""
    x_P, y_P = np.array([1.0, 2.0, 2.0, 9.0]), np.array([0.1, 0.3, 0.2, 0.9])
    assert evaluate.spearman(x_P, y_P) == pytest.approx(4.5 / 22.5**0.5)
    assert evaluate.spearman(x_P, np.ones(4)) is None
    assert evaluate.spearman(x_P[:1], y_P[:1]) is None
    none = evaluate.Likeness("none", 1, 0, None)
    assert evaluate.likeness(made_up(), "none", [("a", "b", 1.0)]) == none


def test_test_files_as_they_are_found() -> None:
    assert evaluate.read_pairs("Word 1,Word 2,Human (mean)\nlove,sex,6.77\ntiger,cat,7.35\n") == [
        ("love", "sex", 6.77),
        ("tiger", "cat", 7.35),
    ]
    assert evaluate.read_pairs("word1\tword2\tPOS\tscore\told\nold\tnew\tA\t1.58\t2.7\n") == [
        ("old", "new", 1.58)
    ]
    assert evaluate.read_pairs("sun sunlight 50.0\n\n") == [("sun", "sunlight", 50.0)]
    assert evaluate.read_questions("a b c d\n: two\n e f g h \n") == {
        "all": [("a", "b", "c", "d")],
        "two": [("e", "f", "g", "h")],
    }
    for read, text in (
        (evaluate.read_pairs, ""),
        (evaluate.read_pairs, "a b\nc d\n"),
        (evaluate.read_pairs, "a\tb\tnan"),
        (evaluate.read_questions, ": x"),
        (evaluate.read_questions, "a b c"),
    ):
        with pytest.raises(ValueError, match=r"pair|analogy"):
            read(text)
    with pytest.raises(ValueError, match="not a text"):
        evaluate.decode(b"a\0b")


def test_n_grams_and_their_hashes_are_those_of_fasttext() -> None:
    for word in ("apple", "naïve", "日本語", "a", "👩‍👧"):
        theirs = ft_ngram_hashes(word, 3, 6, 2000)
        assert sorted(gram_hash(g) % 2000 for g in grams(word, 3, 6)) == sorted(theirs)
    assert grams("", 1, 3) == [] and grams("a", 1, 2) == ["<a", "a", "a>"]


def test_results_are_kept_beside_a_run(tmp_path: Path) -> None:
    assert results.read_results(tmp_path) is None
    one = {"among": 5, "analogies": {"asked": 1}, "similarity": [{"name": "a", "spearman": 0.5}]}
    results.keep_results(tmp_path, one)
    results.keep_results(
        tmp_path, {"among": 5, "analogies": None, "similarity": [{"name": "b", "spearman": None}]}
    )
    assert results.read_results(tmp_path) == {
        **one,
        "training": "",
        "similarity": [{"name": "a", "spearman": 0.5}, {"name": "b", "spearman": None}],
    }
    (tmp_path / "run.json").write_text('{"seconds": 1}')
    assert results.read_results(tmp_path) is None, "trained anew: the results are of other vectors"
    results.keep_results(tmp_path, one)
    assert results.read_results(tmp_path) is not None
    (tmp_path / EVALUATION).write_text("[")
    assert results.read_results(tmp_path) is None


def test_a_direction_is_taken_out_and_what_is_left_is_counted() -> None:
    np.testing.assert_allclose(axis.remove(np.array([[0.6, 0.8]]), np.array([1.0, 0])), [[0, 0.8]])
    rng = np.random.default_rng(4)
    v_ND, d_D = rng.normal(0, 1, (40, 6)), rng.normal(0, 1, 6)
    assert np.abs(axis.remove(v_ND, d_D) @ d_D).max() < 1e-12
    with pytest.raises(ValueError):
        axis.remove(v_ND, np.zeros(6))
    apart_ND = v_ND / 50 + np.repeat([[1.0], [-1.0]], 20, 0) * d_D
    assert axis.with_their_own(apart_ND, 5) == 1
    assert 0.3 < axis.with_their_own(axis.remove(apart_ND, d_D), 5) < 0.7
    twice_ND = np.repeat(v_ND[:8], 2, 0)[
        [0, 2, 4, 6, 1, 3, 5, 7]
    ]  # each has its like in the other half
    assert axis.with_their_own(twice_ND, 1) == 0
