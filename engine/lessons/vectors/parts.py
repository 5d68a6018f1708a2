"""Below the live pictures: analogies, words between two poles, what a cosine does not say, words without
a vector, tests with answers by people, files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.trace import Table
from engine.jobs.worker import Failed, Worker
from engine.language.message import _, refusal
from engine.lessons.vectors import tuned
from engine.lessons.vectors.typed import neighbours, words_of
from engine.live.markdown import escape, wrong
from engine.models.wordspace import WordSpace
from engine.ngram.spelling import is_one_edit
from engine.runs.store import Run
from engine.vectors import analogy, axis, results
from engine.vectors.base import Vectors
from engine.vectors.files import written

Space = WordSpace[Any]


def name_model(run: Run) -> fr.Words:
    return _("Model: {title} ({id}), all dimensions", title=_(run.title), id=run.id)


# ------------------------------------------------------------------ analogies

EXAMPLES = (
    "man king woman",
    "walk walked play",
    "big bigger small",
    "germany berlin japan",
    "man doctor woman",
    "hot cold up",
)


@fr.part("Analogies", was=("analogy",))
def analogies(
    run: Run,
    model: Space,
    *,
    an_a: str = fr.typed("a", "man", 60, width=160),
    an_b: str = fr.typed("is to b", "king", 60, width=160),
    an_c: str = fr.typed("as c", "woman", 60, width=160),
) -> fr.Blocks:
    yield "a is to b as c is to what? The offset between two words, laid at a third."
    tries = {
        words: dict(zip(("an_a", "an_b", "an_c"), words.split(), strict=True)) for words in EXAMPLES
    }
    yield fr.Line([fr.Controls(["an_a", "an_b", "an_c"]), fr.Presets("Examples", tries)])
    asked = [word.strip() for word in (an_a, an_b, an_c)]
    if not all(asked):
        raise ValueError("Type a word into each of the three boxes.")
    try:
        answer = analogy.solve(model.space, asked[0], asked[1], asked[2])
    except LookupError as error:
        raise refusal("{said}: choose another word.", said=wrong(error)) from error
    if not answer.usual:
        raise ValueError("This table has no words other than these three, so it cannot answer.")
    yield fr.Formula(r"\text{answer} = \arg\max_w\, \cos(w,\ \hat b - \hat a + \hat c)")
    a, b, c = answer.asked
    yield _(
        "{b} − {a} + {c} ≈ **{usual}** when {a}, {b} and {c} are excluded. {differ}",
        a=escape(a),
        b=escape(b),
        c=escape(c),
        usual=escape(answer.usual[0][0]),
        differ=_(
            "With nothing excluded, the nearest word is **{honest}**: the sum stays close to the"
            " words it was made of.",
            honest=escape(answer.honest[0][0]),
        )
        if answer.differ
        else _("Here the same word wins with nothing excluded."),
    )
    names, text = ("words of the question excluded", "nothing excluded"), " ".join(answer.asked)
    rows = [
        (name, _("{word} (asked)", word=word) if word in answer.asked else word, cosine, n)
        for name, ranking in zip(names, (answer.usual, answer.honest), strict=True)
        for n, (word, cosine) in enumerate(ranking, 1)
    ]
    says = "The words nearest to the target, with and without the question's words"
    table, options = neighbours("answers", says, rows), {"titles": "answers"}
    ranked = fr.Chart(
        "answers", says, "neighbours", (table,), name_model(run), text, fluid=True, options=options
    )
    yield fr.Beside([[ranked], [*parallelogram(model, answer, text)]])


def parallelogram(model: Space, answer: analogy.Answer, text: str) -> fr.Blocks:
    a, b, c = answer.asked
    others = [word for word, _cosine in answer.usual[:4]]
    place_P2, off_P = analogy.plane(model.space, answer, others)
    to_P2 = place_P2.copy()
    to_P2[0], to_P2[2] = place_P2[1], place_P2[3]  # a to b, c to the target
    group = [0, 0, 0, 1, *[2] * len(others)]
    groups = (
        "words of the question",
        "target: b − a + c",
        "nearest other words, from the list above",
    )
    options = {
        "x": _("along {a} → {c}", a=a, c=c),
        "y": _("at right angles, towards {b}", b=b),
        "groups": groups,
    }
    words = [a, b, c, "target", *others]
    yield points(
        "parallelogram",
        "The plane through the three words",
        words,
        place_P2,
        to_P2,
        group,
        text,
        options,
    )
    near, height = float(np.linalg.norm(place_P2[4] - place_P2[3])), float(off_P[4])
    yield fr.Note(
        _(
            "The two arrows are the same offset, so a, b, c and the target form a parallelogram."
            " The answers do not lie in this plane: “{word}” is {near:.2f} from the target as drawn"
            " and {height:.2f} above or below the page, so {far:.2f} away in truth. Every word"
            " vector has length 1.",
            word=escape(others[0]),
            near=near,
            height=height,
            far=np.hypot(near, height),
        )
    )


def points(
    name: str,
    says: str,
    words: list[str],
    place_N2: np.ndarray,
    to_N2: np.ndarray,
    group: list[int],
    text: str,
    options: Mapping[str, Any],
) -> fr.Chart:
    places = dict(zip(("x", "y"), place_N2.T, strict=True))
    arrows = dict(zip(("to_x", "to_y"), to_N2.T, strict=True))
    table = Table.of(name, says, {"word": words, **places, "group": group, **arrows})
    return fr.Chart(name, says, "points", (table,), "", text, options=options)


# ------------------------------------------------------------------ between two poles


def typed_words(given: fr.Others) -> str:
    return str(given["mine"] or given["lesson"].example)


@fr.part("Between two poles", was=("axes",))
def axes(
    lesson: Any,
    mine: str,
    run: Run,
    model: Space,
    words: str = fr.typed("Words", typed_words, 600, along=True, width=420),
    *,
    ax_left: str = fr.typed("Left", "man", 60, width=160),
    ax_right: str = fr.typed("Right", "woman", 60, width=160),
    ax_low: str = fr.typed("Bottom", "bad", 60, width=160),
    ax_high: str = fr.typed("Top", "good", 60, width=160),
    ax_out: bool = fr.switch("Take the direction from left to right out"),
) -> fr.Blocks:
    yield (
        "Four words define two scales. Each typed word is placed by how far its vector"
        " reaches from one end towards the other: the ends lie at −1 and +1."
    )
    yield fr.Controls(["ax_left", "ax_right", "ax_low", "ax_high"])
    ends = [end.strip() for end in (ax_left, ax_right, ax_low, ax_high)]
    rows = [model.space.row(end) for end in ends]
    if missing := [end for end, row in zip(ends, rows, strict=True) if row is None]:
        raise refusal(
            "No vector for {ends}: choose another word for this end.",
            ends=_(", ").join(
                [f"“{escape(end)}”" if end else _("an empty box") for end in missing]
            ),
        )
    trace = model.trace(words, fields=("vector",))
    at, unit_ND = words_of(trace)
    named = [trace.tokens[t] for t in at]
    if not named:
        raise ValueError("Type words that have a vector to see them here.")
    end_4D = np.stack([model.space.unit[row] for row in rows if row is not None])
    try:
        place_N2 = np.stack(
            [
                axis.project(np.concatenate([end_4D, unit_ND]), end_4D[i], end_4D[i + 1])
                for i in (0, 2)
            ],
            1,
        )
    except ValueError as problem:
        raise refusal("{said}.", said=wrong(problem)) from problem
    kept = [*range(4), *(i for i, word in enumerate(named, 4) if word.lower() not in ends)]
    options = {
        "x": _("{ends} (−1) to {ends_2} (+1)", ends=ends[0], ends_2=ends[1]),
        "y": _("{ends} (−1) to {ends_2} (+1)", ends=ends[2], ends_2=ends[3]),
        "groups": ("ends of the scales", "other typed words"),
    }
    shown, group = [[*ends, *named][i] for i in kept], [int(i > 3) for i in kept]
    place = place_N2[kept]
    yield points(
        "axes", "The typed words on two word axes", shown, place, place, group, words, options
    )
    between = axis.crossing((end_4D[0], end_4D[1]), (end_4D[2], end_4D[3]))
    apart = "nearly at right angles, so they measure two things"
    yield fr.Note(
        _(
            "The two scales have a cosine of {cosine:.2f}: {means}. A position shows which words the"
            " training text puts a word near. It reflects how people wrote, habits and prejudice"
            " included, and is not a fact about the world.",
            cosine=between,
            means=_(apart if abs(between) < 0.2 else "they measure partly the same thing"),
        )
    )
    yield fr.Controls(["ax_out"])
    if ax_out:
        yield from taken_out(model.space, ends, end_4D[1] - end_4D[0], named, unit_ND)


COMMON, SIDE, BESIDE = (
    10_000,
    200,
    10,
)  # words, those of each side, and those that are nearest to one


def taken_out(
    space: Vectors, ends: list[str], direction_D: np.ndarray, named: list[str], unit_ND: np.ndarray
) -> fr.Blocks:
    """The typed words before and after, and whether the words of both sides still find each other."""
    without_ND = axis.remove(unit_ND, direction_D)
    d_D = direction_D / np.linalg.norm(direction_D)
    each = {w: k for k, w in enumerate(named)}.items()  # a word once
    rows = [
        (word, unit_ND[k] @ d_D, without_ND[k] @ d_D, np.linalg.norm(without_ND[k]))
        for word, k in each
    ]
    heads = ("word", "along it, before", "after", "length that is left")
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.3f"))
    all_VD = space.unit[:COMMON].astype(np.float64)
    order = np.argsort(all_VD @ d_D)
    both_ND = all_VD[np.concatenate([order[:SIDE], order[-SIDE:]])]
    yield _(
        "Every vector loses its part along “{low}” to “{high}”, so that both ends are as far from each word. Is the"
        " bias gone? Of the {side} words that lay furthest on each side, **{before:.0%}** of the {near} nearest were of"
        " a word’s own side before, and **{after:.0%}** still are (50 %: mixed). What went with the direction stands in"
        " others, too.",
        low=ends[0],
        high=ends[1],
        side=SIDE,
        near=BESIDE,
        before=axis.with_their_own(both_ND, BESIDE),
        after=axis.with_their_own(axis.remove(both_ND, direction_D), BESIDE),
    )


# ------------------------------------------------------------------ what a cosine does not say

PAIRS = {
    "same meaning": "quick fast, big large, rich wealthy, begin start, car automobile, ill sick",
    "opposites": "war peace, hot cold, big small, happy sad, good bad, north south",
    "a kind of": "chair furniture, dog animal, rose flower, sparrow bird, spaniel dog, car vehicle",
    "a part of": "page book, door house, wheel car, finger hand, leaf tree, sail ship",
}


def measured(model: Space) -> dict[str, list[tuple[str, float]]]:
    """Cosines of the pairs that have both words, least first."""
    found = {}
    for relation, pairs in PAIRS.items():
        both = [pair.split() for pair in pairs.split(", ")]
        rows = [(f"{a}, {b}", model.space.row(a), model.space.row(b)) for a, b in both]
        known = [
            (pair, float(model.space.unit[i] @ model.space.unit[j]))
            for pair, i, j in rows
            if i is not None and j is not None
        ]
        if known:
            found[relation] = sorted(known, key=lambda pair: pair[1])
    return found


@fr.part("What a cosine does not say")
def relations(run: Run, model: Space) -> fr.Blocks:
    yield (
        "Words are near when they occur in the same contexts. Synonyms do, and so do"
        " opposites, kinds and parts: a cosine alone does not tell which relation holds."
        " It has no direction either, so it cannot tell that a spaniel is a dog and not"
        " the other way round."
    )
    if not (found := measured(model)):
        raise ValueError("This table has none of the English words in this comparison.")
    rows = [
        (relation, pair, value, n)
        for relation, pairs in found.items()
        for n, (pair, value) in enumerate(reversed(pairs), 1)
    ]
    says = "Cosines of pairs in four relations, nearest pair first"
    table, options = neighbours("relations", says, rows), {"titles": "relation"}
    yield fr.Chart(
        "relations", says, "neighbours", (table,), name_model(run), fluid=True, options=options
    )


# ------------------------------------------------------------------ unknown words

MOST, ALIKE, NEAR = 6, 5, 5


@fr.part("Words without a vector", was=("unknown",))
def unknown(
    model: Space, words: str = fr.typed("Words", "applw hyperhappiness", 200, width=420)
) -> fr.Blocks:
    composes = model.compose("apple") is not None
    yield _(
        "This model has a vector for each of {n:,} words and builds one for any other word as the"
        " mean of the vectors of its character n-grams."
        if composes
        else "This model has a vector for each of {n:,} words and none for any other word: no"
        " neighbours, and no place in the pictures. Models with character n-grams, like fastText,"
        " compose one from the parts of the word; alternatives are one vector for all unknown"
        " words, or the nearest spelling.",
        n=len(model.space),
    )
    trace = model.trace(words)
    found = dict.fromkeys(trace.tokens[t] for t in trace.unknown)
    rows = [described(model, w) for w in found if any(c.isalnum() for c in w)][:MOST]
    if not rows:
        raise ValueError("Every typed word has a vector. Try a misspelling, or a new word.")
    yield fr.Rows(rows)


def described(model: Space, word: str) -> dict[str, str]:
    vector_D, alike = model.compose(word), spelled_alike(model.space.words, word)
    near, said = "this model builds none", alike
    if vector_D is not None and np.any(vector_D):
        near = ", ".join(f"{w} ({c:.2f})" for w, c in model.space.nearest(vector_D, NEAR))
        cosine_V = model.space.cosines(vector_D)[0]
        said = [f"{w} ({cosine_V[model.space.row(w)]:.2f})" for w in alike]
    return {
        "word": word[:60],
        "nearest to the vector composed from its n-grams": near,
        "one slip away in spelling": ", ".join(said),
    }


def spelled_alike(words: tuple[str, ...], word: str) -> list[str]:
    """The commonest known words that one letter more, less, changed or two swapped make of it."""
    word = word.lower()
    near = (w for w in words if abs(len(w) - len(word)) <= 1 and is_one_edit(word, w))
    return list(islice(near, ALIKE))


# ------------------------------------------------------------------ how good, and what for

TITLES = {"EN-WS-353-ALL": "WordSim-353", "EN-SIMLEX-999": "SimLex-999", "EN-MEN-TR-3k": "MEN"}


TUNED = {"frozen": "frozen", "tuned": "tuned", "random": "from nothing, tuned"}


@fr.once_told
def by_size(run: tuple[object, ...], space: Vectors) -> fr.Taking[dict[str, list[float]]]:
    """The share of test texts that is right, by way and number of texts."""
    found: dict[str, list[float]] = {way: [] for way in TUNED}
    total = len(tuned.SIZES) * len(TUNED) * tuned.DRAWS
    done = 0
    for size in tuned.SIZES:
        for way, shares in found.items():
            rights = []
            for seed in range(tuned.DRAWS):
                rights.append(tuned.trained(space, way, size, seed).right)
                done += 1
                yield fr.Progress(
                    done / total, _("{size} texts, {way}", size=size, way=_(TUNED[way]))
                )
            shares.append(float(np.mean(rights)))
    return found


@fr.part("Frozen or tuned", was=("part-what-are-they-used-for",))
def drifting(
    run: Run,
    model: Space,
    size: int = fr.pick("Texts to learn from", tuned.SIZES, tuned.SIZES[-1], few=True),
    words: str = fr.typed(
        "Words to watch", "delicious superb tasty waiter waitress", 200, width=420
    ),
    *,
    sizes: bool = fr.start("Train with every number of texts"),
) -> fr.Blocks:
    yield (
        "They are used as the first layer of a model that reads text. Here a classifier of short reviews reads the mean"
        " of the vectors of their words. **Frozen** vectors stay as they are, and only the classifier learns. **Tuned**"
        " ones learn too, but a word moves only if it stands in the texts: its neighbours that do not are left behind."
    )
    of = tuned.texts(model.space)
    if len(of.rows) < tuned.TEST + max(tuned.SIZES) // 2:
        raise ValueError("This table has too few of the English words of the reviews.")
    found = {way: tuned.trained(model.space, way, size) for way in TUNED}
    dimensions = model.space.values.shape[1]
    learned = 2 * dimensions + 2
    yield fr.table(
        ("vectors", "right", "numbers learned"),
        [
            (_(TUNED[way]), one.right, learned + (way != "frozen") * dimensions * len(one.rows))
            for way, one in found.items()
        ],
        forms={"right": fr.SHARE, "numbers learned": fr.WHOLE},
        width=460,
    )
    moved = tuned.drift(model.space, found["tuned"])
    asked = [row for word in words.split() if (row := model.space.row(word)) is not None]
    shown = list(dict.fromkeys([*map(int, moved.rows[:5]), *asked, *map(int, moved.friends[:3])]))
    before_K2, after_K2, share = tuned.places(model.space, found["tuned"], shown)
    stayed = (np.abs(after_K2 - before_K2) < 1e-9).all(1)
    options = {
        "x": "first direction",
        "y": "second direction",
        "groups": (
            "it stands in the texts: before, with an arrow to after",
            "",
            "it does not, and stays",
        ),
    }
    says = "Where tuning moved the words"
    names = [model.space.words[row] for row in shown]
    group = [2 if still else 0 for still in stayed]
    yield points("drift", says, names, before_K2, after_K2, group, words, options)
    far, friend = (model.space.words[int(rows[0])] for rows in (moved.rows, moved.friends))
    yield fr.Note(
        _(
            "“{far}” moved farthest, by {share:.0%} of its length. Its cosine with “{friend}”, which no text has, was"
            " {before:.2f} and is {after:.2f}. The two directions show {shown:.0%} of the differences; {test} other"
            " reviews judge.",
            far=escape(far),
            share=moved.far[0],
            friend=escape(friend),
            before=moved.before[0],
            after=moved.after[0],
            shown=share,
            test=tuned.TEST,
        )
    )
    yield fr.Controls(["sizes"])
    if sizes:
        shares = yield from by_size(run=run.key, space=model.space)
        yield fr.curves(
            "sizes",
            "Share of reviews that are right",
            {_(TUNED[way]): (tuned.SIZES, values) for way, values in shares.items()},
            "texts to learn from",
            "share right",
            _("Means of {draws} draws of texts", draws=tuned.DRAWS),
            log_x=True,
            tight=False,
        )


@fr.part("How good are they?", was=("tests",))
def good(run: Run) -> fr.Blocks:
    # those that are kept are of the finished run
    if (found := results.read_results(run.folder) if run.step is None else None) is not None:
        yield from show_tests(found)
    yield fr.Note(
        "Tests of your own: `python -m engine vectors RUN --analogies FILE --similarity FILE --keep`."
    )


def show_tests(found: Mapping[str, Any]) -> fr.Blocks:
    if all_ := found["analogies"]:
        if all_["known"]:
            yield _(
                "**Analogies: {right:.1f} %** of {known:,} questions are answered correctly when the"
                " question's own words are excluded, **{honest:.1f} %** when nothing is.",
                right=100 * all_["right"] / all_["known"],
                known=all_["known"],
                honest=100 * all_["honest"] / all_["known"],
            )
        rows = [
            {
                "section": row["name"],
                "right": row["right"] / row["known"] if row["known"] else None,
                "nothing excluded": row["honest"] / row["known"] if row["known"] else None,
                "questions known": _("{row:,} of {row_2:,}", row=row["known"], row_2=row["asked"]),
            }
            for row in ({"name": "all", **all_}, *all_["sections"])
        ]
        yield fr.Rows(rows, dict.fromkeys(("right", "nothing excluded"), fr.SHARE))
        yield fr.Note(
            "A question is known when all four words have a vector; the others are skipped, so a"
            " small vocabulary makes the test easier. Compare shares only at similar coverage."
        )
    if tests := found["similarity"]:
        yield (
            "**Similarity as people judge it**, Spearman's rank correlation: 1 means the same order"
            " of the pairs, 0 no relation. WordSim-353 and MEN ask how related two words are."
            " SimLex-999 asks how similar they are in meaning and rates opposites low, which cosines"
            " do not."
        )
        yield fr.table(
            ("test", "Spearman", "pairs known"),
            [
                (
                    TITLES.get(t["name"], t["name"]),
                    t["spearman"],
                    _("{t:,} of {t_2:,}", t=t["known"], t_2=t["pairs"]),
                )
                for t in tests
            ],
            forms={"Spearman": "%.3f"},
        )


# ------------------------------------------------------------------ files

FORMATS = {
    "word2vec text (.txt, also .vec)": ("word2vec", "txt"),
    "word2vec binary (.bin)": ("binary", "bin"),
    "GloVe text (.txt)": ("glove", "glove.txt"),
}
ENDINGS = ("txt", "vec", "bin", "glove", "w2v", "csv", "tsv", "gz", "bz2", "xz", "zip")
PATIENCE = 900  # seconds


@fr.part("Files")
def files(
    run: Run,
    model: Space,
    *,
    file: tuple[str, bytes] | None = fr.upload("A file of word vectors", ENDINGS),
    read: bool = fr.start("Read the file", ("file",), lambda given: given["file"] is not None),
    format: str = fr.pick("Format", FORMATS),
) -> fr.Blocks:
    yield (
        "A file of vectors becomes a run: word2vec text or binary, GloVe text, fastText .vec or .bin,"
        " a table of commas or tabs, or the Embedding Projector's tensors.tsv and metadata.tsv in one"
        " zip. Its first 100,000 words are read; `python -m engine import FILE --words N` reads more."
    )
    yield fr.Controls(["file", "read"])
    if file and read:
        yield fr.Link("vectors", "Show them", {"run": import_file(*file)})
    for note in run.note.get("vectors", {}).get("notes", ()):
        yield fr.Note(escape(str(note)))
    yield (
        "These vectors become a file for gensim, spaCy or your own program: one word and its numbers"
        " per line, most frequent word first."
    )
    kind, ending = FORMATS[format]
    save = fr.Download(
        "Save these vectors", f"{run.id}.{ending}", lambda: b"".join(written(model.space, kind))
    )
    yield fr.Line([fr.Controls(["format"]), save])


@fr.once
def import_file(name: str, raw: bytes) -> str:
    """The id of the run that a file has become, by the command `import` in a process of its own."""
    with tempfile.TemporaryDirectory() as folder, Worker("engine.cli.worker") as worker:
        path = Path(folder) / (Path(name).name or "vectors")
        path.write_bytes(raw)
        asked = json.dumps(["import", str(path), "--title", name, "--json"]).encode()
        try:
            return str(json.loads(worker.ask(asked, PATIENCE))["run"])
        except (Failed, RuntimeError, OSError) as error:
            raise refusal("{file}: {said}.", file=escape(name), said=wrong(error)) from error


PARTS = (analogies, axes, relations, unknown, drifting, good, files)
