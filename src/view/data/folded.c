#include "view/data/folded.h"

#include "base/json.h"
#include "view/name_tree.h"

/* A node whose children are being written. */
struct level {
	uint32_t node, next;
	size_t deferred; /* deferred.len when it began */
	size_t path;     /* path.len after its name */
};

struct writer {
	struct name_tree tree;
	struct name_ranks ranks;
	struct out *out;
	struct json *json; /* NULL: text */
	struct strbuf path; /* "process;outermost;" */
	VEC(struct level) levels;
	/*
	 * Nodes whose line is written and whose children are not: "a b" is sorted between "a" and "a;x". The last one is the
	 * least of its level, as its name has those before it as a prefix.
	 */
	VEC(uint32_t) deferred;
};

static void write_line(struct writer *w, const struct name_node *node)
{
	size_t bytes;
	const char *name = frame_name_text(&w->tree.names, node->name, &bytes);
	char *at = out_reserve(w->out, w->path.len + bytes);
	if (w->path.len)
		memcpy(at, w->path.data, w->path.len);
	memcpy(at + w->path.len, name, bytes);
	w->out->len += w->path.len + bytes;
	out_ch(w->out, ' ');
	out_u64(w->out, node->value);
	out_ch(w->out, '\n');
}

/* The names of the levels, and of the node. */
static void write_object(struct writer *w, const struct name_node *node)
{
	size_t bytes;
	const char *name;
	json_object(w->json);
	json_key(w->json, "frames");
	json_array(w->json);
	for (size_t i = 0; i < w->levels.len; i++) {
		const struct name_node *level = &w->tree.nodes.data[w->levels.data[i].node];
		if (level->name == PROFILE_NONE)
			continue;
		name = frame_name_text(&w->tree.names, level->name, &bytes);
		json_str_n(w->json, name, bytes);
	}
	name = frame_name_text(&w->tree.names, node->name, &bytes);
	json_str_n(w->json, name, bytes);
	json_end(w->json);
	json_pair_u64(w->json, "value", node->value);
	json_end(w->json);
}

static void enter(struct writer *w, uint32_t id)
{
	const struct name_node *node = &w->tree.nodes.data[id];
	if (node->name != PROFILE_NONE) {
		size_t bytes;
		const char *name = frame_name_text(&w->tree.names, node->name, &bytes);
		strbuf_add(&w->path, name, bytes);
		strbuf_addch(&w->path, ';');
	}
	struct level l = { .node = id, .deferred = w->deferred.len, .path = w->path.len };
	vec_push(&w->levels, l);
}

static void write_child(struct writer *w, uint32_t id)
{
	const struct name_node *child = &w->tree.nodes.data[id];
	if (child->value || child->samples)
		(w->json ? write_object : write_line)(w, child);
	if (child->children)
		vec_push(&w->deferred, id);
}

/* Whether the last deferred node precedes the next child. */
static bool is_due(const struct writer *w, const struct level *l)
{
	if (w->deferred.len == l->deferred)
		return false;
	const struct name_node *nodes = w->tree.nodes.data, *node = &nodes[l->node];
	if (l->next == node->children)
		return true;
	uint32_t next = w->tree.children[node->first_child + l->next];
	return w->ranks.as_path[nodes[vec_last(&w->deferred)].name] < w->ranks.bare[nodes[next].name];
}

static void write_tree(struct writer *w)
{
	enter(w, 0);
	while (w->levels.len && !out_failed(w->out)) {
		struct level *l = &vec_last(&w->levels);
		const struct name_node *node = &w->tree.nodes.data[l->node];
		w->path.len = l->path;
		if (is_due(w, l)) {
			w->deferred.len--;
			enter(w, w->deferred.data[w->deferred.len]);
		} else if (l->next < node->children) {
			write_child(w, w->tree.children[node->first_child + l->next++]);
		} else {
			w->levels.len--;
		}
	}
}

/* json: NULL for lines. */
static void write_stacks(const struct profile *p, const struct folded_options *options, struct out *out, struct json *json)
{
	struct writer w = { .out = out, .json = json };
	struct name_tree_options o = {
		.names = options->names,
		.event = options->event,
		.count_samples = options->count_samples,
	};
	name_tree_init(&w.tree, p, &o);
	w.ranks = name_tree_ranks(&w.tree);
	name_tree_sort(&w.tree, w.ranks.bare, w.ranks.nr);
	write_tree(&w);
	name_ranks_deinit(&w.ranks);
	name_tree_deinit(&w.tree);
	strbuf_deinit(&w.path);
	vec_deinit(&w.levels);
	vec_deinit(&w.deferred);
}

static struct strobe_error *check_event(const struct profile *p, uint32_t event)
{
	return event < p->events.len ? NULL : error_create(ERROR_NOT_FOUND, "the profile has no event number %u", event);
}

struct strobe_error *view_folded(const struct profile *p, const struct folded_options *options, struct out *out)
{
	TRY(check_event(p, options->event));
	write_stacks(p, options, out, NULL);
	return NULL;
}

struct strobe_error *view_folded_json(const struct profile *p, const struct folded_options *options, struct out *out)
{
	struct json j;
	TRY(check_event(p, options->event));
	const struct profile_event *e = &p->events.data[options->event];
	bool counts = name_tree_counts_samples(p, options->event, options->count_samples);
	json_init(&j, out, false);
	json_object(&j);
	json_format(&j, FOLDED_JSON_FORMAT, FOLDED_JSON_VERSION);
	json_pair_str(&j, "event", profile_str(p, e->name));
	json_pair_str(&j, "unit", counts ? "samples" : profile_str(p, e->unit));
	json_key(&j, "stacks");
	json_array(&j);
	write_stacks(p, options, out, &j);
	json_end(&j);
	json_end(&j);
	out_ch(out, '\n');
	return NULL;
}
