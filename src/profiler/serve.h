/*
 * Serves profiles of a running program by HTTP: one call provides the pages of Go's net/http/pprof.
 *
 *	strobe_serve("127.0.0.1:6060");
 *
 *	$ strobe pprof http://localhost:6060/debug/pprof/profile?seconds=10
 *	$ go tool pprof http://localhost:6060/debug/pprof/heap
 *
 * Or without a change to the program: STROBE_SERVE=127.0.0.1:6060 LD_PRELOAD=libstrobe_profiler.so.0 program. The pages are profile,
 * heap (if the program uses libstrobe_alloc.so or libtcmalloc), threads, cmdline and symbol; /pprof/… is the same for
 * google-pprof. They are only for this machine: addresses other than those of the loopback interface are rejected.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Serves until the process ends, in threads of its own that have all signals blocked. The address is HOST:PORT or :PORT, with port 0 for
 * any that is free; returns the port, or -1 with errno: EINVAL (not an address), EACCES (not of the loopback interface), EALREADY
 * (there is a server already), EPERM (a setuid program), or that of socket(2), bind(2) and pthread_create(3). May be called by
 * any thread, but not by signal handlers. A child of fork() does not serve until it calls this itself.
 */
int strobe_serve(const char *address);

#ifdef __cplusplus
}
#endif
