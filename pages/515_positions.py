"""Positions: how a model is told the order of its words, in seven ways, with a trained model for each."""

from pages.ui import page

page.show_lesson("positions")
