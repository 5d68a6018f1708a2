"""One neuron: what it computes of two inputs, what its activation function lets pass, where the sums
of a trained LSTM stand on such curves."""

from pages.ui import closer, place, shell
from pages.ui.fragment import fragment
from pages.ui.neuron import byhand, functions, gates, hero, logic, rounded

lesson = shell.head("neuron")


@fragment
def picture() -> None:
    with place.panel("neuron"):
        hero.show()


@fragment
def parts() -> None:
    closer.one_of(
        {
            "Real gates": gates.show,
            "Eight functions": functions.show,
            "AND, OR, XOR": logic.show,
            "Never quite 1": rounded.show,
            "By hand": byhand.show,
        },
        "part",
    )


picture()
parts()
shell.sources(lesson)
