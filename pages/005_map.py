"""Course map: how the lessons hang together, a course of one's own, and every topic, found by its name,
a synonym or an abbreviation, with the place that shows it."""

from pages.ui import shell
from pages.ui.map import course, panels

lesson = shell.head("map")
course.show()
panels.show()
shell.sources(lesson)
