#include "session/profile_sources.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "base/mem.h"
#include "packing/gzip.h"
#include "profile/arithmetic.h"
#include "session/profile_input.h"

static void replace(struct profile **p, struct profile *made)
{
	profile_destroy(*p);
	*p = made;
}

/* had: the contents of the file, if read already; consumed. */
static struct strobe_error *read_one(const struct session_host *host, const struct profile_sources *s, const char *source,
				     struct exchange_bytes *had, bool *fetched, struct profile **ret)
{
	struct profile_input input = { .path = source, .value = s->value };
	struct profile_fetch server = s->server;
	bool is_fetched = profile_fetch_is_server(source);
	server.source = source;
	*fetched |= is_fetched;
	if (had && had->owned)
		return exchange_read_bytes(had, source, NULL, s->value, ret);
	if (!is_fetched)
		return profile_input_read(host, &input, ret);
	TRY(profile_fetch(host, &server, ret));
	struct strobe_error *err = symbolize_profile(host, &s->symbolize, ret);
	if (!err)
		err = symbolize_remote(&s->symbolize, &server, ret);
	if (err)
		profile_destroy(*ret);
	return err;
}

static bool is_elf(const char *path)
{
	char magic[4] = "";
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) && !memcmp(magic, "\x7f" "ELF", sizeof(magic));
}

/* If one of several cannot be read, reports and skips it. */
static struct strobe_error *read_next(const struct session_host *host, const struct profile_sources *s, int i, struct exchange_bytes *had,
				      bool *fetched, struct profile **ret)
{
	struct strobe_error *err = read_one(host, s, s->names[i], had, fetched, ret);
	if (err)
		*ret = NULL;
	if (s->nr > 1 && err && !error_is(err, ERROR_STOPPED)) {
		session_say(host, "%s", err->message);
		error_destroy(err);
		err = NULL;
	}
	return err;
}

/* Merges all, with names; had: the contents of the first file, or NULL. */
static struct strobe_error *read_many(const struct session_host *host, const struct profile_sources *s, struct exchange_bytes *had,
				      bool *fetched, struct profile **ret)
{
	*ret = NULL;
	for (int i = 0; i < s->nr; i++) {
		struct profile *p;
		TRY(read_next(host, s, i, had, fetched, &p));
		if (!p)
			continue;
		if (s->binary || s->build_id)
			symbolize_use_binary(p, s->binary, s->build_id);
		if (!*ret) {
			*ret = p;
			continue;
		}
		profile_merge(*ret, p);
		profile_destroy(p);
	}
	if (!*ret)
		return error_create(ERROR_NOT_FOUND, "cannot read any of %d profiles", s->nr);
	TRY(symbolize_profile(host, &s->symbolize, ret));
	symbolize_names(&s->symbolize, ret);
	if (s->all_frames)
		(*ret)->origin.drop_frames = (*ret)->origin.keep_frames = 0;
	return symbolize_drop_uninteresting(ret);
}

/* Whether it is a single file that can be read again if it turns out to be unsuitable, and that is used unchanged. */
static bool is_plain(const struct profile_sources *s)
{
	struct stat st;
	bool is_changed = s->nr > 1 || s->bases.len || s->binary || s->build_id || (s->add_comment && *s->add_comment);
	return !is_changed && strcmp(s->names[0], "-") && !stat(s->names[0], &st) && S_ISREG(st.st_mode);
}

static bool is_complete(const struct profile_sources *s, const struct profile *tables)
{
	return !tables->origin.drop_frames && !symbolize_is_needed(&s->symbolize, tables) &&
	       !symbolize_changes_names(&s->symbolize, tables);
}

/* m->copy remains NULL if the file cannot be copied unchanged, or cannot be read: it is then read like other files. */
static void try_copy(const struct profile_sources *s, struct merged_profile *m)
{
	uint32_t event;
	struct filemap map;
	if (!s->may_copy || !is_plain(s))
		return;
	_cleanup_error_ struct strobe_error *err = filemap_open(&map, s->names[0]);
	if (err)
		return;
	err = pprof_copy_create(map.data, map.bytes, &m->copy);
	filemap_close(&map);
	const struct profile *tables = err ? NULL : pprof_copy_tables(m->copy);
	if (!err)
		err = profile_choose_event(tables, "", &event);
	if (!err && pprof_copy_has(m->copy, event) && is_complete(s, tables))
		return;
	pprof_copy_destroy(m->copy);
	m->copy = NULL;
}

/* The same for sums; unpacked data is kept for reading. Returns an error if unpacking fails, which need not be tried again. */
static struct strobe_error *try_stream(const struct profile_sources *s, struct merged_profile *m)
{
	struct filemap map;
	if (!s->may_stream || !is_plain(s))
		return NULL;
	TRY(filemap_open(&map, s->names[0]));
	struct strobe_error *bad = NULL;
	if (gzip_is(map.data, map.bytes))
		bad = exchange_unpack(map.data, map.bytes, s->names[0], &m->unpacked);
	filemap_close(&map);
	if (bad || !m->unpacked.owned)
		return bad;
	_cleanup_error_ struct strobe_error *err = pprof_stream_create(&m->unpacked, &m->stream);
	const struct profile *tables = m->stream ? pprof_stream_tables(m->stream) : NULL;
	if (tables && is_complete(s, tables) && !(s->needs_labels && tables->columns.len))
		err = pprof_stream_sum(m->stream, s->value);
	if (tables && pprof_stream_samples(m->stream))
		return NULL;
	pprof_stream_destroy(m->stream);
	m->stream = NULL;
	return NULL;
}

void merged_profile_deinit(struct merged_profile *m)
{
	profile_destroy(m->profile);
	pprof_copy_destroy(m->copy);
	pprof_stream_destroy(m->stream);
	exchange_bytes_free(&m->unpacked);
}

/* The base's totals by event of p. */
static int64_t *base_totals(struct arena *arena, const struct profile *p, const struct profile *base)
{
	int64_t *ret = arena_calloc(arena, (p->events.len + 1) * sizeof(*ret));
	for (uint32_t e = 0; e < base->events.len; e++) {
		uint32_t same = profile_find_event(p, base, e);
		if (same != PROFILE_NONE)
			ret[same] = profile_gross_value(base, e);
	}
	return ret;
}

static void subtract(struct arena *arena, struct merged_profile *m, const struct profile_sources *sources, const struct profile *base)
{
	struct profile_difference how = { .base_label = sources->is_diff_base ? PPROF_BASE_LABEL : NULL, .sums_durations = true };
	m->has_base = true;
	if (sources->is_diff_base)
		m->base_totals = base_totals(arena, m->profile, base);
	if (sources->normalize)
		replace(&m->profile, profile_normalize(m->profile, base));
	profile_merge_negative(m->profile, base, &how);
	/* with one value there is a row per sample, and all are shown */
	if (!sources->value)
		replace(&m->profile, profile_drop_zero(m->profile));
}

static struct strobe_error *subtract_base(const struct session_host *host, struct arena *arena, const struct profile_sources *sources,
					  struct merged_profile *m)
{
	struct profile_sources bases = *sources;
	struct profile *base = NULL;
	bases.nr = (int)sources->bases.len;
	bases.names = sources->bases.data;
	struct strobe_error *err = read_many(host, &bases, NULL, &m->was_fetched, &base);
	if (!err)
		subtract(arena, m, sources, base);
	profile_destroy(base);
	return err;
}

/* A file may be called "feed", too. */
static bool is_build_id(const char *s)
{
	return !s[strspn(s, "0123456789abcdefABCDEF")] && access(s, F_OK);
}

/* "BINARY PROFILE": the first argument is the binary or its build ID. */
static struct profile_sources without_binary(const struct profile_sources *sources)
{
	struct profile_sources s = *sources;
	bool is_binary = s.nr > 1 && is_elf(s.names[0]), is_id = s.nr > 1 && !is_binary && !s.build_id && is_build_id(s.names[0]);
	if (is_binary)
		s.binary = s.names[0];
	if (is_id)
		s.build_id = s.names[0];
	s.names += is_binary || is_id;
	s.nr -= is_binary || is_id;
	return s;
}

struct strobe_error *profile_sources_read(const struct session_host *host, struct arena *arena, const struct profile_sources *sources,
					  struct merged_profile *ret)
{
	struct profile_sources s = without_binary(sources);
	*ret = (struct merged_profile){};
	try_copy(&s, ret);
	TRY(try_stream(&s, ret));
	if (ret->copy || ret->stream)
		return NULL;
	TRY(read_many(host, &s, &ret->unpacked, &ret->was_fetched, &ret->profile));
	if (s.bases.len)
		TRY(subtract_base(host, arena, &s, ret));
	if (s.add_comment && *s.add_comment)
		vec_push(&ret->profile->origin.comments, strtab_add(&ret->profile->strings, s.add_comment));
	return NULL;
}
