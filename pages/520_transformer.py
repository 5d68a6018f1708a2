"""Transformer: the way of one token through the whole model, and what length and size cost."""

from pages.ui import page

page.show_lesson("transformer")
