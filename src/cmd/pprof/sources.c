/* Where the profiles of strobe pprof come from: files, recordings, servers. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/filemap.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/pprof/pprof.h"
#include "packing/gzip.h"
#include "profile/arithmetic.h"
#include "session/profile_input.h"

/* ---- what was fetched is kept ---- */

static struct strobe_error *saved_dir(struct arena *a, const char **ret)
{
	const char *dir = getenv("PPROF_TMPDIR"), *home = getenv("HOME");
	if (!dir || !*dir)
		dir = home ? arena_printf(a, "%s/pprof", home) : "/tmp";
	if (mkdir(dir, 0755) && errno != EEXIST)
		return error_errno(errno, "cannot create %s", dir);
	*ret = dir;
	return NULL;
}

static const char *saved_name(struct arena *a, const struct profile *p)
{
	const char *name = "pprof.";
	if (p->mappings.len && p->mappings.data[0].name)
		name = arena_printf(a, "%s%s.", name, profile_str(p, p->mappings.data[0].name));
	for (size_t i = 0; i < p->events.len; i++)
		name = arena_printf(a, "%s%s.", name, profile_str(p, p->events.data[i].name));
	char *safe = arena_strdup(a, name);
	for (char *at = safe; *at; at++)
		if (*at == '/' || (unsigned char)*at < ' ')
			*at = '_';
	return safe;
}

static struct strobe_error *write_profile(void *ctx, struct out *out)
{
	return pprof_write(ctx, out);
}

static struct strobe_error *save(struct cmd_context *ctx, struct profile *p)
{
	const char *dir, *path;
	TRY(saved_dir(&ctx->words, &dir));
	TRY(pprof_new_file(&ctx->words, arena_printf(&ctx->words, "%s/%s", dir, saved_name(&ctx->words, p)), "pb.gz", &path));
	TRY(pprof_write_reserved(path, write_profile, p));
	cmd_say_plain("Saved profile in %s", path);
	return NULL;
}

/* ---- all of them ---- */

static void replace(struct profile **p, struct profile *made)
{
	profile_destroy(*p);
	*p = made;
}

static struct strobe_error *drop_uninteresting(struct profile **p)
{
	struct profile *all = *p;
	if (!all->origin.drop_frames)
		return NULL;
	struct strobe_error *err = profile_drop_uninteresting(all, p);
	if (err)
		*p = all;
	else
		profile_destroy(all);
	return err;
}

/* had: what is in the file, where that is known already; it is used up. */
static struct strobe_error *read_one(struct cmd_context *ctx, const struct pprof_sources *s, const char *source,
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
		return profile_input_read(cmd_host(ctx), &input, ret);
	TRY(profile_fetch(cmd_host(ctx), &server, ret));
	struct strobe_error *err = symbolize_profile(cmd_host(ctx), &s->symbolize, ret);
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

/* One of several that cannot be read is told of and passed over. */
static struct strobe_error *read_next(struct cmd_context *ctx, const struct pprof_sources *s, int i, struct exchange_bytes *had,
				      bool *fetched, struct profile **ret)
{
	struct strobe_error *err = read_one(ctx, s, s->names[i], had, fetched, ret);
	if (err)
		*ret = NULL;
	if (s->nr > 1 && err && !error_is(err, ERROR_STOPPED)) {
		cmd_say(ctx, "%s", err->message);
		error_destroy(err);
		err = NULL;
	}
	return err;
}

/* All of them as one, with names; had: what the first file has, or NULL. */
static struct strobe_error *read_many(struct cmd_context *ctx, const struct pprof_sources *s, struct exchange_bytes *had,
				      bool *fetched, struct profile **ret)
{
	*ret = NULL;
	for (int i = 0; i < s->nr; i++) {
		struct profile *p;
		TRY(read_next(ctx, s, i, had, fetched, &p));
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
	TRY(symbolize_profile(cmd_host(ctx), &s->symbolize, ret));
	symbolize_names(&s->symbolize, ret);
	if (s->all_frames)
		(*ret)->origin.drop_frames = (*ret)->origin.keep_frames = 0;
	return drop_uninteresting(ret);
}

/* One file, which can be read again where it turns out not to suit, and nothing is to be done to it. */
static bool is_plain(const struct pprof_sources *s)
{
	struct stat st;
	bool is_changed = s->nr > 1 || s->bases.len || s->binary || s->build_id || (s->add_comment && *s->add_comment);
	return !is_changed && strcmp(s->names[0], "-") && !stat(s->names[0], &st) && S_ISREG(st.st_mode);
}

static bool is_complete(const struct pprof_sources *s, const struct profile *tables)
{
	return !tables->origin.drop_frames && !symbolize_is_wanted(&s->symbolize, tables) &&
	       !symbolize_changes_names(&s->symbolize, tables);
}

/* Where anything is to be done to it, and where it cannot be read, there is no copy: it is read as any other then. */
static void try_copy(const struct pprof_sources *s, struct pprof_session *session)
{
	uint32_t event;
	struct filemap map;
	if (!s->may_copy || !is_plain(s))
		return;
	_cleanup_error_ struct strobe_error *err = filemap_open(&map, s->names[0]);
	if (err)
		return;
	err = pprof_copy_create(map.data, map.bytes, &session->copy);
	filemap_close(&map);
	const struct profile *tables = err ? NULL : pprof_copy_tables(session->copy);
	if (!err)
		err = profile_choose_event(tables, "", &event);
	if (!err && pprof_copy_has(session->copy, event) && is_complete(s, tables))
		return;
	pprof_copy_destroy(session->copy);
	session->copy = NULL;
}

/* The same for sums; what was unpacked stays, to be read. An error is of what cannot be unpacked, which need not be tried twice. */
static struct strobe_error *try_stream(const struct pprof_sources *s, struct pprof_session *session)
{
	struct filemap map;
	if (!s->may_stream || !is_plain(s))
		return NULL;
	TRY(filemap_open(&map, s->names[0]));
	struct strobe_error *bad = NULL;
	if (gzip_is(map.data, map.bytes))
		bad = exchange_unpack(map.data, map.bytes, s->names[0], &session->unpacked);
	filemap_close(&map);
	if (bad || !session->unpacked.owned)
		return bad;
	_cleanup_error_ struct strobe_error *err = pprof_stream_create(&session->unpacked, &session->stream);
	const struct profile *tables = session->stream ? pprof_stream_tables(session->stream) : NULL;
	if (tables && is_complete(s, tables) && !(s->needs_labels && tables->columns.len))
		err = pprof_stream_sum(session->stream, s->value);
	if (tables && pprof_stream_samples(session->stream))
		return NULL;
	pprof_stream_destroy(session->stream);
	session->stream = NULL;
	return NULL;
}

void pprof_session_deinit(struct pprof_session *s)
{
	profile_destroy(s->profile);
	pprof_copy_destroy(s->copy);
	pprof_stream_destroy(s->stream);
	exchange_bytes_free(&s->unpacked);
}

/* By event of p what the base has of it. */
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

static void subtract(struct pprof_session *s, const struct pprof_sources *sources, const struct profile *base)
{
	struct profile_difference how = { .base_label = sources->is_diff_base ? PPROF_BASE_LABEL : NULL, .sums_durations = true };
	s->has_base = true;
	if (sources->is_diff_base)
		s->base_totals = base_totals(&s->ctx->words, s->profile, base);
	if (sources->normalize)
		replace(&s->profile, profile_normalize(s->profile, base));
	profile_merge_negative(s->profile, base, &how);
	/* of one value alone there is a row for each sample, so that all of them are seen */
	if (!sources->value)
		replace(&s->profile, profile_drop_zero(s->profile));
}

static struct strobe_error *subtract_base(struct pprof_session *s, const struct pprof_sources *sources, bool *fetched)
{
	struct pprof_sources bases = *sources;
	struct profile *base = NULL;
	bases.nr = (int)sources->bases.len;
	bases.names = sources->bases.data;
	struct strobe_error *err = read_many(s->ctx, &bases, NULL, fetched, &base);
	if (!err)
		subtract(s, sources, base);
	profile_destroy(base);
	return err;
}

/* A file may be called "feed", too. */
static bool is_build_id(const char *s)
{
	return !s[strspn(s, "0123456789abcdefABCDEF")] && access(s, F_OK);
}

/* "BINARY PROFILE": the binary is named first, or its build-id is. */
static struct pprof_sources without_binary(const struct pprof_sources *sources)
{
	struct pprof_sources s = *sources;
	bool is_binary = s.nr > 1 && is_elf(s.names[0]), is_id = s.nr > 1 && !is_binary && !s.build_id && is_build_id(s.names[0]);
	if (is_binary)
		s.binary = s.names[0];
	if (is_id)
		s.build_id = s.names[0];
	s.names += is_binary || is_id;
	s.nr -= is_binary || is_id;
	return s;
}

struct strobe_error *pprof_sources_read(struct cmd_context *ctx, const struct pprof_sources *sources, struct pprof_session *ret)
{
	struct pprof_sources s = without_binary(sources);
	bool fetched = false;
	*ret = (struct pprof_session){ .ctx = ctx };
	try_copy(&s, ret);
	TRY(try_stream(&s, ret));
	if (ret->copy || ret->stream)
		return NULL;
	TRY(read_many(ctx, &s, &ret->unpacked, &fetched, &ret->profile));
	if (s.bases.len)
		TRY(subtract_base(ret, &s, &fetched));
	if (s.add_comment && *s.add_comment)
		vec_push(&ret->profile->origin.comments, strtab_add(&ret->profile->strings, s.add_comment));
	return fetched ? save(ctx, ret->profile) : NULL;
}
