"""Unit detective: what does a single unit respond to?"""

from pages.ui import page

page.show_lesson("units")
