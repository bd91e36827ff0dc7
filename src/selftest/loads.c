/* Workloads of known size. */
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/priv.h"
#include "sys/process_files.h"

void load_pages(uint64_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return;
	madvise(p, n * page, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < n; i++)
		*(volatile uint8_t *)(p + i * page) = 1;
	munmap(p, n * page);
}

void load_spin_us(uint64_t us)
{
	uint64_t end_ns = sys_clock_ns(sys_live(), CLOCK_THREAD_CPUTIME_ID) + us * 1000;
	/* The clock is read by the kernel: most of the time must be the program's own, where events of user space look. */
	while (sys_clock_ns(sys_live(), CLOCK_THREAD_CPUTIME_ID) < end_ns)
		load_loop(10000);
}

void load_sleeps(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

void load_calls(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		syscall(SYS_getppid);
}

void load_loop(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(i));
}

void load_migrations(uint64_t n)
{
	cpu_set_t all, one;
	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	for (uint64_t i = 0; i < n; i++) {
		int cpu = sched_getcpu();
		do
			cpu = (cpu + 1) % CPU_SETSIZE;
		while (!CPU_ISSET(cpu, &all));
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	sched_setaffinity(0, sizeof(all), &all);
}

void load_forks(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		pid_t pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

/* Per thread: the program has no variables that can be changed. */
volatile uint64_t *own_hits(void)
{
	static _Thread_local volatile uint64_t hits;
	return &hits;
}

__attribute__((noinline, noclone)) uint64_t own_hit(uint64_t argument)
{
	volatile uint64_t *hits = own_hits();
	*hits = argument;
	return argument + 1;
}

void load_hits(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		own_hit(i);
}

struct search {
	uintptr_t address;
	uint64_t offset;
};

/* The first object is the program itself. */
static int search_program(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct search *s = ctx;
	(void)bytes;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && s->address >= begin && s->address < begin + p->p_memsz)
			s->offset = s->address - begin + p->p_offset;
	}
	return 1;
}

uint64_t own_file_offset(const void *function)
{
	struct search s = { .address = (uintptr_t)function };
	dl_iterate_phdr(search_program, &s);
	return s.offset;
}

char *own_path(void)
{
	return process_program();
}
