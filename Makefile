# The ways in. Each works as the first command in a fresh clone; everything is installed in .venv.
PYTHON ?= python3

.PHONY: setup demo test check bench soak lock clean

# What the tests need (the demo needs less).
setup:
	@PYTHON="$(PYTHON)" scripts/setup test

# A small fleet, a month, its books, the statement and what must hold.
demo:
	@PYTHON="$(PYTHON)" scripts/setup demo
	@.venv/bin/gpuledger demo

# Everything that must hold before a commit.
test: check
	@scripts/test

# Lint, format, types, floors, docs.
check: setup
	@scripts/check

# What is measured: all of benchmarks/, or BENCH="name ...".
bench: setup
	@scripts/bench $(BENCH)

# 50 killed imports, closes and restatements, every scenario of the simulator with 20 seeds, and the properties with
# random seeds and many more examples.
soak: setup
	@scripts/test --soak

# Resolves the requirements of pyproject.toml anew; UPGRADE=1 takes the newest releases.
lock:
	@PYTHON="$(PYTHON)" scripts/setup lock $(if $(UPGRADE),--upgrade)

clean:
	rm -rf .venv .venv-* build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
