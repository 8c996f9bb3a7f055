# dlmp: a server cluster for DarqlineMP clients.
#
#   make              all programs                    make test       set up, build and run all tests
#   make run          a whole cluster with bots       make check      the tests without the set-up
#   make fuzz         FUZZ_SECONDS=60 a target        make bench      what codec and shard cost
#   make sim          SEED=7: one simulated cluster   make soak       20,000 seeds of it
#   make lint         clang-tidy, cppcheck, layering  make format     clang-format, in place
#   make docs         docs/protocol.md, the dissector make fixtures   the golden packets, written anew
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

COMMON   := $(call objects,$(wildcard common/*.c))
WIRE     := $(call objects,proto/wire.c $(GEN_C))
BUS      := $(call objects,proto/outbox.c proto/link.c $(BUILD)/gen/bus.pb-c.c)
JSON     := $(call objects,proto/json.c proto/decimal.c)
GATEWAY  := $(call objects,$(wildcard gateway/*.c))
SHARD    := $(call objects,$(wildcard shard/*.c shard/tables/*.c))
WIRE_LIBS := -ljson-c -lsodium -lyaml -lprotobuf-c -levent -lm
PROGRAMS := dlmp-packet

all: $(PROGRAMS:%=$(BUILD)/%)

TESTS   := $(BUILD)/test-unit $(BUILD)/sim
BENCHES := $(BUILD)/bench-wire $(BUILD)/bench-shard

everything: all $(TESTS) $(BENCHES)

$(BUILD)/dlmp-packet: $(call objects,$(wildcard proto/dlmp-packet/*.c)) $(JSON) $(WIRE) $(COMMON)
$(BUILD)/dlmp-packet: LIBS := $(WIRE_LIBS)

# Every test file names its suites; this header lists them.
UNIT_C   := $(wildcard tests/unit/*.c)
SUITES_H := $(BUILD)/tests/unit/suites.h
$(SUITES_H): $(UNIT_C) tools/suites
	@mkdir -p $(@D)
	@$(PYTHON) tools/suites $(UNIT_C) > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(call objects,$(UNIT_C)): | $(SUITES_H)

$(BUILD)/test-unit: $(call objects,$(UNIT_C)) $(GATEWAY) $(SHARD) $(JSON) $(BUS) $(WIRE) $(COMMON)
$(BUILD)/test-unit: LIBS := $(shell pkg-config --libs check 2>/dev/null) $(WIRE_LIBS)

$(BUILD)/sim: $(call objects,$(wildcard tests/sim/*.c)) $(GATEWAY) $(SHARD) $(BUS) $(WIRE) $(COMMON)
$(BUILD)/sim: LIBS := $(WIRE_LIBS)

$(BUILD)/bench-shard: $(call objects,tests/bench/bench_shard.c) $(SHARD) $(BUS) $(WIRE) $(COMMON)
$(BUILD)/bench-shard: LIBS := $(WIRE_LIBS)

$(BUILD)/bench-wire: $(call objects,tests/bench/bench_wire.c) $(JSON) $(WIRE) $(COMMON)
$(BUILD)/bench-wire: LIBS := $(WIRE_LIBS)

FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
$(FUZZERS:%=$(BUILD)/%): $(BUILD)/%: $(BUILD)/tests/fuzz/%.o $(call objects,proto/dlmp-packet/document.c) $(GATEWAY) $(BUS) $(JSON) $(WIRE) $(COMMON)
$(FUZZERS:%=$(BUILD)/%): LIBS := -fsanitize=fuzzer $(WIRE_LIBS)

$(PROGRAMS:%=$(BUILD)/%) $(BUILD)/test-unit $(BUILD)/sim $(BUILD)/bench-wire $(BUILD)/bench-shard $(FUZZERS:%=$(BUILD)/%):
	@echo "  LINK  $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c | $(GEN_H) $(BUS_H)
	@echo "  CC    $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.c | $(GEN_H) $(BUS_H)
	@echo "  CC    $<"
	@mkdir -p $(@D)
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell [ -d $(BUILD) ] && find $(BUILD) -name '*.d')

# ---- tests

.PHONY: all everything test check run sim soak fuzz fuzz-built bench lint format format-check docs fixtures clean help setup

setup:
	@deploy/bootstrap

test: setup
	@$(MAKE) --no-print-directory check

# The unit tests and the simulator run twice, the second time under the sanitizers; with ASAN=1 only there.
SANITIZED := $(BUILD)$(if $(ASAN),,-asan)
check: all $(TESTS)
	@$(MAKE) --no-print-directory ASAN=1 all $(SANITIZED)/test-unit $(SANITIZED)/sim
	@DLMP_BUILD=$(BUILD) DLMP_SANITIZED=$(SANITIZED) \
	    $(PYTHON) tests/run --timeout 900 $(sort $(BUILD)/test-unit $(SANITIZED)/test-unit) tests/tools

run:
	@echo "make run: the cluster is not built yet; README.md has what works. 'make test' runs the tests."
	@exit 1

fuzz:
	@$(MAKE) --no-print-directory CC=clang FUZZING=1 fuzz-built

fuzz-built: $(FUZZERS:%=$(BUILD)/%)
	@for fuzzer in $(FUZZERS); do tools/fuzz $(BUILD)/$$fuzzer $(FUZZ_SECONDS) || exit 1; done

bench: $(BENCHES)
	@$(BUILD)/bench-wire
	@$(BUILD)/bench-shard

SEED := 1
sim: $(BUILD)/sim
	@$(BUILD)/sim --seed $(SEED)

soak: $(BUILD)/sim
	@$(BUILD)/sim --seeds 20000

# ---- source hygiene

SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

format:
	@clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

lint: everything
	@BUILD=$(BUILD) tools/lint

docs:
	@$(PYTHON) proto/gen/generate.py --docs docs/protocol.md --wireshark deploy/wireshark/dlmp.lua

fixtures: $(BUILD)/dlmp-packet
	@$(BUILD)/dlmp-packet fixtures fixtures/protocol

clean:
	rm -rf build build-*

help:
	@sed -n 's/^#  \?//p' Makefile | sed -n '1,/build-asan/p'
