"""BERT: mask words and see what is guessed from both sides; one word in several meanings."""

from pages.ui import page

page.show_lesson("bert")
