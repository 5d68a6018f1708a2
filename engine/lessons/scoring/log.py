"""Log: lines of a server made by a grammar, and lines that do not belong, found by their surprisal.

What      a model of order 3 counts normal lines; a line's score is its mean surprisal; the threshold is the score
          that the wanted share of normal lines, held out, exceeds: an alarm rate that is chosen, not found
Source    Forrest, Hofmeyr, Somayaji & Longstaff, A Sense of Self for Unix Processes, 1996 (short runs of what is
          normal); the smoothing is modified Kneser-Ney
Shapes    L = lines
Differs   Numbers are cut into one mark each, as log parsers do: else every new number would be a surprise.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine import frame as fr
from engine.analysis.study import Study
from engine.language.message import refusal
from engine.ngram.smoothing.modified_kneser_ney import ModifiedKneserNey

ORDER, NORMAL, ODD, FEWEST = 3, 1_200, 300, 20
USERS = ("anna", "ben", "clara", "david", "emma")
PAGES = ("/", "/lessons", "/lessons/lstm", "/files/notes.pdf", "/search", "/login")
SLIPS, RARE = ("ss", "x", "/old", ".html"), 0.06
NUMBER = re.compile(r"\d+")


def normal(draw: random.Random) -> str:
    user, page = draw.choice(USERS), draw.choice(PAGES)
    ip, port, pid = (
        f"10.0.{draw.randint(0, 3)}.{draw.randint(2, 60)}",
        draw.randint(32768, 60999),
        draw.randint(200, 999),
    )
    if draw.random() < RARE:
        return draw.choice(
            (
                f"sshd[{pid}]: Failed password for {user} from {ip} port {port}",
                f"web: GET {page}{draw.choice(SLIPS)} 404 in {draw.randint(1, 9)} ms from {ip}",
                f"disk: {draw.randint(90, 99)} percent of /home used, {draw.choice(USERS)} told",
            )
        )
    return draw.choice(
        (
            f"web: GET {page} 200 in {draw.randint(3, 80)} ms from {ip}",
            f"web: GET {page} 304 in {draw.randint(1, 9)} ms from {ip}",
            f"sshd[{pid}]: Accepted publickey for {user} from {ip} port {port}",
            f"sshd[{pid}]: session closed for user {user}",
            f"cron[{pid}]: ({user}) run backup of /home/{user}",
            f"disk: {draw.randint(20, 70)} percent of /home used",
        )
    )


def odd(draw: random.Random) -> str:
    """What an intruder leaves, in the words of the other lines where that is possible."""
    user, ip, port = (
        draw.choice(USERS),
        f"203.0.113.{draw.randint(2, 99)}",
        draw.randint(32768, 60999),
    )
    return draw.choice(
        (
            f"sshd[{draw.randint(200, 999)}]: Failed password for root from {ip} port {port}",
            f"web: GET /login?user={user}' OR 1=1 200 in 7 ms from {ip}",
            f"cron[{draw.randint(200, 999)}]: (root) run /tmp/x of /home/{user}",
            f"sshd[{draw.randint(200, 999)}]: Accepted publickey for backup from {ip} port {port}",
            f"sshd[{draw.randint(200, 999)}]: Accepted publickey for {user} from {ip} port {port}",
            f"web: GET /home/{user} 200 in {draw.randint(3, 80)} ms from {ip}",
        )
    )


@fr.once
def written(count: int, seed: int, strange: bool = False) -> tuple[str, ...]:
    draw = random.Random(seed)
    return tuple((odd if strange else normal)(draw) for _ in range(count))


def cut(line: str) -> str:
    return NUMBER.sub("0", line)


@dataclass(frozen=True, eq=False)
class Watch:
    """`score_L` of the normal lines that were not counted, in bits a token."""

    study: Study
    score_L: np.ndarray

    def tokens(self, line: str) -> tuple[tuple[str, ...], np.ndarray]:
        """Its tokens with its end, and the bits of each."""
        tokens = self.study.tokens(cut(line) + "\n")
        p_T = self.study.smoothed(ModifiedKneserNey()).probabilities(tokens.ids)
        return tokens.labels[1:], -np.log2(np.maximum(p_T, 1e-38))

    def score(self, line: str) -> float:
        return float(self.tokens(line)[1].mean())

    def threshold(self, share: float) -> float:
        """That so large a share of the normal lines exceeds."""
        return float(np.quantile(self.score_L, 1 - share))


@fr.once
def watch(lines: Sequence[str]) -> Watch:
    """Every fourth line is held out.  ValueError, a sentence for the reader, where there are too few."""
    if len(lines) < FEWEST:
        raise refusal("These are too few lines to know what is normal: {n} are needed.", n=FEWEST)
    study = Study.of("\n".join(cut(x) for n, x in enumerate(lines) if n % 4), ORDER, hold_out=False)
    made = Watch(study, np.zeros(0))
    return Watch(study, np.array([made.score(line) for line in lines[::4]]))
