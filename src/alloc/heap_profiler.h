/*
 * The heap profiler of libstrobe_alloc.so for programs that profile themselves, compatible with gperftools' libtcmalloc.
 *
 *	HeapProfilerStart("/tmp/server");
 *	…
 *	HeapProfilerDump("after loading");	// /tmp/server.0001.heap
 *	HeapProfilerStop();
 *
 * Or without a change to the program: HEAPPROFILE=/tmp/server LD_PRELOAD=libstrobe_alloc.so.0 program. The files are read by strobe
 * pprof, strobe flamegraph, google-pprof and go tool pprof. Names, arguments and environment are those of gperftools 2.10
 * (BSD-3-Clause; its documentation, docs/heapprofile.html). Every allocation after the start is counted; in other running threads,
 * each one after their next sample. Functions may be called by any thread, but not by signal handlers.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Files are named prefix.0001.heap and so on, also after a stop and another start; if the prefix ends in .pb.gz, they are named
 * server.0001.pb.gz and have pprof's format.
 */
void HeapProfilerStart(const char *prefix);
int IsHeapProfilerRunning(void);
void HeapProfilerStop(void);
/* Writes a file; reason is only visible in a debugger. */
void HeapProfilerDump(const char *reason);
/* The text of a profile; the caller frees it. NULL: out of memory. */
char *GetHeapProfile(void);

#ifdef __cplusplus
}
#endif
