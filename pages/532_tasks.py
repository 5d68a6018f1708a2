"""Task heads: one BERT body read by heads for classes, tags, spans, pairs and replaced words."""

from pages.ui import page

page.show_lesson("tasks")
