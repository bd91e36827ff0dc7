/*
 * The heap profiler of libstrobe_alloc.so for programs that profile themselves, in the form that gperftools' libtcmalloc has.
 *
 *	HeapProfilerStart("/tmp/server");
 *	…
 *	HeapProfilerDump("after loading");	// /tmp/server.0001.heap
 *	HeapProfilerStop();
 *
 * Or without a change to the program: HEAPPROFILE=/tmp/server LD_PRELOAD=libstrobe_alloc.so.0 program. The files are read by strobe
 * pprof, strobe flamegraph, google-pprof and go tool pprof. Names, arguments and environment are those of gperftools 2.10
 * (BSD-3-Clause; its documentation, docs/heapprofile.html). Every allocation after the start is counted; of other threads that run by
 * then, from the sample on that was due next. Functions may be called by any thread, but not by handlers of signals.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Files are named prefix.0001.heap and so on, also after a stop and another start. */
void HeapProfilerStart(const char *prefix);
int IsHeapProfilerRunning(void);
void HeapProfilerStop(void);
/* Writes a file; reason is for people who watch a debugger: it is not kept. */
void HeapProfilerDump(const char *reason);
/* The text of a profile; the caller frees it. NULL where there is no memory. */
char *GetHeapProfile(void);

#ifdef __cplusplus
}
#endif
