"""Measures: how near what a system said is to what is right, counted in twelve ways."""

from pages.ui import page

page.show_lesson("measures")
