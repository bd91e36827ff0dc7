#include "alloc/region.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "alloc/confined.h"

#define PAGE ((uint64_t)4096)
#define ENTRIES_MOST ((uint32_t)1 << 20)
#define ENTRIES_LEAST ((uint32_t)1 << 10)
#define FRAMES_PER_ENTRY 48
#define MODULES_MOST 1024
#define SPACE_PART 16 /* of the limit of the address space, if there is one */
#define ANSWER_S 60 /* more for a search for leaks in a large heap; strobe ends earlier if it fails */

struct settings settings = { .rate = ALLOC_RATE_DEFAULT, .depth = ALLOC_FRAMES_MAX };
struct alloc_header *region;
static uint32_t always_alive = 1;
const volatile uint32_t *region_alive = &always_alive;

/* ---- settings ---- */

static bool is_name(const char *s, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(s, name, n);
}

static uint64_t number(const char *s)
{
	uint64_t v = 0;
	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	return v;
}

static void set(const char *name, size_t name_n, const char *value, size_t value_n)
{
	if (is_name(name, name_n, "socket") && value_n < sizeof(settings.socket)) {
		memcpy(settings.socket, value, value_n);
		settings.socket[value_n] = 0;
	} else if (is_name(name, name_n, "rate")) {
		settings.rate = number(value);
	} else if (is_name(name, name_n, "depth")) {
		settings.depth = (unsigned)number(value);
	} else if (is_name(name, name_n, "seed")) {
		settings.seed = number(value);
	} else if (is_name(name, name_n, "leaks")) {
		settings.leaks = true;
	} else if (is_name(name, name_n, "mmap")) {
		settings.mmap = true;
	} else if (is_name(name, name_n, "off")) {
		settings.is_off = true;
	}
}

void settings_read(void)
{
	const char *at = getenv(ALLOC_ENV);
	/* A set-user-ID program must not follow the environment of its user. */
	if (getauxval(AT_SECURE))
		settings.is_off = true;
	while (at && *at && !settings.is_off) {
		size_t n = strcspn(at, ","), name = strcspn(at, "=,");
		set(at, name, at + name + (at[name] == '='), n > name ? n - name - 1 : 0);
		at += n + (at[n] == ',');
	}
	if (!settings.rate)
		settings.rate = ALLOC_RATE_DEFAULT;
	if (!settings.depth || settings.depth > ALLOC_FRAMES_MAX)
		settings.depth = ALLOC_FRAMES_MAX;
}

/* ---- the connection to strobe ---- */

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval wait = { .tv_sec = ANSWER_S };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	strcpy(address.sun_path, path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

bool region_send(char message, int fd, bool waits)
{
	int to = *settings.socket && !confined.calls ? connect_to(settings.socket) : -1;
	if (to < 0)
		return false;
	struct iovec bytes = { &message, 1 };
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {};
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1 };
	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control.space);
		control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	char answer;
	ssize_t n = sendmsg(to, &m, MSG_NOSIGNAL);
	if (n == 1 && waits) {
		do /* strobe may stop and continue this process meanwhile */
			n = recv(to, &answer, 1, 0);
		while (n < 0 && errno == EINTR);
	}
	close(to);
	return n == 1;
}

/* ---- memory ---- */

static uint64_t place(struct alloc_table *t, uint64_t at, uint32_t most, size_t bytes)
{
	*t = (struct alloc_table){ .at = at, .most = most };
	return at + (most * bytes + PAGE - 1) / PAGE * PAGE;
}

/* The header with the positions of all tables. */
static struct alloc_header lay_out(uint32_t entries)
{
	struct alloc_header h = { .magic = ALLOC_MAGIC, .version = ALLOC_VERSION, .header_bytes = sizeof(h) };
	uint64_t at = (sizeof(h) + PAGE - 1) / PAGE * PAGE;
	at = place(&h.points, at, ALLOC_POINTS, sizeof(struct alloc_point));
	at = place(&h.leaves, at, ALLOC_LEAVES, sizeof(struct alloc_leaf));
	at = place(&h.modules, at, MODULES_MOST, sizeof(struct alloc_module));
	at = place(&h.entries, at, entries, sizeof(struct alloc_entry));
	h.bytes = place(&h.frames, at, entries * FRAMES_PER_ENTRY, sizeof(uint64_t));
	return h;
}

static void describe(struct alloc_header *h)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	h->start_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	h->short_ns = 1000000;
	h->interval_ns = 1000000;
	h->generation = 1; /* differs from that of new entries, whose values are then those of the peak */
	h->rate = settings.rate;
	h->objects_shift = settings.rate > 1 ? 8 : 0;
	h->pid = (uint32_t)getpid();
	ssize_t n = readlink("/proc/self/exe", h->program, sizeof(h->program) - 1);
	h->program[n > 0 ? n : 0] = 0;
}

/* As large as limits permit; at NULL: at any address. Untouched pages use no memory. */
static bool map_region(void *at)
{
	struct rlimit file = { RLIM_INFINITY, RLIM_INFINITY }, space = file;
	int fd = memfd_create(ALLOC_MEMFD_NAME, MFD_CLOEXEC);
	void *p = MAP_FAILED;
	struct alloc_header h = {};
	getrlimit(RLIMIT_FSIZE, &file);
	getrlimit(RLIMIT_AS, &space);
	for (uint32_t entries = ENTRIES_MOST; fd >= 0 && p == MAP_FAILED && entries >= ENTRIES_LEAST; entries /= 4) {
		h = lay_out(entries);
		if (at && region)
			h = lay_out(region->entries.most);
		bool is_too_large = h.bytes > file.rlim_cur || h.bytes > space.rlim_cur / SPACE_PART;
		if (is_too_large || ftruncate(fd, (off_t)h.bytes))
			continue;
		p = mmap(at, h.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED : 0), fd, 0);
	}
	if (p != MAP_FAILED) {
		madvise(p, h.bytes, MADV_DONTDUMP);
		h.address = (uint64_t)(uintptr_t)p;
		describe(&h);
		memcpy(p, &h, sizeof(h));
		region = p;
		region_send('r', fd, false);
	}
	if (fd >= 0)
		close(fd);
	return p != MAP_FAILED;
}

bool region_create(void)
{
	uint32_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || madvise(page, PAGE, MADV_WIPEONFORK) || !map_region(NULL))
		return false;
	*page = 1;
	region_alive = page;
	return true;
}

bool region_renew(void)
{
	if (confined.calls)
		return false;
	if (!map_region(region)) {
		/* At least do not use the parent's. */
		madvise(region, PAGE, MADV_DONTFORK);
		return false;
	}
	__atomic_store_n((uint32_t *)(uintptr_t)region_alive, 1, __ATOMIC_RELEASE);
	return true;
}

uint32_t region_claim(struct alloc_table *t, uint32_t n)
{
	uint32_t at = __atomic_load_n(&t->nr, __ATOMIC_RELAXED);
	do {
		if (t->most - at < n)
			return UINT32_MAX;
	} while (!__atomic_compare_exchange_n(&t->nr, &at, at + n, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return at;
}
