"""Structured: a prompt with a name before each of its parts, and a place for the text that it is about.

What      Task, Instructions, Context, Examples and Input, joined by blank lines
Differs   Without a text it ends with "Input:", as in the notes: then nothing is asked, and a model writes an
          input of its own.
"""

from __future__ import annotations

from engine.lessons.prompting.examples import Pairs

TEXTS = {"examples": "Examples:", "given": "Input:", "answer": "Output:"}


def prompt(
    task: str, instructions: str, context: str, examples: Pairs, text: str | None = None
) -> str:
    named = {"Task": task, "Instructions": instructions, "Context": context}
    parts = [f"{name}: {told}" for name, told in named.items() if told]
    parts += [TEXTS["examples"]] if examples else []
    for given, answer in examples:
        parts += [f"{TEXTS['given']} {given}", f"{TEXTS['answer']} {answer}"]
    asked = [TEXTS["given"]] if text is None else [f"{TEXTS['given']} {text}", TEXTS["answer"]]
    return "\n\n".join([*parts, *asked])
