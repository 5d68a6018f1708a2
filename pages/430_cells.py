"""Compare cells."""

from pages.ui import page

page.show("cells")
