#include "page/page.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "config.h"
#include "packing/gzip.h"
#include "profile/arithmetic.h"
#include "session/flame_input.h"

#define FACTS_MAX 12

static void add_fact(struct html_options *o, struct html_fact *facts, const char *key, const char *value)
{
	if (value && *value)
		facts[o->facts_nr++] = (struct html_fact){ key, value };
}

static const char *copied(struct arena *arena, const char *s)
{
	return s ? arena_strdup(arena, s) : NULL;
}

static const char *command_line(struct arena *arena, const struct env *env)
{
	_cleanup_strbuf_ struct strbuf b = {};
	for (uint32_t i = 0; i < env->cmdline_nr; i++)
		strbuf_addf(&b, "%s%s", i ? " " : "", env->cmdline[i]);
	return arena_strdup(arena, strbuf_str(&b));
}

/* The file's modification time, in the format of report headers; NULL: not a file. */
static const char *date_of(struct arena *arena, const char *path)
{
	struct stat st;
	struct tm tm;
	char text[64];
	if (stat(path, &st) || !S_ISREG(st.st_mode) || !gmtime_r(&st.st_mtime, &tm) || !strftime(text, sizeof(text), "%F %T UTC", &tm))
		return NULL;
	return arena_strdup(arena, text);
}

/* If no event has periods, a value is a number of samples. */
static bool counts_samples(const struct env *env)
{
	bool any = false;
	for (size_t i = 0; i < env->events.len; i++)
		any |= !!(env->events.data[i].attr.sample_type & PERF_SAMPLE_PERIOD) || env->events.data[i].attr.sample_period > 1;
	return !any;
}

struct html_options page_options(struct arena *arena, const struct env *env, const char *path)
{
	struct html_fact *facts = arena_new_array(arena, struct html_fact, FACTS_MAX);
	struct html_options o = { .title = copied(arena, text_base_name(path)), .facts = facts };
	add_fact(&o, facts, "recorded", date_of(arena, path));
	if (env) {
		add_fact(&o, facts, "CPUs", env->cpus_online ? arena_printf(arena, "%u", env->cpus_online) : NULL);
		add_fact(&o, facts, "kernel", copied(arena, env->os_release));
		add_fact(&o, facts, "command line", command_line(arena, env));
		add_fact(&o, facts, "host", copied(arena, env->hostname));
		add_fact(&o, facts, "processor", copied(arena, env->cpu_desc));
		add_fact(&o, facts, "architecture", copied(arena, env->arch));
		add_fact(&o, facts, "recorded by", copied(arena, env->tool_version));
		o.count_samples = counts_samples(env);
	}
	add_fact(&o, facts, "file", arena_strdup(arena, path));
	add_fact(&o, facts, "page made by", "strobe " STROBE_VERSION);
#if HAVE_ZLIB
	o.gzip = gzip_pack;
#endif
	return o;
}

struct strobe_error *page_read_base(const struct session_host *host, const char *path, bool force, struct profile **profile,
				    struct profile **ret_difference)
{
	struct flame_input base;
	struct flame_input_options options = { .force = force, .for_page = true, .single = true };
	if (!path)
		return NULL;
	struct strobe_error *err = flame_input_read(host, path, &options, &base);
	if (!err) {
		struct profile_difference how = { .match_single = true };
		if (ret_difference)
			*ret_difference = profile_subtract(*profile, base.profile, &how);
		struct profile *joined = profile_join(*profile, base.profile, HTML_BASE_PREFIX, NULL);
		profile_destroy(*profile);
		*profile = joined;
	}
	flame_input_close(&base);
	return err;
}
