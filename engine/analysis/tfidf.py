"""tf-idf: texts as vectors of their words, and which of them are nearest to a question.

What      counts times ln((1 + N) / (1 + df)) + 1, of length 1; two are compared by their cosine
Source    Salton & Buckley, Term-weighting Approaches in Automatic Text Retrieval, 1988; scikit-learn's TfidfVectorizer
Shapes    S = texts, V = different words
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer


@dataclass(frozen=True, slots=True, eq=False)
class Tfidf:
    """`unit_SV` is sparse; a text without a word is a row of zeros.  None where none has one."""

    texts: Sequence[str]
    unit_SV: Any
    _fitted: TfidfVectorizer

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        fitted = TfidfVectorizer(token_pattern=r"\w+")
        try:
            return cls(texts, fitted.fit_transform(texts), fitted)
        except ValueError:  # of the library: no word in any of them
            return cls(texts, None, fitted)

    def dense(self) -> np.ndarray:
        """(S, V), with one column at least."""
        none = np.zeros((len(self.texts), 1))
        return none if self.unit_SV is None else np.asarray(self.unit_SV.toarray())

    def rank(self, question: str) -> np.ndarray:
        """The cosine (S,) of each text with the question, whose other words do not count; 0 where they have no word in
        common."""
        if self.unit_SV is None:
            return np.zeros(len(self.texts))
        found = self.unit_SV @ self._fitted.transform([question]).T
        return np.asarray(found.toarray())[:, 0]
