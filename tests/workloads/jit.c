/*
 * A small run-time compiler: writes a loop into memory and runs it for a while, then waits to be killed. It describes
 * its code in: "map" a perf map, "dump" a jitdump beside it. jit HOW SECONDS [DIRECTORY of the jitdump]
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
/* mov rax, rdi; loop: dec rax; jnz loop; ret */
static const uint8_t code[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
/* loop: subs x0, x0, #1; b.ne loop; ret */
static const uint8_t code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#else
#error "no code for this machine"
#endif

typedef void (*function)(unsigned long loops);

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct dump_header {
	uint32_t magic, version, total_bytes, machine, pad, pid;
	uint64_t time, flags;
};

struct load {
	uint32_t id, bytes;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, code_bytes, index;
};

struct lines {
	uint32_t id, bytes;
	uint64_t time, address, count;
};

static int open_dump(const char *dir)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	struct dump_header h = { 0x4A695444, 1, sizeof(h), MACHINE, 0, (uint32_t)getpid(), now_ns(CLOCK_MONOTONIC), 0 };
	if (fd < 0 || write(fd, &h, sizeof(h)) != sizeof(h))
		exit(2);
	/* The mapping by which the recorder notices it. */
	if (mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(3);
	return fd;
}

static void put(int fd, const void *p, size_t n)
{
	if (write(fd, p, n) != (ssize_t)n)
		exit(4);
}

/* Two lines: the loop is on the second. */
static void dump_lines(int fd, uint64_t address)
{
	static const char file[] = "/src/made.jit";
	struct { uint64_t address; uint32_t line, discriminator; } __attribute__((packed)) entry = { address, 10, 0 };
	size_t n = 2 * (sizeof(entry) + sizeof(file));
	struct lines l = { 2, (uint32_t)(sizeof(l) + n), now_ns(CLOCK_MONOTONIC), address, 2 };
	put(fd, &l, sizeof(l));
	put(fd, &entry, sizeof(entry));
	put(fd, file, sizeof(file));
	entry.address += sizeof(code) == 9 ? 3 : 0;
	entry.line = 11;
	put(fd, &entry, sizeof(entry));
	put(fd, file, sizeof(file));
}

static void dump_load(int fd, const char *name, uint64_t address, uint64_t index)
{
	struct load l = { 0, (uint32_t)(sizeof(l) + strlen(name) + 1 + sizeof(code)), now_ns(CLOCK_MONOTONIC), (uint32_t)getpid(),
			  (uint32_t)getpid(), address, address, sizeof(code), index };
	put(fd, &l, sizeof(l));
	put(fd, name, strlen(name) + 1);
	put(fd, code, sizeof(code));
}

/* By its own CPU time: other load does not change the shares. */
static void run_for(const uint8_t *at, double seconds)
{
	uint64_t until = now_ns(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)(seconds * 1e9);
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < until)
		((function)(uintptr_t)at)(2000000);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	int with_dump = !strcmp(argv[1], "dump"), fd = with_dump ? open_dump(argc > 3 ? argv[3] : ".") : -1;
	double seconds = atof(argv[2]);
	uint8_t *memory = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(memory + 0x100, code, sizeof(code));
	memcpy(memory + 0x2000, code, sizeof(code));
	__builtin___clear_cache((char *)memory, (char *)memory + (1 << 16));
	if (with_dump) {
		dump_lines(fd, (uintptr_t)memory + 0x100);
		dump_load(fd, "made_first", (uintptr_t)memory + 0x100, 1);
		dump_load(fd, "made_second", (uintptr_t)memory + 0x2000, 2);
	} else {
		char path[64];
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
		FILE *f = fopen(path, "w");
		if (!f)
			return 5;
		fprintf(f, "%lx %zx made_first\n", (unsigned long)memory + 0x100, sizeof(code));
		fprintf(f, "%lx %zx made_second\n", (unsigned long)memory + 0x2000, sizeof(code));
		fclose(f);
	}
	run_for(memory + 0x100, seconds / 2);
	run_for(memory + 0x2000, seconds / 2);
	if (with_dump) { /* its memory is used again: the same address, another function */
		dump_load(fd, "made_later", (uintptr_t)memory + 0x100, 3);
		run_for(memory + 0x100, seconds / 2);
	}
	puts("done");
	fflush(stdout);
	if (getenv("JIT_WAIT"))
		pause();
	return 0;
}
