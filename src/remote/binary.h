/*
 * strobe on another machine: the one that is installed there, if it is of this version, or the static binary for that machine, which is
 * copied into its cache once.
 */
#pragma once
#include "remote/ssh.h"
#include "session/host.h"

/* *ret: its path there, for the caller to free. */
struct strobe_error *remote_binary(const struct session_host *host, const struct ssh *ssh, const char *destination,
				   char **ret) _must_check_;
/* The lines that the other machine answered with (see PROBE in binary.c), in place; exported for tests. */
struct remote_facts {
	const char *machine, *version; /* as uname -m and strobe --version print them; version "": none is installed */
};
bool remote_facts_parse(char *text, struct remote_facts *ret);
