"""Python's language reference, as this Python installation brings it for `help()`.

What      every topic of pydoc_data.topics, one passage a line: paragraphs, list items and blocks of
          code joined
Source    Python Software Foundation, The Python Language Reference
Differs   Read from the installation at run time, so the text follows the version of Python;
          underlines of titles go.
"""

from __future__ import annotations

import re
from functools import cache


class PythonDocs:
    id = "python_docs"
    title = "The Python language reference"
    says = (
        "What this Python tells about itself: how statements, types and operators work, with small"
        " pieces of code."
    )
    licence = "Python Software Foundation License Version 2"

    def text(self) -> str:
        """One passage a line.  LookupError where this Python comes without its topics."""
        return _clean()


@cache
def _clean() -> str:
    try:
        from pydoc_data.topics import topics
    except ImportError as error:
        raise LookupError(
            "this Python comes without its language reference (pydoc_data); install Python's"
            " standard library in full, or choose another text"
        ) from error
    seen: dict[str, None] = {}  # sections that several topics share are read once
    for name in sorted(topics):
        for paragraph in re.split(r"\n\s*\n", topics[name]):
            lines = [
                line
                for line in paragraph.split("\n")
                if not re.fullmatch(r"\s*([*=\-~^\"'+|#])\1{2,}\s*|[\s|+=\-]*", line)
            ]
            passage = " ".join(" ".join(lines).split())
            if passage:
                seen.setdefault(passage)
    return "\n".join(seen) + "\n"


CORPUS = PythonDocs()
