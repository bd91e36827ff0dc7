#!/bin/sh
# Builds and tests strobe for other architectures: tools/test_arch.sh DIR ARCH ... (arm64, riscv64, s390x)
# Debian's cross compilers and libraries (tools/deps.sh cross) build it below DIR/ARCH, and QEMU's user emulation runs the tests.
# It emulates neither perf_event_open(2) nor BPF: recording is tested in the machines of tests/vm.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
dir=$1
shift

status=0
for arch; do
	build=$dir/$arch/build
	tools/cross.py "$arch" "$dir/$arch"
	set -- --buildtype=plain -Doptimization=1 -Dtests=enabled --cross-file "$dir/$arch/cross.ini"
	# tools/cross.py does not fetch the headers of these, which are loaded late
	for feature in pfm zydis capstone web editline; do
		set -- "$@" "-D$feature=disabled"
	done
	[ -f "$build/build.ninja" ] || meson setup "$build" "$@" >&2
	ninja -C "$build" ${JOBS:+-j "$JOBS"} >&2
	echo "test_arch: $arch"
	tests/run -j "${JOBS:-2}" --build "$build" --emulator "$(sed -n 's/^# emulator: //p' "$dir/$arch/cross.ini")" \
		unit fuzz cli corpus || status=1
done
exit $status
