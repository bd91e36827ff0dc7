#include "view/svg/layout.h"

#include <stdlib.h>

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
		uint64_t at = level->at;
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
		return error_create(ERROR_NOT_FOUND, "there are no samples of %s", profile_str(p, p->events.data[o->tree.event].name));
	if (l->total < l->values[0])
		return error_create(ERROR_USAGE, "the total %llu is less than the sum of what is shown, %llu",
				    (unsigned long long)l->total, (unsigned long long)l->values[0]);
	struct name_ranks ranks = name_tree_ranks(&l->tree);
	name_tree_sort(&l->tree, ranks.bare, ranks.nr);
	name_ranks_deinit(&ranks);
	struct placing placing = { .l = l, .pixels_per_value = o->width / (double)l->total, .min_width = o->min_width };
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
