"""Long documents: names, answers, a summary, a dialogue and one vector of texts longer than the model."""

from pages.ui import page

page.show_lesson("documents")
