/*
 * Threads that wait for locks of the C library, a known time each. Prints a line for each lock: kind, name of the lock, the function
 * that waits, nanoseconds as the waiting thread measured them. `locks THREADS TURNS`: threads that take one mutex in turn, for the cost of
 * whatever watches them; the last line is "cost", CPU time in microseconds, and how often threads left their CPUs to wait.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#define HOLD_MS 120
#define WAITERS 8

pthread_mutex_t global_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t local_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t global_cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t global_rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t pi_mutex;
struct {
	char before[64];
	pthread_mutex_t lock;
} member = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t *heap_mutex;
sem_t global_sem;
static int is_ready, arrived; /* arrived: threads that are about to wait */

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void nap(int ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000L };
	while (nanosleep(&t, &t))
		;
}

static void print(const char *kind, const char *lock, const char *function, uint64_t since)
{
	printf("%s %s %s %llu\n", kind, lock, function, (unsigned long long)(now_ns() - since));
}

#define WAITS(function, kind, lock, enter, leave)                          \
	static __attribute__((noinline)) void *function(void *arg)         \
	{                                                                  \
		uint64_t since = now_ns();                                 \
		prctl(PR_SET_NAME, "waiter");                              \
		__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);         \
		enter;                                                     \
		print(kind, lock, #function, since);                       \
		leave;                                                     \
		return arg;                                                \
	}

WAITS(wants_global, "mutex", "global_mutex", pthread_mutex_lock(&global_mutex), pthread_mutex_unlock(&global_mutex))
WAITS(wants_local, "mutex", "local_mutex", pthread_mutex_lock(&local_mutex), pthread_mutex_unlock(&local_mutex))
WAITS(wants_member, "mutex", "member+0x40", pthread_mutex_lock(&member.lock), pthread_mutex_unlock(&member.lock))
WAITS(wants_heap, "mutex", "-", pthread_mutex_lock(heap_mutex), pthread_mutex_unlock(heap_mutex))
WAITS(wants_pi, "mutex", "pi_mutex", pthread_mutex_lock(&pi_mutex), pthread_mutex_unlock(&pi_mutex))
WAITS(wants_read, "rwlock", "global_rwlock", pthread_rwlock_rdlock(&global_rwlock), pthread_rwlock_unlock(&global_rwlock))
WAITS(wants_sem, "sem", "global_sem", sem_wait(&global_sem), (void)0)

static __attribute__((noinline)) void *wants_cond(void *arg)
{
	uint64_t since = now_ns();
	prctl(PR_SET_NAME, "waiter");
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&cond_mutex);
	while (!is_ready)
		pthread_cond_wait(&global_cond, &cond_mutex);
	pthread_mutex_unlock(&cond_mutex);
	print("cond", "global_cond", "wants_cond", since);
	return arg;
}

/* Once, but on a machine that is so busy that threads come late. */
static __attribute__((noinline)) void hold_all(void)
{
	do
		nap(HOLD_MS);
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < WAITERS);
}

static void init_locks(void)
{
	pthread_mutexattr_t inherits;
	pthread_mutexattr_init(&inherits);
	pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&pi_mutex, &inherits);
	heap_mutex = malloc(sizeof(*heap_mutex));
	pthread_mutex_init(heap_mutex, NULL);
	sem_init(&global_sem, 0, 0);
}

static void *holder(void *arg)
{
	pthread_mutex_t *all[] = { &global_mutex, &local_mutex, &member.lock, heap_mutex, &pi_mutex };
	pthread_barrier_t *begin = arg;
	prctl(PR_SET_NAME, "holder");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		pthread_mutex_lock(all[i]);
	pthread_rwlock_wrlock(&global_rwlock);
	pthread_barrier_wait(begin);
	hold_all();
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		pthread_mutex_unlock(all[i]);
	pthread_rwlock_unlock(&global_rwlock);
	sem_post(&global_sem);
	pthread_mutex_lock(&cond_mutex);
	is_ready = 1;
	pthread_cond_broadcast(&global_cond);
	pthread_mutex_unlock(&cond_mutex);
	return NULL;
}

static void show_waits(void)
{
	void *(*const waiters[])(void *) = { wants_global, wants_local, wants_member, wants_heap,
					     wants_pi, wants_read, wants_sem, wants_cond };
	pthread_t threads[sizeof(waiters) / sizeof(*waiters)], of_holder;
	pthread_barrier_t begin;
	init_locks();
	pthread_barrier_init(&begin, NULL, 2);
	pthread_create(&of_holder, NULL, holder, &begin);
	pthread_barrier_wait(&begin);
	nap(40); /* the holder sleeps by now: that is where its stack is found; and this program's unwind tables are known */
	for (size_t i = 0; i < sizeof(waiters) / sizeof(*waiters); i++)
		pthread_create(&threads[i], NULL, waiters[i], NULL);
	pthread_join(of_holder, NULL);
	for (size_t i = 0; i < sizeof(waiters) / sizeof(*waiters); i++)
		pthread_join(threads[i], NULL);
}

static void *take_turns(void *arg)
{
	static volatile uint64_t sum; /* under the lock */
	for (long i = (long)(intptr_t)arg; i; i--) {
		pthread_mutex_lock(&global_mutex);
		sum++;
		sched_yield(); /* the others come, and find it taken */
		pthread_mutex_unlock(&global_mutex);
	}
	return NULL;
}

/* Of the process: CPU time in microseconds, and how often a thread left its CPU to wait. */
static void print_cost(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	printf("cost %lld %ld\n", (long long)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec + u.ru_stime.tv_usec,
	       u.ru_nvcsw);
}

int main(int argc, char **argv)
{
	pthread_t threads[256];
	int n = argc > 2 ? atoi(argv[1]) : 0;
	if (!n || n > 256)
		return show_waits(), 0;
	uint64_t since = now_ns();
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, take_turns, (void *)(intptr_t)atol(argv[2]));
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	print("mutex", "global_mutex", "take_turns", since);
	print_cost();
	return 0;
}
