# make demo    train a small model, look at its profile in TensorBoard
# make test    everything that must hold before a change lands, in an environment made for it (what CI runs)
# make check   the same without setting anything up; or one part: format lint types front-check pytest
# make front   build the page and the protobuf code where stale
# make bench   the benchmarks; each prints its ratio and its budget

PYTHON ?= python3
VENV := .venv/bin/
RUN := $(VENV)python
# replicate.py makes the large files that the others read.
BENCHMARKS := $(filter-out benchmarks/replicate.py,$(wildcard benchmarks/*.py))
NPM := $(RUN) _build/generate.py npm

.PHONY: demo test check format lint types front-check pytest front bench clean

demo:
	@$(PYTHON) tools/environment.py demo
	@$(RUN) tools/demo.py

test:
	@$(PYTHON) tools/environment.py test
	@$(MAKE) --no-print-directory check

# pytest last: its closing line is the run's.
check: format lint types front-check pytest

format:
	$(RUN) -m ruff format --check .

lint:
	$(RUN) -m ruff check .

types:
	$(RUN) -m mypy
	$(RUN) -m mypy _build tools

front-check:
	$(NPM) run --silent lint
	$(NPM) run --silent typecheck
	$(NPM) run --silent test

pytest:
	$(RUN) -m pytest $(PYTEST)

front:
	@$(PYTHON) tools/environment.py demo

bench:
	@$(PYTHON) tools/environment.py test
	@for file in $(BENCHMARKS); do echo "== $$file"; $(RUN) $$file || exit 1; done

clean:
	rm -rf .venv build dist *.egg-info demo_logs tb_plugin/static tb_plugin/formats/profile_pb2.py* frontend/node_modules
