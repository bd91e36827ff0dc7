/* The location of perf's bundled scripts, which scripts find in PERF_EXEC_PATH. */
#pragma once

/* PERF_EXEC_PATH if set; else the first of the distributions' directories that has scripts/, or the usual one if none has. */
const char *script_exec_path(void);
/* Sets it in the environment of this process, for interpreters and shells that it starts. */
void script_export_exec_path(void);
