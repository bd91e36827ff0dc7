/* Counts of a profile, by function and address. */
#include "base/testing.h"

#include <stdlib.h>

#include "annotate/hits.h"

struct made {
	struct profile *p;
	function_id f, g;
	uint32_t a, b;
};

static stack_id stack_at(struct profile *p, function_id f, uint64_t addr, uint8_t flags, stack_id caller)
{
	struct profile_frame fr = { .mapping = 0, .function = f, .addr = addr, .ip = addr, .flags = flags };
	return profile_stack(p, caller, profile_frame(p, &fr));
}

static function_id function(struct profile *p, const char *name, uint64_t start)
{
	str_id id = strtab_add(&p->strings, name);
	return profile_function(p, &(struct profile_function){ .name = id, .system_name = id, .start = start, .size = 16 });
}

static void make(struct made *m)
{
	struct profile *p = m->p = profile_create();
	profile_mapping(p, &(struct profile_mapping){ .name = strtab_add(&p->strings, "prog") });
	m->a = profile_event(p, "a", "");
	m->b = profile_event(p, "b", "");
	m->f = function(p, "f", 0x100);
	m->g = function(p, "g", 0x200);
	function_id inlined = function(p, "inlined", 0x100);
	labels_id labels = profile_labels(p, NULL);
	stack_id f1 = stack_at(p, m->f, 0x101, 0, PROFILE_NONE), g1 = stack_at(p, m->g, 0x201, 0, PROFILE_NONE);
	stack_id in_f = stack_at(p, inlined, 0x101, FRAME_INLINED, f1);
	profile_add(p, f1, labels, m->a, 2, 20, 0);
	profile_add(p, stack_at(p, m->g, 0x200, 0, f1), labels, m->a, 1, 10, 0); /* called by f: counts only for g */
	profile_add(p, in_f, labels, m->a, 3, 30, 0); /* counts for f, at its address */
	profile_add(p, g1, labels, m->b, 1, 7, 0);
	profile_add(p, stack_at(p, PROFILE_NONE, 0x999, 0, PROFILE_NONE), labels, m->a, 9, 90, 0);
	profile_add(p, PROFILE_NONE, labels, m->a, 9, 90, 0);
}

static void samples_count_for_the_function_of_the_symbol_table(void **state)
{
	struct made m;
	struct hits h;
	make(&m);
	hits_create(m.p, NULL, NULL, &h);
	assert_int_equal(h.functions.len, 2);
	const struct hits_function *f = &h.functions.data[0], *g = &h.functions.data[1];
	assert_int_equal(f->function, m.f);
	assert_int_equal(f->nr, 1);
	assert_int_equal(h.all.data[f->first].samples, 5);
	assert_int_equal(hits_of(&h, f, m.a).value, 50);
	assert_int_equal(hits_of(&h, g, m.a).samples, 1);
	assert_int_equal(hits_of(&h, g, m.b).value, 7);
	hits_deinit(&h);
	profile_destroy(m.p);
}

static void ranks_follow_the_selected_events(void **state)
{
	struct made m;
	struct hits h;
	size_t n;
	make(&m);
	hits_create(m.p, NULL, NULL, &h);
	uint32_t *order = hits_rank(&h, (uint32_t[]){ m.a, m.b }, 2, &n);
	assert_int_equal(n, 2);
	assert_int_equal(h.functions.data[order[0]].function, m.f);
	free(order);
	order = hits_rank(&h, (uint32_t[]){ m.b }, 1, &n);
	assert_int_equal(n, 1); /* f has no hits */
	assert_int_equal(h.functions.data[order[0]].function, m.g);
	free(order);
	hits_deinit(&h);
	profile_destroy(m.p);
}

static bool only_g(void *ctx, const struct profile_function *f)
{
	return f->start == 0x200;
}

static void hits_go_into_a_listing(void **state)
{
	struct made m;
	struct hits h;
	make(&m);
	hits_create(m.p, only_g, NULL, &h);
	assert_int_equal(h.functions.len, 1);
	struct listing *l = listing_create();
	listing_event(l, &(struct listing_event){ .name = "b" });
	listing_event(l, &(struct listing_event){ .name = "a" });
	listing_insn(l, &(struct listing_insn){ .addr = 0x200, .bytes = 1, .text = "", .place = LISTING_NONE });
	/* 0x201 is not in an instruction of the listing */
	assert_int_equal(hits_apply(&h, &h.functions.data[0], (uint32_t[]){ m.b, m.a }, 2, l), 1);
	assert_int_equal(listing_value(l, 0, 1)->value, 10);
	assert_int_equal(listing_value(l, 0, 0)->value, 0);
	listing_destroy(l);
	hits_deinit(&h);
	profile_destroy(m.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_count_for_the_function_of_the_symbol_table),
		cmocka_unit_test(ranks_follow_the_selected_events),
		cmocka_unit_test(hits_go_into_a_listing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
