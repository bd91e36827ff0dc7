#!/bin/sh
# The project's shell scripts pass shellcheck.
set -eu
cd "$STROBE_TOP"
command -v shellcheck >/dev/null || {
	echo 'no shellcheck on this machine'
	exit 77
}
find . -name .git -prune -o -name 'build*' -type d -prune -o \( -name '*.sh' -o -name demo -o -name test -o -path ./.ci/run \
	-o -path ./completion/strobe \) -type f -print >"$STROBE_SCRATCH/scripts"
# the completion is sourced by bash, the cases of tests/cli run by sh: they have no #! line
shellcheck --shell=bash completion/strobe
grep ^./tests/cli/ "$STROBE_SCRATCH/scripts" | xargs -r shellcheck --shell=sh
grep -v -e completion -e ^./tests/cli/ "$STROBE_SCRATCH/scripts" | xargs shellcheck
