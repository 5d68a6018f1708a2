"""Build: counts taggers in one text and measures them on another.

    python -m engine zoo trigram_tagger --data DIR --write TEXTS
    python -m engine.lessons.hmm.build TEXTS/TRAIN TEXTS/TEST [--out FILE]

What      both files have a sentence a line, word/TAG word/TAG; a twentieth of the first is held out
          of counting, as in every training
Differs   Rounds of Baum and Welch's method begin at the counted tables of the first order, and read
          the words without their tags.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.hmm import recursions
from engine.lessons.hmm import results
from engine.lessons.hmm.results import Mistake, Results, Tried
from engine.models.counted import Tagged
from engine.models.hmm_tagger import Config as OneConfig
from engine.models.hmm_tagger import HiddenMarkovTagger
from engine.models.markov import END
from engine.models.trigram_tagger import Config, TrigramTagger
from engine.text.tokenizers.base import Tokens, passages, split

SEED, ROUNDS, SHOWN, WORDS = 0, 3, 12, 6
PLAIN = {"own": 0, "parts": "", "case": False}
Says = Callable[[Sequence[str]], Sequence[str]]
"""The tags of the words of a line."""


def tag_alone(model: TrigramTagger) -> Says:
    """Each word by itself: its commonest tag."""

    def says(words: Sequence[str]) -> list[str]:
        found = []
        for word in words:
            state_K, like_K = model.place(word)
            share_K = like_K * model.chain.share_S[state_K]
            found.append(model.names[model.tag_S[state_K[share_K.argmax()]]])
        return found

    return says


def first_order(model: HiddenMarkovTagger, a_SS: np.ndarray, b_VS: np.ndarray) -> Says:
    """By the tables that are given, and the model's own spelling of unknown words."""

    def says(words: Sequence[str]) -> list[str]:
        ids = np.array([*(model.number(word) for word in words), model.tokenizer.boundary])
        unknown = tuple(np.flatnonzero(ids == 0).tolist())
        tokens = Tokens(ids, (*words, "\n"), ((0, 0),) * len(ids), unknown)
        like_TS = model.likely(tokens) / np.maximum(model.b_VS[ids], 1e-300) * b_VS[ids]
        path_T = recursions.path(*recursions.viterbi(a_SS[END], a_SS, like_TS))
        return [model.states[s] for s in path_T[:-1]]

    return says


def relearned(
    model: HiddenMarkovTagger, lines: Sequence[Tagged], rounds: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Tables (S, S), (V, S) after each round over the words of these lines."""
    import torch

    from engine.hmm.learning import expected

    ids = [np.array([*(model.number(w) for w, _ in line), 2]) for line in lines]
    a_SS, b_SV, prior = model.a_SS, model.b_SV, model.config.prior
    for _ in range(rounds):
        start_S, follows_SS, emission_SV = map(torch.from_numpy, (a_SS[END], a_SS, b_SV))
        found = expected(start_S, follows_SS, emission_SV, ids)
        a_SS = found.transition_SS.numpy() + prior
        a_SS[END] += found.start_S.numpy()
        b_SV = np.where(b_SV > 0, found.emission_SV.numpy() + prior, 0.0)
        a_SS, b_SV = recursions.rows(a_SS), recursions.rows(b_SV)
        yield a_SS, b_SV.T


def tried(name: str, says: Says, test: Sequence[Tagged], known: set[str]) -> Tried:
    right, total = Counter[bool](), Counter[bool]()
    for line in test:
        for (word, tag), said in zip(line, says([word for word, _ in line]), strict=True):
            total[word in known] += 1
            right[word in known] += said == tag
    shares = [right[which] / max(1, total[which]) for which in (True, False)]
    return Tried(name, round(right.total() / total.total(), 5), *(round(x, 5) for x in shares))


def disagreement(lines: Sequence[Tagged]) -> tuple[float, int]:
    """See `Results.disagree` and `repeated`."""
    seen: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for line in lines:
        for t in range(2, len(line) - 2):
            seen[tuple(word for word, _ in line[t - 2 : t + 3])][line[t][1]] += 1
    often = [tags for tags in seen.values() if tags.total() > 1]
    total = sum(tags.total() for tags in often)
    return sum(tags.total() - max(tags.values()) for tags in often) / max(1, total), total


def mistakes(
    model: TrigramTagger, test: Sequence[Tagged]
) -> tuple[list[tuple[str, str, str]], ...]:
    """(word, right, said) of every word tagged wrong: unknown ones, and known ones."""
    found: tuple[list[tuple[str, str, str]], ...] = ([], [])
    for line in test:
        for (word, tag), said in zip(line, model.tagged([w for w, _ in line]), strict=True):
            if said != tag:
                found[word in model.lexicon].append((word, tag, said))
    return found


def measured(train: str, test: str) -> Results:
    lines = split(passages(train), SEED)[0]
    learn, asked = TrigramTagger.read(lines), TrigramTagger.read(passages(test))
    tries: dict[str, dict[str, Any]] = {
        "first order, all words": {"order": 1, **PLAIN, "low": False},
        "second order": {**PLAIN, "low": False},
        "second order, unknown words also in small letters": PLAIN,
        "first order, split states": {"order": 1},
        results.BEST: {},
    }
    models = {
        name: TrigramTagger.counted(learn, Config(**settings)) for name, settings in tries.items()
    }
    best = [*models.values()][-1]
    known = {*best.lexicon}
    one = HiddenMarkovTagger.counted(learn, OneConfig())
    found = [
        tried("each word by itself", tag_alone(models["second order"]), asked, known),
        tried("first order, 5,000 words", first_order(one, one.a_SS, one.b_VS), asked, known),
        *(tried(name, model.tagged, asked, known) for name, model in models.items()),
    ]
    whole = TrigramTagger.counted(TrigramTagger.read(passages(train)), Config())
    name = f"{results.BEST}, counted in all of the training part"
    found.append(tried(name, whole.tagged, asked, {*whole.lexicon}))
    rounds = [
        tried("", first_order(one, *tables), asked, known).all
        for tables in relearned(one, learn, ROUNDS)
    ]
    unknown, others = mistakes(best, asked)
    pairs: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word, tag, said in [*unknown, *others]:
        pairs[tag, said][word] += 1
    most = sorted(pairs.items(), key=lambda pair: (-pair[1].total(), pair[0]))[:SHOWN]
    tags = {word: {best.tag_S[s] for s in states} for word, (states, _) in best.lexicon.items()}
    number = {name: n for n, name in enumerate(best.names)}
    words = [word for line in asked for word, _ in line]
    share, repeated = disagreement(learn)
    return Results(
        words=len(words),
        known=sum(word in known for word in words),
        ambiguous=sum(len(tags.get(word, ())) > 1 for word in words),
        wrong=len(unknown) + len(others),
        wrong_unknown=len(unknown),
        new_tag=sum(number.get(tag, -1) not in tags[word] for word, tag, _ in others),
        disagree=round(share, 5),
        repeated=repeated,
        tried=tuple(found),
        rounds=tuple(rounds),
        mistakes=tuple(
            Mistake(tag, said, of.total(), tuple(word for word, _ in of.most_common(WORDS)))
            for (tag, said), of in most
        ),
    )


def main() -> None:
    from engine.storage.files import write_bytes

    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("train", type=Path)
    asked.add_argument("test", type=Path)
    asked.add_argument("--out", type=Path, default=results.SHIPPED)
    args = asked.parse_args()
    found = measured(*(path.read_text(encoding="utf-8") for path in (args.train, args.test)))
    for one in found.tried:
        print(f"{one.name}: {one.all:.2%}, known {one.known:.2%}, unknown {one.unknown:.2%}")
    print("rounds of Baum and Welch:", *(f"{share:.2%}" for share in found.rounds))
    made_by = "python -m engine.lessons.hmm.build"
    write_bytes(args.out, results.written(found, made_by).encode())


if __name__ == "__main__":
    main()
