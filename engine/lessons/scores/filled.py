"""What a recurrent translator makes of a sentence that is filled up to the length of a longer one in its
batch, with and without the two masks that belong there.

What      masked: the encoder stops at the end of the sentence, and e_s = -inf where the filling stands:
          the weights of the sentence alone
          open: the encoder stops, but the scores of the empty places (states of zeros) count
          unmasked: the encoder reads the filling too, and the scores of it count
Source    Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and
          Translate, 2015; the listing of the course notes, which masks neither
Shapes    T = steps, S = source tokens, P = places of filling
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch.nn import functional as F

from engine.core.tap import Recorder
from engine.core.trace import FieldSpec
from engine.language.message import refusal
from engine.models.seq2seq import Net, Read, Seq2seq

MASKED, OPEN, UNMASKED = "masked", "open", "unmasked"
MOST = 30  # tokens that are written at most


def states(net: Net, source_1S: torch.Tensor, filled: int, way: str) -> Read:
    """What the decoder looks at: states of S + P places."""
    if way == UNMASKED:
        return net.read(source_1S)
    alone = net.read(source_1S[:, : source_1S.shape[1] - filled])
    return replace(alone, states_BSH=F.pad(alone.states_BSH, (0, 0, 0, filled)))


@torch.inference_mode()
def written(
    model: Seq2seq, source_S: np.ndarray, filled: int, way: str
) -> tuple[list[int], np.ndarray]:
    """The likeliest text, its end mark included, and the weights (T, S + P) of its steps.  ValueError for
    a model without attention."""
    net, end = model.net, model.tokenizer.boundary
    assert isinstance(net, Net)
    if net.score is None:
        raise ValueError("This model has no attention, so nothing weighs the filling.")
    if way not in (MASKED, OPEN, UNMASKED):
        raise refusal("no way {way}; there are {MASKED}, {OPEN}, {UNMASKED}", way=repr(way))
    source_1S = torch.from_numpy(np.append(source_S, np.full(filled, end, source_S.dtype)))[None]
    real_1S = torch.arange(source_1S.shape[1])[None] < len(source_S)
    real = real_1S if way == MASKED else None
    read, ids = states(net, source_1S, filled, way), [model.start]
    while len(ids) <= MOST and (len(ids) == 1 or ids[-1] != end):
        ids.append(int(net.write(torch.tensor([ids]), read, real_BS=real)[0, -1].argmax()))
    recorder = Recorder((), {"cross.attention"})
    net.write(torch.tensor([ids[:-1]]), read, recorder, real)
    (spec,) = (s for s in model.spec() if isinstance(s, FieldSpec) and s.name == "cross.attention")
    return ids[1:], recorder.values(spec)[0, 0]


def write_sentence(model: Seq2seq, ids: list[int]) -> str:
    """What is written, as a sentence without its end mark."""
    return model.tokenizer.decode([i for i in ids if i != model.tokenizer.boundary]).strip()
