#!/bin/sh
# A machine with only Debian's base and this repository: ./demo and ./test --strict in a debootstrap minbase chroot.
#
#	sudo tests/long/minbase.sh [--keep] [DIR]
#
# DIR (a new directory under $TMPDIR or /tmp) gets the base system, a clone of HEAD, and ../shared beside it, read-only.
# Debian's mirror is the one that apt uses here. Some 3 GB and 15 minutes; ends in the last line of ./test and in its
# status, and removes all again, also when interrupted (--keep: but for the directory).
set -eu

say() { echo "minbase: $*" >&2; }

keep=
root=
for arg; do
	case $arg in
	--keep) keep=1 ;;
	-*)
		say "'$arg' is no option; there is --keep"
		exit 2
		;;
	*) root=$arg ;;
	esac
done
top=$(cd "$(dirname "$0")/../.." && pwd)
shared=${STROBE_SHARED:-$top/../shared}
[ "$(id -u)" = 0 ] || {
	say 'needs root: debootstrap, mount and chroot'
	exit 77
}
if ! command -v debootstrap >/dev/null 2>&1; then
	say 'installing debootstrap'
	apt-get install -y --no-install-recommends debootstrap >/dev/null
fi
# shellcheck disable=SC2016 # apt's own names
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
[ -n "$mirror" ] || {
	say 'apt here has no source of Debian 12 (bookworm) main'
	exit 77
}

if [ -n "$root" ]; then
	mkdir "$root"
else
	root=$(mktemp -d "${TMPDIR:-/tmp}/minbase.XXXXXX")
fi
root=$(cd "${root:?no directory for the chroot}" && pwd)
chmod 755 "$root" # it is the root of users without rights, too

# What is mounted below goes first, the deepest before what it is in; nothing is removed while anything still is.
# shellcheck disable=SC2317 # called by trap
clean() {
	trap '' INT TERM HUP
	[ -z "$root" ] || rm -f "$root.log"
	awk -v below="$root/" 'index($5 "/", below) == 1 { print $5 }' /proc/self/mountinfo | sort -r | while read -r where; do
		umount -l "$where" || true
	done
	if grep -qF -e " $root/" -e " $root " /proc/self/mountinfo; then
		say "$root has mounts that cannot be undone: left as it is"
	elif [ -z "$keep" ]; then
		rm -rf --one-file-system "$root"
	fi
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# A mount of its own: unshare(1) in the tests wants its root to be one.
mount --bind "$root" "$root"

say "debootstrap into $root"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || {
	tail -n 5 "$root.log" >&2
	exit 1
}
rm -f "$root.log"
# The same sources as here: the kernel's headers and perf may be of a later point release than the base.
cp -r /etc/apt/sources.list.d "$root/etc/apt/"
[ ! -f /etc/apt/sources.list ] || cp /etc/apt/sources.list "$root/etc/apt/"
cp /etc/resolv.conf "$root/etc/resolv.conf"
[ ! -f /etc/npmrc ] || cp /etc/npmrc "$root/etc/npmrc" # npm's registry, too, is the one used here
mkdir -p "$root/src/shared"
git clone -q --no-hardlinks "$top" "$root/src/strobe"

# Private to us: what is unmounted in the chroot must not go away outside.
for where in proc sys dev; do
	mount --rbind "/$where" "$root/$where"
	mount --make-rslave "$root/$where"
done
if [ ! -d "$shared" ]; then
	say "no corpus at $shared: tests of it will be skipped, which --strict does not allow"
else
	mount --bind "$shared" "$root/src/shared"
	mount -o remount,bind,ro "$root/src/shared"
fi

inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		sh -c "cd /src/strobe && $1"
}
inside 'apt-get update -qq'
say './demo'
inside ./demo
say './test --strict'
inside './test --strict'
