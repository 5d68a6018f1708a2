"""Backpropagation through time."""

from pages.ui import page

page.show("bptt")
