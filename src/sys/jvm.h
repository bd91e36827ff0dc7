/*
 * Requests the names of compiled code from JVMs: a JVM of version 17 or later writes them as a perf map (/tmp/perf-PID.map, in its own
 * /tmp) on request through its attach socket, as with `jcmd PID Compiler.perfmap`.
 *
 * Processes are hostile: a socket counts only if that very process holds its other end, files are created in the process's own /tmp and
 * never through links out of its root, and a process that does not handle SIGQUIT gets none. Sources: the JDK's attachListener_posix.cpp
 * and VirtualMachineImpl.java; credentials(7), unix(7), proc(5).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Whether a process has libjvm.so mapped and handles SIGQUIT. */
bool jvm_is(uint32_t pid);
/* Makes it write its map; waits at most some seconds. */
struct strobe_error *jvm_write_map(uint32_t pid) _must_check_;
/* For all JVMs among these processes ("12,34"; NULL: all); errors are logged. */
void jvm_write_maps(const char *pids);
