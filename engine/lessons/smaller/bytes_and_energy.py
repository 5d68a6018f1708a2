"""Bytes and energy: what the weights of real models take by number format, and what computing with them costs.

What      bytes = N b / 8, N weights of b bits;  training: C = 6 N D operations over D tokens, reading 2 N a token
          hours = C / (devices x operations a second x share that is used) / 3600
          kWh = devices x watts x hours x overhead / 1000;  kg of CO2 = kWh x grams a kWh / 1000
Source    6 N D and 2 N: Kaplan et al., Scaling Laws for Neural Language Models, 2020, sec. 2.1; energy: Strubell,
          Ganesh & McCallum, Energy and Policy Considerations for Deep Learning in NLP, 2019, eq. 1
Differs   Weights alone: what a text needs besides, its keys and values, is not counted, nor the attention itself.
"""

from __future__ import annotations

from dataclasses import dataclass

REAL = {
    "BERT-base": 109_482_240,
    "SmolLM2-135M": 134_515_008,
    "GPT-2 XL": 1_557_611_200,
    "Llama 2 7B": 6_738_415_616,
    "Llama 3 70B": 70_553_706_496,
    "GPT-3": 175_000_000_000,
    "PaLM": 540_000_000_000,
}


def gigabytes(weights: float, bits: float) -> float:
    return weights * bits / 8 / 1e9


@dataclass(frozen=True, slots=True)
class Machines:
    """operations: a second, of one of them; used: share of these that a training really does; overhead: kWh of the
    building for one of a machine; grams: of CO2 a kWh; price: of an hour of one of them."""

    devices: int
    operations: float
    used: float
    watts: float
    overhead: float
    grams: float
    price: float


@dataclass(frozen=True, slots=True)
class Spent:
    """hours that all of them run; kilowatt hours; kilograms of CO2; money."""

    hours: float
    energy: float
    carbon: float
    money: float


def spend(work: float, by: Machines) -> Spent:
    """For so many operations."""
    hours = work / (by.devices * by.operations * by.used) / 3600
    energy = by.devices * by.watts * hours * by.overhead / 1000
    return Spent(hours, energy, energy * by.grams / 1000, by.devices * hours * by.price)
