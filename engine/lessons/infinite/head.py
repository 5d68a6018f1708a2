"""In the head of the page: the text to count, as on other pages on counting."""

from engine.lessons.counting_study import study as HEAD

__all__ = ["HEAD"]
