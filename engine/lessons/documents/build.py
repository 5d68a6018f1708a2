"""Build: learns the head for entities and the attention over segments, and measures all parts of the lesson.

    python -m engine.lessons.documents.build DATA

What      DATA is a folder with uner_ewt, ud_ewt, movie_reviews.zip and simplewiki.txt.xz; what is learned goes to
          assets/documents.safetensors, what is measured to assets/documents.json
Differs   200 questions and 200 articles are judged, not all that there are: enough for intervals of a few per cent
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from engine.analysis import interval, task_heads
from engine.analysis.measures import rouge, squad
from engine.lessons.documents import centrality, entities, hierarchy, ranking, reader, store
from engine.lessons.documents.entities import Entity
from engine.lessons.tasks import questions
from engine.models.bert import Bert
from engine.models.wordspace import WordSpace
from engine.runs.store import SHIPPED, RunStore
from engine.shipped.sources import film_reviews
from engine.shipped.sources.base import content, find, lines_of
from engine.storage import quantised
from engine.storage.arrays import write_arrays
from engine.storage.files import write_bytes
from engine.vectors.base import Vectors

HIDDEN, ROUNDS, BATCH, RATE, DROPPED = 96, 12, 128, 2e-3, (0.5, 0.3)  # of the head for entities
LEARNED = 750  # reviews of each label
REVIEW_ROUNDS, REVIEW_RATE = 12, 1e-2
ASKED, AROUND, SENTENCES = 200, 30, 1  # questions, sentences around a passage, sentences found
WINDOW = 64  # tokens
ARTICLES, TAKEN = 200, 3  # articles, and sentences of a summary
Tagged = tuple[str, list[tuple[int, int, str]]]
"""A text and its entities: first character, the one behind the last, kind."""


def tagged(iob: str) -> list[Tagged]:
    """The sentences of a file in IOB2, joined by spaces."""
    found, words, tags = list[Tagged](), list[str](), list[str]()
    for line in [*iob.split("\n"), ""]:
        number, *columns = line.split("\t")
        if number.isdigit():
            words.append(columns[0])
            tags.append(columns[1] if columns[1] in entities.TAGS else entities.OUTSIDE)
        elif not line and words:
            ends = np.cumsum([len(word) + 1 for word in words]) - 1
            own = entities.entities(entities.TAGS.index(tag) for tag in tags)
            spans = [(int(ends[a]) - len(words[a]), int(ends[b - 1]), k) for a, b, k in own]
            found.append((" ".join(words), spans))
            words, tags = [], []
    return found


def aligned(words: Sequence[entities.Word], spans: Sequence[tuple[int, int, str]]) -> list[Entity]:
    """Entities by words of the model."""
    found = []
    for start, stop, kind in spans:
        inside = [n for n, (_t, a, b) in enumerate(words) if a < stop and b > start]
        if inside:
            found.append((inside[0], inside[-1] + 1, kind))
    return found


class Sentence:
    """As the head reads it."""

    def __init__(self, model: Bert, below: nn.Module, of: Tagged) -> None:
        tokens = model.tokens(of[0])
        ids, most = tokens.ids, model.config.context
        if len(ids) > most:
            ids = np.append(ids[: most - 1], model.tokenizer.end)
        self.words = [
            w for w in entities.cut(tokens.labels, tokens.spans) if w[0] < min(len(ids), most - 1)
        ]
        self.texts = [of[0][a:b] for _t, a, b in self.words]
        self.right = aligned(self.words, of[1])
        self.lost = len(of[1]) - len(self.right)  # beyond the end of the model
        with torch.inference_mode():
            below_1TD = below(torch.from_numpy(ids)[None])
            above_1TD = task_heads.tuned(model)(below_1TD)
        self.x_NX = entities.read(above_1TD[0].numpy(), below_1TD[0].numpy(), self.words, of[0])
        self.tag_N = np.zeros(len(self.words), np.int64)
        for start, stop, kind in self.right:
            self.tag_N[start:stop] = entities.TAGS.index(f"I-{kind}")
            self.tag_N[start] = entities.TAGS.index(f"B-{kind}")


def learn_entities(learn: Sequence[Sentence]) -> nn.Sequential:
    torch.manual_seed(0)
    x_NX = torch.from_numpy(np.concatenate([one.x_NX for one in learn]))
    tag_N = torch.from_numpy(np.concatenate([one.tag_N for one in learn]))
    head = nn.Sequential(
        nn.Dropout(DROPPED[0]),
        nn.Linear(x_NX.shape[1], HIDDEN),
        nn.ReLU(),
        nn.Dropout(DROPPED[1]),
        nn.Linear(HIDDEN, len(entities.TAGS)),
    )
    optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0.1)
    steps = ROUNDS * -(-len(x_NX) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    for round_ in range(ROUNDS):
        total = 0.0
        for at_B in torch.randperm(len(x_NX)).split(BATCH):
            optimiser.zero_grad()
            loss = nn.functional.cross_entropy(head(x_NX[at_B]), tag_N[at_B])
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * len(at_B) / len(x_NX)
        print(f"entities, round {round_ + 1} of {ROUNDS}: {total:.3f}", flush=True)
    return head.eval()


def read_entities(model: Bert, data: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    below = task_heads.lower(model.net).eval()
    learn, test = (
        [
            Sentence(model, below, one)
            for one in tagged(lines_of(content(data / "uner_ewt" / f"{part}.iob2.xz")))
        ]
        for part in ("dev", "test")
    )
    head = learn_entities(learn)
    greedy, kept = list[np.ndarray](), list[np.ndarray]()
    with torch.inference_mode():
        for one in test:
            p_NK = head(torch.from_numpy(one.x_NX)).softmax(-1).numpy()
            greedy.append(p_NK.argmax(1))
            kept.append(entities.repaired(p_NK))
    names = entities.name_list([(one.texts, one.right) for one in learn])
    said = {
        "greedy": [entities.entities(tag_N) for tag_N in greedy],
        "repaired": [entities.entities(tag_N) for tag_N in kept],
        "names": [entities.look_up(one.texts, names) for one in test],
    }
    right = [one.right for one in test]
    lost = sum(one.lost for one in test)
    results: dict[str, Any] = {"sentences": [len(learn), len(test)], "known": len(names)}
    for way, found in said.items():
        results[way] = judged(found, right, lost)
    for kind in entities.KINDS:
        mine, theirs = (
            [[e for e in one if e[2] == kind] for one in of] for of in (said["repaired"], right)
        )
        results[kind] = judged(mine, theirs)
    results["broken"] = [int(sum(entities.broken(x).sum() for x in of)) for of in (greedy, kept)]
    return {f"entity.{name}": p.detach().numpy() for name, p in head.named_parameters()}, results


def judged(
    said: Sequence[Sequence[Entity]], right: Sequence[Sequence[Entity]], lost: int = 0
) -> dict[str, Any]:
    """F1 with its interval by the bootstrap over sentences."""
    of = [entities.count([a], [b]) for a, b in zip(said, right, strict=True)]
    counts_N3 = np.array([[one[name] for name in ("said", "there", "right")] for one in of])
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(of), size=(1000, len(of)))
    sums_R3 = counts_N3[drawn].sum(1)
    f_R = 2 * sums_R3[:, 2] / np.maximum(1, sums_R3[:, 0] + sums_R3[:, 1] + lost)
    total = dict(zip(("said", "there", "right"), counts_N3.sum(0).tolist(), strict=True))
    total["there"] += lost
    low, high = np.quantile(f_R, (0.025, 0.975))
    return total | {"f1": entities.f1(total), "low": float(low), "high": float(high)}


def made_documents(data: Path) -> list[tuple[str, str, list[str]]]:
    """Questions, their answers, and the sentences of a long document: a passage among sentences of others."""
    conllu = lines_of(content(find("ud_english").found(data)["test"]))
    rng = random.Random(0)
    every = [sentence.text for sentence in questions.read(conllu) if len(sentence.words) > 4]
    answered = [one for one in questions.make(conllu) if one.stop]
    found = []
    for one in rng.sample(answered, min(ASKED, len(answered))):
        others = [text for text in rng.sample(every, AROUND) if text not in one.passage]
        at = rng.randrange(len(others) + 1)
        own = [one.passage[a:b] for a, b in reader.sentences(one.passage)]
        answer = one.passage[one.start : one.stop]
        found.append((one.asked, answer, [*others[:at], *own, *others[at:]]))
    return found


def measure_answers(model: Bert, space: Vectors, data: Path) -> dict[str, Any]:
    """Exact answers and the overlap of words over windows of a whole document, and over what was found in it."""
    right: dict[str, list[tuple[float, float]]] = defaultdict(list)
    inside: dict[str, list[bool]] = defaultdict(list)
    sizes, windows = list[int](), list[int]()
    documents = made_documents(data)
    for n, (asked, answer, some) in enumerate(documents, 1):
        texts = {"windows": " ".join(some)}
        for way in (ranking.BM25, *ranking.WAYS):
            order = np.argsort(-ranking.scores(way, asked, some, model, space), kind="stable")
            chosen = sorted(order[:SENTENCES].tolist())
            texts[way] = " ".join(some[s] for s in chosen)
            inside[way].append(answer in texts[way])
        for way, text in texts.items():
            *_progress, found = reader.read(model, asked, text, WINDOW, WINDOW // 2)
            assert isinstance(found, reader.Read)
            for by in reader.WAYS if way == "windows" else (reader.PAIR,):
                start, stop = found.characters(found.chosen(by))
                said = text[start:stop]
                exact = squad.words(said) == squad.words(answer)
                name = way if by == reader.PAIR else by
                right[name].append((float(exact), squad.f1(said, answer)))
            if way == "windows":
                sizes.append(len(found.spans))
                windows.append(len(found.windows))
        if n % 50 == 0:
            print(f"answers: {n} of {len(documents)}", flush=True)
    results: dict[str, Any] = {
        "questions": len(documents),
        "tokens": float(np.mean(sizes)),
        "windows": float(np.mean(windows)),
    }
    for way, marks in right.items():
        hits, overlap = map(sum, zip(*marks, strict=True))
        results[way] = {
            "exact": int(hits),
            "overlap": overlap / len(marks),
            "inside": int(sum(inside[way])) if way in inside else len(marks),
        }
    return results


def articles(data: Path) -> list[tuple[str, list[str]]]:
    """The first paragraph, and the sentences behind it."""
    found = []
    for article in lines_of(content(data / "simplewiki.txt.xz")).split("\n\n"):
        _title, *lines = [line for line in article.split("\n") if line.strip()] or [""]
        if len(lines) < 3 or not 25 <= len(lines[0].split()) <= 120:
            continue
        some = [line[a:b] for line in lines[1:] for a, b in reader.sentences(line)]
        if 12 <= len(some) <= 40:
            found.append((lines[0], some))
    return random.Random(0).sample(found, ARTICLES)


def measure_summaries(model: Bert, space: Vectors, data: Path) -> dict[str, Any]:
    """ROUGE 1, 2 and L (F, stemmed) of three sentences with the first paragraph: means with intervals."""
    rows: dict[str, list[list[float]]] = defaultdict(list)
    rng = random.Random(0)
    for n, (right, some) in enumerate(articles(data), 1):
        chosen = {"lead": [*range(TAKEN)], "random": rng.sample(range(len(some)), TAKEN)}
        for way in ranking.WAYS:
            s_SS = centrality.similarity(ranking.vectors(way, some, model, space))
            central_S = centrality.pagerank(s_SS)[0]
            chosen[way] = centrality.choose(central_S, s_SS, TAKEN, False)
            chosen[f"{way}-apart"] = centrality.choose(central_S, s_SS, TAKEN, True)
            if way == "tfidf":
                chosen["degree"] = centrality.choose(centrality.degree(s_SS), s_SS, TAKEN, False)
        for way, own in chosen.items():
            said = centrality.summary(some, own)
            fs = [rouge.of_runs(said, right, size, True)[2] for size in (1, 2)]
            rows[way].append([*fs, rouge.longest(said, right, True)[2]])
        if n % 50 == 0:
            print(f"summaries: {n} of {ARTICLES}", flush=True)
    return {
        "articles": ARTICLES,
        **{
            way: [list(interval.of_mean([row[i] for row in of])) for i in range(3)]
            for way, of in rows.items()
        },
    }


def reviews(data: Path, part: slice) -> list[tuple[str, str]]:
    files = find("film_reviews").found(data)
    return [(label, " ".join(text.split())) for label, text in film_reviews.reviews(files, part)]


def learn_hierarchy(
    vocabulary: int,
    learn: Sequence[hierarchy.Document],
    good: Sequence[bool],
    test: Sequence[hierarchy.Document],
    right: Sequence[bool],
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    arrays, results = dict[str, np.ndarray](), dict[str, Any]()
    for way in hierarchy.WAYS:
        torch.manual_seed(0)
        net = hierarchy.Net(way, vocabulary)
        for loss in hierarchy.learn(net, learn, good, REVIEW_ROUNDS, REVIEW_RATE):
            print(f"{way}: {loss:.3f}", flush=True)
        said = [hierarchy.answer(net.eval(), one)[0] for one in test]
        hits = sum((p > 0.5) == r for p, r in zip(said, right, strict=True))
        results[way] = {"right": int(hits), "of": len(test)}
        arrays |= {f"hierarchy.{way}.{name}": x.numpy() for name, x in net.state_dict().items()}
    return arrays, results


def judge_counts(
    learn: Sequence[tuple[str, str]], test: Sequence[tuple[str, str]]
) -> dict[str, int]:
    """Logistic regression on tf-idf: no BERT, no order."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    made = TfidfVectorizer(sublinear_tf=True, min_df=2)
    head = LogisticRegression(C=10.0, max_iter=400)
    head.fit(made.fit_transform([text for _label, text in learn]), [label for label, _t in learn])
    said = head.predict(made.transform([text for _label, text in test]))
    return {
        "right": int(sum(a == b for a, (b, _t) in zip(said, test, strict=True))),
        "of": len(test),
    }


def read_hierarchy(model: Bert, data: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    parts = [reviews(data, part) for part in (slice(LEARNED), slice(LEARNED, None))]
    (learn, good), (test, right) = (
        (
            [hierarchy.segments(model, text)[0] for _label, text in some],
            [label == "positive" for label, _text in some],
        )
        for some in parts
    )
    arrays, results = learn_hierarchy(len(model.tokenizer.vocab), learn, good, test, right)
    return arrays, results | {
        "counts": judge_counts(*parts),
        "learned": len(learn),
        "length": float(np.mean([len(one) for one in test])),
    }


def rounded(x: Any) -> Any:
    if isinstance(x, dict):
        return {name: rounded(part) for name, part in x.items()}
    if isinstance(x, list):
        return [rounded(part) for part in x]
    return round(x, 4) if isinstance(x, float) else x


def packed(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Word vectors in eight bits, all else in half the digits."""
    words = {name: x for name, x in arrays.items() if name.endswith("embed.weight")}
    others = {name: x for name, x in arrays.items() if name not in words}
    return quantised.stored(others, "float16") | quantised.stored(words, "int8")


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("data", type=Path)
    data: Path = asked.parse_args().data
    runs = RunStore(SHIPPED)
    model, glove = (runs.load(runs.find(id)) for id in ("bert", "glove"))
    assert isinstance(model, Bert) and isinstance(glove, WordSpace)
    space = glove.space
    arrays, results = dict[str, np.ndarray](), dict[str, Any]()
    learned: dict[str, Callable[[], tuple[dict[str, np.ndarray], dict[str, Any]]]] = {
        "entities": lambda: read_entities(model, data),
        "hierarchy": lambda: read_hierarchy(model, data),
    }
    for name, make in learned.items():
        own, results[name] = make()
        arrays |= own
    results["answers"] = measure_answers(model, space, data)
    results["summaries"] = measure_summaries(model, space, data)
    results["made_by"] = "python -m engine.lessons.documents.build"
    write_arrays(store.ARRAYS, packed(arrays))
    write_bytes(store.RESULTS, (json.dumps(rounded(results), indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
