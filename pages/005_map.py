"""Course map: every topic of the course, found by its name, a synonym or an abbreviation, with the
place that shows it."""

from pages.ui import shell
from pages.ui.map import panels

lesson = shell.head("map")
panels.show()
shell.sources(lesson)
