#include "alloc/record.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "alloc/cfi.h"
#include "alloc/checker.h"
#include "alloc/confined.h"
#include "alloc/dumps.h"
#include "alloc/eh_section.h"
#include "alloc/entries.h"
#include "alloc/modules.h"
#include "alloc/real.h"
#include "alloc/region.h"
#include "alloc/sampler.h"
#include "alloc/walk.h"

/*
 * Limits of the bytes in use that a thread has not yet added to the region, as a part of the peak and absolute: the error of the
 * peak per thread.
 */
#define IN_USE_PART 128
#define IN_USE_MOST 65536

/* This library's own code: from the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

extern char __libc_single_threaded __attribute__((weak)); /* glibc 2.32 */

enum { STATE_NEW, STATE_STARTING, STATE_ON, STATE_OFF };
static int state;
static uint64_t threads;
static uint64_t next_point;   /* ticks */
static uint64_t ticks_at_start, ns_at_start; /* at the same moment */
static double ticks_per_ns = 2.5;
static uint64_t short_age = 1000000 * 5 / 2 >> ALLOC_BORN_SHIFT; /* header.short_ns in the units of slots */
static bool is_calibrated;
static int renewing;
static pthread_key_t ending;

__thread struct thread thread __attribute__((tls_model("initial-exec")));

/* ---- time ---- */

static inline uint64_t ticks(void)
{
	if (__builtin_expect(confined.ticks, 0))
		return ticks_at_start; /* its time stands still */
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t v;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

static uint64_t since_start_ns(void)
{
	struct timespec now;
	if (confined.calls || confined.ticks) /* the clock is a system call, or reads the counter */
		return ns_at_start + (uint64_t)((double)(ticks() - ticks_at_start) / ticks_per_ns);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - region->start_ns;
}

static void begin_time(void)
{
	ns_at_start = since_start_ns();
	ticks_at_start = ticks();
	next_point = ticks_at_start + 1;
}

static void halve_points(struct alloc_point *points)
{
	for (uint32_t i = 0; i < ALLOC_POINTS / 2; i++)
		points[i] = points[2 * i + 1];
	region->interval_ns *= 2;
	__atomic_store_n(&region->points.nr, ALLOC_POINTS / 2, __ATOMIC_RELEASE);
}

/* Adds a point: the bytes in use. When the list is full, every second point is removed and the interval doubled. */
static __attribute__((noinline)) void add_point(uint64_t now)
{
	uint64_t due = __atomic_load_n(&next_point, __ATOMIC_RELAXED);
	if (now < due || !__atomic_compare_exchange_n(&next_point, &due, UINT64_MAX, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	struct alloc_point *points = region_table(&region->points);
	uint64_t ns = since_start_ns();
	if (!is_calibrated && ns > ns_at_start + 200000) {
		ticks_per_ns = (double)(now - ticks_at_start) / (double)(ns - ns_at_start);
		short_age = (uint64_t)((double)region->short_ns * ticks_per_ns) >> ALLOC_BORN_SHIFT;
		is_calibrated = ns > ns_at_start + 10000000;
	}
	if (region->points.nr == ALLOC_POINTS)
		halve_points(points);
	points[region->points.nr] = (struct alloc_point){ ns, region->bytes_in_use };
	__atomic_store_n(&region->points.nr, region->points.nr + 1, __ATOMIC_RELEASE);
	region->last_ns = ns;
	__atomic_store_n(&next_point, now + (uint64_t)((double)region->interval_ns * ticks_per_ns), __ATOMIC_RELEASE);
}

static void end_thread(void *unused);

/* ---- begin ---- */

/* Other programs have .eh_frame_hdr. */
static void find_unlisted_frames(void)
{
	struct cfi_object o;
	struct eh_section s;
	if (!cfi_find_object(getauxval(AT_ENTRY), &o) || o.hdr || !eh_section_find(&s))
		return;
	uintptr_t at = o.bias + s.address;
	if (at >= o.start && at < o.end && s.bytes <= o.end - at)
		cfi_use_section(o.start, (const uint8_t *)at, s.bytes);
}

static void on(void)
{
	find_unlisted_frames();
	begin_time();
	if (settings.rate == 1)
		blocks_pass_all();
	walk_report_objects(modules_add);
	walk_leave_out(__ehdr_start, etext);
	pthread_key_create(&ending, end_thread);
}

/* False while this thread is initializing. */
bool record_begin(void)
{
	int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	if (__builtin_expect(now >= STATE_ON, 1))
		return true;
	if (thread.is_busy)
		return false;
	now = STATE_NEW;
	thread.is_busy = true;
	if (__atomic_compare_exchange_n(&state, &now, STATE_STARTING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		int saved = errno;
		real_find();
		settings_read();
		bool dumps = dumps_set_up(), checks = checker_set_up();
		if (dumps || checks)
			settings.rate = 1;
		if (checks)
			settings.only_mmap = false;
		if (!settings.seed)
			settings.seed = ticks();
		bool works = !settings.is_off && region_create();
		if (works)
			on();
		errno = saved;
		__atomic_store_n(&state, works ? STATE_ON : STATE_OFF, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) < STATE_ON)
		confined_yield();
	thread.is_busy = false;
	return true;
}

/* In a child of fork(): forgets the parent's allocations. */
static __attribute__((noinline)) void renew(void)
{
	int saved = errno, free = 0;
	if (!__atomic_compare_exchange_n(&renewing, &free, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		while (__atomic_load_n(&renewing, __ATOMIC_ACQUIRE))
			confined_yield();
		return;
	}
	if (region_is_inherited()) {
		if (!confined.calls) {
			entries_forget();
			walk_forget();
		}
		if (region_renew()) {
			blocks_clear();
			mappings_forget();
			begin_time();
		} else {
			__atomic_store_n(&state, STATE_OFF, __ATOMIC_RELEASE);
		}
	}
	__atomic_store_n(&renewing, 0, __ATOMIC_RELEASE);
	errno = saved;
}

static inline bool is_on(void)
{
	if (__builtin_expect(__atomic_load_n(&state, __ATOMIC_RELAXED) != STATE_ON, 0))
		return false;
	if (__builtin_expect(region_is_inherited(), 0))
		renew();
	return __atomic_load_n(&state, __ATOMIC_RELAXED) == STATE_ON;
}

bool record_all(void)
{
	if (!is_on())
		return false;
	if (settings.rate == 1 && !settings.only_mmap)
		return true;
	bool was_busy = thread.is_busy;
	thread.is_busy = true;
	settings.rate = 1;
	settings.only_mmap = false;
	entries_forget();
	walk_forget();
	bool works = region_renew();
	if (works) {
		blocks_clear();
		mappings_forget();
		blocks_pass_all();
		begin_time();
	} else {
		__atomic_store_n(&state, STATE_OFF, __ATOMIC_RELEASE);
	}
	thread.left = 0;
	thread.is_busy = was_busy;
	return works;
}

/* ---- sampling ---- */

bool record_is_due(size_t size)
{
	if (thread.is_busy || __atomic_load_n(&state, __ATOMIC_RELAXED) != STATE_ON) {
		if (state == STATE_OFF)
			thread.left = INT64_MAX / 2;
		return false;
	}
	if (!thread.is_noted) {
		thread.is_noted = thread.is_busy = true;
		pthread_setspecific(ending, &thread);
		thread.is_busy = false;
	}
	if (settings.rate == 1) {
		thread.left = 0;
		return !settings.only_mmap;
	}
	bool is_known = thread.is_known;
	if (!is_known) {
		thread.random = sampler_seed(settings.seed, __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED));
		thread.is_known = true;
	}
	int64_t distance = sampler_distance(&thread.random, settings.rate);
	if (!is_known && (int64_t)(size | 1) <= distance) { /* the first distance starts at this allocation */
		thread.left = distance - (int64_t)(size | 1);
		return false;
	}
	thread.left = is_known ? distance : sampler_distance(&thread.random, settings.rate);
	return true;
}

/* ---- counting ---- */

struct weight {
	uint64_t objects, bytes;
	double variance;
};

static inline struct weight weight_of(uint64_t size)
{
	if (settings.rate == 1)
		return (struct weight){ 1, size, 0 };
	double w = sampler_weight(size | 1, settings.rate), bytes = (double)size;
	return (struct weight){ (uint64_t)(w * (1 << 8) + 0.5), (uint64_t)(w * bytes + 0.5), w * (w - 1) * bytes * bytes };
}

/* Before the values in use change: saves them as those of the peak, unless they have changed since. */
static inline void keep_peak(struct alloc_entry *e)
{
	uint64_t generation = __atomic_load_n(&region->generation, __ATOMIC_RELAXED);
	if (e->generation == generation)
		return;
	e->peak_objects = e->allocs - e->frees;
	e->peak_bytes = e->alloc_bytes - e->free_bytes;
	e->generation = generation;
}

static inline bool has_one_thread(void)
{
	return &__libc_single_threaded && __libc_single_threaded;
}

/* Changes the bytes in use; at a new maximum, the current values of all entries are those of the peak. */
static void change_in_use(int64_t by, uint64_t now)
{
	uint64_t in_use;
	if (has_one_thread())
		in_use = region->bytes_in_use += (uint64_t)by;
	else
		in_use = __atomic_add_fetch(&region->bytes_in_use, (uint64_t)by, __ATOMIC_RELAXED);
	if (by <= 0 || in_use <= __atomic_load_n(&region->peak_bytes, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&region->peak_bytes, in_use, __ATOMIC_RELAXED);
	__atomic_store_n(&region->peak_ns, now, __ATOMIC_RELAXED);
	if (has_one_thread())
		region->generation++;
	else
		__atomic_fetch_add(&region->generation, 1, __ATOMIC_RELAXED);
}

/* Threads would contend for one cache line: each collects its part up to a limit. */
static inline void add_in_use(int64_t by, uint64_t now)
{
	by += thread.in_use;
	if (!has_one_thread() && !thread.is_ending) {
		int64_t most = (int64_t)(__atomic_load_n(&region->peak_bytes, __ATOMIC_RELAXED) / IN_USE_PART);
		most = most > IN_USE_MOST ? IN_USE_MOST : most;
		if (by > -most && by < most) {
			thread.in_use = by;
			return;
		}
	}
	thread.in_use = 0;
	change_in_use(by, now);
}

static void end_thread(void *unused)
{
	(void)unused;
	thread.is_ending = true;
	if (thread.in_use && state == STATE_ON && !region_is_inherited())
		add_in_use(0, ticks());
}

static inline struct alloc_entry *begin_change(uint32_t entry)
{
	struct alloc_entry *e = has_one_thread() ? entries_get(entry) : entries_lock(entry);
	keep_peak(e);
	return e;
}

static inline void end_change(struct alloc_entry *e)
{
	entries_unlock(e);
}

static inline void count_alloc(uint32_t entry, const struct weight *w, uint64_t now)
{
	struct alloc_entry *e = begin_change(entry);
	e->allocs += w->objects;
	e->alloc_bytes += w->bytes;
	e->alloc_variance += w->variance;
	add_in_use((int64_t)w->bytes, now);
	end_change(e);
}

static inline void count_free(uint32_t entry, const struct weight *w, uint64_t age, uint64_t now)
{
	struct alloc_entry *e = begin_change(entry);
	e->frees += w->objects;
	e->free_bytes += w->bytes;
	e->free_variance += w->variance;
	if (age < short_age) {
		e->short_objects += w->objects;
		e->short_bytes += w->bytes;
	}
	add_in_use(-(int64_t)w->bytes, now);
	end_change(e);
}

static void drop(void)
{
	__atomic_fetch_add(&region->dropped, 1, __ATOMIC_RELAXED);
}

/* The entry of the stack that ends with a frame; UINT32_MAX if the table is full. */
static inline __attribute__((always_inline)) uint32_t entry_of(uint64_t size, struct walk_frame frame)
{
	uint64_t frames[ALLOC_FRAMES_MAX];
	struct walk w = walk_from(frame);
	walk_stack(&w, frames, settings.depth);
	if (w.truncated)
		__atomic_fetch_add(&region->truncated, 1, __ATOMIC_RELAXED);
	return entries_find(w.hash, alloc_size_class(size), frames, w.depth);
}

void record_alloc(void *p, size_t size, struct walk_frame frame)
{
	thread.is_busy = true;
	if (!is_on()) {
		thread.is_busy = false;
		return;
	}
	uint64_t now = ticks();
	struct alloc_slot *slot = blocks_slot(p);
	uint32_t entry = entry_of(size, frame);
	if (entry != UINT32_MAX && slot) {
		struct weight weight = weight_of(size);
		count_alloc(entry, &weight, now);
		struct alloc_slot block = alloc_slot_make(entry, now >> ALLOC_BORN_SHIFT, size);
		block.is_ignored = thread.ignores > 0;
		blocks_put(p, slot, &block);
	} else {
		drop();
	}
	if (__builtin_expect(now >= __atomic_load_n(&next_point, __ATOMIC_RELAXED), 0))
		add_point(now);
	if (__builtin_expect(dumps_are_on, 0))
		dumps_check(size, 0);
	thread.is_busy = false;
}

bool record_take(const void *p, struct alloc_slot *ret)
{
	/* Blocks that the library itself releases (in the dynamic linker) were not counted. */
	return p && !thread.is_busy && is_on() && blocks_take(p, ret);
}

void record_put_back(const void *p, const struct alloc_slot *slot)
{
	struct alloc_slot *to = blocks_slot(p);
	if (to)
		blocks_put(p, to, slot);
}

void record_free(const struct alloc_slot *slot)
{
	thread.is_busy = true;
	uint64_t now = ticks();
	struct weight w = weight_of(slot->size);
	count_free(slot->entry - 1, &w, alloc_slot_age(slot, now >> ALLOC_BORN_SHIFT), now);
	if (__builtin_expect(now >= __atomic_load_n(&next_point, __ATOMIC_RELAXED), 0))
		add_point(now);
	if (__builtin_expect(dumps_are_on, 0))
		dumps_check(0, slot->size);
	thread.is_busy = false;
}

/* Mappings are few: they are not sampled. */
static struct weight weight_of_mapping(uint64_t bytes, bool is_object)
{
	return (struct weight){ is_object ? (uint64_t)1 << region->objects_shift : 0, bytes, 0 };
}

void record_map(void *p, uint64_t bytes, struct walk_frame frame)
{
	thread.is_busy = true;
	if (is_on()) {
		uint64_t now = ticks(), start = (uint64_t)(uintptr_t)p;
		uint32_t entry = entry_of(bytes, frame);
		struct weight w = weight_of_mapping(bytes, true);
		struct alloc_slot slot = alloc_slot_make(entry, now >> ALLOC_BORN_SHIFT, bytes);
		if (entry != UINT32_MAX && mappings_add(start, start + bytes, &slot))
			count_alloc(entry, &w, now);
		else
			drop();
		if (dumps_are_on)
			dumps_check(bytes, 0);
	}
	thread.is_busy = false;
}

void record_unmap(const struct mapping *part)
{
	if (!is_on())
		return;
	struct weight w = weight_of_mapping(part->end - part->start, part->is_first);
	uint64_t now = ticks();
	count_free(part->slot.entry - 1, &w, alloc_slot_age(&part->slot, now >> ALLOC_BORN_SHIFT), now);
	if (dumps_are_on)
		dumps_count(0, w.bytes);
}

/* The clocks of processors differ by less than one step. */
uint64_t record_moment(void)
{
	uint64_t now = ticks() >> ALLOC_BORN_SHIFT, next;
	while ((next = ticks() >> ALLOC_BORN_SHIFT) == now)
		;
	return next & ALLOC_BORN_MASK;
}

void record_unloaded(void)
{
	if (state != STATE_ON || region_is_inherited() || !modules_changed())
		return;
	/* The same addresses may be other code from now on: they get new entries. */
	walk_forget();
	entries_forget();
}

/* ---- start and end ---- */

/* Early, since the program may drop its rights to files, memory and system calls that a region requires. */
static __attribute__((constructor)) void begin(void)
{
	(void)record_begin();
}

static __attribute__((destructor)) void finish(void)
{
	if (state != STATE_ON || region_is_inherited())
		return;
	thread.is_busy = true;
	add_point(ticks());
	region->last_ns = since_start_ns();
	dumps_finish();
	if (settings.leaks)
		region_send('l', -1, true);
	thread.is_busy = false;
	checker_finish();
}
