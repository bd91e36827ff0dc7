/* Samples and other records in rings: complete, in order, correct, with the expected clock. */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/priv.h"

#define FAULTS "page-faults:u"

static void sampled_each(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	attr->read_format = PERF_FORMAT_LOST;
}

static bool open_with_ring(struct own_event *e, const char *text, void (*change)(struct perf_event_attr *attr), uint64_t pages,
			   struct selftest_outcome *ret)
{
	if (!own_event_open(e, text, change, ret))
		return false;
	if (own_event_map(e, pages, ret))
		return true;
	own_event_close(e);
	return false;
}

/* More faults than the ring has room for, read concurrently. */
static struct selftest_outcome every_sample(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	struct sample s;
	uint64_t samples = 0, lost = 0, last_ns = 0, backwards = 0;
	if (!open_with_ring(&e, FAULTS, sampled_each, 1, &outcome))
		return outcome;
	own_event_enable(&e, true);
	for (uint64_t i = 0; i < t->n; i += 20) {
		load_pages(20);
		while (own_event_next(&e, &s, &lost)) {
			samples++;
			backwards += s.time < last_ns || s.pid != (uint32_t)getpid();
			last_ns = s.time;
		}
	}
	own_event_enable(&e, false);
	while (own_event_next(&e, &s, &lost))
		samples++;
	uint64_t counted = own_event_count(&e);
	own_event_close(&e);
	EXPECT(samples == counted && !lost, "%" PRIu64 " counted, %" PRIu64 " samples, %" PRIu64 " lost", counted, samples, lost);
	EXPECT(!backwards, "%" PRIu64 " samples out of order, or of others", backwards);
	EXPECT(samples >= t->n, "%" PRIu64 " samples of %" PRIu64 " pages", samples, t->n);
	return selftest_ok();
}

/* A full ring: lost records are counted. */
static struct selftest_outcome losses(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	struct sample s;
	uint64_t samples = 0, lost = 0, words[2] = { 0 }; /* count, lost */
	if (!open_with_ring(&e, FAULTS, sampled_each, 1, &outcome))
		return outcome;
	own_event_enable(&e, true);
	load_pages(t->n);
	own_event_enable(&e, false);
	ssize_t n = read(e.fd, words, sizeof(words));
	while (own_event_next(&e, &s, &lost))
		samples++;
	own_event_close(&e);
	EXPECT(n == sizeof(words), "%zd bytes of a count and its losses", n);
	EXPECT(samples && words[1] && samples + words[1] == words[0], "%" PRIu64 " counted, %" PRIu64 " samples, %" PRIu64 " lost",
	       words[0], samples, words[1]);
	return selftest_ok();
}

/* Each touched page is the address of a sample. */
static struct selftest_outcome addresses(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	struct sample s;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (!open_with_ring(&e, FAULTS, sampled_each, 16, &outcome))
		return outcome;
	uint8_t *p = mmap(NULL, t->n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, t->n * page, MADV_NOHUGEPAGE);
	own_event_enable(&e, true);
	for (uint64_t i = 0; i < t->n; i++)
		*(volatile uint8_t *)(p + i * page + 8) = 1;
	own_event_enable(&e, false);
	uint64_t found = 0;
	while (own_event_next(&e, &s, NULL))
		found += s.addr == (uintptr_t)p + found * page + 8;
	own_event_close(&e);
	EXPECT(found == t->n, "%" PRIu64 " of %" PRIu64 " addresses in order", found, t->n);
	return selftest_ok();
}

static void sampled_by_time(struct perf_event_attr *attr)
{
	attr->sample_period = 1000000;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
}

/*
 * Uses n ms of CPU time, and more until `least` samples are there: the timer of an emulated CPU that waits for a real one has one sample
 * for all the time.
 */
static struct selftest_outcome instruction_pointers(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	struct sample s;
	uint64_t samples = 0, inside = 0, spent_ms = 0;
	if (!open_with_ring(&e, t->text, sampled_by_time, 16, &outcome))
		return outcome;
	own_event_enable(&e, true);
	uint64_t begin_ns = sys_clock_ns(sys_live(), CLOCK_THREAD_CPUTIME_ID);
	while (spent_ms < t->n || (samples < t->least && spent_ms < t->n * 20)) {
		load_loop(300000);
		for (; own_event_next(&e, &s, NULL); samples++)
			inside += s.ip >= (uintptr_t)load_loop && s.ip < (uintptr_t)load_loop + 256;
		spent_ms = (sys_clock_ns(sys_live(), CLOCK_THREAD_CPUTIME_ID) - begin_ns) / 1000000;
	}
	own_event_enable(&e, false);
	own_event_close(&e);
	EXPECT(samples >= t->least && samples <= spent_ms + spent_ms / 10, "%" PRIu64 " samples in %" PRIu64 " ms, %" PRIu64
	       " to one a millisecond expected", samples, spent_ms, t->least);
	EXPECT(inside * 10 >= samples * 8, "%" PRIu64 " of %" PRIu64 " samples in the loop", inside, samples);
	return selftest_ok();
}

/* n is the clock: times of samples are between two readings of it. */
static struct selftest_outcome clock_of_samples(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	struct sample s;
	struct perf_event_attr attr;
	if (!own_event_open(&e, FAULTS, sampled_each, &outcome))
		return outcome;
	attr = e.attr;
	own_event_close(&e);
	attr.use_clockid = 1;
	attr.clockid = (int32_t)t->n;
	if (!own_event_open_attr(&e, &attr, "a clock of samples", &outcome))
		return outcome;
	if (!own_event_map(&e, 8, &outcome))
		return outcome;
	uint64_t begin_ns = sys_clock_ns(sys_live(), (clockid_t)t->n), wrong = 0, samples = 0;
	own_event_enable(&e, true);
	load_pages(20);
	own_event_enable(&e, false);
	uint64_t end_ns = sys_clock_ns(sys_live(), (clockid_t)t->n);
	for (; own_event_next(&e, &s, NULL); samples++)
		wrong += s.time < begin_ns || s.time > end_ns;
	own_event_close(&e);
	EXPECT(samples >= 20 && !wrong, "%" PRIu64 " of %" PRIu64 " samples not between two readings of the clock", wrong, samples);
	return selftest_ok();
}

static void woken(struct perf_event_attr *attr)
{
	sampled_each(attr);
	attr->wakeup_events = 10;
}

static struct selftest_outcome wake_up(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	(void)t;
	if (!open_with_ring(&e, FAULTS, woken, 8, &outcome))
		return outcome;
	struct pollfd ready = { .fd = e.fd, .events = POLLIN };
	int before = poll(&ready, 1, 0);
	own_event_enable(&e, true);
	load_pages(20);
	own_event_enable(&e, false);
	int after = poll(&ready, 1, 1000);
	own_event_close(&e);
	EXPECT(!before && after == 1, "poll gave %d before and %d after the tenth sample", before, after);
	return selftest_ok();
}

static void backward(struct perf_event_attr *attr)
{
	sampled_each(attr);
	attr->write_backward = 1;
}

struct newest {
	struct record_sink sink;
	const struct sample_layout *layout;
	uint64_t samples, last_ns, last_addr;
};

static struct strobe_error *take_newest(struct record_sink *sink, const void *records, size_t bytes)
{
	struct newest *n = (struct newest *)sink;
	for (size_t at = 0; at + sizeof(struct perf_event_header) <= bytes;) {
		struct record r = { .hdr = (const void *)((const char *)records + at) };
		struct sample s;
		if (r.hdr->type == PERF_RECORD_SAMPLE && sample_decode(n->layout, r, &s)) {
			n->samples++;
			n->last_addr = s.time > n->last_ns ? s.addr : n->last_addr;
			n->last_ns = s.time > n->last_ns ? s.time : n->last_ns;
		}
		at += r.hdr->size ? r.hdr->size : bytes;
	}
	return NULL;
}

/* An overwriting ring keeps the newest records. */
static struct selftest_outcome overwritten(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	struct ring_stats stats = { .time_offset = SAMPLE_NO_OFFSET };
	if (!open_with_ring(&e, FAULTS, backward, 1, &outcome))
		return outcome;
	struct newest n = { .sink.write = take_newest, .layout = &e.layout };
	own_event_enable(&e, true);
	load_pages(t->n);
	volatile uint8_t *last = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*last = 1;
	own_event_enable(&e, false);
	uint64_t counted = own_event_count(&e);
	struct strobe_error *err = ring_drain_backward(&e.ring, &n.sink, &stats);
	own_event_close(&e);
	if (err)
		return selftest_of_error(err);
	EXPECT(n.samples && n.samples < counted, "%" PRIu64 " samples kept of %" PRIu64, n.samples, counted);
	EXPECT(n.last_addr == (uintptr_t)last, "the last fault was at %p, that of the newest sample at %#" PRIx64, (void *)last,
	       n.last_addr);
	return selftest_ok();
}

static void with_registers(struct perf_event_attr *attr)
{
	attr->sample_period = 1000000;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
#if defined(__x86_64__)
	attr->sample_regs_user = 1 << 7 | 1 << 8; /* SP, IP: asm/perf_regs.h */
#elif defined(__aarch64__)
	attr->sample_regs_user = UINT64_C(3) << 31;
#else
	attr->sample_regs_user = 1;
#endif
	attr->sample_stack_user = 4096;
}

/* The stack dump contains a known word of the stack. */
static struct selftest_outcome stack_dump(const struct selftest *t)
{
	volatile uint64_t word = UINT64_C(0x5354524f42450001) + (uint64_t)getpid();
	struct own_event e;
	struct selftest_outcome outcome;
	struct sample s;
	uint64_t samples = 0, found = 0;
	(void)t;
	if (!open_with_ring(&e, "cpu-clock:u", with_registers, 64, &outcome))
		return outcome;
	own_event_enable(&e, true);
	load_spin_us(20000);
	own_event_enable(&e, false);
	for (; own_event_next(&e, &s, NULL); samples++) {
		uint64_t sought = word;
		found += s.user_regs.abi && s.stack && memmem(s.stack, s.stack_dyn_bytes, &sought, sizeof(sought));
	}
	own_event_close(&e);
	EXPECT(samples && found == samples, "%" PRIu64 " of %" PRIu64 " dumps have a word that is on the stack", found, samples);
	return selftest_ok();
}

static void tracked(struct perf_event_attr *attr)
{
	attr->mmap = attr->mmap2 = attr->comm = attr->task = 1;
	attr->sample_id_all = 0;
}

/* Copies the first record of a type; false: none. */
static bool find_record(struct own_event *e, uint32_t type, uint8_t bytes[512])
{
	struct record r;
	while (ring_next(&e->ring, &r)) {
		if (r.hdr->type != type)
			continue;
		memset(bytes, 0, 512);
		memcpy(bytes, r.hdr, r.hdr->size < 512 ? r.hdr->size : 512);
		return true;
	}
	return false;
}

static struct selftest_outcome comm_record(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	uint8_t bytes[512];
	(void)t;
	if (!open_with_ring(&e, "dummy:u", tracked, 8, &outcome))
		return outcome;
	own_event_enable(&e, true);
	prctl(PR_SET_NAME, "renamed-itself");
	bool found = find_record(&e, PERF_RECORD_COMM, bytes);
	own_event_close(&e);
	EXPECT(found && !strcmp((char *)bytes + sizeof(struct perf_event_header) + 8, "renamed-itself"), "no record of the new name");
	return selftest_ok();
}

static struct selftest_outcome fork_record(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	uint8_t bytes[512];
	uint32_t parent = 0;
	(void)t;
	if (!open_with_ring(&e, "dummy:u", tracked, 8, &outcome))
		return outcome;
	own_event_enable(&e, true);
	load_forks(1);
	bool found = find_record(&e, PERF_RECORD_FORK, bytes);
	memcpy(&parent, bytes + sizeof(struct perf_event_header) + 4, sizeof(parent));
	own_event_close(&e);
	EXPECT(found && parent == (uint32_t)getpid(), "no record of a child");
	return selftest_ok();
}

/* The program's own file, mapped as code: the record has its path, inode and address. */
static struct selftest_outcome mmap_record(const struct selftest *t)
{
	struct own_event e;
	struct selftest_outcome outcome;
	uint8_t bytes[512];
	struct stat st = {};
	_cleanup_free_ char *path = own_path();
	_cleanup_close_ int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	(void)t;
	if (fd < 0 || fstat(fd, &st))
		return selftest_skip("the path of this program is not known");
	if (!open_with_ring(&e, "dummy:u", tracked, 8, &outcome))
		return outcome;
	own_event_enable(&e, true);
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	bool found = find_record(&e, PERF_RECORD_MMAP2, bytes);
	own_event_close(&e);
	EXPECT(p != MAP_FAILED && found, "no record of a mapping");
	uint64_t address, inode;
	memcpy(&address, bytes + 16, 8); /* after the header, pid and tid */
	memcpy(&inode, bytes + 48, 8);   /* after len, pgoff, maj and min */
	EXPECT(address == (uintptr_t)p, "mapped at %p, recorded at %#" PRIx64, p, address);
	EXPECT(inode == st.st_ino, "inode %" PRIu64 " recorded for %" PRIu64, inode, (uint64_t)st.st_ino);
	EXPECT(!strcmp((char *)bytes + 72, path), "path %s recorded for %s", (char *)bytes + 72, path);
	return selftest_ok();
}

#define S .subject = "sampling"

const struct selftest selftests_sampling[] = {
	{ "every event is one sample, in order", S, every_sample, .n = 5000 },
	{ "samples without room are counted as lost", S, losses, .n = 2000 },
	{ "page faults have their addresses", S, addresses, .n = 64 },
	{ "samples by time are where the time goes", S, instruction_pointers, "cpu-clock:u", .n = 100, .least = 20 },
	{ "samples by task time are where the time goes", S, instruction_pointers, "task-clock:u", .n = 100, .least = 20 },
	{ "times of CLOCK_MONOTONIC", S, clock_of_samples, .n = CLOCK_MONOTONIC },
	{ "times of CLOCK_MONOTONIC_RAW", S, clock_of_samples, .n = CLOCK_MONOTONIC_RAW },
	{ "times of CLOCK_BOOTTIME", S, clock_of_samples, .n = CLOCK_BOOTTIME },
	{ "times of CLOCK_REALTIME", S, clock_of_samples, .n = CLOCK_REALTIME },
	{ "times of CLOCK_TAI", S, clock_of_samples, .n = CLOCK_TAI },
	{ "a reader is woken after so many samples", S, wake_up },
	{ "an overwritten ring keeps what came last", S, overwritten, .n = 2000 },
	{ "registers and stack are dumped", S, stack_dump },
	{ "a new name is recorded", S, comm_record },
	{ "a new process is recorded", S, fork_record },
	{ "a mapping is recorded", S, mmap_record },
	{},
};
