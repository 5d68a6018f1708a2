"""Fine-tuning: a trained model goes on learning, whole or in part, and what changed in it."""

from pages.ui import page

page.show_lesson("finetuning")
