# SPDX-License-Identifier: GPL-2.0-only
# The only entry point: `make help`.

# Where everything that is built goes; another one for a second build beside the first.
B ?= build
$(if $(strip $(B)),,$(error B is empty: name the directory to build in))
V ?=
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)')

VERSION := 0.2.0
PREFIX ?= /usr/local
# Not every shell does that in an argument.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
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
include user/mpi/build.mk
include user/sfio/build.mk
include user/mpiio/build.mk
include kmod/build.mk
include selftests/build.mk
include tools/build.mk
include tools/lab/build.mk
include tools/packaging/build.mk

# The packages may bring what the reading of the makefiles looks for, so make starts anew after
# them.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

deps:	## install what building and testing need, by apt-get, as root (starts nothing)
	$(Q)tools/deps/install install guest demo check

check: deps	## run all tests: on this host, and in guests
	+$(Q)$(MAKE) --no-print-directory $(JOBS) check-build
	+$(Q)B=$(B) GUEST_KERNELS="$(GUEST_KERNELS)" selftests/run.sh $(RUNS)

# Only what it uses: the packages of its use, and its one kernel.
demo:	## a fabric from OpenSM; Swiss-T1 with its gates at work in a guest
	$(Q)tools/deps/install install guest demo
	+$(Q)$(MAKE) --no-print-directory $(JOBS) GUEST_KERNELS=$(or $(KERNEL),6.12) guest \
		experiment-programs
	$(Q)B=$(B) tools/demo/run

test:	## one test: T=konig, T=cli-push, T=kernel/gate/pass.sh (KERNEL=, MODE=), T=unit
	+$(Q)B=$(B) MAKE='$(MAKE)' selftests/run-one "$(T)" "$(KERNEL)" "$(MODE)"
.PHONY: test

check-build: modules user unit guest
.PHONY: deps check demo check-build

# Each of these begins the directory of results anew; packages come last.
check-long: check-random check-engines check-jobs check-exchanges	## all long tests
check-long: check-page check-kernels
	+$(Q)$(MAKE) --no-print-directory check-packages
.PHONY: check-long

# The module first: without headers nothing shall be half installed.
install: install-deps install-module	## module, tool, library, scripts (DESTDIR, PREFIX, KDIR)
	+$(Q)$(MAKE) --no-print-directory install-user

# A library may have come another way than by its package: so it is said, and no more.
install-deps:
	$(Q)missing=$$(tools/deps/install --missing install) && [ -z "$$missing" ] || \
		echo "  note: not installed: $$missing (needed to build; apt-get install $$missing)"

uninstall: uninstall-module uninstall-user	## remove what install has put in place
.PHONY: install install-deps uninstall

# Always the commit, never the work tree: the same bytes for whoever has the commit.
dist:	## a tarball of the last commit, the same bit for bit wherever it is made
	@mkdir -p $(B)
	$(Q)git diff --quiet HEAD || echo "  note: what is not committed is not in the tarball"
	$(Q)version=$$(git show HEAD:./Makefile | sed -n 's/^VERSION := //p') && \
		[ -n "$$version" ] && out=$(B)/liquid-$$version.tar && \
		git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar \
			--prefix="liquid-$$version/" -o "$$out" HEAD && \
		gzip -n -9 -f "$$out" && echo "$$out.gz"
.PHONY: dist

clean:	## remove what was built
	$(Q)rm -rf $(B)
.PHONY: clean
