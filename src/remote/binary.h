/*
 * strobe on another machine: the installed one, if it has this version, or the static binary for that machine, which is copied into
 * its cache once.
 */
#pragma once
#include "remote/ssh.h"
#include "session/host.h"

/* *ret: its path there, owned by the caller. */
struct strobe_error *remote_binary(const struct session_host *host, const struct ssh *ssh, const char *destination,
				   char **ret) _must_check_;
/* Parses the lines of the other machine's answer (see PROBE in binary.c) in place; exported for tests. */
struct remote_facts {
	const char *machine, *version; /* as printed by uname -m and strobe --version; version "": not installed */
};
bool remote_facts_parse(char *text, struct remote_facts *ret);
