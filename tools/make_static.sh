#!/bin/sh
# Builds strobe as one static file: tools/make_static.sh [ARCH] [DIR] (amd64, arm64; default: this machine, build/static)
# DIR/strobe-MACHINE is the stripped binary; it needs no library, no loader and no file beside it. DIR/build-ARCH is where it is built,
# DIR/cross-ARCH what that needs for another architecture (tools/cross.py).
# Two builds of the same sources give the same bytes (make reproducible).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
own=$(dpkg --print-architecture)
arch=${1:-$own}
dir=${2:-$top/build/static}
LIMIT_BYTES=8000000

say() { echo "make_static: $*" >&2; }

case $arch in
amd64) machine=x86_64 ;;
arm64) machine=aarch64 ;;
*)
	say "'$arch' is neither amd64 nor arm64"
	exit 2
	;;
esac
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
# A second call for the same waits for the first.
exec 9>"$dir/lock-$arch"
flock 9

# -O3 makes it 4 % larger, which is too much.
set -- --buildtype=release -Doptimization=2 -Dstatic=true -Dtests=disabled
strip=$(command -v strip)
if [ "$arch" != "$own" ]; then
	"$top/tools/cross.py" "$arch" "$dir/cross-$arch"
	set -- "$@" --cross-file "$dir/cross-$arch/cross.ini"
	strip=$machine-linux-gnu-strip
fi
# The binary must have all its features: a missing library is an error.
for feature in zstd zlib deflate lzma bzip2 tui bpf; do
	set -- "$@" "-D$feature=enabled"
done
[ -f "$dir/build-$arch/build.ninja" ] || meson setup "$dir/build-$arch" "$top" "$@" >&2
ninja -C "$dir/build-$arch" ${JOBS:+-j "$JOBS"} strobe >&2

result=$dir/strobe-$machine
$strip -o "$result" "$dir/build-$arch/strobe"
if readelf -ld "$result" | grep -E 'INTERP|\(NEEDED\)' >&2; then
	say "$result is not static"
	exit 1
fi
bytes=$(stat -c %s "$result")
if [ "$bytes" -gt $LIMIT_BYTES ]; then
	say "$result has $bytes bytes, more than $LIMIT_BYTES"
	exit 1
fi
echo "$result"
