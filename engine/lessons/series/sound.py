"""Sound: short sounds made of formants and noise, cut into frames, and a label for each frame.

What      a voice of falling harmonics with two formants is a vowel, noise an s, and between them is silence, all under
          a hiss; a frame is 20 ms, read as the logarithm of its power in BANDS bands of equal width
Source    Graves, Mohamed & Hinton, Speech Recognition with Deep Recurrent Neural Networks, 2013 (frames in, labels
          out); Peterson & Barney, Control Methods Used in a Study of the Vowels, 1952 (formants)
Shapes    T = frames, B = BANDS
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

RATE, FRAME, BANDS, FRAMES = 8_000, 160, 16, 60
FORMANTS = {"a": (730, 1090), "i": (270, 2290), "u": (300, 870)}
LABELS = ("–", *FORMANTS, "s")


def made(rng: np.random.Generator, hiss: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(wave, features (T, B), labels (T,))"""
    label = np.zeros(FRAMES, int)
    at = 0
    while at < FRAMES:
        stop = at + int(rng.integers(4, 13))
        label[at:stop] = rng.choice([k for k in range(len(LABELS)) if not at or k != label[at - 1]])
        at = stop
    time = np.arange(FRAMES * FRAME) / RATE
    pitch, wave = rng.uniform(90, 220), hiss * rng.normal(size=len(time))
    tone = np.arange(1, int(3_500 / pitch)) * pitch
    loud = {
        name: sum(np.exp(-(((tone - f) / 150) ** 2)) for f in at_2) + 0.02
        for name, at_2 in FORMANTS.items()
    }
    silent = np.zeros_like(tone)
    loud_TK = np.repeat(np.stack([loud.get(LABELS[k], silent) for k in label]), FRAME, 0)
    wave += (loud_TK * np.sin(2 * np.pi * np.outer(time, tone))).sum(1)
    wave += (
        0.5 * np.repeat(LABELS.index("s") == label, FRAME) * np.diff(rng.normal(size=len(time) + 1))
    )
    power = np.abs(np.fft.rfft(wave.reshape(FRAMES, FRAME) * np.hanning(FRAME), axis=1)[:, 1:]) ** 2
    return wave, np.log(power.reshape(FRAMES, BANDS, -1).mean(2) + 1e-3), label


def batch(step: int) -> tuple[tuple[Tensor, ...], Tensor, Tensor]:
    rng = np.random.default_rng((7, step))
    some = [made(rng, rng.uniform(0.2, 2.5))[1:] for _ in range(8)]
    heard, label = (np.stack(part) for part in zip(*some, strict=True))
    return (torch.from_numpy(heard).float(),), torch.from_numpy(label), torch.ones(1)


class Labels(nn.Module):
    """A label for each frame, by an LSTM that reads forwards, or by a hidden layer that sees the frame alone."""

    def __init__(self, recurrent: bool, width: int = 32) -> None:
        super().__init__()
        self.cell = (
            nn.LSTM(BANDS, width, batch_first=True) if recurrent else nn.Linear(BANDS, width)
        )
        self.head = nn.Linear(width, len(LABELS))

    def forward(self, heard_BTF: Tensor) -> Tensor:
        found = self.cell(heard_BTF)
        state = found[0] if isinstance(found, tuple) else torch.tanh(found)
        logits: Tensor = self.head(state)
        return logits


@torch.inference_mode()
def labelled(name: str, heard_BTF: np.ndarray) -> np.ndarray:
    """The likeliest label of each frame (B, T), by the net `sound` or `frame`."""
    from engine.lessons.series import nets

    logits = nets.shipped()[name](torch.from_numpy(heard_BTF).float())
    return np.asarray(logits.argmax(-1).numpy())
