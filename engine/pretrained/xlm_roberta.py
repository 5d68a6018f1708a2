"""XLM-RoBERTa: RoBERTa, trained on a hundred languages.

Source    Conneau et al., Unsupervised Cross-lingual Representation Learning at Scale, 2020
Shapes    as in RoBERTa
Differs   As in RoBERTa.
"""

from __future__ import annotations

from engine.pretrained import roberta

FAMILY = roberta.FAMILY
