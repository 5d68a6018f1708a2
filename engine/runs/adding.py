"""Adding: a model that was chosen on a page becomes a run, by a process of its own
(engine/jobs/staged.py), under a name that is free.

    python -m engine.runs.adding FOLDER
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from engine.jobs import staged
from engine.language.message import without
from engine.pretrained.hub import STORED, Offered
from engine.pretrained.packaged import PACKAGED
from engine.pretrained.stored import CONFIG
from engine.runs import imported
from engine.runs.archive.manifest import files, member
from engine.runs.archive.unpack import settle, unpack, waiting_room
from engine.runs.own import WHERE
from engine.runs.store import RunStore

ZIP = ".zip"
ODD = re.compile(r"[^\w.-]+")  # in a name that a browser sent, which may be a path
GIVEN = "my-model"  # a run of files that say nowhere what they are called


class Adding(staged.Staged):
    """A model by its name in `PACKAGED`, by one at the hub, or as files: a run's zip, a GGUF, or a
    checkpoint's.
    `result("add")`: {"id", "new"}.  ValueError where they are no model, or there is no room."""

    where, memory = WHERE, "there is not enough memory for so large a model"
    most, least = 10**12, 1_500_000_000

    def __init__(
        self, model: str = "", *given: tuple[str, bytes], offered: Offered | None = None
    ) -> None:
        plain = [(ODD.sub("-", name).lstrip("-.")[-120:], raw) for name, raw in given]
        names = [name for name, _ in plain]
        if offered is not None:
            size = STORED * offered.numbers
        elif model:
            size = PACKAGED[model].size
        elif CONFIG in names or (len(names) == 1 and names[0].lower().endswith((ZIP, ".gguf"))):
            size = sum(len(raw) for _, raw in plain)
        else:
            raise ValueError(
                "give one zip of a run, one GGUF file, or all files of a checkpoint together, such as"
                " config.json, tokenizer.json and .safetensors"
            )
        super().__init__(waiting_room(RunStore().roots[-1], size), plain)
        self.ask("add", model=model, at_hub=offered.name if offered else "")

    @staticmethod
    def do(folder: Path, asked: dict[str, Any], tell: Any) -> dict[str, Any]:
        (place := folder / GIVEN).mkdir()
        for n, name in enumerate(names := asked["names"]):
            (folder / f"{n}.part").rename(place / name)
        at_hub = bool(asked["at_hub"])
        source = asked["at_hub"] or asked["model"]
        source = source or str(place if CONFIG in names else place / names[0])
        if names and source.lower().endswith(ZIP):
            tell(1.0, "checking every file against its digest, then opening the model")
            came = unpack(Path(source), made_in=folder / "run")
            return {"id": came.run.id, "new": came.new}
        try:
            made = imported.store(source, folder / "run", tell=tell, at_hub=at_hub)
        except (ValueError, LookupError) as error:
            said = str(error.args[0] if error.args else error)
            raise ValueError(without(said, str(place), "the upload")) from error
        sums = {name: member(made.folder / name) for name in files(made.folder)}
        came = settle(made.folder, RunStore(), imported.slug(made.note["checkpoint"]["name"]), sums)
        return {"id": came.run.id, "new": came.new}


if __name__ == "__main__":
    tempfile.tempdir = sys.argv[1]  # what is fetched stands there until it is a run
    Adding.work(Path(sys.argv[1]))
