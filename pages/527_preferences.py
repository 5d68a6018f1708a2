"""Preferences: replies to rank, a reward fitted to the choices, and a model tuned to it."""

from pages.ui import page

page.show_lesson("preferences")
