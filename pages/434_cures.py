"""Why gradients vanish."""

from pages.ui import page

page.show_lesson("cures")
