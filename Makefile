# Each target makes what it needs: a private environment in .venv, with the extra it names.
# Needed beforehand: python3.11, a C++ compiler and a package index.
PYTHON ?= python3.11
VENV := .venv
BACKENDS := .venv-backends
BIN := $(VENV)/bin

# Compiled code is kept beside the environment: the second run finds it, and other projects'
# caches, which have one lock each, are left alone. Empty BLAS flags spare Aesara the search.
AESARA_FLAGS ?= base_compiledir=$(CURDIR)/$(VENV)/aesara,blas__ldflags=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: judges help demo test lint docs notebooks bench fuzz clean backends test-slow

help:
	@echo "make demo       what kanrewrite does to a softmax, and to a classifier in training"
	@echo "make test       all tests and doctests"
	@echo "make test-slow  the tests that take long"
	@echo "make lint       ruff and mypy"
	@echo "make backends   the tests that need JAX or Numba"
	@echo "make docs       the documentation, in docs/_build/html"
	@echo "make notebooks  runs every notebook"
	@echo "make bench      the benchmarks"
	@echo "make fuzz       random graphs against stock Aesara: make fuzz N=20000 SEED=1"
	@echo "make judges     other projects' tests with and without the library: make judges FOLDERS=..."
	@echo "make clean      removes what the targets above have made"

demo: $(VENV)/.demo
	@AESARA_FLAGS="$(AESARA_FLAGS)" $(BIN)/kanrewrite demo

# The tests choose their own Aesara flags, see conftest.py.
test: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses=auto $(PYTEST_OPTIONS)

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses=auto -m slow $(PYTEST_OPTIONS)

# JAX and Numba tie down the versions of what they stand on: an environment of its own.
backends: $(BACKENDS)/.made
	$(BACKENDS)/bin/python -m pytest tests/test_jax.py tests/gradient/test_jax.py tests/gradient/test_numba.py

$(BACKENDS)/.made: pyproject.toml
	$(PYTHON) -m venv --clear $(BACKENDS)
	$(BACKENDS)/bin/python -m pip install --quiet --editable ".[dev,jax,numba]"
	@touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(VENV)/.docs
	AESARA_FLAGS="$(AESARA_FLAGS)" $(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

notebooks: $(VENV)/.notebooks
	AESARA_FLAGS="$(AESARA_FLAGS)" $(BIN)/python -m pytest --override-ini=addopts= --nbmake notebooks

bench: $(VENV)/.dev
	$(BIN)/python -m pytest --benchmark-enable --benchmark-only tests/benchmarks

# Other seeds give other graphs; what fails is shrunk and printed as a test.
N ?= 2000
SEED ?= 0
fuzz: $(VENV)/.dev
	@AESARA_FLAGS="$(AESARA_FLAGS),cxx=" $(BIN)/kanrewrite fuzz --n $(N) --seed $(SEED) --jobs 0 $(FUZZ)

# Folders of tests of Aesara, aeppl, aemcmc, kanren ..., whose outcomes must not change.
judges: $(VENV)/.dev
	@AESARA_FLAGS="$(AESARA_FLAGS)" $(BIN)/python -m tests.judges $(or $(FOLDERS),$(error Name folders of tests: make judges FOLDERS="path/to/aesara/tests/tensor"))

clean:
	rm -rf $(VENV) $(BACKENDS) docs/_build docs/gallery .mypy_cache .pytest_cache .ruff_cache .benchmarks .hypothesis

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no $(PYTHON) on the path: install it, or name another one: make PYTHON=python3.10"; \
	  exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# One stamp an extra: installed again only when the requirements change.
$(VENV)/.%: pyproject.toml $(VENV)/.created
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@
