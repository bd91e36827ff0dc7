/*
 * The functions of libstrobe_profiler.so: a CPU profiler for programs, compatible with gperftools' libprofiler.
 *
 *	ProfilerStart("cpu.prof");
 *	… code to profile …
 *	ProfilerStop();
 *
 * Or without a change to the program: CPUPROFILE=cpu.prof LD_PRELOAD=libstrobe_profiler.so.0 program. The file is read by strobe pprof,
 * strobe flamegraph, google-pprof and go tool pprof. Names, arguments and environment are those of gperftools 2.10 (BSD-3-Clause; its
 * documentation, docs/cpuprofile.html): a program that is linked with -lprofiler may be linked with -lstrobe_profiler instead.
 * Stacks are complete without frame pointers. All functions may be called by any thread, but not by signal handlers.
 */
#pragma once
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ProfilerOptions {
	/* Called by the profiler's signal handler: whether to count the thread's sample. NULL: all. */
	int (*filter_in_thread)(void *arg);
	void *filter_in_thread_arg;
};

struct ProfilerState {
	int enabled;
	time_t start_time;
	char profile_name[1024];
	int samples_gathered;
};

/*
 * Starts a profile; returns 0 if that fails, or one is running. If the name ends in .pb.gz it is in pprof's format, and written at
 * the end.
 */
int ProfilerStart(const char *fname);
int ProfilerStartWithOptions(const char *fname, const struct ProfilerOptions *options);
/* Ends it: the file is then complete. */
void ProfilerStop(void);
/* Writes the samples so far, except to a .pb.gz; the profile continues. */
void ProfilerFlush(void);
/* For programs written for gperftools before 1.6: no effect. */
void ProfilerEnable(void);
void ProfilerDisable(void);
/* Whether all threads are profiled: false with CPUPROFILE_PER_THREAD_TIMERS. */
int ProfilingIsEnabledForAllThreads(void);
/* Each thread must call this with CPUPROFILE_PER_THREAD_TIMERS; otherwise it is not needed. */
void ProfilerRegisterThread(void);
void ProfilerGetCurrentState(struct ProfilerState *state);
/*
 * Stores the call chain, innermost first, without skip_count frames; returns its length. uc: the third argument of a signal handler, for
 * the interrupted chain; NULL: the caller's.
 */
int ProfilerGetStackTrace(void **result, int max_depth, int skip_count, const void *uc);

#ifdef __cplusplus
}
#endif
