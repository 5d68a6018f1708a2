"""Cross-attention: an encoder reads a sentence, a decoder writes its translation and looks back at it."""

from pages.ui import page

page.show_lesson("translation")
