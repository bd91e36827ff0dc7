#!/bin/sh
# Packs a release: tools/make_release.sh [DIR] (default: build/release)
# DIR/strobe-VERSION.tar.gz has the files of HEAD, DIR/SHA256SUMS its checksum. The bytes depend on the commit alone.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
dir=${1:-$top/build/release}

say() { echo "make_release: $*" >&2; }

version=$(sed -n "s/^  version: '\(.*\)',\$/\1/p" "$top/meson.build" | head -n 1)
packaged=$(sed -n '1s/^strobe (\(.*\)-[^-]*).*/\1/p' "$top/packaging/debian/changelog")
news=$(head -n 1 "$top/NEWS")
if [ "$version" != "$packaged" ] || [ "$version" != "$news" ]; then
	say "meson.build has version $version, packaging/debian/changelog $packaged, NEWS $news: they must agree"
	exit 1
fi
git -C "$top" diff-index --quiet HEAD || say 'changes that are not committed are not in it'

name=strobe-$version
mkdir -p "$dir"
cd "$dir"
# The file appears complete or not at all; gzip -n writes neither a name nor a time, git the time of the commit.
trap 'rm -f "$name.tar" "$name.tar.gz.part"' EXIT
git -C "$top" archive --format=tar --prefix="$name/" HEAD >"$name.tar"
gzip -n -9 -c "$name.tar" >"$name.tar.gz.part"
mv "$name.tar.gz.part" "$name.tar.gz"
sha256sum "$name.tar.gz" >SHA256SUMS
echo "$PWD/$name.tar.gz"
