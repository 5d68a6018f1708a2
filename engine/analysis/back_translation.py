"""Back-translation: a text into another language and back again, by two translators.

What      y ~ P(y | x), x' ~ P(x' | y), each token drawn from softmax(logits / temperature); at 0 the likeliest
Source    Sennrich, Haddow & Birch, Improving Neural Machine Translation Models with Monolingual Data, 2016, sec. 3;
          drawn tokens: Edunov et al., Understanding Back-Translation at Scale, 2018; as more lines of a label: Yu et
          al., QANet, 2018, sec. 3
Shapes    B = lines, V = vocabulary
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.models.translating import Choose, TranslatingModel, likeliest


def drawing(temperature: float, seed: int) -> Choose:
    """Draws the next tokens; a temperature of 0 takes the likeliest."""
    import torch

    if not temperature:
        return likeliest
    generator = torch.Generator().manual_seed(seed)

    def draw(logit_BV: torch.Tensor) -> torch.Tensor:
        p_BV = (logit_BV.float() / temperature).softmax(-1).cpu()
        return torch.multinomial(p_BV, 1, generator=generator)[:, 0].to(logit_BV.device)

    return draw


def there_and_back(
    there: TranslatingModel[Any],
    back: TranslatingModel[Any],
    lines: Sequence[str],
    temperature: float = 0.0,
    seed: int = 0,
) -> list[tuple[str, str]]:
    """Of each line its translation, and that one's translation back."""
    choose = drawing(temperature, seed)
    abroad = there.translations(lines, choose)
    return [*zip(abroad, back.translations(abroad, choose), strict=True)]
