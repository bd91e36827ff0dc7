/*
 * Waits of known kinds, each in a function of its own: waits DIRECTORY
 * Prints a line for each: function, nanoseconds that its thread did not run in it (elapsed time less the thread's CPU time), and how many
 * nanoseconds a hypervisor took from all CPUs meanwhile, in ticks: a thread that was on its CPU may have lost them. Meanwhile the thread
 * is named after the function: "in sleeps".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long clock_ns(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Of all CPUs, in ticks of 10 ms. */
static long long stolen_ticks(void)
{
	long long t[8] = { 0 };
	FILE *f = fopen("/proc/stat", "r");
	if (f && fscanf(f, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6, t + 7) != 8)
		t[7] = 0;
	if (f)
		fclose(f);
	return t[7];
}

static void measure(const char *name, void (*f)(void))
{
	char comm[16];
	snprintf(comm, sizeof(comm), "in %s", name);
	prctl(PR_SET_NAME, comm);
	long long stolen = stolen_ticks(), wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	f();
	wall = clock_ns(CLOCK_MONOTONIC) - wall;
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	stolen = stolen_ticks() - stolen;
	prctl(PR_SET_NAME, "waits");
	printf("%s %lld %lld\n", name, wall - cpu, stolen * 10000000);
}

static volatile int done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int there[2], back[2], sockets[2], file, idle;

static void spin(long long ns)
{
	for (long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns; clock_ns(CLOCK_THREAD_CPUTIME_ID) < end;)
		done = done;
}

void sleeps(void)
{
	for (int i = 0; i < 20; i++)
		usleep(10000);
}

void locks(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

void talks(void)
{
	char c = 1;
	for (int i = 0; i < 300; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			exit(3);
}

void receives(void)
{
	char c;
	if (recv(sockets[0], &c, 1, 0) != 1)
		exit(3);
}

void polls(void)
{
	poll(NULL, 0, 150);
}

void awaits(void)
{
	struct epoll_event e;
	epoll_wait(idle, &e, 1, 150);
}

void writes(void)
{
	char page[4096] = "x";
	for (int i = 0; i < 30; i++)
		if (pwrite(file, page, sizeof(page), i * 4096) != sizeof(page) || fsync(file))
			exit(3);
}

/* What the child waits is not its parent's. */
void nap(void)
{
	prctl(PR_SET_NAME, "waits");
	usleep(150000);
	_exit(0);
}

static pid_t child;

void waits(void)
{
	waitpid(child, NULL, 0);
}

/* Beside another thread that is bound to the same CPU. */
void competes(void)
{
	spin(150000000);
}

/* Memory whose pages another thread brings, each after a while. */
static struct {
	char *pages;
	long page_bytes;
	int fd;
} brought;

#define PAGES 15

void faults(void)
{
	for (int i = 0; i < PAGES; i++)
		((volatile char *)brought.pages)[i * brought.page_bytes] = 1;
}

static void *bringer(void *unused)
{
	struct uffd_msg m;
	while (read(brought.fd, &m, sizeof(m)) == sizeof(m)) {
		struct uffdio_zeropage page = { .range = { m.arg.pagefault.address & ~(__u64)(brought.page_bytes - 1),
							   (__u64)brought.page_bytes } };
		usleep(10000);
		if (ioctl(brought.fd, UFFDIO_ZEROPAGE, &page))
			exit(3);
	}
	return NULL;
}

static int begin_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	brought.page_bytes = sysconf(_SC_PAGESIZE);
	brought.fd = (int)syscall(__NR_userfaultfd, O_CLOEXEC);
	if (brought.fd < 0 || ioctl(brought.fd, UFFDIO_API, &api))
		return 0;
	reg.range.len = (__u64)(PAGES * brought.page_bytes);
	brought.pages = mmap(NULL, reg.range.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (unsigned long)brought.pages;
	return brought.pages != MAP_FAILED && !ioctl(brought.fd, UFFDIO_REGISTER, &reg);
}

static void *holder(void *unused)
{
	pthread_mutex_lock(&mutex);
	usleep(200000);
	pthread_mutex_unlock(&mutex);
	usleep(100000);
	if (send(sockets[1], "x", 1, 0) != 1)
		exit(3);
	return NULL;
}

static void *echo(void *unused)
{
	char c;
	while (read(there[0], &c, 1) == 1) {
		spin(200000);
		if (write(back[1], &c, 1) != 1)
			break;
	}
	return NULL;
}

static void *competitor(void *unused)
{
	while (!done)
		;
	return NULL;
}

static pthread_t start(void *(*f)(void *))
{
	pthread_t t;
	if (pthread_create(&t, NULL, f, NULL))
		exit(3);
	return t;
}

static void bind_here(void)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

int main(int argc, char **argv)
{
	char path[4096];
	if (argc < 2 || pipe(there) || pipe(back) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 2;
	snprintf(path, sizeof(path), "%s/waits.file", argv[1]);
	file = open(path, O_RDWR | O_CREAT, 0600);
	idle = epoll_create1(0);
	if (file < 0 || idle < 0)
		return 2;
	/* Gives an unwinder time to compile its tables. */
	for (int i = 0; i < 10; i++)
		usleep(10000);
	measure("sleeps", sleeps);
	pthread_t held = start(holder);
	usleep(20000);
	measure("locks", locks);
	measure("receives", receives);
	pthread_join(held, NULL);
	start(echo);
	measure("talks", talks);
	measure("polls", polls);
	measure("awaits", awaits);
	measure("writes", writes);
	child = fork(); /* here, since it may wait for a CPU before it sleeps */
	if (!child)
		nap();
	measure("waits", waits);
	if (begin_faults()) {
		start(bringer);
		measure("faults", faults);
	} else {
		fprintf(stderr, "no userfaultfd: %m\n");
	}
	bind_here();
	pthread_t other = start(competitor);
	measure("competes", competes);
	done = 1;
	pthread_join(other, NULL);
	unlink(path);
	return 0;
}
