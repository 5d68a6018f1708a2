"""The page on scores in a real browser: the sums on the screen are the model's scores, a column
opens a score, and the translator that is looked at is asked to write."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
TEXT = "The key is white and it is small\nLa clé est blanche et il est petit"
