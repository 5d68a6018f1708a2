"""CamemBERT: RoBERTa, trained on French.

Source    Martin et al., CamemBERT: a Tasty French Language Model, 2020
Shapes    as in RoBERTa
Differs   As in RoBERTa.
"""

from __future__ import annotations

from engine.pretrained import roberta

FAMILY = roberta.FAMILY
