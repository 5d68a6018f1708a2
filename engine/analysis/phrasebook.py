"""A phrase book: a small encoder-decoder Transformer learns twelve phrases, and is then used.

What      training: all rows of the right translation are read at once, shifted by one (teacher forcing);
          loss = mean over rows of -ln p(right word); every step descends by Adam on all phrases
          use: the likeliest word is written and read again, until the end mark
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3; teacher forcing: Williams & Zipser, 1989
Shapes    S = source words and the end mark, T = rows of the decoder, D = width
Differs   Two layers a side, width 32, norm behind each part as in 2017, no dropout, no warm-up.  Nothing
          is held out: a phrase book is learned by heart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from engine.models.encoder_decoder import Config, EncoderDecoder
from engine.models.translating import NOTHING
from engine.text.tokenizers.words import Words

SENTENCES = (
    ("You are welcome", "De nada"),
    ("Thank you very much", "Muchas gracias"),
    ("Good morning", "Buenos días"),
    ("Good night", "Buenas noches"),
    ("See you tomorrow", "Hasta mañana"),
    ("See you soon", "Hasta pronto"),
    ("How are you ?", "¿ Cómo estás ?"),
    ("I am very well", "Estoy muy bien"),
    ("What time is it ?", "¿ Qué hora es ?"),
    ("I am sorry", "Lo siento"),
    ("Where are you ?", "¿ Dónde estás ?"),
    ("You are very kind", "Eres muy amable"),
)
WIDTH, HEADS, LAYERS, CONTEXT, RATE = 32, 2, 2, 16, 3e-3


@dataclass(frozen=True, eq=False)
class Learned:
    """loss_N  nats per word before each step"""

    model: EncoderDecoder
    loss_N: np.ndarray


def made(seed: int) -> EncoderDecoder:
    config = Config(
        width=WIDTH, heads=HEADS, layers=LAYERS, context=CONTEXT, span=CONTEXT, norm_first=False
    )
    words = Words.fit([side for pair in SENTENCES for side in pair], 100)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return EncoderDecoder(config, words, EncoderDecoder.build(config, len(words.vocab)))


def learned(steps: int, seed: int) -> Learned:
    """After so many steps, trained here in about a second."""
    model = made(seed)
    x_2BL, y_BL = model.batch(model.numbered(SENTENCES))
    optimiser = torch.optim.Adam(model.net.parameters(), lr=RATE)
    losses = []
    model.net.train()
    for _ in range(steps):
        loss = F.cross_entropy(model.net(x_2BL).flatten(0, 1), y_BL.flatten(), ignore_index=NOTHING)
        losses.append(float(loss.detach()))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    model.net.eval()
    return Learned(model, np.array(losses))


def written(model: EncoderDecoder, english: str) -> list[str]:
    """Its words in use, the end mark among them if it writes one."""
    ((source, _),) = model.numbered([(english, "")])
    (ids,) = model.translated(torch.from_numpy(source[-CONTEXT:])[None], CONTEXT - 1)
    return [model.tokenizer.vocab[i] for i in ids]
