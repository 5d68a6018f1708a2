"""Backpropagation through time."""

from pages.ui import page

page.show_lesson("bptt")
