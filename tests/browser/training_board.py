"""A board that trains in the browser: opened, asked for its numbers, and rewound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TrainingBoard:
    """`main` is its place on the page, `name` the property of its node that tells its numbers."""

    page: Any
    main: str
    name: str

    def open(self, address: str) -> dict[str, Any]:
        self.page.goto(address)
        self.page.wait_for_selector(f"{self.main}[data-step]")
        return self.now()

    def now(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate(
            f"document.querySelector('{self.main}').{self.name}"
        )
        return found

    def train(self, steps: int) -> dict[str, Any]:
        """By its buttons, until it has taken more than so many."""
        self.page.get_by_role("button", name="Train", exact=True).click()
        step = f"Number(document.querySelector('{self.main}').dataset.step)"
        self.page.wait_for_function(f"{step} > {steps}")
        self.page.get_by_role("button", name="Pause", exact=True).click()
        return self.now()

    def rewind(self, step: int) -> dict[str, Any]:
        """By its slider."""
        self.page.locator(f"{self.main} .un-wide-slider").evaluate(
            f"(node) => {{ node.value = {step}; node.dispatchEvent(new Event('input')); }}"
        )
        self.page.wait_for_function(
            f"document.querySelector('{self.main}').dataset.step === '{step}'"
        )
        return self.now()
