"""Bags of words: the notes' table by hand, scikit-learn as oracle, brute force, held-out
evaluation, tables that people bring."""

from __future__ import annotations

import math
from fractions import Fraction
from math import prod

import numpy as np
import pytest

from engine.core.registry import corpora
from engine.lessons.bag import evaluate, labelled, tfidf
from engine.lessons.bag.bayes import NaiveBayes, added
from engine.lessons.bag.counts import count
from engine.lessons.bag.labelled import TOY
from engine.lessons.bag.words import words
from tests.conftest import diagonal, together

ALL = corpora.get("reviews").labelled()
LABELS, TEXTS = [a for a, _ in ALL], [b for _, b in ALL]
HALF = evaluate.split(LABELS, 0.3, 0)
USED, OUT = ([[x[d] for d in part] for x in (LABELS, TEXTS)] for part in HALF)


# review: (pos, neg) at k=0, the same at k=1, P(pos) at k=1, at k=.5; scores include the prior of 1/2
T17 = {
    "good film": (("1/36", "0"), ("3/196", "1/169"), "507/703", "81/101"),
    "boring good": (("0", "0"), ("3/392", "1/169"), "507/899", "27/47"),
    "good fun bad": (("0", "0"), ("3/2744", "3/4394"), "2197/3569", "2187/3187"),
    "film": (("1/12", "1/10"), ("1/14", "1/13"), "13/27", "9/19"),
    "good good boring": (("0", "0"), ("9/5488", "1/2197"), "19773/25261", "243/283"),
    "great plot twist": (("0", "0"), ("1/196", "1/169"), "169/365", "81/181"),
}
POS, NEG = 1, 0


@together("review", T17)
def test_the_table_of_the_notes(review: str) -> None:
    zero, one, p_one, p_half = T17[review]
    counts = count(TOY.labels, TOY.texts)
    assert counts.classes == ("neg", "pos")
    assert counts.vocab == tuple("acting bad boring film fun good great plot".split())
    for k, want in ((0, zero), (1, one)):
        joint_2 = np.exp2(NaiveBayes(counts, k).read(review).joint_C)[[POS, NEG]]
        np.testing.assert_allclose(joint_2, [float(Fraction(x)) for x in want], rtol=1e-12)
    for k, said in ((1, p_one), (0.5, p_half)):
        p_C = NaiveBayes(counts, k).read(review).posterior_C
        assert p_C is not None and p_C[POS] == pytest.approx(float(Fraction(said)), rel=1e-12)
    undefined = zero == ("0", "0")
    p_C = NaiveBayes(counts, 0).read(review).posterior_C
    assert (p_C is None) is undefined
    assert (NaiveBayes(counts, 0).predict(review) is None) is undefined
    if p_C is not None:
        assert p_C[POS] == pytest.approx({"good film": 1, "film": 5 / 11}[review])


def test_order_prior_unknown_words_and_log_odds_of_the_notes() -> None:
    counts = count(TOY.labels, TOY.texts)
    m = NaiveBayes(counts)
    assert np.array_equal(m.read("film good").joint_C, m.read("good film").joint_C)
    assert m.read("great plot twist").skipped == ("twist",)
    odd = NaiveBayes(counts, 1, priors=(3, 1))
    assert [odd.read(t).posterior_C[POS] for t in ("film", "good film")] == pytest.approx(
        [13 / 55, 169 / 365]
    )  # type: ignore[index]
    nats = dict(zip(counts.vocab, evaluate.log_odds(m, POS) * math.log(2), strict=True))
    want = {"good": 1.024504, **dict.fromkeys(("acting", "fun", "great"), 0.619039)}
    want |= {"film": -0.074108, "boring": -0.767255, "plot": -0.767255, "bad": -1.172720}
    assert nats == pytest.approx(want, abs=1e-6)
    assert evaluate.top_words(m, POS, 2) == [
        ("good", pytest.approx(1.024504 / math.log(2), abs=1e-6), 2, 0),
        ("acting", pytest.approx(0.619039 / math.log(2), abs=1e-6), 1, 0),
    ]


def test_a_long_text_underflows_and_its_logs_do_not() -> None:
    assert prod([0.01] * 200) == 0.0 and sum([math.log(0.01)] * 200) == pytest.approx(-921.034037)
    m = NaiveBayes(count(TOY.labels, TOY.texts))
    read = m.read("bad " * 2000)
    assert prod([float(m.p_CV[POS, 1])] * 2000) == 0.0
    assert read.joint_C[POS] == pytest.approx(-1 + 2000 * math.log2(1 / 14))
    assert np.isfinite(read.evidence)
    assert read.posterior_C is not None and read.posterior_C.sum() == pytest.approx(1)


@diagonal("kind,k", ["multinomial", "bernoulli"], [0.05, 5])
def test_naive_bayes_is_that_of_scikit_learn(kind: str, k: float) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import BernoulliNB, MultinomialNB

    vectors = CountVectorizer(analyzer=words)
    theirs = (MultinomialNB if kind == "multinomial" else BernoulliNB)(alpha=k)
    theirs.fit(vectors.fit_transform(USED[1]), USED[0])
    ours = NaiveBayes(count(*USED), k, kind)
    assert tuple(vectors.get_feature_names_out()) == ours.counts.vocab
    reads = [ours.read(text) for text in OUT[1]]
    x_DV = vectors.transform(OUT[1])
    p_DC, joint_DC = [r.posterior_C for r in reads], [r.joint_C * math.log(2) for r in reads]
    np.testing.assert_allclose(p_DC, theirs.predict_proba(x_DV), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(joint_DC, theirs.predict_joint_log_proba(x_DV), rtol=1e-9)


def test_tf_idf_is_that_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    vectors = TfidfVectorizer(analyzer=words)
    x_DV = vectors.fit_transform(USED[1]).toarray()
    names = np.array(["negative", "positive"])
    mean_CV = np.stack([x_DV[np.array(USED[0]) == name].mean(0) for name in names])
    want_DC = cosine_similarity(vectors.transform(OUT[1]).toarray(), mean_CV)
    ours = tfidf.fit(count(*USED), *USED)
    np.testing.assert_allclose(ours.idf_V, vectors.idf_, rtol=1e-12)
    np.testing.assert_allclose([ours.parts(text)[1].sum(0) for text in OUT[1]], want_DC, atol=1e-12)
    assert [ours.predict(text) for text in OUT[1]] == names[want_DC.argmax(1)].tolist()
    assert ours.predict("zzz") is None


def test_the_reviews_teach_something_and_are_sound() -> None:
    assert len(ALL) == 256 >= 240 and len(set(TEXTS)) == 256 and LABELS.count("positive") == 128
    assert corpora.get("reviews").text().splitlines()[0] == f"{LABELS[0]}\t{TEXTS[0]}"
    assert not any("\t" in t for t in TEXTS)
    accuracies = []
    for seed in range(8):
        used, out = evaluate.split(LABELS, 0.3, seed)
        model = NaiveBayes(count([LABELS[d] for d in used], [TEXTS[d] for d in used]))
        apart = [LABELS[d] for d in out], [TEXTS[d] for d in out]
        found = evaluate.evaluate(model.predict, model.counts.classes, *apart)
        accuracies.append(found.accuracy)
    assert 0.72 < np.mean(accuracies) < 0.9, "by chance it would be 0.5"


def test_split_is_fair_and_seeded() -> None:
    used, out = HALF
    assert sorted(used + out) == list(range(256))
    assert evaluate.split(LABELS, 0.3, 0) == HALF != evaluate.split(LABELS, 0.3, 1)
    assert [OUT[0].count(c) for c in ("negative", "positive")] == [38, 38]
    assert evaluate.split(["a", "b", "b"], 0.9)[0][0] == 0, "a class keeps at least one text"


def test_accuracy_precision_recall_and_the_bootstrap() -> None:
    result = evaluate.Result(("a", "b"), ("a", "a", "a", "b"), ("a", "b", None, "b"))
    assert result.confusion.tolist() == [[1, 1, 1], [0, 1, 0]] and result.accuracy == 0.5
    (_, *a), (_, *b) = result.by_class()
    assert a == [1.0, pytest.approx(1 / 3), 0.5, 3] and b == [0.5, 1.0, pytest.approx(2 / 3), 1]
    model = NaiveBayes(count(*USED))
    found = evaluate.evaluate(model.predict, model.counts.classes, *OUT)
    right = np.array([a == b for a, b in zip(found.true, found.said, strict=True)])
    rng = np.random.default_rng(1)
    drawn = right[rng.integers(0, len(right), (20_000, len(right)))].mean(1)
    assert found.interval() == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.02)
    nothing = evaluate.Result(("a",), (), ())
    assert all(map(math.isnan, (nothing.accuracy, *nothing.interval())))


def test_a_vocabulary_that_does_not_fit_keeps_the_words_of_most_texts() -> None:
    counts = count(["a", "b", "a"], ["x y z", "x y w", "x v v v"], most=4)
    assert counts.vocab == ("x", "y") and counts.left_out == 3 and counts.total_C.tolist() == [3, 2]
    with pytest.raises(ValueError, match="no word"):
        count(["a", "b"], ["!", "?"])


def test_tables_that_people_bring() -> None:
    """As any table is read (test_tables.py); the columns of texts and labels are found."""
    rows = 'label,text,id\npos,"good, ""fun""\nfilm",1\nneg,bad plot,2\npos,great,3\n'
    for raw in (rows.encode("utf-16"), rows.replace("good", "caf\xe9 good").encode("latin-1")):
        table = labelled.sheet(raw)
        assert table.names == ("label", "text", "id") and labelled.guess(table) == (1, 0)
        found = labelled.labelled(table, 1, 0)
        assert found.labels == ("pos", "neg", "pos") and found.classes == ("neg", "pos")
        assert [w for w in words(found.texts[0]) if w != "café"] == ["good", "fun", "film"]
    table = labelled.sheet(corpora.get("reviews").text().encode())
    assert table.names == ("column 1", "column 2") and len(table.rows) == 256
    assert labelled.labelled(table, *labelled.guess(table)).labels == tuple(LABELS)


@together(
    ("raw", "says"),
    [
        (b"", "empty"),
        (b"PK\x03\x04abc", "zip"),
        (b"\n\n \n", "white space"),
        (b"text,label\na,x\nb,x\nc,x\n", "one label only"),
        (b"text,label\n" + b"".join(b"w %d,l%d\n" % (i, i) for i in range(30)), "30 different"),
        (bytes(range(256)) * 40, "text"),
        (b"x" * 300_000, "one column only"),
    ],
)
def test_a_bad_file_gets_one_sentence(raw: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says) as problem:
        table = labelled.sheet(raw)
        labelled.labelled(table, *labelled.guess(table))
    assert "\n" not in str(problem.value) and not str(problem.value).endswith(".")


def test_what_was_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelled, "MOST_ROWS", 4)
    lines = ["label,text", *(f"{'a' if i < 4 else 'b'},word{i} more" for i in range(8)), "short"]
    table = labelled.sheet("\n".join(lines).encode())
    found = labelled.labelled(table, 1, 0)
    assert "".join(found.labels) == "aabb", "evenly over the file, so that both classes are there"
    used = "4 of 8 rows are used, evenly spread over the file"
    assert found.notes == ("1 row without 2 columns left out", used)
    with pytest.raises(ValueError, match="same column"):
        labelled.labelled(table, 1, 1)
    gap = labelled.sheet(b"label,text\na,good\n,bad\nb,\nb,plot twist\n")
    assert labelled.labelled(gap, 1, 0).notes == ("2 rows without text or label left out",)


@together("bad", [{"k": -1}, {"k": math.nan}, {"kind": "poisson"}])
def test_settings_that_make_no_sense(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        NaiveBayes(count(TOY.labels, TOY.texts), **bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="priors"):
        NaiveBayes(count(TOY.labels, TOY.texts), priors=(0, 0)).read("film")


def test_a_small_amount_added_to_every_entry() -> None:
    counts = count(TOY.labels, TOY.texts)
    divided, plain = (
        added(counts, ["boring", "good"], 0.01, again)[[POS, NEG]] for again in (True, False)
    )
    np.testing.assert_allclose(divided, [103 / 69984, 7 / 7776])
    np.testing.assert_allclose(plain, [103 / 60000, 21 / 20000])
    assert divided[0] / divided.sum() == pytest.approx(103 / 166) == plain[0] / plain.sum()
