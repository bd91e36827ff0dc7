#include "dump/conversion/samples_json.h"

#include <time.h>

static void put_time(struct json *j, int64_t seconds)
{
	char text[64];
	struct tm tm;
	time_t t = (time_t)seconds;
	if (gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		json_pair_str(j, "captured-on", text);
}

static void put_known(struct json *j, const char *key, const char *value)
{
	if (value)
		json_pair_str(j, key, value);
}

void headers_json(struct json *j, const struct env *env)
{
	json_key(j, "headers");
	json_object(j);
	json_pair_u64(j, "header-version", 1);
	if (!env->is_pipe) {
		put_time(j, env->file.modified_s);
		json_pair_u64(j, "data-offset", env->file.data_offset);
		json_pair_u64(j, "data-size", env->file.data_bytes);
		json_pair_u64(j, "feat-offset", env->file.data_offset + env->file.data_bytes);
	}
	put_known(j, "hostname", env->hostname);
	put_known(j, "os-release", env->os_release);
	put_known(j, "arch", env->arch);
	put_known(j, "cpu-desc", env->cpu_desc);
	put_known(j, "cpuid", env->cpuid);
	json_pair_u64(j, "nrcpus-online", env->cpus_online);
	json_pair_u64(j, "nrcpus-avail", env->cpus_available);
	put_known(j, "perf-version", env->tool_version);
	if (env->cmdline_nr) {
		json_key(j, "cmdline");
		json_array(j);
		for (uint32_t i = 0; i < env->cmdline_nr; i++)
			json_str(j, env->cmdline[i]);
		json_end(j);
	}
	json_end(j);
}

struct strobe_error *samples_json_begin(struct samples_json *w, const struct env *env, bool wall_clock, struct out *out)
{
	*w = (struct samples_json){};
	if (wall_clock)
		TRY(env_wall_offset(env, &w->offset_ns));
	json_init(&w->j, out, true);
	json_object(&w->j);
	json_pair_u64(&w->j, "linux-perf-json-version", 1);
	headers_json(&w->j, env);
	json_key(&w->j, "samples");
	json_array(&w->j);
	return NULL;
}

static void put_frame(struct json *j, const struct resolved_frame *f)
{
	json_object(j);
	json_pair_hex(j, "ip", f->ip);
	if (f->symbol) {
		json_pair_str(j, "symbol", dso_symbol_name(f->dso, f->symbol));
		if (f->map && *f->map->file->name)
			json_pair_str(j, "dso", f->map->file->name);
	}
	json_end(j);
}

void samples_json_add(struct samples_json *w, const struct resolved_sample *s)
{
	struct json *j = &w->j;
	uint64_t type = s->event->attr.sample_type;
	w->samples++;
	json_object(j);
	if (type & PERF_SAMPLE_TIME)
		json_pair_u64(j, "timestamp", s->sample.time + w->offset_ns);
	json_key(j, "pid");
	json_i64(j, (int32_t)s->sample.pid);
	json_key(j, "tid");
	json_i64(j, (int32_t)s->sample.tid);
	if (type & PERF_SAMPLE_CPU)
		json_pair_u64(j, "cpu", s->sample.cpu);
	json_pair_str(j, "comm", s->comm);
	json_key(j, "callchain");
	json_array(j);
	for (uint32_t i = 0; i < s->chain_nr; i++)
		put_frame(j, &s->chain[i]);
	if (!s->chain)
		put_frame(j, &s->leaf);
	json_end(j);
	json_end(j);
}

void samples_json_end(struct samples_json *w)
{
	json_end(&w->j);
	json_end(&w->j);
	out_ch(w->j.out, '\n');
}
