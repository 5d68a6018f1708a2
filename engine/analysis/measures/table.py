"""Table: all measures, in the order in which they are shown."""

from __future__ import annotations

from engine.analysis.measures.base import Measure
from engine.analysis.measures.bleu import BLEU
from engine.analysis.measures.chrf import CHRF, CHRF_WORDS
from engine.analysis.measures.error_rates import CER, WER
from engine.analysis.measures.meteor import METEOR
from engine.analysis.measures.rouge import ROUGE_1, ROUGE_2, ROUGE_L
from engine.analysis.measures.squad import EXACT, F1
from engine.analysis.measures.ter import TER

MEASURES: tuple[Measure, ...] = (
    *(BLEU, CHRF, CHRF_WORDS, ROUGE_1, ROUGE_2, ROUGE_L, METEOR, EXACT, F1),
    *(TER, WER, CER),
)
BY_ID = {one.id: one for one in MEASURES}
