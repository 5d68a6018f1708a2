"""The command line: one file, one command.  Each file has `add(parsers)` and `run(args)`.

`run` returns what `--json` prints, or None when it has printed everything itself.
"""
