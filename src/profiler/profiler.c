#include "profiler/profiler.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "alloc/descriptor.h"
#include "alloc/layout.h"
#include "alloc/pprof_file.h"
#include "alloc/walk.h"
#include "profiler/packed.h"
#include "profiler/page_profile.h"
#include "profiler/samples.h"

#define EXPORT __attribute__((visibility("default")))
#define FREQUENCY_DEFAULT 100
#define FREQUENCY_MOST    4000
#define INHERITED 0x80 /* set in the first byte of the path in the environment: a process that finds it set is not the first */

/* Handlers add samples, one at a time; code outside of handlers holds the lock only with the profiler's signal blocked. */
static struct {
	pthread_mutex_t control; /* serializes start and stop */
	int lock;
	struct samples *samples;
	struct ProfilerOptions options;
	struct ProfilerState state;
	pid_t pid;
	int signal;
	unsigned frequency;
	bool per_thread, is_set_up;
	bool is_packed; /* in pprof's format: written at the end, from a memory file */
	int packed_fd, gathered_fd;
	struct timespec start, start_ticking; /* wall-clock and monotonic */
	struct sigaction before;
	unsigned number;  /* of the current profile: unique */
	unsigned toggled; /* number of profiles started by CPUPROFILESIGNAL */
	char toggled_name[1000];
} profiler = { .control = PTHREAD_MUTEX_INITIALIZER };

static __thread timer_t own_timer __attribute__((tls_model("initial-exec")));
static __thread bool has_timer __attribute__((tls_model("initial-exec")));

/* ---- settings ---- */

static bool is_on(const char *name)
{
	const char *value = getenv(name);
	return value && *value && !strchr("0fFnN", *value);
}

/* From the environment, once. */
static void set_up(void)
{
	const char *frequency = getenv("CPUPROFILE_FREQUENCY"), *number = getenv("CPUPROFILE_TIMER_SIGNAL");
	if (profiler.is_set_up)
		return;
	profiler.is_set_up = true;
	int said = frequency ? atoi(frequency) : FREQUENCY_DEFAULT;
	profiler.frequency = said < 1 ? FREQUENCY_DEFAULT : said > FREQUENCY_MOST ? FREQUENCY_MOST : (unsigned)said;
	profiler.per_thread = is_on("CPUPROFILE_PER_THREAD_TIMERS");
	profiler.signal = is_on("CPUPROFILE_REALTIME") ? SIGALRM : SIGPROF;
	if (profiler.per_thread && number && atoi(number) > 0 && atoi(number) <= SIGRTMAX)
		profiler.signal = atoi(number);
}

/* ---- samples ---- */

static void lock(void)
{
	while (__atomic_exchange_n(&profiler.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(void)
{
	__atomic_store_n(&profiler.lock, 0, __ATOMIC_RELEASE);
}

/* Blocks the profiler's signal in this thread first: a handler would wait for the lock of the thread that it interrupts. */
static void lock_outside(sigset_t *before)
{
	sigset_t block;
	sigemptyset(&block);
	sigaddset(&block, profiler.signal);
	pthread_sigmask(SIG_BLOCK, &block, before);
	lock();
}

static void unlock_outside(const sigset_t *before)
{
	unlock();
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void begin_walk(struct walk *w, const ucontext_t *u)
{
#if defined(__x86_64__)
	*w = (struct walk){ .pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP], .sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP],
			    .fp = (uintptr_t)u->uc_mcontext.gregs[REG_RBP] };
#elif defined(__aarch64__)
	*w = (struct walk){ .pc = u->uc_mcontext.pc, .sp = u->uc_mcontext.sp, .fp = u->uc_mcontext.regs[29] };
#else
	*w = (struct walk){ .pc = 1 };
#endif
	w->is_exact = true;
}

static void on_tick(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	uint64_t frames[SAMPLES_DEPTH];
	struct walk w;
	int saved = errno;
	if (profiler.options.filter_in_thread && !profiler.options.filter_in_thread(profiler.options.filter_in_thread_arg))
		return;
	begin_walk(&w, context);
	walk_stack(&w, frames, SAMPLES_DEPTH);
	for (unsigned i = 0; i < w.depth; i++)
		frames[i] &= ~ALLOC_FRAME_EXACT;
	lock();
	if (profiler.samples) {
		samples_add(profiler.samples, w.hash, frames, w.depth);
		profiler.state.samples_gathered++;
	}
	unlock();
	errno = saved;
}

/* ---- timers ---- */

static void set_interval_timer(bool on)
{
	suseconds_t period_us = on ? 1000000 / profiler.frequency : 0;
	struct timeval period = { period_us / 1000000, period_us % 1000000 };
	struct itimerval every = { period, period };
	setitimer(profiler.signal == SIGALRM ? ITIMER_REAL : ITIMER_PROF, &every, NULL);
}

/* Counts this thread's own time, and signals this thread. */
static void set_own_timer(void)
{
	long period_ns = 1000000000 / profiler.frequency;
	struct timespec period = { period_ns / 1000000000, period_ns % 1000000000 };
	struct itimerspec every = { period, period };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = profiler.signal };
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	clockid_t clock = profiler.signal == SIGALRM ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
	if (has_timer || timer_create(clock, &event, &own_timer))
		return;
	has_timer = true;
	timer_settime(own_timer, 0, &every, NULL);
}

/* ---- beginning and end ---- */

static bool is_running(void)
{
	set_up();
	return profiler.samples && profiler.pid == getpid();
}

/* Starts a profile into an open file; takes ownership of it. */
static int start_into(int fd, const char *name, const struct ProfilerOptions *options)
{
	struct sigaction act = { .sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct samples *samples = fd >= 0 ? samples_open(fd, 1000000 / profiler.frequency) : NULL;
	if (!samples) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	profiler.options = options ? *options : (struct ProfilerOptions){};
	profiler.state = (struct ProfilerState){ .enabled = 1, .start_time = time(NULL) };
	snprintf(profiler.state.profile_name, sizeof(profiler.state.profile_name), "%s", name);
	profiler.pid = getpid();
	__atomic_store_n(&profiler.samples, samples, __ATOMIC_RELEASE);
	sigemptyset(&act.sa_mask);
	sigaction(profiler.signal, &act, &profiler.before);
	if (profiler.per_thread)
		set_own_timer();
	else
		set_interval_timer(true);
	profiler.number++;
	return 1;
}

/* Starts a profile into a file in pprof's format; takes ownership of it. */
static int start_packed(int fd, const char *name, const struct ProfilerOptions *options)
{
	int gathered = memfd_create("strobe-profile", MFD_CLOEXEC), own = gathered >= 0 ? descriptor_copy(gathered, 0) : -1;
	if (!start_into(own, name, options)) {
		close(fd);
		if (gathered >= 0)
			close(gathered);
		return 0;
	}
	profiler.is_packed = true;
	profiler.packed_fd = fd;
	profiler.gathered_fd = gathered;
	clock_gettime(CLOCK_REALTIME, &profiler.start);
	clock_gettime(CLOCK_MONOTONIC, &profiler.start_ticking);
	return 1;
}

/* Ends a file in pprof's format; true if there is none. */
static bool end_packed(bool is_own)
{
	struct timespec now;
	if (!profiler.is_packed)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t ns = (now.tv_sec - profiler.start_ticking.tv_sec) * 1000000000ll + now.tv_nsec - profiler.start_ticking.tv_nsec;
	bool works = !is_own || packed_write(profiler.gathered_fd, profiler.packed_fd, profiler.start, (uint64_t)ns);
	close(profiler.gathered_fd);
	profiler.is_packed = false;
	return close(profiler.packed_fd) == 0 && works;
}

static int start(const char *name, const struct ProfilerOptions *options)
{
	if (is_running())
		return 0;
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return pprof_file_is_name(name) && fd >= 0 ? start_packed(fd, name, options) : start_into(fd, name, options);
}

static void stop(void)
{
	sigset_t before;
	if (!profiler.samples)
		return;
	bool is_own = profiler.pid == getpid();
	if (is_own && !profiler.per_thread)
		set_interval_timer(false);
	if (is_own && has_timer) {
		timer_delete(own_timer);
		has_timer = false;
	}
	lock_outside(&before);
	struct samples *samples = profiler.samples;
	profiler.samples = NULL;
	profiler.state = (struct ProfilerState){};
	unlock_outside(&before);
	/* A tick may still be pending: the handler stays, unless the program had one of its own. */
	if (profiler.before.sa_handler != SIG_DFL)
		sigaction(profiler.signal, &profiler.before, NULL);
	if (!is_own)
		samples_abandon(samples); /* the file belongs to the parent */
	bool works = !is_own || samples_close(samples);
	if (!end_packed(is_own) || !works)
		(void)!write(STDERR_FILENO, "strobe_profiler: cannot write the profile\n", 42);
}

EXPORT int ProfilerStartWithOptions(const char *fname, const struct ProfilerOptions *options)
{
	pthread_mutex_lock(&profiler.control);
	int started = start(fname, options);
	pthread_mutex_unlock(&profiler.control);
	return started;
}

EXPORT int ProfilerStart(const char *fname)
{
	return ProfilerStartWithOptions(fname, NULL);
}

EXPORT void ProfilerStop(void)
{
	pthread_mutex_lock(&profiler.control);
	stop();
	pthread_mutex_unlock(&profiler.control);
}

unsigned page_profile_begin(int fd, const char **ret_why)
{
	unsigned number = 0;
	pthread_mutex_lock(&profiler.control);
	bool is_busy = is_running();
	if (is_busy || profiler.per_thread) {
		*ret_why = is_busy ? "could not enable CPU profiling: cpu profiling already in use" :
			"CPUPROFILE_PER_THREAD_TIMERS is set: only threads that begin later would be profiled";
		close(fd);
	} else {
		*ret_why = "out of memory";
		number = start_into(fd, "page", NULL) ? profiler.number : 0;
	}
	pthread_mutex_unlock(&profiler.control);
	return number;
}

void page_profile_end(unsigned number)
{
	pthread_mutex_lock(&profiler.control);
	if (profiler.number == number)
		stop();
	pthread_mutex_unlock(&profiler.control);
}

EXPORT void ProfilerFlush(void)
{
	sigset_t before;
	pthread_mutex_lock(&profiler.control);
	if (profiler.samples && profiler.pid == getpid()) {
		lock_outside(&before);
		samples_flush(profiler.samples);
		unlock_outside(&before);
	}
	pthread_mutex_unlock(&profiler.control);
}

EXPORT void ProfilerEnable(void)
{
}

EXPORT void ProfilerDisable(void)
{
}

EXPORT int ProfilingIsEnabledForAllThreads(void)
{
	return profiler.samples && !profiler.per_thread;
}

EXPORT void ProfilerRegisterThread(void)
{
	set_up();
	if (profiler.per_thread && profiler.samples)
		set_own_timer();
}

EXPORT void ProfilerGetCurrentState(struct ProfilerState *state)
{
	pthread_mutex_lock(&profiler.control);
	*state = profiler.state;
	pthread_mutex_unlock(&profiler.control);
}

EXPORT int ProfilerGetStackTrace(void **result, int max_depth, int skip_count, const void *uc)
{
	uint64_t frames[SAMPLES_DEPTH];
	struct walk w = walk_from(WALK_FRAME);
	if (uc)
		begin_walk(&w, uc);
	walk_stack(&w, frames, SAMPLES_DEPTH);
	int n = 0;
	for (unsigned i = skip_count > 0 ? (unsigned)skip_count : 0; i < w.depth && n < max_depth; i++)
		result[n++] = (void *)(uintptr_t)(frames[i] & ~ALLOC_FRAME_EXACT);
	return n;
}

/* ---- stubs of libprofiler's own symbols, if the program is linked with it, which would start a profile with the same name ---- */

#define NOTHING(function, name)                           \
	EXPORT void function(void *profiler) __asm__(name); \
	void function(void *profiler)                     \
	{                                                 \
		(void)profiler;                           \
	}
NOTHING(cxx_create, "_ZN11CpuProfilerC1Ev")
NOTHING(cxx_create_base, "_ZN11CpuProfilerC2Ev")
NOTHING(cxx_destroy, "_ZN11CpuProfilerD1Ev")
NOTHING(cxx_destroy_base, "_ZN11CpuProfilerD2Ev")

/* ---- without a call ---- */

/*
 * The path in the environment. Children inherit the variable, and must not overwrite the first process's file: the first process marks the
 * variable, and a process that finds the mark appends its process ID. CPUPROFILE_USE_PID makes all append it.
 */
static bool path_of_environment(char ret[static 1000])
{
	char *value = getenv("CPUPROFILE");
	if (!value || !*value)
		return false;
	bool is_child = (unsigned char)*value & INHERITED;
	char first = (char)(*value & ~INHERITED);
	if (is_child || getenv("CPUPROFILE_USE_PID"))
		snprintf(ret, 1000, "%c%s_%u", first, value + 1, (unsigned)getpid());
	else
		snprintf(ret, 1000, "%s", value);
	*value = (char)(*value | INHERITED);
	return true;
}

/* Starts a profile, and ends it on the next signal. */
static void on_toggle(int number)
{
	(void)number;
	char name[1024];
	int saved = errno;
	if (profiler.samples) {
		stop();
	} else {
		snprintf(name, sizeof(name), "%s.%u", profiler.toggled_name, profiler.toggled++);
		start(name, NULL);
	}
	errno = saved;
}

static __attribute__((constructor)) void begin(void)
{
	const char *toggle = getenv("CPUPROFILESIGNAL");
	if (getauxval(AT_SECURE) || !path_of_environment(profiler.toggled_name))
		return;
	set_up();
	int number = toggle ? atoi(toggle) : 0;
	if (number < 1 || number > SIGRTMAX) {
		if (!ProfilerStart(profiler.toggled_name))
			dprintf(STDERR_FILENO, "strobe_profiler: cannot create %s: %s\n", profiler.toggled_name, strerror(errno));
		return;
	}
	struct sigaction act = { .sa_handler = on_toggle, .sa_flags = SA_RESTART };
	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, profiler.signal);
	sigaction(number, &act, NULL);
}

static __attribute__((destructor)) void end(void)
{
	ProfilerStop();
}
