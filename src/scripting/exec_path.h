/*
 * Where perf's bundled scripts are: what scripts find in the environment as PERF_EXEC_PATH.
 */
#pragma once

/* PERF_EXEC_PATH where it is set; else the first directory of distributions that has scripts/, and where none has, the usual one. */
const char *script_exec_path(void);
/* Puts it into the environment of this process, for interpreters and shells that it starts. */
void script_export_exec_path(void);
