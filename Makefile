# SPDX-License-Identifier: GPL-2.0-only
# The only entry point: `make help`.

# Where everything that is built goes; another one for a second build beside the first.
B ?= build
$(if $(strip $(B)),,$(error B is empty: name the directory to build in))
V ?=
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)')

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=

.DEFAULT_GOAL := all
.PHONY: all help
.DELETE_ON_ERROR:

all: modules user	## build the module and the userspace

help:	## list the targets
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sort | \
		sed -E 's/^([a-z-]+):[^#]*##[[:space:]]*/\1\t/' | \
		awk -F'\t' '{ printf "  make %-14s %s\n", $$1, $$2 }'

include user/build.mk
include kmod/build.mk
include selftests/build.mk
include tools/build.mk

# The packages may bring what the reading of the makefiles looks for, so make starts anew after them.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

deps:	## install what building and testing need, by apt-get, as root
	$(Q)tools/deps/install

check: deps	## run all tests: on this host, and in guests
	+$(Q)$(MAKE) --no-print-directory $(JOBS) check-build
	+$(Q)B=$(B) GUEST_KERNELS="$(GUEST_KERNELS)" selftests/run.sh $(RUNS)

demo: deps	## the main job, shown: a fabric from OpenSM; Swiss-T1 with its gates at work in a guest
	+$(Q)$(MAKE) --no-print-directory $(JOBS) guest experiment-programs
	$(Q)B=$(B) tools/demo/run

check-build: modules user unit guest
.PHONY: deps check demo check-build

# The module first: without headers nothing shall be half installed.
install: install-module	## install module, liquid-nl, library, man pages, Slurm's scripts (DESTDIR, PREFIX, KDIR)
	+$(Q)$(MAKE) --no-print-directory install-user

uninstall: uninstall-module uninstall-user	## remove what install has put in place
.PHONY: install uninstall

clean:	## remove what was built
	$(Q)rm -rf $(B)
.PHONY: clean
