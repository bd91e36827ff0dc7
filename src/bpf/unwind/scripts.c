#include "bpf/unwind/scripts.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/idset.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "bpf/load/ring.h"
#include "bpf/unwind/scripts_priv.h"
#include "bpf/unwind/unwind_shared.h"
#include "interp/script_text.h"
#include "record/record.h"

#define REQUESTS_BYTES (64u << 10)

struct strobe_error *scripts_create(const struct sys *sys, struct bpf_loaded *loaded, struct scripts **ret)
{
	struct scripts *s = scripts_new(sys);
	s->loaded = loaded;
	s->processes_fd = bpf_map_of(loaded, "script_processes");
	s->requests_fd = bpf_map_of(loaded, "script_requests");
	struct strobe_error *err = bpf_ring_map(loaded, "script_requests", REQUESTS_BYTES, &s->requests);
	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!err && s->stop_fd < 0)
		err = error_errno(errno, "cannot create an eventfd");
	int e = err ? 0 : pthread_create(&s->thread, NULL, scripts_serve, s);
	if (e)
		err = error_errno(e, "cannot start the thread that finds interpreters");
	if (err) {
		scripts_destroy(s);
		return err;
	}
	s->is_serving = true;
	*ret = s;
	return NULL;
}

struct script_space *scripts_space(struct scripts *s, uint64_t mm)
{
	bool is_new;
	uint64_t *at = u64map_put(&s->by_mm, mm, &is_new);
	if (is_new) {
		*at = s->spaces.len;
		vec_push(&s->spaces, ((struct script_space){ .mm = mm }));
	}
	return &s->spaces.data[*at];
}

struct scripts *scripts_new(const struct sys *sys)
{
	struct scripts *s = xcalloc(1, sizeof(*s));
	s->sys = sys;
	s->stop_fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	strtab_init(&s->texts);
	return s;
}

void scripts_destroy(struct scripts *s)
{
	if (!s)
		return;
	uint64_t one = 1;
	if (s->is_serving && write(s->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(s->thread, NULL);
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	bpf_ring_unmap(&s->requests);
	u64map_deinit(&s->by_mm);
	vec_deinit(&s->spaces);
	vec_deinit(&s->files);
	vec_deinit(&s->places);
	vec_deinit(&s->codes);
	idset_deinit(&s->by_place);
	idset_deinit(&s->by_contents);
	u64map_deinit(&s->by_message);
	strtab_deinit(&s->texts);
	scripts_sources_deinit(s);
	pthread_mutex_destroy(&s->lock);
	free(s->unknown);
	free(s);
}

char *scripts_unknown(struct scripts *s)
{
	pthread_mutex_lock(&s->lock);
	char *unknown = s->unknown;
	s->unknown = NULL;
	s->has_reported |= unknown != NULL;
	pthread_mutex_unlock(&s->lock);
	return unknown;
}

/* ---- code ---- */

static bool place_eq(const void *table, uint32_t id, const void *key)
{
	const struct script_place *a = &((const struct scripts *)table)->places.data[id], *b = key;
	return a->mm == b->mm && a->code == b->code && a->stamp == b->stamp;
}

/* NULL: too many. */
static struct script_place *place_of(struct scripts *s, uint64_t mm, uint64_t code, uint32_t stamp)
{
	struct script_place place = { mm, code, stamp, IDSET_NONE };
	uint64_t hash = hash_combine(hash_combine(hash_u64(mm), code), stamp);
	uint32_t id = idset_find(&s->by_place, hash, place_eq, s, &place);
	if (id == IDSET_NONE && s->places.len >= SCRIPT_CODES_MAX)
		return NULL;
	if (id == IDSET_NONE) {
		id = (uint32_t)s->places.len;
		idset_insert(&s->by_place, hash, id);
		vec_push(&s->places, place);
	}
	return &s->places.data[id];
}

/* Its number; IDSET_NONE: too many. */
static uint32_t add_code(struct scripts *s, struct script_known code)
{
	if (s->codes.len >= SCRIPT_CODES_MAX)
		return IDSET_NONE;
	vec_push(&s->codes, code);
	return (uint32_t)s->codes.len - 1;
}

static bool contents_eq(const void *table, uint32_t id, const void *key)
{
	return !memcmp(&((const struct scripts *)table)->codes.data[id], key, sizeof(struct script_known));
}

/* Processes that run the same script share its code. Frames that arrive before their code, which another CPU sent, get a number of their
 * own. */
static void set_code(struct scripts *s, struct script_place *place, const struct script_known *code)
{
	uint64_t hash = hash_bytes(code, sizeof(*code));
	uint32_t same = idset_find(&s->by_contents, hash, contents_eq, s, code);
	if (place->number != IDSET_NONE && !s->codes.data[place->number].name)
		s->codes.data[place->number] = *code;
	else
		place->number = same != IDSET_NONE ? same : add_code(s, *code);
	if (same == IDSET_NONE && place->number != IDSET_NONE)
		idset_insert(&s->by_contents, hash, place->number);
}

/* The bytes of a part of a message, which has room for `cap`. */
static struct script_bytes part(const uint8_t *bytes, uint32_t n, size_t cap)
{
	return (struct script_bytes){ (const char *)bytes, n < cap ? n : cap };
}

static void name_code(struct scripts *s, const struct script_space *space, const struct script_code_message *m, struct script_known *k)
{
	char name[SCRIPT_NAME_TEXT], file[SCRIPT_FILE_BYTES * 4];
	struct script_parts parts = {
		.kind = (enum script_kind)m->kind, .form = m->form, .python = &space->python,
		.name = part(m->name, m->name_bytes, sizeof(m->name)), .file = part(m->file, m->file_bytes, sizeof(m->file)),
		.owner = part(m->rest, m->kind == SCRIPT_HOTSPOT ? m->size : m->rest_bytes, SCRIPT_NAME_BYTES), /* not of all kinds */
	};
	if (script_name(&parts, name, sizeof(name)))
		k->name = strtab_add(&s->texts, name);
	if (script_file(&parts, file, sizeof(file)))
		k->file = strtab_add(&s->texts, file);
}

static void set_v8_lines(struct scripts *s, const struct script_space *space, uint32_t pid, const struct script_code_message *m,
			 uint32_t rest_bytes, struct script_known *k, struct strbuf *lines)
{
	const struct v8_line_ends *ends = scripts_line_ends(s, space, pid, m, strtab_get(&s->texts, k->file));
	k->lines_form = PYTHON_LINES_LNOTAB;
	k->first_line = ends->len ? v8_line_of(ends, m->first_line) : 0;
	v8_lines_convert(m->rest, rest_bytes, ends, k->first_line, lines);
}

static void set_lines(struct scripts *s, const struct script_space *space, uint32_t pid, const struct script_code_message *m,
		      uint32_t rest_bytes, struct script_known *k)
{
	struct strbuf lines = {};
	k->first_line = m->first_line;
	k->lines_form = SCRIPT_LINES_ABSOLUTE;
	if (m->kind == SCRIPT_PYTHON) {
		k->lines_form = python_lines_of(space->python.minor);
		strbuf_add(&lines, m->rest, rest_bytes);
	} else if (m->kind == SCRIPT_RUBY) {
		struct ruby_lines r = {
			.positions = m->rest, .lines = m->rest + SCRIPT_POSITIONS_BYTES,
			.positions_bytes = rest_bytes < SCRIPT_POSITIONS_BYTES ? rest_bytes : SCRIPT_POSITIONS_BYTES,
			.lines_bytes = rest_bytes > SCRIPT_POSITIONS_BYTES ? rest_bytes - SCRIPT_POSITIONS_BYTES : 0,
			.size = m->size, .lines_nr = m->lines_nr, .first_line = m->first_line,
		};
		k->lines_form = PYTHON_LINES_LNOTAB;
		ruby_lines_convert(&r, &lines);
	} else if (m->kind == SCRIPT_V8) {
		set_v8_lines(s, space, pid, m, rest_bytes, k, &lines);
	} else if (m->kind == SCRIPT_HOTSPOT) {
		k->lines_form = PYTHON_LINES_LNOTAB;
		if (rest_bytes > SCRIPT_POSITIONS_BYTES)
			k->first_line = hotspot_lines_convert(m->rest + SCRIPT_POSITIONS_BYTES, rest_bytes - SCRIPT_POSITIONS_BYTES,
							      space->has_no_null, &lines);
	}
	k->lines = strtab_add_n(&s->texts, strbuf_str(&lines), lines.len);
	strbuf_deinit(&lines);
}

static uint64_t hash_part(const struct script_space *space, const struct script_code_message *m, struct script_bytes part)
{
	return m->kind == SCRIPT_PYTHON ? python_text_hash(&space->python, part.data, part.n) : hash_bytes(part.data, part.n);
}

/* 0: what it says is not all that its code is made of. */
static uint64_t hash_message(const struct script_space *space, const struct script_code_message *m, uint32_t rest_bytes)
{
	const uint32_t words[] = { m->kind, m->form, m->first_line, m->size, m->lines_nr, space->python.minor };
	if (m->kind == SCRIPT_V8)
		return 0;
	uint64_t name = hash_part(space, m, part(m->name, m->name_bytes, sizeof(m->name)));
	uint64_t file = hash_part(space, m, part(m->file, m->file_bytes, sizeof(m->file)));
	uint64_t hash = hash_combine(hash_combine(hash_bytes(words, sizeof(words)), name), file);
	return name && file ? hash_combine(hash, hash_bytes(m->rest, rest_bytes)) : 0;
}

/* Of code that another process has sent: most run what others ran before. */
static bool is_known_code(struct scripts *s, uint64_t hash, const struct script_code_message *m)
{
	const uint64_t *number = hash ? u64map_get(&s->by_message, hash) : NULL;
	struct script_place *place = number ? place_of(s, m->mm, m->code, m->stamp) : NULL;
	if (!place)
		return false;
	if (place->number != IDSET_NONE && !s->codes.data[place->number].name)
		s->codes.data[place->number] = s->codes.data[*number - 1];
	else
		place->number = (uint32_t)*number - 1;
	return true;
}

static void learn_code(struct scripts *s, const struct script_space *space, uint32_t pid, const struct script_code_message *m,
		       uint32_t rest_bytes, uint64_t hash)
{
	struct script_known code = {};
	name_code(s, space, m, &code);
	struct script_place *place = code.name ? place_of(s, m->mm, m->code, m->stamp) : NULL;
	if (!place)
		return;
	set_lines(s, space, pid, m, rest_bytes, &code);
	set_code(s, place, &code);
	if (hash && place->number != IDSET_NONE)
		*u64map_put(&s->by_message, hash, NULL) = (uint64_t)place->number + 1;
}

static void take_code(struct scripts *s, const struct sample *message)
{
	struct script_code_message m; /* without what was not sent of its rest */
	const size_t before = offsetof(struct script_code_message, rest);
	if (message->raw_bytes < before)
		return;
	size_t bytes = message->raw_bytes < sizeof(m) ? message->raw_bytes : sizeof(m);
	memcpy(&m, message->raw, bytes);
	uint32_t rest_bytes = m.rest_bytes <= bytes - before ? m.rest_bytes : (uint32_t)(bytes - before);
	m.rest_bytes = rest_bytes;
	pthread_mutex_lock(&s->lock);
	const struct script_space *space = scripts_space(s, m.mm);
	uint64_t hash = hash_message(space, &m, rest_bytes);
	if (!is_known_code(s, hash, &m))
		learn_code(s, space, message->pid, &m, rest_bytes, hash);
	pthread_mutex_unlock(&s->lock);
}

static void take_frames(const struct sample *message, struct script_pending *p)
{
	struct script_stack head;
	p->nr = 0;
	if (message->raw_bytes < sizeof(head))
		return;
	memcpy(&head, message->raw, sizeof(head));
	size_t fit = (message->raw_bytes - sizeof(head)) / sizeof(*p->frames);
	fit = fit < SCRIPT_FRAMES_MAX ? fit : SCRIPT_FRAMES_MAX;
	p->nr = head.nr < fit ? head.nr : (uint32_t)fit;
	p->tid = message->tid;
	p->mm = head.mm;
	p->is_cut = head.is_cut;
	memcpy(p->frames, (const char *)message->raw + sizeof(head), p->nr * sizeof(*p->frames));
}

bool scripts_take(struct scripts *s, const struct sample *message, struct script_pending *p)
{
	uint32_t kind;
	if (!s || message->raw_bytes < sizeof(kind))
		return false;
	memcpy(&kind, message->raw, sizeof(kind));
	if (kind == SCRIPT_MESSAGE_CODE)
		take_code(s, message);
	else if (kind == SCRIPT_MESSAGE_STACK)
		take_frames(message, p);
	return kind == SCRIPT_MESSAGE_CODE || kind == SCRIPT_MESSAGE_STACK;
}

void scripts_begin_file(struct scripts *s)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->spaces.len; i++)
		s->spaces.data[i].mapped_rings = 0;
	pthread_mutex_unlock(&s->lock);
}

/* ---- stacks ---- */

static bool is_loop(const struct script_space *space, uint64_t ip)
{
	for (int i = 0; i < 2; i++)
		if (ip >= space->loop[i].start && ip < space->loop[i].end)
			return true;
	return false;
}

/* Callers are looked up by address - 1: the address of an instruction is its offset + 1. */
static uint64_t address_of(struct scripts *s, uint64_t mm, const struct script_frame *f)
{
	uint32_t offset = f->offset_flags >> 1;
	struct script_place *place = place_of(s, mm, f->code, f->stamp);
	if (place && place->number == IDSET_NONE)
		place->number = add_code(s, (struct script_known){});
	if (!place || place->number == IDSET_NONE)
		return SCRIPT_BASE;
	if (offset > SCRIPT_CODE_BYTES - 2)
		offset = SCRIPT_CODE_BYTES - 2;
	return SCRIPT_BASE + ((uint64_t)place->number << SCRIPT_CODE_BITS) + offset + 1;
}

struct merge {
	uint64_t *to;
	size_t nr, max;
	bool is_full;
};

static void put(struct merge *m, uint64_t ip)
{
	if (m->nr < m->max)
		m->to[m->nr++] = ip;
	else
		m->is_full = true;
}

/* The frames of one call of the evaluation loop. */
static void put_segment(struct scripts *s, const struct script_pending *p, uint32_t *next, struct merge *m)
{
	while (*next < p->nr) {
		const struct script_frame *f = &p->frames[(*next)++];
		if (f->code)
			put(m, address_of(s, p->mm, f));
		if (f->offset_flags & SCRIPT_FRAME_ENTRY)
			break;
	}
}

static void merge_into(struct scripts *s, const struct script_space *space, const struct script_pending *p, const uint64_t *ips, size_t nr,
		       bool is_whole, struct merge *m)
{
	size_t loops = 0, segments = p->nr && !(p->frames[p->nr - 1].offset_flags & SCRIPT_FRAME_ENTRY);
	uint32_t next = 0;
	for (size_t i = 0; i < nr; i++)
		loops += is_loop(space, ips[i] - (i > 0));
	for (uint32_t i = 0; i < p->nr; i++)
		segments += p->frames[i].offset_flags & SCRIPT_FRAME_ENTRY;
	/*
	 * Calls of the loop and segments are matched from the outermost on. The innermost call may not have a frame yet; and if it is in
	 * a part of the loop without a symbol, its frames follow the first address.
	 */
	size_t without = is_whole && loops > segments ? loops - segments : 0, early = is_whole && segments > loops ? segments - loops : 0;
	for (size_t i = 0; i < nr; i++) {
		put(m, ips[i]);
		for (; !i && early; early--)
			put_segment(s, p, &next, m);
		if (!is_loop(space, ips[i] - (i > 0)))
			continue;
		if (without)
			without--;
		else
			put_segment(s, p, &next, m);
	}
}

static uint32_t native_of(const struct script_frame *f)
{
	return f->offset_flags >> 1 >> V8_NATIVE_SHIFT;
}

/* The number of return addresses, from frame i on, that match the native stack. */
static size_t run_of(const struct script_pending *p, uint32_t i, const uint64_t *ips, size_t nr)
{
	size_t n = 0;
	for (; i < p->nr && n < nr; i++) {
		if (native_of(&p->frames[i]) != V8_NATIVE_RETURN)
			continue;
		if (p->frames[i].code != ips[n])
			break;
		n++;
	}
	return n;
}

/* The index in the native stack from which on it matches the returns of frame i and those after it; nr: none. With recursion several may
 * match. */
static size_t find_return(const struct script_pending *p, uint32_t i, const uint64_t *ips, size_t from, size_t nr)
{
	size_t longest = 0, ret = nr;
	for (size_t at = from; at < nr; at++) {
		size_t n = run_of(p, i, ips + at, nr - at);
		if (n > longest) {
			longest = n;
			ret = at;
		}
	}
	return ret;
}

/*
 * Gives open frames the number of their native frame: the last one before their return address. Frames that the walk did not reach are
 * dropped.
 */
static void place_v8(struct script_pending *p, const uint64_t *ips, size_t nr)
{
	const uint32_t shift = V8_NATIVE_SHIFT + 1, rest = (1u << shift) - 1;
	uint32_t kept = 0, placed = 0;
	bool has_returned = false;
	size_t at = 0;
	for (uint32_t i = 0; i < p->nr && at < nr; i++) {
		struct script_frame f = p->frames[i];
		if (native_of(&f) != V8_NATIVE_RETURN) {
			p->frames[kept++] = f;
			if (native_of(&f) != V8_NATIVE_OPEN) {
				placed = kept;
				at = native_of(&f);
			}
			continue;
		}
		at++;
		if (!has_returned || at >= nr || ips[at] != f.code)
			at = find_return(p, i, ips, at, nr);
		has_returned = true;
		for (; at < nr && placed < kept; placed++)
			p->frames[placed].offset_flags = (uint32_t)(at - 1) << shift | (p->frames[placed].offset_flags & rest);
	}
	p->nr = placed;
}

/* Frames of V8 and HotSpot have the number of their native frame, innermost first; a native frame of compiled code is replaced. */
static void merge_v8(struct scripts *s, const struct script_pending *p, const uint64_t *ips, size_t nr, struct merge *m)
{
	uint32_t next = 0;
	for (size_t i = 0; i < nr; i++) {
		uint32_t from = next, replaces = 0;
		for (; next < p->nr && native_of(&p->frames[next]) == i; next++)
			replaces |= p->frames[next].offset_flags & SCRIPT_FRAME_ENTRY;
		if (!replaces)
			put(m, ips[i]);
		for (; from < next; from++) {
			struct script_frame f = p->frames[from];
			f.offset_flags &= (1u << V8_NATIVE_SHIFT << 1) - 1;
			put(m, address_of(s, p->mm, &f));
		}
	}
}

size_t scripts_merge(struct scripts *s, struct script_pending *p, uint32_t tid, uint64_t *ips, size_t nr, size_t max, bool *cut)
{
	if (!s || !p->nr || p->tid != tid) {
		p->nr = 0;
		return nr;
	}
	uint64_t merged[UNWIND_FRAMES_MAX];
	struct merge m = { .to = merged, .max = max < UNWIND_FRAMES_MAX ? max : UNWIND_FRAMES_MAX };
	pthread_mutex_lock(&s->lock);
	const struct script_space *space = scripts_space(s, p->mm);
	if (space->kind == SCRIPT_HOTSPOT || space->kind == SCRIPT_LUAJIT) {
		merge_v8(s, p, ips, nr, &m);
	} else if (space->kind == SCRIPT_V8) {
		place_v8(p, ips, nr);
		merge_v8(s, p, ips, nr, &m);
	} else {
		merge_into(s, space, p, ips, nr, !*cut && !p->is_cut, &m);
	}
	pthread_mutex_unlock(&s->lock);
	memcpy(ips, m.to, m.nr * sizeof(*ips));
	*cut |= m.is_full || p->is_cut;
	p->nr = 0;
	return m.nr;
}

size_t scripts_map_record(struct scripts *s, uint64_t mm, uint32_t ring, const struct sample_layout *layout, const struct sample_tail *tail,
			  void *to, size_t cap)
{
	/* A record per ring: rings are read one after the other, and the process may have run on the next one's CPU before. */
	uint64_t of_ring = UINT64_C(1) << ring % 64;
	pthread_mutex_lock(&s->lock);
	struct script_space *space = scripts_space(s, mm);
	bool is_due = !(space->mapped_rings & of_ring);
	const char *mapping = interpreter_mapping(space->kind);
	space->mapped_rings |= of_ring;
	pthread_mutex_unlock(&s->lock);
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t start, bytes, pgoff;
		uint32_t maj, min;
		uint64_t ino, ino_generation;
		uint32_t prot, flags;
		char name[16];
	} r = { .pid = tail->pid, .tid = tail->pid, .start = SCRIPT_BASE, .bytes = SCRIPT_SPACE_BYTES, .prot = 5, .flags = 2 };
	if (!is_due || cap < sizeof(r))
		return 0;
	memcpy(r.name, mapping, strlen(mapping));
	size_t tail_bytes = sample_tail_encode(layout, tail, (char *)to + sizeof(r), cap - sizeof(r));
	r.h = (struct perf_event_header){ PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, (uint16_t)(sizeof(r) + tail_bytes) };
	memcpy(to, &r, sizeof(r));
	return r.h.size;
}

static void put_code(const struct scripts *s, uint32_t number, struct strbuf *to)
{
	const struct script_known *k = &s->codes.data[number];
	struct script_code code = {
		.number = number, .first_line = k->first_line, .lines_form = (uint8_t)k->lines_form,
		.name = strtab_get(&s->texts, k->name), .name_bytes = (uint32_t)strtab_length(&s->texts, k->name),
		.file = strtab_get(&s->texts, k->file), .file_bytes = (uint32_t)strtab_length(&s->texts, k->file),
		.lines = strtab_get(&s->texts, k->lines), .lines_bytes = (uint32_t)strtab_length(&s->texts, k->lines),
	};
	script_table_put(to, &code);
}

bool scripts_write(struct scripts *s, struct strbuf *to)
{
	pthread_mutex_lock(&s->lock);
	uint32_t named = 0;
	for (size_t i = 0; i < s->codes.len; i++)
		named += s->codes.data[i].name != 0;
	script_table_put_head(to, named);
	for (size_t i = 0; i < s->codes.len; i++)
		if (s->codes.data[i].name)
			put_code(s, (uint32_t)i, to);
	pthread_mutex_unlock(&s->lock);
	return named;
}

bool scripts_write_one(struct scripts *s, const struct sample *message, struct strbuf *to)
{
	struct script_code_message m;
	const size_t head = offsetof(struct script_code_message, name);
	if (message->raw_bytes < sizeof(struct script_code_message) - sizeof(m.rest))
		return false;
	memcpy(&m, message->raw, head);
	if (m.message != SCRIPT_MESSAGE_CODE)
		return false;
	pthread_mutex_lock(&s->lock);
	const struct script_place *place = place_of(s, m.mm, m.code, m.stamp);
	bool has_name = place && place->number != IDSET_NONE && s->codes.data[place->number].name;
	if (has_name) {
		script_table_put_head(to, 1);
		put_code(s, place->number, to);
	}
	pthread_mutex_unlock(&s->lock);
	return has_name;
}
