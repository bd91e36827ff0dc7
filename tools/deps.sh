#!/bin/sh
# Installs the Debian packages that strobe needs: tools/deps.sh GROUP ... (build, optional, test, bench, vm, cross, deb;
# default: build optional)
# With --list it prints the list, with --check only the missing ones (status 1 if there are any).
# Only missing packages are installed, as root or through sudo; if none is missing, neither network nor privileges are needed.
set -eu

# group    package            what for
list='
build      gcc                the compiler
build      libc6-dev          C library headers
build      linux-libc-dev     kernel headers: perf_event.h
build      meson              the build system
build      ninja-build        runs what meson planned
build      pkg-config         finds the libraries
optional   libzstd-dev        compressed recordings (record -z, COMPRESSED records)
optional   zlib1g-dev         compressed debug sections
optional   libdeflate-dev     packing and unpacking of profiles, faster than zlib does
optional   liblzma-dev        MiniDebugInfo (.gnu_debugdata)
optional   libbz2-dev         archives packed as perf does (archive)
optional   libncurses-dev     screens of report and top
optional   libcurl4-openssl-dev  fetches from URLs and debuginfod servers
optional   librsvg2-2         pictures as PNG and PDF (pprof -png), loaded when wanted
optional   libcairo2          the same
optional   libpfm4-dev        vendor event names (INST_RETIRED:ANY)
optional   libzydis-dev       x86 instructions (script -F disasm, annotate)
optional   libcapstone-dev    those of other architectures
optional   libmicrohttpd-dev  serves pages to a browser (web)
optional   libedit-dev        line editing at the prompt of pprof
optional   clang              compiles BPF programs
optional   libbpf-dev         their headers
test       libcmocka-dev      unit tests
test       linux-perf         perf, which the oracle tests compare with
test       python3            the test runner and the lint checks
test       mandoc             checks the man pages
test       shellcheck         checks the shell scripts
test       binutils           strip, objcopy: files for the symbol tests
test       strace             the second source of what trace shows
test       gdb                the second source of arguments of functions
test       procps             sysctl, ps for the live tests
test       libc6-dbg          the symbols that both sides of an oracle test name libc by
test       llvm               llvm-symbolizer, whose frames and lines ours are held to
test       elfutils           eu-addr2line, the same for lines
test       dwz                programs whose debug information is shared
test       clang              programs to symbolise, of another compiler
test       clang-format       blanks in the sources (lint)
test       clang-tidy         static analysis of the sources (lint)
test       tmux               the terminal of the screen tests
test       bzip2              the second source of archives
test       xz-utils           the same, and what MiniDebugInfo is packed with
test       curl               a program that is traced, and asks our servers
test       babeltrace2        reads the traces that data convert writes
test       git                tests of the tree as it is committed
test       golang-go          go tool pprof, which pprof is compared with
test       google-perftools   google-pprof and libprofiler: the same for profiles of bare addresses
test       g++                C++ programs to symbolise
test       chromium           the browser that pages are tried in
test       nodejs             drives it, by playwright-core (from npm: see below)
test       npm                fetches that
test       perl               interpreters of scripts, whose frames are recorded
test       php-cli            the same
test       ruby               the same
bench      g++                the C++ program whose recordings are read
bench      linux-perf         perf, to compare with
bench      golang-go          go tool pprof, to compare with
bench      strace             to compare trace with
bench      bpftrace           to compare trace --func with
bench      uftrace            the same
bench      nginx-light        the server that is traced under load
bench      wrk                the load
bench      python3            the bench runner
bench      heaptrack          to compare heap with
bench      python3.11-dbg     its debug information: a program whose stacks have inlined functions
vm         qemu-system-arm    the machine that is emulated
vm         qemu-system-x86    the other one
vm         gcc-aarch64-linux-gnu   the compiler for it
vm         libc6-dev-arm64-cross   C library for it
vm         python3            builds its root and drives it
cross      gcc-aarch64-linux-gnu   compilers for other architectures (make static)
cross      libc6-dev-arm64-cross   C library for it
cross      gcc-riscv64-linux-gnu   the same
cross      libc6-dev-riscv64-cross C library for it
cross      gcc-s390x-linux-gnu     the same, big-endian
cross      libc6-dev-s390x-cross   C library for it
cross      qemu-user          runs their programs here
cross      musl-tools         programs of another C library, for the static binary (tests/long/static.py)
cross      busybox-static     the shell beside them
cross      python3            fetches their libraries (tools/cross.py)
deb        debhelper          builds the packages (make deb)
deb        dpkg-dev           the same
deb        lintian            looks them over (tests/long/packages.py)
deb        debootstrap        the base system that they are installed in
'

say() { echo "deps: $*" >&2; }

mode=install
groups=
for arg; do
	case $arg in
	--list) mode=list ;;
	--check) mode=check ;;
	build | optional | test | bench | vm | cross | deb) groups="$groups $arg" ;;
	*)
		say "'$arg' is neither --list, --check nor one of the groups build, optional, test, bench, vm, cross, deb"
		exit 2
		;;
	esac
done
groups=${groups:-build optional}

if [ $mode = list ]; then
	echo "$list" | sed '/^$/d'
	exit 0
fi

# Node and npm may be installed from elsewhere than Debian.
is_installed() {
	case $1 in
	nodejs) command -v node >/dev/null && return ;;
	npm) command -v npm >/dev/null && return ;;
	esac
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v dpkg-query >/dev/null 2>&1; then
	say 'this is no Debian system: install by hand what tools/deps.sh --list names'
	exit 0
fi

# The only package from npm, for tests; 1.55.0 is the last that runs on Debian 12's node. It has no dependencies.
PLAYWRIGHT=playwright-core@1.55.0
fetch_others() {
	case "$mode $groups " in
	install*" test "*) ;;
	*) return 0 ;;
	esac
	[ -d build/browser/node_modules/playwright-core ] && return 0
	say "fetching $PLAYWRIGHT"
	mkdir -p build/browser
	npm install --prefix build/browser --no-save --no-audit --no-fund --loglevel error "$PLAYWRIGHT" >&2 ||
		say "$PLAYWRIGHT cannot be fetched: the tests of pages are left out"
}

# Prints "package what for" of each missing package of the groups named.
missing_of() {
	for group in "$@"; do
		echo "$list" | while read -r of package what; do
			if [ "$of" = "$group" ] && ! is_installed "$package"; then
				echo "$package $what"
			fi
		done
	done
}

# shellcheck disable=SC2086 # a list of words
missing=$(missing_of $groups | sort -u)
if [ -z "$missing" ]; then
	fetch_others
	exit 0
fi
packages=$(echo "$missing" | cut -d' ' -f1 | tr '\n' ' ')
echo "$missing" | while read -r package what; do
	say "missing: $package ($what)"
done
[ $mode = install ] || exit 1

if [ "$(id -u)" = 0 ]; then
	as_root() { env DEBIAN_FRONTEND=noninteractive "$@"; }
elif command -v sudo >/dev/null 2>&1; then
	# sudo can prompt for a password only on a terminal.
	[ -t 2 ] && ask='' || ask=-n
	as_root() { sudo ${ask:+"$ask"} env DEBIAN_FRONTEND=noninteractive "$@"; }
else
	say "neither root nor sudo: as root, run  apt-get install --no-install-recommends $packages"
	exit 1
fi

apt_get() {
	as_root apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold "$@" </dev/null
}

# Package lists may be absent (a fresh minbase) or old; without network the old ones are used.
apt_get update >/dev/null 2>&1 || say 'apt-get update failed: trying with the package lists that are here'
say "installing: $packages"
# shellcheck disable=SC2086 # a list of words
if ! apt_get install --no-install-recommends $packages >&2; then
	# An unavailable package must not prevent the others; the build works without packages of the group optional.
	for package in $packages; do
		is_installed "$package" || apt_get install --no-install-recommends "$package" >&2 || true
	done
fi
status=0
for package in $packages; do
	is_installed "$package" && continue
	if echo "$list" | grep -q "^optional  *$package "; then
		say "$package cannot be installed: building without it"
	else
		say "$package cannot be installed"
		status=1
	fi
done
fetch_others
exit $status
