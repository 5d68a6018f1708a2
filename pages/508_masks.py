"""Masks: who may look at whom, on a trained Transformer and the typed text."""

from pages.ui import page

page.show_lesson("masks")
