# SPDX-License-Identifier: Apache-2.0 OR MIT
# Takt's front door. `make help` lists the targets; each sets up what it needs, and only once.

PYTHON ?= $(firstword $(shell command -v python3.11 python3) python3)
SYSTEMS ?= 20000
WHEELS ?= build/wheels
FUZZ_SECONDS ?= 600
LINUX_SYSTEMS ?= 1000
PORT ?= cortex_m

VENV := .venv
RUN := $(VENV)/bin/python
PREPARE := $(PYTHON) tools/prepare.py
STAMPS := $(VENV)/stamps

FOLDERS := $(wildcard core policy analysis system remote linux sim kernel port boards firmware hardware python tests bench examples studies)
PACKAGE_SOURCES := pyproject.toml CMakeLists.txt LICENSE $(wildcard LICENSES/*) tools/lock.txt \
    $(shell find core policy analysis system remote sim kernel port boards firmware hardware linux/guest python -type f -not -name '*.pyc' \
        -not -path python/takt/model/records.py -not -path 'python/takt/_*.pyi' 2>/dev/null)
C_SOURCES := $(shell find $(FOLDERS) -name '*.[ch]' -o -name '*.[ch]pp')
CPPCHECK := cppcheck -j $(shell nproc) --quiet --error-exitcode=1 --std=c11 --enable=warning,style,performance,portability \
    --suppressions-list=tools/cppcheck-suppressions.txt -I.

.PHONY: docs sbom help run check test soak many-linux measure mutate bench bench-kernel bench-linux footprint lint lint-types lint-rest format clean tools-run tools-test ctest pytest kernel-bars proof build studies study-s0 study-s1 study-s2 study-s3 study-s4
.NOTPARALLEL:

help:
	@echo "make run      set up, compare policies on the IoT example and write a report"
	@echo "make check    what a change of one file breaks first, in 90 s: tests in C, all cases, a sample of every family, style"
	@echo "make test     set up and run every check and test"
	@echo "make measure  the structure in figures: now, recorded, goal"
	@echo "make mutate   damage the sources at random places and count what tests notice, by folder"
	@echo "make soak     the random tests with SYSTEMS=$(SYSTEMS) systems, the fuzzers for FUZZ_SECONDS=$(FUZZ_SECONDS) each, LINUX_SYSTEMS=$(LINUX_SYSTEMS) under Linux"
	@echo "make many-linux  the last of these alone; it continues where it was ended"
	@echo "make proof    the model checker on core's ready sets, timers and budgets, on sources as they are and damaged"
	@echo "make bench    measure simulator, kernel, frames and report; make bench-kernel: the kernel, beside its peers; footprint: its bytes, feature by feature; bench-linux: wakes and loading in Linux"
	@echo "make studies  make the tables and figures of the papers again; make study-s0, study-s1, study-s2, study-s3, study-s4: of one paper"
	@echo "make blinky   build examples/blinky_rtos and run it; PORT=$(PORT), cortex_m and riscv in QEMU, or posix"
	@echo "make admission  likewise examples/admission_rtos: tasks that an analysis admits at run time"
	@echo "make linux    boot a kernel with sched_ext in an emulator, and run a task set on it; make wheel-linux: a package with taktd"
	@echo "make wheel    build/wheels: a package for pip, for this Python and all newer systems than its tag names; make sdist: of sources"
	@echo "make docs     build/docs: the documents as a site, with the calls of the kernel, the names in Python and a search"
	@echo "make sbom     build/sbom.json: what ships with Takt, with licences and hashes (CycloneDX)"
	@echo "make lint     check style, types, includes and imports"
	@echo "make format   put sources and documents into the project's format"
	@echo "make clean    remove all that was built or installed here"

run: $(STAMPS)/package
	@mkdir -p build
	@for load in 65 100 110; do \
	  $(VENV)/bin/takt compare examples/iot_$$load.toml --policy fp,rate-based --report build/iot_$$load.html || exit; \
	done
	@echo "open build/iot_110.html in a browser: what an overload does under each"

# One file or more of each folder that the tests in C leave out, with few random systems and without tests marked as long.
# The modules are built in place, beside those of the environment.
CHECKED := analysis/test_analyse.py analysis/test_response_times.py analysis/test_unsound_cases.py command/test_cli.py \
    core/test_cases.py core/test_golden.py core/test_random_systems.py core/test_rate_based.py core/test_windows.py \
    draw/test_generators.py files/test_formats.py files/test_model_errors.py \
    model/test_api.py project/test_folders.py project/test_rules.py references/test_oracle.py run/test_trace_file.py \
    show/test_sharing.py study/test_study.py

check:
	@test -e $(STAMPS)/test || $(MAKE) --no-print-directory tools-test $(STAMPS)/package $(STAMPS)/test
	@cmake --preset release > build/check.txt && cmake --preset python > build/check.txt
	cmake --build --preset release
	cmake --build --preset python
	@rm -rf build/check && cmake --install build/python --component python --prefix build/check > build/check.txt
	@cp -r python/takt build/check/
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(RUN) tools/check_folders.py
	ctest --preset release --parallel 2
	PYTHONPATH=$(CURDIR)/build/check TAKT_SYSTEMS=3 TAKT_STEADY=1 $(RUN) -m pytest --quiet --numprocesses 2 --dist load -m "not long" \
	    $(addprefix tests/,$(CHECKED))

# Ends with a line that names every check that did not run, and why.
test: lint ctest pytest
	@$(PYTHON) tools/not_run.py build/release/ctest.xml build/sanitize/ctest.xml build/pytest.xml

soak: export TAKT_SYSTEMS := $(SYSTEMS)
soak: export TAKT_FUZZ_SECONDS := $(FUZZ_SECONDS)
soak: LINUX_TOO := --systemd
soak: ctest pytest proof many-linux

# 1,000 random systems under Linux, in parts; what has run with the same programs is not run again.
many-linux: $(STAMPS)/package $(STAMPS)/test
	@test ! -e build/linux/packages || PYTHONPATH=$(subst $() ,:,$(addprefix tests/,. support board core linux)) \
	    $(RUN) tests/linux/many_runs.py --systems $(LINUX_SYSTEMS)

# Says so and goes on where the model checker cannot be had.
proof:
	$(PYTHON) tests/proof/run.py
	$(PYTHON) tests/proof/run.py --mutated

# What the tests miss: see tests/mutation. Not a part of make test.
mutate: tools-test $(STAMPS)/package $(STAMPS)/test
	@$(PREPARE) tools mutate
	@$(PREPARE) extras mutation
	$(RUN) tests/mutation/mutate.py

bench: build $(STAMPS)/package $(STAMPS)/bench
	$(RUN) bench/sim/run.py build/release/bench_sim
	$(RUN) bench/sim/rates.py build/release
	$(RUN) bench/sim/scale.py
	build/release/bench_changes
	$(RUN) bench/analysis/run.py
	$(MAKE) bench-kernel
	$(RUN) bench/report.py

bench-linux: $(STAMPS)/package
	@$(PREPARE) tools linux
	@$(PYTHON) tools/get_linux.py > build/linux.txt
	$(RUN) linux/bench/latency.py
	$(RUN) linux/bench/budget.py
	$(RUN) linux/bench/loading.py

bench-kernel: footprint
	$(RUN) bench/kernel/run.py
	$(RUN) bench/kernel/masked.py --check
	$(RUN) bench/kernel/checks.py
	$(RUN) bench/kernel/cores.py

footprint: tools-test $(STAMPS)/package
	$(RUN) bench/kernel/footprint.py --check

studies: study-s0 study-s1 study-s2 study-s3 study-s4

study-s0: $(STAMPS)/package
	$(RUN) -m studies.s0_rate_based

study-s1: $(STAMPS)/package
	$(RUN) -m studies.s1_deferred_preemption

study-s2: $(STAMPS)/package
	$(RUN) -m studies.s2_scheduler_architectures

study-s3: $(STAMPS)/package
	PYTHONPATH=tests $(RUN) -m studies.s3_general_framework

study-s4: $(STAMPS)/package
	$(RUN) -m studies.s4_hierarchical_scheduling

# Archives of one commit have the same dates.
EPOCH = SOURCE_DATE_EPOCH=$(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null))

TOOLCHAIN_cortex_m := --toolchain $(CURDIR)/cmake/toolchain-arm-none-eabi.cmake
TOOLCHAIN_riscv := --toolchain $(CURDIR)/cmake/toolchain-riscv.cmake

.PHONY: blinky admission api picture linux wheel-linux wheel sdist

blinky admission:
	@$(PREPARE) tools $(PORT)
	@cmake -S examples/$@_rtos -B build/$@-$(PORT) -DTAKT_PORT=$(PORT) $(TOOLCHAIN_$(PORT)) \
	    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_RULE_MESSAGES=OFF -DCMAKE_TARGET_MESSAGES=OFF --log-level=WARNING
	@MAKEFLAGS=--no-print-directory cmake --build build/$@-$(PORT) --parallel 2
	@MAKEFLAGS=--no-print-directory cmake --build build/$@-$(PORT) --target run

# Says so and goes on where the packages cannot be had.
linux: $(STAMPS)/package
	@$(PREPARE) tools linux || true
	@$(RUN) linux/guest/boot.py
	@test ! -e build/linux/vmlinux || for policy in fp rate-based; do \
	    $(VENV)/bin/takt run examples/iot_65.toml --on linux --policy $$policy || exit 1; done

# A package for users without clang and libbpf: it has the compiled programs, takt-linux and taktd.
wheel-linux: $(STAMPS)/package
	@$(PREPARE) tools linux
	@$(PYTHON) tools/get_linux.py > build/linux.txt
	@mkdir -p build/linux/takt
	@$(PYTHON) linux/bpf/build.py --linux build/linux --into build/linux/takt
	@$(MAKE) --no-print-directory wheel LINUX_PRODUCTS=$(CURDIR)/build/linux/takt

# A package for users, with the tag of the oldest system that it runs on. With LINUX_PRODUCTS, the folder of compiled
# programs, it is built in a folder of its own: one in common would put the programs into .venv too, the next time.
wheel: $(STAMPS)/package $(STAMPS)/wheel
	@rm -rf $(WHEELS)/built
	@$(EPOCH) $(RUN) -m build --wheel --no-isolation --outdir $(WHEELS)/built . $(if $(LINUX_PRODUCTS), \
	    -C build-dir=$(WHEELS)/build -C cmake.define.TAKT_LINUX_PRODUCTS=$(LINUX_PRODUCTS)) > build/wheel.txt
	@$(EPOCH) $(RUN) tools/wheel.py $(WHEELS)/built/*.whl $(WHEELS)

sdist: $(STAMPS)/package $(STAMPS)/wheel
	@$(EPOCH) $(RUN) -m build --sdist --no-isolation --outdir $(WHEELS) . > build/sdist.txt
	@ls $(WHEELS)/*.tar.gz

# The documents as a site, with what follows from C and Python. make api is an older name.
docs api: $(STAMPS)/package $(STAMPS)/docs
	@$(PREPARE) tools docs
	@$(RUN) tools/docs.py
	@echo open build/docs/index.html in a browser

# The picture in README.md, of the report that make run writes.
picture: run $(STAMPS)/test
	@PYTHONPATH=tests/support $(RUN) tests/show/take_picture.py build/iot_110.html docs/report.png

sbom:
	@$(PYTHON) tools/sbom.py
	@echo build/sbom.json

# Fails in lint when a figure is worse than tools/measures.json says; RECORD=1 writes those that are better.
measure:
	@$(PYTHON) tools/measure.py $(if $(RECORD),--record)

# Types are checked beside the rest, because mypy uses one processor.
lint: tools-test $(STAMPS)/package $(STAMPS)/test
	@mkdir -p build
	@$(MAKE) --no-print-directory lint-types > build/types.txt 2>&1 & types=$$!; \
	    $(MAKE) --no-print-directory lint-rest; rest=$$?; wait $$types; types=$$?; \
	    cat build/types.txt; exit $$((rest + types))

lint-types:
	$(VENV)/bin/mypy
	MYPYPATH=tests:examples $(VENV)/bin/mypy tests tools linux studies bench/sim bench/report.py bench/firmware.py
	$(VENV)/bin/mypy bench/analysis
	MYPYPATH=tools $(VENV)/bin/mypy bench/kernel

lint-rest:
	$(RUN) tools/check_folders.py
	$(RUN) tools/measure.py --check
	$(RUN) tools/format_markdown.py --check
	$(VENV)/bin/lint-imports --no-logo --no-cache
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	@echo clang-format, cppcheck: $(words $(C_SOURCES)) files
	@clang-format-14 --dry-run -Werror $(C_SOURCES)
	@$(CPPCHECK) --std=c++17 -Iport/cortex_m -Iboards/mps2 $(filter-out %.bpf.c,$(C_SOURCES))
	@$(CPPCHECK) '-DSEC(name)=' '-DBPF_PROG(name,...)=name(__VA_ARGS__)' $(filter %.bpf.c,$(C_SOURCES))

format: tools-test $(STAMPS)/test
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(RUN) tools/format_markdown.py
	clang-format-14 -i $(C_SOURCES)

ctest: build
	cmake --preset sanitize
	cmake --build --preset sanitize
	ctest --preset release --parallel 2 --output-junit ctest.xml
	ctest --preset sanitize --parallel 2 --output-junit ctest.xml

# Fails when a bar is missed, or when yield or a plain thread got worse without a record of it. One of the tests does it too.
kernel-bars: tools-test $(STAMPS)/package
	$(RUN) bench/kernel/run.py --check

build: tools-test
	cmake --preset release
	cmake --build --preset release

# Where the model checker or the kernel of Linux cannot be had, their tests are skipped.
pytest: tools-test $(STAMPS)/package $(STAMPS)/test
	@mkdir -p build
	@$(PYTHON) tools/get_cbmc.py > build/cbmc.txt || true
	@$(PREPARE) tools linux && $(PYTHON) tools/get_linux.py $(LINUX_TOO) > build/linux.txt || true
	$(RUN) -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder \
	    --junitxml build/pytest.xml

clean:
	rm -rf build $(VENV) python/takt/model/records.py python/takt/_*.pyi .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

tools-run:
	@$(PREPARE) tools run

tools-test:
	@$(PREPARE) tools test

$(STAMPS)/dependencies: pyproject.toml tools/lock.txt | tools-run
	@$(PREPARE) dependencies
	@mkdir -p $(STAMPS) && touch $@

# The Python package, built from the sources it holds, in a folder that stays: what did not change is not built again.
$(STAMPS)/package: $(PACKAGE_SOURCES) $(STAMPS)/dependencies | tools-run
	@$(PREPARE) package
	@touch $@

$(STAMPS)/test: pyproject.toml tools/lock.txt | $(STAMPS)/package
	@$(PREPARE) extras drs perfetto test lint wheel cluster sbom docs
	@touch $@

$(STAMPS)/wheel: pyproject.toml tools/lock.txt | $(STAMPS)/package
	@$(PREPARE) extras wheel
	@touch $@

$(STAMPS)/docs: pyproject.toml tools/lock.txt | $(STAMPS)/package
	@$(PREPARE) extras docs
	@touch $@

$(STAMPS)/bench: pyproject.toml tools/lock.txt | $(STAMPS)/package
	@$(PREPARE) extras bench
	@touch $@
