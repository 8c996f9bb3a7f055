# dlmp: a server cluster for DarqlineMP clients.
#
#   make              all programs                    make test       set up, build and run all tests
#   make run          a whole cluster with bots       make check      the tests without the set-up
#   make fuzz         FUZZ_SECONDS=60 a target        make bench      what codec and shard cost
#   make sim          SEED=7: one simulated cluster   make soak       20,000 seeds and whole traps
#   make lint         clang-tidy, cppcheck, layering  make format     clang-format, in place
#   make docs         docs/*.md, the dissector        make fixtures   the golden packets, written anew
#   make rules        which tests stand for which rule of the pages
#   make clean        removes every build folder      make help       this text
#
#   CC=clang          the other compiler, in build-clang/
#   ASAN=1            AddressSanitizer and UndefinedBehaviorSanitizer, in build-asan/

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

CC           := gcc
PYTHON       := python3 -B
FUZZ_SECONDS := 60
BUILD        := build$(if $(filter clang%,$(notdir $(CC))),-clang)$(if $(ASAN),-asan)$(if $(FUZZING),-fuzz)

,        := ,
WARN     := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS   := -O2 -g
SANITIZE := $(if $(ASAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer) \
            $(if $(FUZZING),-fsanitize=fuzzer-no-link$(,)address$(,)undefined -fno-sanitize-recover=all)
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) $(WARN) $(CFLAGS) $(SANITIZE)

# ---- what is generated from proto/schema/

PAGES   := $(filter-out index,$(basename $(notdir $(wildcard proto/schema/*.toml))))
GEN_C   := $(PAGES:%=$(BUILD)/gen/wire_%.c) $(BUILD)/gen/wire_table.c $(BUILD)/gen/wire_examples.c
GEN_H   := $(PAGES:%=$(BUILD)/gen/wire_%.h) $(BUILD)/gen/wire_table.h $(BUILD)/gen/wire.h
SCHEMA  := $(wildcard proto/schema/*.toml proto/examples/*.json proto/gen/*.py)

# The generator leaves a file alone that would not change, so that only what did is compiled anew.
GEN_STAMP := $(BUILD)/gen/.generated
$(GEN_C) $(GEN_H): $(GEN_STAMP) ;
$(GEN_STAMP): $(SCHEMA)
	@deploy/bootstrap --check >/dev/null 2>&1 || echo "packages are missing: deploy/bootstrap --check names them"
	@echo "  GEN   $(BUILD)/gen"
	@$(PYTHON) proto/gen/generate.py --c $(BUILD)/gen
	@touch $@

BUS_H := $(BUILD)/gen/bus.pb-c.h

# -Wno-…: what protoc-c writes is not ours to change.
$(BUILD)/gen/bus.pb-c.c $(BUS_H) &: proto/bus.proto
	@echo "  GEN   $(BUS_H)"
	@mkdir -p $(BUILD)/gen
	@protoc-c --proto_path=proto --c_out=$(BUILD)/gen bus.proto
$(BUILD)/gen/bus.pb-c.o: WARN := -Wall

# ---- objects and programs

# $(call objects,a.c build/gen/b.c): their objects, below $(BUILD).
objects = $(patsubst %.c,$(BUILD)/%.o,$(patsubst $(BUILD)/%,%,$(1)))

# What all share; a program takes from it what it uses.
LIBRARY := $(BUILD)/libdlmp.a
LIBS    := -lhiredis -lzmq -levent -ljson-c -lsodium -lyaml -lprotobuf-c -llua5.4 -lm

$(LIBRARY): $(call objects,$(wildcard common/*.c proto/*.c) $(GEN_C) $(BUILD)/gen/bus.pb-c.c)
	@echo "  AR    $@"
	@rm -f $@ && ar qcs $@ $^

# $(call folders,gateway shard): the objects of these folders, main.c aside; $(call program,…): with it.
folders = $(call objects,$(filter-out %/main.c,$(foreach folder,$(1),$(wildcard $(folder)/*.c))))
program = $(call objects,$(wildcard $(1)/*.c))
CORES   := $(call folders,gateway shard shard/script shard/tables coordinator)

PROGRAMS := dlmp-packet dlmp-gateway dlmp-shard dlmp-coordinator dlmp-bots dlmpctl
TESTS    := test-unit test-cluster sim
BENCHES  := bench-wire bench-shard bench-script bench-relay
FUZZERS  := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

all: $(PROGRAMS:%=$(BUILD)/%)

everything: all $(TESTS:%=$(BUILD)/%) $(BENCHES:%=$(BUILD)/%)

$(BUILD)/dlmp-packet: $(call program,proto/dlmp-packet)
$(BUILD)/dlmp-gateway: $(call program,gateway)
$(BUILD)/dlmp-shard: $(call program,shard) $(call folders,shard/script shard/tables)
$(BUILD)/gamemode-docs: $(call program,shard/gamemode-docs) $(call folders,shard shard/script shard/tables)
$(BUILD)/dlmp-coordinator: $(call program,coordinator)
$(BUILD)/dlmp-bots: $(call program,bots)
$(BUILD)/dlmpctl: $(call program,ctl)

# Every test file names its suites; these headers list them.
$(BUILD)/tests/%/suites.h: $(wildcard tests/unit/*.c tests/cluster/*.c) tools/suites
	@mkdir -p $(@D)
	@$(PYTHON) tools/suites $(wildcard tests/$*/*.c) > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(call objects,$(wildcard tests/unit/*.c)): | $(BUILD)/tests/unit/suites.h
$(call objects,$(wildcard tests/cluster/*.c)): | $(BUILD)/tests/cluster/suites.h

CHECK_LIBS := $(shell pkg-config --libs check 2>/dev/null)
$(BUILD)/test-unit: $(call objects,$(wildcard tests/unit/*.c)) $(CORES) $(call folders,bots ctl)
$(BUILD)/test-cluster: $(call objects,$(wildcard tests/cluster/*.c)) $(call folders,coordinator bots) | $(PROGRAMS:%=$(BUILD)/%)
$(BUILD)/test-unit $(BUILD)/test-cluster: MORE_LIBS := $(CHECK_LIBS)
$(BUILD)/sim: $(call objects,$(wildcard tests/sim/*.c)) $(CORES) $(call folders,bots)
$(BUILD)/bench-wire: $(call objects,tests/bench/bench_wire.c)
$(BUILD)/bench-relay: $(call objects,$(wildcard tests/bench/*relay*.c)) $(call folders,bots)
$(BUILD)/bench-relay: MORE_LIBS := -lenet
$(BUILD)/bench-shard: $(call objects,tests/bench/bench_shard.c) $(call folders,shard shard/tables)
$(BUILD)/bench-script: $(call objects,tests/bench/bench_script.c) $(call folders,shard shard/script shard/tables)

$(FUZZERS:%=$(BUILD)/%): $(BUILD)/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/items.o $(CORES)
$(FUZZERS:%=$(BUILD)/%): MORE_LIBS := -fsanitize=fuzzer

$(addprefix $(BUILD)/,$(PROGRAMS) gamemode-docs $(TESTS) $(BENCHES) $(FUZZERS)): $(LIBRARY)
	@echo "  LINK  $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBRARY) $(MORE_LIBS) $(LIBS)

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c | $(GEN_H) $(BUS_H)
	@echo "  CC    $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c | $(GEN_H) $(BUS_H)
	@echo "  CC    $<"
	@mkdir -p $(@D)
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell [ -d $(BUILD) ] && find $(BUILD) -name '*.d')

# ---- tests

.PHONY: all everything test check run sim soak fuzz fuzz-built bench lint rules format format-check docs fixtures clean help setup

setup:
	@deploy/bootstrap

test: setup
	@$(MAKE) --no-print-directory check

# The unit tests and the simulator run twice, the second time under the sanitizers; with ASAN=1 only there.
SANITIZED := $(BUILD)$(if $(ASAN),,-asan)
check: all $(TESTS:%=$(BUILD)/%)
	@$(MAKE) --no-print-directory ASAN=1 all $(TESTS:%=$(SANITIZED)/%)
	@DLMP_BUILD=$(BUILD) DLMP_SANITIZED=$(SANITIZED) \
	    $(PYTHON) tests/run --timeout 900 $(patsubst %,--by-suite %,$(sort $(SANITIZED)/test-unit $(BUILD)/test-unit)) \
	    $(BUILD)/test-cluster tests/tools

run: setup
	@$(MAKE) --no-print-directory all
	@$(BUILD)/dlmpctl up --world deploy/world.yaml --resources deploy/resources --resource freeroam --bots 40

fuzz:
	@$(MAKE) --no-print-directory CC=clang FUZZING=1 fuzz-built

fuzz-built: $(FUZZERS:%=$(BUILD)/%)
	@for fuzzer in $(FUZZERS); do tools/fuzz $(BUILD)/$$fuzzer $(FUZZ_SECONDS) || exit 1; done

bench: all $(BENCHES:%=$(BUILD)/%)
	@$(BUILD)/bench-wire
	@$(BUILD)/bench-shard
	@$(BUILD)/bench-script
	@$(PYTHON) tests/bench/bench_cluster.py --build $(BUILD)

SEED := 1
sim: $(BUILD)/sim
	@$(BUILD)/sim --seed $(SEED)

soak: $(BUILD)/sim
	@$(BUILD)/sim --trap all --whole
	@$(BUILD)/sim --seeds 20000

# ---- source hygiene

SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

format:
	@clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

lint: everything
	@BUILD=$(BUILD) tools/lint

rules:
	@$(PYTHON) tools/rules

docs: $(BUILD)/gamemode-docs
	@$(PYTHON) proto/gen/generate.py --docs docs/protocol.md --wireshark deploy/wireshark/dlmp.lua
	@$(BUILD)/gamemode-docs > docs/gamemodes.md

fixtures: $(BUILD)/dlmp-packet
	@$(BUILD)/dlmp-packet fixtures fixtures/protocol

clean:
	rm -rf build build-*

help:
	@sed -n 's/^#  \?//p' Makefile | sed -n '1,/build-asan/p'
