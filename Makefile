# make demo    train a small model, look at its profile in TensorBoard
# make test    everything that must hold before a change lands, in an environment made for it (what CI runs)
# make quick   rules of the house, arithmetic and meaning of events: under half a minute on a free machine
# make check   the same as test without setting anything up; or one part: format lint types front-check alone pytest
# make alone   with nothing to be found beside the clone all is collected, and what would look there is skipped
# make front   build the page and the protobuf code where stale
# make release build wheel and sdist, check them, try the wheel in an empty environment; nothing is uploaded
# make fuzz    damaged files of every format, read, asked everything, converted: N=10000 SEED=1
# make bench   the benchmarks and their budgets; BASE=../other: against another checkout; ONLY=views: one of them

PYTHON ?= python3
VENV := .venv/bin/
RUN := $(VENV)python
# Two processes, each test file in one of them: what a module's fixtures make is made once. In the order of the collection,
# quick tests first: xdist would begin with the files of most tests. A process that dies ends the run: xdist hands its file
# to no other.
TWO := -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart=0
LIVE := tests/torch_api/test_event_attributes.py
NPM := $(RUN) _build/generate.py npm
# What failed or did not run runs once more, alone: a machine too busy for a test is no fault, and a fault fails again.
run = $(RUN) -m pytest $(TWO) $(1) $(2) || $(RUN) -m pytest $(1) --last-failed --last-failed-no-failures none

.PHONY: demo test quick check format lint types front-check alone live pytest front release bench fuzz clean

demo:
	@$(PYTHON) tools/environment.py demo
	@$(RUN) tools/demo.py

test:
	@$(PYTHON) tools/environment.py test
	@$(MAKE) --no-print-directory check

quick:
	@$(PYTHON) tools/environment.py test
	$(RUN) -m pytest $(TWO) -q -m "not slow and not browser and not torch" tests/architecture tests/compute tests/trace tests/doors/test_wire.py

# What needs one core, two at once, and what each says in one piece; then what needs both. pytest last: its closing line is the run's.
check:
	@$(MAKE) --no-print-directory -j2 $(if $(filter output-sync,$(.FEATURES)),-Otarget) types front-check format lint alone
	@$(MAKE) --no-print-directory live pytest

format:
	$(RUN) -m ruff format --check .

lint:
	$(RUN) -m ruff check .

types:
	$(RUN) -m mypy
	$(RUN) -m mypy _build tools benchmarks

front-check:
	$(NPM) run --silent lint
	$(NPM) run --silent typecheck
	$(NPM) run --silent test

alone:
	TB_PLUGIN_TRACES=none $(RUN) -m pytest -q -m beside

# In one process: torch's tracer sees the frames of xdist's own thread, and gives them another device index than its files.
live:
	$(RUN) -m pytest -q $(LIVE)

pytest:
	$(call run, --ignore=$(LIVE), $(PYTEST))

front:
	@$(PYTHON) tools/environment.py demo

release:
	@$(PYTHON) tools/environment.py test
	@$(RUN) tools/release.py

bench:
	@$(PYTHON) tools/environment.py test
	@$(RUN) benchmarks/run.py $(if $(BASE),--base $(BASE)) $(ONLY)

N ?= 1000
SEED ?= 1
fuzz:
	$(RUN) -m tests.fuzz.campaign $(N) $(SEED)

clean:
	rm -rf .venv build dist *.egg-info demo_logs tb_plugin/static tb_plugin/formats/stored/profile_pb2.py* frontend/node_modules
