/*
 * Samples and events of a recording to a script of perf's Python or Perl interface: `strobe script -s FILE`.
 *
 * The script runs in an interpreter of its own, which is given the events through a pipe (scripting/child.h, scripting/values.h):
 * nothing of the interpreter is linked, and only what the script has handlers for is resolved and sent. Its output and its errors
 * are its own. One thread calls it. Source: perf-script-python(1), perf-script-perl(1).
 */
#pragma once
#include "dump/script.h"

struct scripting_options {
	const struct script_options *selection; /* which samples, and how they are resolved: as for script_print() */
	const char *script;                     /* path of the script, or LANGUAGE:PATH */
	char *const *arguments;                 /* of the script, ended by NULL; or NULL */
};

/* ret_status: exit status of the script; 0 after an error. */
struct strobe_error *scripting_run(struct session *session, const struct scripting_options *o, int *ret_status) _must_check_;
