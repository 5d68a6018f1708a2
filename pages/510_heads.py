"""Heads: all heads of all layers as pictures, what each of them does, and whether its weights explain."""

from pages.ui import page

page.show_lesson("heads")
