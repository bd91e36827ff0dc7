/*
 * Passes samples and events of a recording to a script of perf's Python or Perl interface: `strobe script -s FILE`.
 *
 * The script runs in a separate interpreter, which reads the events from a pipe (scripting/child.h, scripting/values.h): no
 * interpreter is linked, and only data for the script's handlers is resolved and sent. The script writes its output and errors
 * itself. One thread calls it. Source: perf-script-python(1), perf-script-perl(1).
 */
#pragma once
#include "dump/script.h"

struct scripting_options {
	const struct script_options *selection; /* which samples, and how to resolve them: as for script_print() */
	const char *script;                     /* path of the script, or LANGUAGE:PATH */
	char *const *arguments;                 /* of the script, terminated by NULL; or NULL */
};

/* ret_status: exit status of the script; 0 after an error. */
struct strobe_error *scripting_run(struct session *session, const struct scripting_options *o, int *ret_status) _must_check_;
