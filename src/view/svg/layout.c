#include "view/svg/layout.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"

/* A box whose children are being placed. */
struct level {
	uint32_t node, next;
	size_t box;
	uint64_t at; /* where the next child begins, in units of value */
};

struct placing {
	struct flame_layout *l;
	double pixels_per_value, min_width;
	bool in_time;
	VEC(struct level) levels;
};

/* Children have greater ids than their parents. */
static void add_up(struct flame_layout *l)
{
	size_t n = l->tree.nodes.len;
	l->values = xcalloc(n, sizeof(*l->values));
	l->samples = xcalloc(n, sizeof(*l->samples));
	for (size_t i = n; i-- > 0;) {
		const struct name_node *node = &l->tree.nodes.data[i];
		l->values[i] = add_saturated(l->values[i], node->value);
		l->samples[i] = add_saturated(l->samples[i], node->samples);
		if (!i)
			break;
		l->values[node->parent] = add_saturated(l->values[node->parent], l->values[i]);
		l->samples[node->parent] = add_saturated(l->samples[node->parent], l->samples[i]);
	}
}

static int64_t delta_of(const struct flame_layout *l, uint32_t node)
{
	const struct name_node *n = &l->tree.nodes.data[node];
	double scaled = (double)n->base * l->base_scale;
	uint64_t base = l->base_scale == 1 ? n->base : scaled < 0x1p63 ? (uint64_t)(scaled + 0.5) : INT64_MAX;
	uint64_t more = n->value > base ? n->value - base : 0, less = base > n->value ? base - n->value : 0;
	return more > INT64_MAX ? INT64_MAX : less > INT64_MAX ? -INT64_MAX : more ? (int64_t)more : -(int64_t)less;
}

static double scale_to_total(const struct flame_layout *l)
{
	double base = 0;
	for (size_t i = 0; i < l->tree.nodes.len; i++)
		base += (double)l->tree.nodes.data[i].base;
	return base > 0 ? (double)l->values[0] / base : 1;
}

static void find_delta_max(struct flame_layout *l)
{
	for (size_t i = 1; i < l->tree.nodes.len; i++) {
		int64_t delta = delta_of(l, (uint32_t)i);
		uint64_t size = (uint64_t)(delta < 0 ? -delta : delta);
		l->delta_max = size > l->delta_max ? size : l->delta_max;
	}
}

static void place_box(struct placing *p, uint32_t node, uint64_t at)
{
	struct flame_layout *l = p->l;
	struct flame_box box = {
		.node = node,
		.depth = (uint32_t)p->levels.len,
		.x = (double)at * p->pixels_per_value,
		.width = (double)(node ? l->values[node] : l->total) * p->pixels_per_value,
		.value = l->values[node],
		.samples = l->samples[node],
		.delta = delta_of(l, node),
	};
	struct level level = {
		.node = node,
		.box = l->boxes.len,
		.at = add_saturated(at, l->tree.nodes.data[node].value),
	};
	vec_push(&l->boxes, box);
	vec_push(&p->levels, level);
	if (box.depth > l->depth_max)
		l->depth_max = box.depth;
}

static void place_all(struct placing *p)
{
	struct flame_layout *l = p->l;
	place_box(p, 0, 0);
	while (p->levels.len) {
		struct level *level = &vec_last(&p->levels);
		const struct name_node *node = &l->tree.nodes.data[level->node];
		if (level->next == node->children) {
			l->boxes.data[level->box].last = (uint32_t)l->boxes.len;
			p->levels.len--;
			continue;
		}
		uint32_t child = l->tree.children[node->first_child + level->next++];
		uint64_t at = p->in_time ? l->tree.nodes.data[child].start : level->at;
		level->at = add_saturated(at, l->values[child]);
		if (l->values[child] && (double)l->values[child] * p->pixels_per_value >= p->min_width)
			place_box(p, child, at);
		else
			l->left_out++;
	}
}

struct strobe_error *flame_layout_init(struct flame_layout *l, const struct profile *p, const struct flame_layout_options *o)
{
	*l = (struct flame_layout){};
	name_tree_init(&l->tree, p, &o->tree);
	add_up(l);
	l->total = o->total ? o->total : l->values[0];
	if (!l->values[0])
		return error_create(ERROR_NOT_FOUND, "no samples of %s", profile_event_name(p, o->tree.event));
	if (l->total < l->values[0]) { /* as flamegraph.pl has it */
		log_warn("the total %llu is less than the sum of the frames, %llu: ignored", (unsigned long long)l->total,
			 (unsigned long long)l->values[0]);
		l->total = l->values[0];
	}
	if (o->tree.in_time) {
		name_tree_keep_order(&l->tree);
	} else {
		struct name_ranks ranks = name_tree_ranks(&l->tree);
		name_tree_sort_as_lines(&l->tree, &ranks);
		name_ranks_deinit(&ranks);
	}
	l->base_scale = o->tree.has_base && o->normalize ? scale_to_total(l) : 1;
	if (o->tree.has_base)
		find_delta_max(l);
	struct placing placing = {
		.l = l,
		.pixels_per_value = o->width / (double)l->total,
		.min_width = o->min_width,
		.in_time = o->tree.in_time,
	};
	place_all(&placing);
	vec_deinit(&placing.levels);
	return NULL;
}

void flame_layout_deinit(struct flame_layout *l)
{
	name_tree_deinit(&l->tree);
	free(l->values);
	free(l->samples);
	vec_deinit(&l->boxes);
}
