# A face for those at work; Meson underneath does the building. `./demo` and `./test` need no make.
BUILD ?= build
MESON ?= meson
JOBS ?= 2
SUITES =

.PHONY: all deps build deb static release demo test check test-vm test-arch reproducible bench asan tsan fuzz lint golden install clean
all: build

deps:
	tools/deps.sh build optional test

build:
	tools/build.sh $(BUILD)

# Debian packages, in build/deb
deb:
	tools/make_deb.sh $(BUILD)/deb

# One file without shared libraries for each of these, below build/static
STATIC = $(shell dpkg --print-architecture)
static:
	tools/deps.sh build optional
	for arch in $(STATIC); do tools/make_static.sh $$arch $(BUILD)/static || exit; done

# Tarball of HEAD and its checksum, in build/release
release:
	tools/make_release.sh $(BUILD)/release

demo:
	./demo

# make test SUITES="unit cli"
test: build
	tests/run -j $(JOBS) --build $(BUILD) $(SUITES)

# The fast round for those at work: under a minute on two cores. ./test is the whole.
check: build
	tests/run -j $(JOBS) --build $(BUILD) --quick

# Hardware counters, stacks and the kernel's memory on an emulated arm64 machine: fetches a kernel (60 MB, once) and builds for it
test-vm: build
	tools/deps.sh vm
	tests/run --build $(BUILD) vm

# A release is packed twice, and the static binary built from it in two folders: the same bytes (four minutes beside other work)
reproducible: build
	tests/run --build $(BUILD) --filter reproducible long

# Unit, fuzz, cli and corpus suites of other architectures, cross-built and emulated, below build/arch
ARCHS = arm64 riscv64 s390x
test-arch:
	tools/deps.sh cross
	tools/test_arch.sh $(BUILD)/arch $(ARCHS)

# make bench BENCH_INPUTS=DIR: where the recordings are, or will be made (some 700 MB)
BENCH_INPUTS ?= build-bench
bench: build
	tools/deps.sh bench
	tools/bench --strobe $(BUILD)/strobe --inputs $(BENCH_INPUTS) --write doc/BENCHMARKS.md

asan:
	tools/build.sh build-asan --buildtype=debugoptimized -Db_sanitize=address,undefined
	tests/run -j $(JOBS) --build build-asan unit fuzz cli corpus

tsan:
	tools/build.sh build-tsan --buildtype=debugoptimized -Db_sanitize=thread
	tests/run -j $(JOBS) --build build-tsan unit cli
	tests/run --build build-tsan --filter parallel live

# make fuzz FUZZ_SECONDS=600: each target for so long, findings land in build-fuzz/
FUZZ_SECONDS ?= 60
fuzz:
	CC=clang tools/build.sh build-fuzz --buildtype=debugoptimized -Dfuzz=true -Db_lundef=false \
		-Db_sanitize=address,undefined
	tools/fuzz.sh build-fuzz $(FUZZ_SECONDS)

lint: build
	tests/run -j $(JOBS) --build $(BUILD) lint

# Rewrites the expectations of tests/cli from what the binary says now: read the diff before committing it.
golden: build
	tests/run --build $(BUILD) --golden cli

install: build
	$(MESON) install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(DESTDIR))

clean:
	rm -rf build build-*
