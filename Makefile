# SPDX-License-Identifier: GPL-2.0-or-later
#
# vgsp: "make help" lists the targets. QEMU has its own build system, which
# knows its dependencies: the rules here only enter it (scripts/build-qemu).

B := build
goals := $(or $(MAKECMDGOALS),all)
SHELL := /bin/sh
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
FUZZ_SECONDS ?= 30
export FUZZ_SECONDS

# These two promise to work on a fresh machine; the rest only say what is missing.
ifneq ($(filter demo bench fuzz check check-%,$(goals)),)
install_deps := scripts/deps install build
else
install_deps := :
endif

ifneq ($(filter-out help clean distclean,$(goals)),)
include $(B)/config.mk
endif
$(B)/config.mk: configure
	@$(install_deps)
	@./configure $(CONFIGURE_ARGS)

export QEMU_SRC PREFIX CC PYTHON SANITIZERS
build_qemu := scripts/build-qemu
submake = $(MAKE) --no-print-directory
# QEMU's build uses all processors by itself; these objects want to be told.
parallel = $(submake) $(if $(findstring -j,$(MAKEFLAGS)),,-j$(or $(JOBS),$(shell nproc)))

.PHONY: all demo check check-unit check-qtest check-silicon check-guest \
	check-owner check-soak bench \
	fuzz lint install uninstall clean distclean help

##@ Building
all: qemu $(B)/qemu-system-x86_64 ## build the emulator, build/qemu-system-x86_64

.PHONY: qemu
qemu: $(B)/config.mk $(B)/fetched
	@$(build_qemu) qemu qemu-system-x86_64

.PHONY: kmod
kmod: ## build the host kernel driver for KERNEL_UNAME (the running kernel) or the headers in KDIR, below build/kmod
	+@$(submake) -C gpu-owner-kmod OUT=$(abspath $(B))/kmod

$(B)/qemu-system-x86_64:
	@ln -sfn qemu/qemu-system-x86_64 $@

$(B)/fetched: scripts/fetch-qemu $(wildcard qemu-patches/*.patch) | $(B)/config.mk
	@scripts/fetch-qemu $(if $(QEMU_SRC),--no-source) $(B)
	@touch $@

##@ Running
demo: ## boot a guest with the emulated GPU and run a Vulkan job on it
	@scripts/deps install build guest
	+@$(submake) all
	@scripts/demo

bench: all $(B)/bench/guest-bench $(B)/bench/unit-bench $(B)/vgsp-replay ## measure; KEY=PREFIX for some; writes build/bench.json
	@$(build_qemu) qemu vgsp/tests/qtest/vgsp-bench
	@tests/bench/bench $(KEY)

$(B)/bench/guest-bench: tests/bench/guest-bench.c
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -O2 -Wall -Wextra -static -o $@ $<

##@ Testing
# Unit tests link every source of common/, hw-vgsp/{model,replay,translate}/
# and hw-vgsp/owner/rm/, three times: as shipped, with sanitizers, and with
# libFuzzer.
lists := $(wildcard common/SOURCES hw-vgsp/model/SOURCES \
	hw-vgsp/replay/SOURCES hw-vgsp/translate/SOURCES \
	hw-vgsp/owner/rm/SOURCES)
sources := $(shell sed 's/\#.*//' $(lists))
unit := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test-*.c)))
fuzzers := $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz-*.c)))
sanitize := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer

ifneq ($(filter-out help clean distclean install uninstall,$(goals)),)
glib_cflags := $(shell pkg-config --cflags glib-2.0)
glib_libs := $(shell pkg-config --libs glib-2.0) -lm
endif

# flags NAME: how the objects in build/NAME are compiled
test_cflags := -std=gnu11 -O2 -g1 -Wall -Wextra -Icommon/include -Ihw-vgsp \
	$(glib_cflags)
unit_cc = $(CC) $(test_cflags) $(if $(filter yes,$(SANITIZERS)),$(sanitize))
unit-asan_cc = $(CC) $(test_cflags) -O1 $(sanitize)
fuzz_cc = clang $(test_cflags) -O1 $(sanitize) -fsanitize=fuzzer-no-link

define flavour
$(B)/$(1)/%.o: %.c $(B)/config.mk
	@mkdir -p $$(@D)
	@echo "  CC      $(1)/$$<"
	@$$($(1)_cc) -MMD -MP -c -o $$@ $$<
-include $$(shell find $(B)/$(1) -name '*.d' 2>/dev/null)
endef
# The shim's headers are of its own Debian (tests/shim/run).
shim_cc = $(CC) $(test_cflags) -fPIC -fvisibility=hidden \
	-I$(SHIM_ROOT)/.include
$(foreach f,unit unit-asan fuzz shim,$(eval $(call flavour,$(f))))
.SECONDARY:

define unit_program
$(B)/$(1)/test-%: $(B)/$(1)/tests/unit/test-%.o $(sources:%.c=$(B)/$(1)/%.o)
	@echo "  LINK    $$@"
	@$$($(1)_cc) -o $$@ $$^ $$(glib_libs)
endef
$(foreach f,unit unit-asan,$(eval $(call unit_program,$(f))))

$(B)/bench/unit-bench: $(B)/unit/tests/bench/unit-bench.o $(sources:%.c=$(B)/unit/%.o)
	@mkdir -p $(@D)
	@$(unit_cc) -o $@ $^ $(glib_libs)

$(B)/fuzz/fuzz-%: $(B)/fuzz/tests/fuzz/fuzz-%.o $(sources:%.c=$(B)/fuzz/%.o)
	@echo "  LINK    $@"
	@$(fuzz_cc) -fsanitize=fuzzer -o $@ $^ $(glib_libs)

$(B)/vgsp-replay: $(B)/unit/hw-vgsp/replay/vgsp-replay.o \
		$(sources:%.c=$(B)/unit/%.o)
	@echo "  LINK    $@"
	@$(unit_cc) -o $@ $^ $(glib_libs)

# Translates recordings without any chip (docs/translate.md).
$(B)/translate-recording: $(B)/unit/tests/translate/translate-recording.o \
		$(sources:%.c=$(B)/unit/%.o)
	@echo "  LINK    $@"
	@$(unit_cc) -o $@ $^ $(glib_libs)

# One static program for machines that have a driver and nothing else.
silicon := $(filter-out %-probe.c,$(wildcard tests/silicon/*.c))
$(B)/silicon-bundle/vgsp-silicon: \
		$(patsubst %.c,$(B)/unit/%.o,$(silicon) $(sources))
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@$(unit_cc) -static -o $@ $^ $(shell pkg-config --static --libs glib-2.0) -lm

probe := $(wildcard tests/silicon/probe/*.c)
$(B)/silicon-bundle/rm-probe: $(patsubst %.c,$(B)/unit/%.o,$(probe) $(sources))
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@$(unit_cc) -static -o $@ $^ $(shell pkg-config --static --libs glib-2.0) -lm

$(B)/silicon-bundle/vgsp-replay: $(B)/unit/hw-vgsp/replay/vgsp-replay.o \
		$(sources:%.c=$(B)/unit/%.o)
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@$(unit_cc) -static -o $@ $^ $(shell pkg-config --static --libs glib-2.0) -lm
# The model's unit tests of arithmetic, which also write what they execute.
vectors := $(patsubst tests/unit/%.c,$(B)/vectors/%, \
	$(wildcard tests/unit/test-sm75-alu-*.c))
$(B)/vectors/test-%: tests/unit/test-%.c tests/silicon/vector-rig.h \
		tests/silicon/vector.h $(sources:%.c=$(B)/unit/%.o)
	@mkdir -p $(@D)
	@echo "  LINK    $@"
	@$(unit_cc) -include tests/silicon/vector-rig.h -o $@ $< \
		$(filter %.o,$^) $(glib_libs)
$(B)/silicon-bundle/vectors.bin: $(vectors)
	@mkdir -p $(@D)
	@rm -f $@.new
	@for t in $^; do VGSP_VECTORS=$@.new $$t >/dev/null || exit 1; done
	@mv $@.new $@

.PHONY: silicon-bundle
silicon-bundle: $(B)/silicon-bundle/vgsp-silicon $(B)/silicon-bundle/vgsp-replay $(B)/silicon-bundle/rm-probe $(B)/silicon-bundle/vectors.bin ## what tests/silicon needs on a machine with a GPU, build/silicon-bundle
	@tests/silicon/bundle $(B)/silicon-bundle

.PHONY: silicon-live
silicon-live: all silicon-bundle ## a guest to boot with owner=rm on a machine with a GPU, build/silicon-live
	@tests/silicon/live/build $(B)/silicon-live $(B)/silicon-bundle

shim := $(wildcard tests/shim/*.c)
$(B)/shim/vgsp-shim.so: $(patsubst %.c,$(B)/shim/%.o,$(shim) $(sources))
	@echo "  LINK    $@"
	@$(shim_cc) -shared -o $@.new $^ $(glib_libs) -lm -ldl
	@mv $@.new $@ # programs may be starting with it

.PHONY: unit unit-asan fuzzers qtests qtests-asan
unit: $(unit:%=$(B)/unit/%)
unit-asan: $(unit:%=$(B)/unit-asan/%)
fuzzers: $(fuzzers:%=$(B)/fuzz/%)
qtests: all
	@$(build_qemu) qemu vgsp-qtests
qtests-asan: $(B)/fetched
	@$(build_qemu) asan qemu-system-x86_64 vgsp-qtests

check-deps:
	@scripts/deps install build guest check
.PHONY: check-deps

# The last line is "N passed, N failed, N skipped" (scripts/check).
check: check-deps ## everything below but the soak; installs what it needs
	+@$(parallel) unit unit-asan fuzzers
	+@$(submake) qtests
	+@$(submake) qtests-asan
	+@$(submake) silicon-bundle
	@FUZZ_SECONDS=5 scripts/check unit unit-asan fuzz qtest qtest-asan qtest-kvm stress shim silicon guest owner
check-unit: check-deps ## unit tests, also with ASan and UBSan
	+@$(parallel) unit unit-asan
	@scripts/check unit unit-asan
check-qtest: check-deps ## device tests, also with sanitizers and under KVM
	+@$(submake) qtests
	+@$(submake) qtests-asan
	@scripts/check qtest qtest-asan qtest-kvm
check-silicon: check-deps ## the silicon suite's test of itself, on the model
	+@$(submake) silicon-bundle
	@scripts/check silicon
check-guest: check-deps ## real drivers in guests made of Debian packages
	+@$(submake) all
	@scripts/check guest
check-owner: check-deps ## the host kernel driver in a VM whose GPU is the model
	+@$(submake) all
	@scripts/check owner
check-soak: check-deps ## many boots, the Vulkan suite in each, hours of fuzzers
	+@$(submake) all
	+@$(parallel) fuzzers
	+@$(submake) qtests-asan
	@scripts/check soak
fuzz: check-deps ## every fuzzer for FUZZ_SECONDS (30) seconds
	+@$(parallel) fuzzers
	@scripts/check fuzz
lint: all ## checkpatch, compiler warnings, clang-tidy, cppcheck, shellcheck
	@scripts/lint

##@ Installing
install: all ## install the emulator below PREFIX; DESTDIR is respected
	@scripts/install install
kmod-install: ## put the host kernel driver's sources where DKMS finds them
	@$(submake) -C gpu-owner-kmod install
.PHONY: kmod-install
uninstall: ## remove what install installed
	@scripts/install uninstall

##@ Cleaning
clean: ## remove objects and programs, keep QEMU's source and configuration
	@rm -rf $(addprefix $(B)/,unit unit-asan fuzz shim asan bench.json \
		silicon-bundle silicon-live)
	@[ ! -e $(B)/qemu/build.ninja ] || ninja -C $(B)/qemu -t clean >/dev/null
distclean: ## remove build/ altogether; downloads stay in the cache
	@rm -rf $(B)

help: ## this text
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
