/*
 * The functions of libstrobe_profiler.so: a CPU profiler for programs, in the form that gperftools' libprofiler has.
 *
 *	ProfilerStart("cpu.prof");
 *	… what is to be profiled …
 *	ProfilerStop();
 *
 * Or without a change to the program: CPUPROFILE=cpu.prof LD_PRELOAD=libstrobe_profiler.so.0 program. The file is read by strobe pprof,
 * strobe flamegraph, google-pprof and go tool pprof. Names, arguments and environment are those of gperftools 2.10 (BSD-3-Clause; its
 * documentation, docs/cpuprofile.html): a program that is linked with -lprofiler may be linked with -lstrobe_profiler instead.
 * Stacks are whole without frame pointers. All functions may be called by any thread, but not by handlers of signals.
 */
#pragma once
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ProfilerOptions {
	/* Called by the handler of the profiler's signal: whether the thread's sample counts. NULL: all do. */
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
 * Begins a profile; 0 where that is not possible, or there is one already. Where the name ends in .pb.gz it is in pprof's form, and is
 * written when it ends.
 */
int ProfilerStart(const char *fname);
int ProfilerStartWithOptions(const char *fname, const struct ProfilerOptions *options);
/* Ends it: the file is then whole. */
void ProfilerStop(void);
/* Writes what there is, except to a .pb.gz; the profile goes on. */
void ProfilerFlush(void);
/* For programs of gperftools before 1.6: do nothing. */
void ProfilerEnable(void);
void ProfilerDisable(void);
/* Whether all threads are profiled: without CPUPROFILE_PER_THREAD_TIMERS. */
int ProfilingIsEnabledForAllThreads(void);
/* To be called by each thread with CPUPROFILE_PER_THREAD_TIMERS; else not needed. */
void ProfilerRegisterThread(void);
void ProfilerGetCurrentState(struct ProfilerState *state);
/*
 * The call chain, innermost first, without skip_count frames; returns how many there are. uc: what a handler of a signal gets as its third
 * argument, for the chain that the signal interrupted; NULL: the caller's.
 */
int ProfilerGetStackTrace(void **result, int max_depth, int skip_count, const void *uc);

#ifdef __cplusplus
}
#endif
