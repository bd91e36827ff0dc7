/*
 * V8's CPU profiles: a tree of calls, and the node of each sample.
 *
 * Source: the types Profiler.Profile and ProfileNode of the Chrome DevTools Protocol.
 */
#include <math.h>
#include <string.h>

#include "base/u64map.h"
#include "exchange/foreign.h"
#include "exchange/readers/readers.h"

#define NS_PER_US    1000.0
#define LOG_MAX      4000000
#define NO_NODE      UINT32_MAX

struct node {
	uint32_t value;  /* in the document */
	uint32_t parent; /* index, or NO_NODE */
	uint64_t id;
	stack_id stack;
	bool is_made;    /* stack is set */
};

struct reader {
	struct profile *p;
	struct json_doc doc;
	VEC(struct node) nodes;
	VEC(uint32_t) way; /* from a node to the first one with a stack */
	struct u64map by_id;
	uint32_t event;
};

static struct strobe_error *damaged(uint64_t id)
{
	return error_create(ERROR_FORMAT, "its tree of calls is damaged at node %llu", (unsigned long long)id);
}

static uint32_t find_node(const struct reader *r, uint32_t id)
{
	const uint64_t *index = u64map_get(&r->by_id, id);
	return index ? (uint32_t)*index : NO_NODE;
}

static frame_id make_frame(struct reader *r, uint32_t value)
{
	const struct json_doc *d = &r->doc;
	uint32_t at = json_member(d, value, "callFrame");
	const char *name = json_text(d, json_member(d, at, "functionName")), *url = json_text(d, json_member(d, at, "url"));
	uint32_t line = json_index(d, json_member(d, at, "lineNumber"));
	struct foreign_frame f = {
		.name = *name ? name : "(anonymous)",
		.file = !strncmp(url, "file://", 7) ? url + 7 : url,
		.module = "",
		.line = line == JSON_NONE ? 0 : line + 1, /* it counts from 0 */
	};
	return foreign_to_frame(r->p, &f);
}

/* The root of the tree is not a function. */
static bool is_root(const struct reader *r, const struct node *n)
{
	const struct json_doc *d = &r->doc;
	return n->parent == NO_NODE &&
	       !strcmp(json_text(d, json_member(d, json_member(d, n->value, "callFrame"), "functionName")), "(root)");
}

static struct strobe_error *load_nodes(struct reader *r, uint32_t list)
{
	const struct json_doc *d = &r->doc;
	for (uint32_t v = json_first(d, list); v != JSON_NONE; v = json_next(d, v)) {
		uint32_t id = json_index(d, json_member(d, v, "id"));
		bool is_new;
		uint64_t *index = u64map_put(&r->by_id, id, &is_new);
		if (id == JSON_NONE || !is_new)
			return damaged(id);
		*index = r->nodes.len;
		vec_push(&r->nodes, ((struct node){ .value = v, .parent = NO_NODE, .id = id }));
	}
	return NULL;
}

static struct strobe_error *set_parent(struct reader *r, uint32_t child, uint32_t parent)
{
	if (child == NO_NODE || parent == NO_NODE || r->nodes.data[child].parent != NO_NODE)
		return damaged(child == NO_NODE ? 0 : r->nodes.data[child].id);
	r->nodes.data[child].parent = parent;
	return NULL;
}

/* Nodes name their children, or in traces of Chrome their parent. */
static struct strobe_error *link_nodes(struct reader *r)
{
	const struct json_doc *d = &r->doc;
	for (uint32_t i = 0; i < r->nodes.len; i++) {
		uint32_t v = r->nodes.data[i].value, parent = json_index(d, json_member(d, v, "parent"));
		if (parent != JSON_NONE)
			TRY(set_parent(r, i, find_node(r, parent)));
		for (uint32_t c = json_first(d, json_member(d, v, "children")); c != JSON_NONE; c = json_next(d, c))
			TRY(set_parent(r, find_node(r, json_index(d, c)), i));
	}
	return NULL;
}

/* Callers first. A path with more steps than nodes is a cycle. */
static struct strobe_error *make_stack(struct reader *r, uint32_t node)
{
	vec_clear(&r->way);
	for (uint32_t at = node; at != NO_NODE && !r->nodes.data[at].is_made; at = r->nodes.data[at].parent) {
		if (r->way.len > r->nodes.len)
			return damaged(r->nodes.data[node].id);
		vec_push(&r->way, at);
	}
	while (r->way.len) {
		struct node *n = &r->nodes.data[r->way.data[--r->way.len]];
		stack_id caller = n->parent == NO_NODE ? PROFILE_NONE : r->nodes.data[n->parent].stack;
		n->stack = is_root(r, n) ? caller : profile_stack(r->p, caller, make_frame(r, n->value));
		n->is_made = true;
	}
	return NULL;
}

static uint64_t to_ns(double us)
{
	return us > 0 && us < 1e15 ? (uint64_t)llround(us * NS_PER_US) : 0;
}

/* A sample lasts until the next one; the last one until the end. */
static struct strobe_error *read_samples(struct reader *r, uint32_t samples)
{
	const struct json_doc *d = &r->doc;
	double now = json_number(d, json_member(d, 0, "startTime"), 0), end = json_number(d, json_member(d, 0, "endTime"), 0);
	uint32_t delta = json_first(d, json_member(d, 0, "timeDeltas"));
	for (uint32_t s = json_first(d, samples); s != JSON_NONE; s = json_next(d, s)) {
		uint32_t node = find_node(r, json_index(d, s));
		if (node == NO_NODE)
			return error_create(ERROR_FORMAT, "a sample refers to a node that does not exist");
		now += json_number(d, delta, 0);
		delta = delta == JSON_NONE ? delta : json_next(d, delta);
		double lasts = delta == JSON_NONE ? end - now : json_number(d, delta, 0);
		struct profile_log_entry entry = {
			.time_ns = to_ns(now),
			.cpu = UINT32_MAX,
			.row = profile_add(r->p, r->nodes.data[node].stack, PROFILE_NONE, r->event, 1, to_ns(lasts), 0),
		};
		if (r->p->log.len < LOG_MAX)
			vec_push(&r->p->log, entry);
		else
			r->p->log_dropped++;
	}
	return NULL;
}

/* Without a list of samples, nodes have hit counts. */
static void read_hits(struct reader *r)
{
	const struct json_doc *d = &r->doc;
	for (uint32_t i = 0; i < r->nodes.len; i++) {
		uint32_t hits = json_index(d, json_member(d, r->nodes.data[i].value, "hitCount"));
		if (hits != JSON_NONE && hits)
			profile_add(r->p, r->nodes.data[i].stack, PROFILE_NONE, r->event, hits, hits, 0);
	}
}

static struct strobe_error *read_all(struct reader *r)
{
	const struct json_doc *d = &r->doc;
	uint32_t nodes = json_member(d, 0, "nodes"), samples = json_member(d, 0, "samples");
	double lasted = json_number(d, json_member(d, 0, "endTime"), 0) - json_number(d, json_member(d, 0, "startTime"), 0);
	if (!json_is(d, nodes, JSON_KIND_ARRAY))
		return error_create(ERROR_FORMAT, "it has no nodes of a V8 CPU profile");
	bool has_times = json_length(d, samples) && json_length(d, json_member(d, 0, "timeDeltas"));
	r->event = has_times ? profile_event(r->p, "wall", "nanoseconds") : profile_event(r->p, "samples", "count");
	r->p->duration_ns = to_ns(lasted);
	TRY(load_nodes(r, nodes));
	TRY(link_nodes(r));
	for (uint32_t i = 0; i < r->nodes.len; i++)
		TRY(make_stack(r, i));
	if (has_times)
		return read_samples(r, samples);
	read_hits(r);
	return NULL;
}

struct strobe_error *cpuprofile_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct reader r = { .p = profile_create() };
	struct strobe_error *err = json_parse(p, n, &r.doc);
	if (!err)
		err = read_all(&r);
	vec_deinit(&r.nodes);
	vec_deinit(&r.way);
	u64map_deinit(&r.by_id);
	json_doc_deinit(&r.doc);
	return foreign_finish(r.p, err, ret);
}

bool cpuprofile_probe(const uint8_t *p, size_t n)
{
	size_t head = n > 65536 ? 65536 : n;
	return n && *p == '{' && memmem(p, head, "\"callFrame\"", 11) && memmem(p, head, "\"nodes\"", 7);
}
