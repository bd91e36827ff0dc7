#include "exchange/address_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"

#define USUAL_START 0x400000 /* of programs that are not moved when they are loaded */

void address_profile_init(struct address_profile *a)
{
	*a = (struct address_profile){ .p = profile_create() };
	a->p->origin.events_are_values = true;
}

struct address_stack *address_profile_stack(struct address_profile *a)
{
	struct address_stack s = { .first = (uint32_t)a->addresses.len };
	vec_push(&a->stacks, s);
	return &vec_last(&a->stacks);
}

void address_profile_push(struct address_profile *a, uint64_t address)
{
	vec_push(&a->addresses, address);
	vec_last(&a->stacks).nr++;
}

/* ---- mappings ---- */

struct words {
	const char *at, *end;
};

static bool next_word(struct words *w, const char **ret, size_t *ret_n)
{
	while (w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
		w->at++;
	*ret = w->at;
	while (w->at < w->end && *w->at != ' ' && *w->at != '\t' && *w->at != '\r')
		w->at++;
	*ret_n = (size_t)(w->at - *ret);
	return *ret_n != 0;
}

/* Hexadecimal, with or without 0x; Advances *at. */
static bool take_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *s = *at;
	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	size_t digits = text_hex(s, (size_t)(end - s), ret);
	*at = s + digits;
	return digits;
}

static bool take_range(const char *s, size_t n, struct profile_mapping *m)
{
	const char *end = s + n;
	if (!take_hex(&s, end, &m->start) || s == end || *s != '-')
		return false;
	s++;
	return take_hex(&s, end, &m->end) && (s == end || *s == ':');
}

static bool is_permissions(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!memchr("-rwxps", s[i], 6))
			return false;
	return n >= 3 && n <= 5;
}

static void add_mapping(struct address_profile *a, struct profile_mapping m, const char *path, size_t path_n)
{
	struct profile *p = a->p;
	m.path = strtab_add_n(&p->strings, path, path_n);
	const char *slash = memrchr(path, '/', path_n);
	m.name = slash ? strtab_add_n(&p->strings, slash + 1, (size_t)(path + path_n - slash - 1)) : m.path;
	m.space = SPACE_USER;
	vec_push(&a->mappings, m);
}

static bool take_mapping(struct address_profile *a, const char *line, size_t n)
{
	struct words w = { line, line + n };
	struct profile_mapping m = {};
	const char *word, *path = "";
	size_t word_n, path_n = 0;
	if (!next_word(&w, &word, &word_n) || !take_range(word, word_n, &m))
		return false;
	bool has_word = next_word(&w, &word, &word_n);
	if (has_word && is_permissions(word, word_n)) {
		if (!memchr(word, 'x', word_n))
			return true; /* no code */
		has_word = next_word(&w, &word, &word_n);
		const char *at = word;
		bool is_long = has_word && take_hex(&at, word + word_n, &m.offset) && at == word + word_n;
		/* offset, device, inode */
		for (unsigned i = 0; is_long && i < 3; i++)
			has_word = next_word(&w, &word, &word_n);
	}
	if (has_word)
		path = word, path_n = word_n;
	while (has_word && next_word(&w, &word, &word_n)) {
		const char *at = word + 2;
		if (word_n > 3 && !memcmp(word, "(@", 2))
			(void)take_hex(&at, word + word_n, &m.offset);
		else
			m.build_id = strtab_add_n(&a->p->strings, word, word_n);
	}
	if (m.end > m.start)
		add_mapping(a, m, path, path_n);
	return true;
}

/* After "I0101 12:00:00 123 file.cc:45] ", as glog writes it. */
static const char *after_log(const char *line, size_t *n)
{
	const char *end = memchr(line, ']', *n), *at = end;
	if (!end || end + 1 >= line + *n || (end[1] != ' ' && end[1] != '\t') || memchr(line, '[', (size_t)(end - line)))
		return line;
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == end || at - line < 2 || at[-1] != ':')
		return line;
	*n -= (size_t)(end + 2 - line);
	return end + 2;
}

static void take_name(struct address_profile *a, const char *line, size_t n)
{
	const char *equals = memchr(line, '=', n);
	struct words name = { line, equals }, value = { equals ? equals + 1 : NULL, line + n };
	const char *word;
	size_t word_n;
	if (!equals || !next_word(&name, &word, &word_n))
		return;
	struct address_name known = { .name = strtab_add_n(&a->p->strings, word, word_n) };
	if (next_word(&value, &word, &word_n))
		known.value = strtab_add_n(&a->p->strings, word, word_n);
	vec_push(&a->names, known);
}

/* Replaces the names in the line; ret is owned by the caller. */
static void replace_names(const struct address_profile *a, const char *line, size_t n, struct strbuf *ret)
{
	for (const char *end = line + n; line < end;) {
		const struct address_name *found = NULL;
		size_t length = 0;
		for (size_t i = 0; *line == '$' && i < a->names.len && !found; i++) {
			length = strtab_length(&a->p->strings, a->names.data[i].name);
			if ((size_t)(end - line) > length && !memcmp(line + 1, profile_str(a->p, a->names.data[i].name), length))
				found = &a->names.data[i];
		}
		if (found)
			strbuf_addstr(ret, profile_str(a->p, found->value));
		else
			strbuf_addch(ret, *line);
		line += found ? length + 1 : 1;
	}
}

void address_profile_map_line(struct address_profile *a, const char *line, size_t n)
{
	_cleanup_strbuf_ struct strbuf replaced = {};
	line = after_log(line, &n);
	if (a->names.len && memchr(line, '$', n)) {
		replace_names(a, line, n, &replaced);
		line = strbuf_str(&replaced);
		n = replaced.len;
	}
	if (!take_mapping(a, line, n))
		take_name(a, line, n);
}

/* ---- repair of mappings ---- */

static bool goes_on(const struct profile_mapping *a, const struct profile_mapping *b)
{
	if ((a->path && b->path && a->path != b->path) || (a->build_id && b->build_id && a->build_id != b->build_id))
		return false;
	return a->end == b->start && (!a->offset || !b->offset || a->offset + (a->end - a->start) == b->offset);
}

static void join_neighbours(struct address_profile *a)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->mappings.len; i++) {
		struct profile_mapping *last = kept ? &a->mappings.data[kept - 1] : NULL, *m = &a->mappings.data[i];
		if (!last || !goes_on(last, m)) {
			a->mappings.data[kept++] = *m;
			continue;
		}
		last->end = m->end;
		if (m->path)
			last->path = m->path, last->name = m->name;
		if (m->build_id)
			last->build_id = m->build_id;
	}
	a->mappings.len = kept;
}

static bool is_library(const char *path)
{
	size_t n = strlen(path);
	if (n >= 3 && !strcmp(path + n - 3, ".so"))
		return true;
	for (const char *at = path; (at = strstr(at, ".so")); at += 3)
		if ((at[3] == '.' || at[3] == '_') && at[4] >= '0' && at[4] <= '9')
			return true;
	return false;
}

/* The program comes first: the first mapping of a file that is not a library. */
static void put_program_first(struct address_profile *a)
{
	for (size_t i = 0; i < a->mappings.len; i++) {
		const char *path = profile_str(a->p, a->mappings.data[i].path);
		if (!*path || *path == '[' || !strcmp(path, "(deleted)") || is_library(path))
			continue;
		struct profile_mapping m = a->mappings.data[i];
		a->mappings.data[i] = a->mappings.data[0];
		a->mappings.data[0] = m;
		break;
	}
}

static void mend_program(struct address_profile *a)
{
	static const char huge[] = "/anon_hugepage";
	if (a->mappings.len > 1 && a->mappings.data[0].end == a->mappings.data[1].start &&
	    !strncmp(profile_str(a->p, a->mappings.data[0].path), huge, strlen(huge)))
		memmove(a->mappings.data, a->mappings.data + 1, --a->mappings.len * sizeof(*a->mappings.data));
	struct profile_mapping *m = a->mappings.data;
	if (a->mappings.len && m->start - m->offset == USUAL_START) {
		m->start = USUAL_START;
		m->offset = 0;
	}
}

/* If no mapping has it, the first part of a mapping may be missing: old programs listed only the later parts. */
static uint32_t find_mapping(struct address_profile *a, uint64_t address)
{
	for (uint32_t i = 0; i < a->mappings.len; i++)
		if (address >= a->mappings.data[i].start && address < a->mappings.data[i].end)
			return i;
	for (uint32_t i = 0; i < a->mappings.len && address; i++) {
		struct profile_mapping *m = &a->mappings.data[i];
		if (!m->offset || m->offset > m->start || address < m->start - m->offset || address >= m->start)
			continue;
		m->start -= m->offset;
		m->offset = 0;
		return i;
	}
	return PROFILE_NONE;
}

/* The mapping of each address, for all before any frame is made: a look-up may extend a mapping. */
static void find_mappings(struct address_profile *a, struct u64map *ret)
{
	for (size_t i = 0; i < a->addresses.len; i++) {
		bool is_new;
		uint64_t *at = u64map_put(ret, a->addresses.data[i], &is_new);
		if (is_new)
			*at = find_mapping(a, a->addresses.data[i]);
	}
}

/* ---- the end ---- */

void address_profile_drop_doubled_leaves(struct address_profile *a)
{
	for (size_t i = 0; i < a->stacks.len; i++) {
		struct address_stack *s = &a->stacks.data[i];
		uint64_t *at = a->addresses.data + s->first;
		if (s->nr < 2 || at[0] != at[1] + 1)
			continue;
		at[1] = at[0]; /* the stack begins one later, with the leaf */
		s->first++;
		s->nr--;
	}
}

/* Innermost frames of allocators, profilers and locks are dropped, as in pprof. */
static const char allocators[] =
	"(c|m|re|v|pv)alloc|c?free|(do_|(__)?posix_)?memalign|tcmalloc::.*|tc_(c|m|re|v|pv)alloc|tc_(c?free|(posix_)?memalign)|"
	"tc_(new|delete)(array)?|tc_new(array)?_nothrow|malloc_zone_((c|m|re|v)alloc|memalign|free)|runtime[.].*|BaseArena::.*|"
	"(::)?do_malloc(_no_errno|_pages)?|DoSampledAllocation|MallocedMemBlock::MallocedMemBlock|_M_allocate|"
	"__builtin_(vec_)?(delete|new)|__gnu_cxx::new_allocator::allocate|__libc_malloc|__malloc_alloc_template::allocate|"
	"allocate|cpp_alloc|operator new(\\[\\])?|simple_alloc::allocate";
static const char of_go_that_count[] = "runtime[.]panic|runtime[.]reflectcall|runtime[.]call[0-9]*";
static const char profilers[] = "ProfileData::(Add|prof_handler)|CpuProfiler::prof_handler|__pthread_sighandler|__restore";
static const char locks[] =
	"(base::)?(RecordLockProfileData|SubmitMutexProfileData|SubmitSpinLockProfileData).*|"
	"((base::)?Mutex::)?(AwaitCommon|Unlock|UnlockSlow|ReaderUnlock).*|((base::)?MutexLock::)?~MutexLock.*|"
	"(SpinLock::)?(Unlock|SlowUnlock).*|(SpinLockHolder::)?~SpinLockHolder.*";

static void set_drop_frames(struct profile *p)
{
	const char *last = p->events.len ? profile_str(p, vec_last(&p->events).name) : "";
	bool is_heap = !strcmp(last, "space") || !strcmp(last, "inuse_space"), is_lock = !strcmp(last, "delay");
	p->origin.drop_frames = strtab_add(&p->strings, is_heap ? allocators : is_lock ? locks : profilers);
	p->origin.keep_frames = is_heap ? strtab_add(&p->strings, of_go_that_count) : 0;
}

/* The frame of each distinct address. */
struct frames {
	struct u64map mappings; /* by address: number in address_profile.mappings */
	mapping_id *ids;        /* by that number: of the profile */
	struct u64map known;
};

static void frames_init(struct frames *f, struct address_profile *a)
{
	*f = (struct frames){};
	if (a->has_places)
		return;
	/*
	 * Go's servers list none: without a mapping there would be no source of names, nor a place for the name of the program
	 * (which is not relocated when it is loaded).
	 */
	if (!a->mappings.len)
		vec_push(&a->mappings, ((struct profile_mapping){ .start = USUAL_START, .end = UINT64_MAX, .space = SPACE_USER }));
	join_neighbours(a);
	put_program_first(a);
	mend_program(a);
	find_mappings(a, &f->mappings);
	f->ids = xcalloc(a->mappings.len + 1, sizeof(*f->ids));
	for (uint32_t i = 0; i < a->mappings.len; i++) {
		a->mappings.data[i].order = i;
		f->ids[i] = profile_mapping(a->p, &a->mappings.data[i]);
	}
}

static void frames_deinit(struct frames *f)
{
	u64map_deinit(&f->mappings);
	u64map_deinit(&f->known);
	free(f->ids);
}

static frame_id make_frame(struct address_profile *a, const struct frames *frames, uint64_t address)
{
	struct profile_frame f = { .mapping = PROFILE_NONE, .function = PROFILE_NONE, .space = SPACE_USER };
	if (a->has_places) {
		const uint64_t *known = u64map_get(&a->places, address);
		return known ? (frame_id)*known : profile_frame(a->p, &f);
	}
	uint32_t mapping = (uint32_t)*u64map_get(&frames->mappings, address);
	f.mapping = mapping == PROFILE_NONE ? PROFILE_NONE : frames->ids[mapping];
	f.addr = f.ip = address;
	return profile_frame(a->p, &f);
}

static frame_id frame_of(struct address_profile *a, struct frames *frames, uint64_t address)
{
	bool is_new;
	uint64_t *at = u64map_put(&frames->known, address, &is_new);
	if (is_new)
		*at = make_frame(a, frames, address);
	return (frame_id)*at;
}

static void add_rows(struct address_profile *a, struct frames *frames, const struct address_stack *s, uint32_t bytes_column)
{
	struct profile *p = a->p;
	stack_id stack = PROFILE_NONE;
	bool is_empty = true;
	for (uint32_t e = 0; e < p->events.len && e < ADDRESS_VALUES_MAX; e++)
		is_empty &= !s->values[e];
	if (is_empty)
		return;
	for (uint32_t i = s->nr; i--;)
		stack = profile_stack(p, stack, frame_of(a, frames, a->addresses.data[s->first + i]));
	uint64_t label = bytes_column == PROFILE_NONE ? 0 : s->bytes;
	labels_id labels = profile_labels(p, &label);
	for (uint32_t e = 0; e < p->events.len && e < ADDRESS_VALUES_MAX; e++)
		profile_add(p, stack, labels, e, (uint64_t)s->values[0], (uint64_t)s->values[e], 0);
}

struct profile *address_profile_finish(struct address_profile *a)
{
	uint32_t bytes_column = PROFILE_NONE;
	struct frames frames;
	frames_init(&frames, a);
	for (size_t i = 0; i < a->stacks.len; i++)
		if (a->stacks.data[i].bytes)
			bytes_column = profile_column(a->p, "bytes", COLUMN_I64);
	for (size_t i = 0; i < a->stacks.len; i++)
		add_rows(a, &frames, &a->stacks.data[i], bytes_column);
	frames_deinit(&frames);
	set_drop_frames(a->p);
	struct profile *p = a->p;
	a->p = NULL;
	address_profile_abandon(a);
	return p;
}

void address_profile_abandon(struct address_profile *a)
{
	profile_destroy(a->p);
	vec_deinit(&a->addresses);
	vec_deinit(&a->stacks);
	vec_deinit(&a->mappings);
	vec_deinit(&a->names);
	u64map_deinit(&a->places);
}
