"""One recurrent unit in three ways: a network whose gradient shrinks or grows, a dynamical system with
fixed points, a loss with a cliff; one set of sliders for all."""

from pages.ui import shell
from pages.ui.dynamics import chain, factor, norms, products, steps, typed, views
from pages.ui.fragment import fragment

lesson = shell.head("dynamics")


# each by itself: what moves one of them leaves the others as they are
for part in (views, typed, factor, steps, norms, products, chain):
    fragment(part.show)()
shell.sources(lesson)
