#!/bin/sh
# Configures and builds: tools/build.sh DIR [meson setup options]. Without options it is the release build.
set -eu
dir=$1
shift
[ $# -gt 0 ] || set -- --buildtype=release
cd "$(dirname "$0")/.."

# Meson runs again only if the options or the installed optional libraries have changed since the last time (it takes a
# second); by itself it would not notice a library that was installed later.
stamp=$dir/.strobe-setup
state=$*
for library in libzstd zlib liblzma cmocka; do
	pkg-config --exists $library && state="$state $library"
done
if [ ! -f "$dir/build.ninja" ]; then
	meson setup "$dir" "$@" >&2
elif [ "$state" != "$(cat "$stamp" 2>/dev/null)" ]; then
	meson setup --reconfigure "$dir" "$@" >&2
fi
echo "$state" >"$stamp"
ninja -C "$dir" ${JOBS:+-j "$JOBS"} >&2
