#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "capture/host_priv.h"
#include "capture/synth_priv.h"
#include "sys/kernel_modules.h"
#include "object/object.h"
#include "record/sample.h"

struct strobe_error *synth_flush(struct out *o, struct record_sink *sink)
{
	size_t n;
	const char *p = out_mem(o, &n);
	struct strobe_error *err = n ? sink_write(sink, p, n) : NULL;
	o->len = 0;
	return err;
}

/* Sends what `o` holds and frees it. */
static struct strobe_error *finish(struct out *o, struct record_sink *sink)
{
	struct strobe_error *err = synth_flush(o, sink);
	error_destroy(out_close(o));
	return err;
}

struct strobe_error *synth_mark(struct record_sink *sink, uint32_t type)
{
	struct perf_event_header h = { .type = type, .size = sizeof(h)};
	return sink_write(sink, &h, sizeof(h));
}

#define NAME_MAX_BYTES 4096

void synth_map_record(struct out *o, const struct synth_map *m, uint16_t tail_bytes)
{
	size_t n = m->name_len < NAME_MAX_BYTES ? m->name_len : NAME_MAX_BYTES - 1;
	uint16_t misc = m->cpumode;
	if (m->build_id_len)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (!(m->prot & PROT_EXEC) && m->cpumode == PERF_RECORD_MISC_USER)
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	uint8_t *p = synth_record(o, PERF_RECORD_MMAP2, misc, 72 + synth_align(n + 1), tail_bytes);
	uint64_t len = m->end - m->start;
	memcpy(p + 8, &m->pid, 4);
	memcpy(p + 12, &m->tid, 4);
	memcpy(p + 16, &m->start, 8);
	memcpy(p + 24, &len, 8);
	memcpy(p + 32, &m->pgoff, 8);
	if (m->build_id_len) {
		p[40] = m->build_id_len;
		memcpy(p + 44, m->build_id, m->build_id_len);
	} else {
		memcpy(p + 40, &m->maj, 4);
		memcpy(p + 44, &m->min, 4);
		memcpy(p + 48, &m->ino, 8);
	}
	memcpy(p + 64, &m->prot, 4);
	memcpy(p + 68, &m->flags, 4);
	memcpy(p + 72, m->name, n);
}

static unsigned notes_file_build_id(const struct sys *sys, const char *path, uint8_t ret[20])
{
	_cleanup_strbuf_ struct strbuf notes = {};
	uint8_t id[OBJECT_BUILD_ID_MAX];
	if (!host_read(sys, path, &notes))
		return 0;
	size_t n = object_build_id_in_notes(notes.data, notes.len, false, id);
	if (n > 20) /* an MMAP2 record has no room for more */
		return 0;
	memcpy(ret, id, n);
	return (unsigned)n;
}

/*
 * The start of the kernel's text. _stext is among the first symbols, so that the kernel has to generate only a small part
 * of kallsyms; 0: addresses are hidden. *ret_name is the symbol found.
 */
static uint64_t find_text_start(const struct sys *sys, const char **ret_name)
{
	_cleanup_close_ int fd = sys_open(sys, "/proc/kallsyms", O_RDONLY);
	if (fd < 0)
		return 0;
	char buf[16384];
	size_t have = 0;
	uint64_t stext = 0;
	ssize_t n;
	/* 4 MB is more than all per-CPU and absolute symbols, which may come first. */
	for (size_t total = 0; total < (4u << 20) && (n = read(fd, buf + have, sizeof(buf) - 1 - have)) > 0;
	     total += (size_t)n) {
		have += (size_t)n;
		buf[have] = '\0';
		char *line = buf, *end;
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			char *name = strchr(line, ' ');
			if (!name || !name[1])
				continue;
			name += 3;
			if (!strcmp(name, "_text") || !strcmp(name, "_stext")) {
				uint64_t at = strtoull(line, NULL, 16);
				/* perf relocates by _text; _stext is a fallback. */
				if (!strcmp(name, "_text")) {
					*ret_name = "_text";
					return at;
				}
				stext = at;
				*ret_name = "_stext";
			}
		}
		have = strlen(line);
		memmove(buf, line, have);
		if (stext)
			break;
	}
	return stext;
}

static bool find_kallsyms(const struct sys *sys, const char *symbol, uint64_t *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	if (!host_read(sys, "/proc/kallsyms", &text))
		return false;
	_cleanup_free_ char *needle = xasprintf(" %s\n", symbol);
	const char *at = strstr(strbuf_str(&text), needle);
	if (!at)
		return false;
	while (at > text.data && at[-1] != '\n')
		at--;
	*ret = strtoull(at, NULL, 16);
	return *ret != 0;
}

/* Bytes of kernel text: "Kernel code" of /proc/iomem spans _text to _etext; else kallsyms is read whole. */
static uint64_t find_text_bytes(const struct sys *sys, uint64_t start)
{
	_cleanup_strbuf_ struct strbuf text = {};
	host_read(sys, "/proc/iomem", &text);
	const char *code = strstr(strbuf_str(&text), " : Kernel code");
	if (code) {
		const char *line = code;
		while (line > text.data && line[-1] != '\n')
			line--;
		char *dash;
		uint64_t from = strtoull(line, &dash, 16), to = *dash == '-' ? strtoull(dash + 1, NULL, 16) : 0;
		if (to > from)
			return to - from + 1;
	}
	uint64_t end;
	if (find_kallsyms(sys, "_etext", &end) && end > start)
		return end - start;
	return 0;
}

static void add_modules(struct out *o, const struct synth_options *opt)
{
	_cleanup_strbuf_ struct strbuf text = {};
	const struct sys *sys = opt->sys;
	if (!host_read(sys, "/proc/modules", &text) || !text.len) /* a kernel without modules */
		return;
	struct kernel_modules modules;
	kernel_modules_load(sys, &modules);
	char *save = NULL;
	for (char *line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[128];
		unsigned long long bytes, start;
		/* name size refcount users state address */
		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &bytes, &start) != 3 || !start)
			continue;
		struct synth_map m = {
			.pid = UINT32_MAX,
			.start = start,
			.end = start + bytes,
			.cpumode = PERF_RECORD_MISC_KERNEL,
		};
		_cleanup_free_ char *notes = xasprintf("/sys/module/%s/notes/.note.gnu.build-id", name);
		if (opt->build_ids)
			m.build_id_len = (uint8_t)notes_file_build_id(sys, notes, m.build_id);
		_cleanup_free_ char *path = kernel_modules_path(&modules, name, strlen(name));
		m.name = path;
		m.name_len = strlen(path);
		synth_map_record(o, &m, opt->tail_bytes);
	}
	kernel_modules_deinit(&modules);
}

struct strobe_error *synth_kernel(struct record_sink *sink, const struct synth_options *opt, struct synth_report *r)
{
	const char *anchor = "_text";
	uint64_t start = find_text_start(opt->sys, &anchor);
	if (!start) {
		r->kernel_restricted = true;
		return NULL;
	}
	struct out o;
	out_init_mem(&o);
	_cleanup_free_ char *name = xasprintf("[kernel.kallsyms]%s", anchor);
	struct synth_map m = {
		.pid = UINT32_MAX,
		.start = start,
		.end = start + find_text_bytes(opt->sys, start),
		.pgoff = start,
		.cpumode = PERF_RECORD_MISC_KERNEL,
		.name = name,
		.name_len = strlen(name),
	};
	if (m.end == start)
		m.end = UINT64_MAX;
	if (opt->build_ids)
		m.build_id_len = (uint8_t)notes_file_build_id(opt->sys, "/sys/kernel/notes", m.build_id);
	synth_map_record(&o, &m, opt->tail_bytes);
	add_modules(&o, opt);
	return finish(&o, sink);
}

struct strobe_error *synth_thread_map(struct record_sink *sink, const struct target_map *map)
{
	struct out o;
	out_init_mem(&o);
	/* A record holds 64 KB; more threads than fit come in further records. */
	const size_t most = (65000 - 16) / 24;
	for (size_t first = 0; first < map->threads.len; first += most) {
		size_t n = map->threads.len - first < most ? map->threads.len - first : most;
		uint8_t *p = synth_record(&o, RECORD_THREAD_MAP, 0, 16 + 24 * n, 0);
		uint64_t nr = n;
		memcpy(p + 8, &nr, 8);
		for (size_t i = 0; i < n; i++) {
			const struct thread_entry *t = &map->threads.data[first + i];
			uint64_t pid = (uint64_t)(int64_t)t->tid;
			memcpy(p + 16 + 24 * i, &pid, 8);
			memcpy(p + 24 + 24 * i, t->comm, 16);
		}
	}
	return finish(&o, sink);
}

struct strobe_error *synth_cpu_map(struct record_sink *sink, const struct target_map *map)
{
	struct out o;
	out_init_mem(&o);
	size_t n = map->cpus.len < 32000 ? map->cpus.len : 32000;
	/* type 0: a plain list of 16-bit CPU numbers (0xffff: any) */
	uint8_t *p = synth_record(&o, RECORD_CPU_MAP, 0, synth_align(12 + 2 * n), 0);
	uint16_t nr = (uint16_t)n;
	memcpy(p + 10, &nr, 2);
	for (size_t i = 0; i < n; i++) {
		uint16_t cpu = (uint16_t)map->cpus.data[i];
		memcpy(p + 12 + 2 * i, &cpu, 2);
	}
	return finish(&o, sink);
}

struct id_entry {
	uint64_t id, idx, cpu, tid;
};

static void put_id_index(struct out *o, const struct id_entry *entries, size_t n)
{
	uint64_t nr = n;
	uint8_t *p = synth_record(o, RECORD_ID_INDEX, 0, 16 + n * sizeof(*entries), 0);
	memcpy(p + 8, &nr, 8);
	memcpy(p + 16, entries, n * sizeof(*entries));
}

struct strobe_error *synth_id_index(struct record_sink *sink, const struct event_set *set, const struct target_map *map)
{
	enum { MOST = 2000 };
	struct out o;
	out_init_mem(&o);
	_cleanup_free_ struct id_entry *entries = xreallocarray(NULL, MOST, sizeof(*entries));
	size_t n = 0;
	size_t threads = map->threads.len;
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		for (uint32_t slot = 0; slot < e->slots; slot++) {
			if (e->fds[slot] < 0)
				continue;
			/* idx is the ring: of the CPU, or of the thread where rings are by thread. */
			int cpu = map->cpus.data[slot / threads];
			entries[n++] = (struct id_entry){
				.id = e->ids[slot],
				.idx = cpu < 0 ? slot % threads : slot / threads,
				.cpu = (uint64_t)(int64_t)cpu,
				.tid = (uint64_t)(int64_t)map->threads.data[slot % threads].tid,
			};
			if (n == MOST) {
				put_id_index(&o, entries, n);
				n = 0;
			}
		}
	}
	if (n)
		put_id_index(&o, entries, n);
	return finish(&o, sink);
}

struct strobe_error *synth_time_conv(struct record_sink *sink, const struct perf_event_mmap_page *page)
{
	if (!page || !page->cap_user_time_zero)
		return NULL;
	struct out o;
	out_init_mem(&o);
	uint8_t *p = synth_record(&o, RECORD_TIME_CONV, 0, 56, 0);
	/* Written by the kernel under a sequence lock. */
	uint32_t seq;
	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		uint64_t shift = page->time_shift, mult = page->time_mult, zero = page->time_zero;
		memcpy(p + 8, &shift, 8);
		memcpy(p + 16, &mult, 8);
		memcpy(p + 24, &zero, 8);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq != __atomic_load_n(&page->lock, __ATOMIC_RELAXED) || (seq & 1));
	p[48] = 1;
	if (page->cap_user_time_short) {
		uint64_t cycles = page->time_cycles, mask = page->time_mask;
		memcpy(p + 32, &cycles, 8);
		memcpy(p + 40, &mask, 8);
		p[49] = 1;
	}
	return finish(&o, sink);
}

struct strobe_error *synth_lost_samples(struct record_sink *sink, const struct event_set *set,
					const struct target_map *map, uint64_t *ret_lost)
{
	struct out o;
	*ret_lost = 0;
	out_init_mem(&o);
	size_t threads = map->threads.len;
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		struct sample_layout layout = sample_layout_compile(&e->attr);
		for (uint32_t slot = 0; slot < e->slots; slot++) {
			uint64_t lost = capture_event_lost(e, slot);
			if (!lost)
				continue;
			*ret_lost += lost;
			uint8_t *p = synth_record(&o, PERF_RECORD_LOST_SAMPLES, 0, 16, layout.tail_bytes);
			memcpy(p + 8, &lost, 8);
			int cpu = map->cpus.data[slot / threads], tid = map->threads.data[slot % threads].tid;
			struct sample_tail t = {
				.pid = (uint32_t)map->threads.data[slot % threads].pid,
				.tid = (uint32_t)tid,
				.cpu = (uint32_t)cpu,
				.id = e->ids[slot],
				.stream_id = e->ids[slot],
			};
			sample_tail_encode(&layout, &t, p + 16, layout.tail_bytes);
		}
	}
	return finish(&o, sink);
}
