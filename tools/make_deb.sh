#!/bin/sh
# Builds the Debian packages of what is checked out: tools/make_deb.sh [DIR] (default: build/deb), from packaging/debian.
# DIR gets the source package, the packages and the folder that they were built in. dpkg-buildpackage reports missing packages
# (tools/deps.sh build optional test deb); DEB_BUILD_OPTIONS=nocheck needs fewer.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
dir=${1:-$top/build/deb}

say() { echo "make_deb: $*" >&2; }

command -v dpkg-buildpackage >/dev/null || {
	say 'dpkg-buildpackage is missing: run  tools/deps.sh build optional test deb'
	exit 1
}
version=$(sed -n "s/^  version: '\(.*\)',\$/\1/p" "$top/meson.build" | head -n 1)
packaged=$(sed -n '1s/^strobe (\(.*\)-[^-]*).*/\1/p' "$top/packaging/debian/changelog")
[ "$version" = "$packaged" ] || {
	say "meson.build has version $version, packaging/debian/changelog $packaged: they must agree"
	exit 1
}

name=strobe-$version
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
# only files of an earlier call
rm -rf "${dir:?}/$name"
rm -f "$dir"/strobe_* "$dir"/strobe-perf_* "$dir"/strobe-dbgsym_* "$dir"/libstrobe-*.deb

# The tracked files as they are now; without git, all files except build folders.
if tree=$(git -C "$top" stash create 2>/dev/null); then
	git -C "$top" archive --prefix="$name/" "${tree:-HEAD}" | tar -x -C "$dir"
else
	mkdir "$dir/$name"
	tar -c -C "$top" --exclude './build*' --exclude ./.git . | tar -x -C "$dir/$name"
fi
# Inputs of fuzz targets: compiled programs are among them, of which a source package would need the source.
rm -r "${dir:?}/$name/fuzz/corpus"
tar -c -C "$dir" --sort=name --owner=0 --group=0 --numeric-owner --exclude "$name/packaging" "$name" |
	gzip -n >"$dir/strobe_$version.orig.tar.gz"
mv "$dir/$name/packaging/debian" "$dir/$name/debian"
rmdir "$dir/$name/packaging"

# debhelper sets another home directory; the compiler cache is used nevertheless.
if command -v ccache >/dev/null; then
	CCACHE_DIR=$(ccache --get-config cache_dir)
	export CCACHE_DIR
fi
cd "$dir/$name"
dpkg-buildpackage -us -uc -j"${JOBS:-2}" >"$dir/log" 2>&1 || {
	tail -n 30 "$dir/log" >&2
	say "the packages cannot be built: $dir/log has all of it"
	exit 1
}
find "$dir" -maxdepth 1 -name '*.deb' | sort
