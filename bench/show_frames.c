/*
 * Prints the unwind table of a file, for tests: show_frames FILE
 *
 * A line is "ADDRESS CFA RA FP", the vaddr from which on the rule applies, and how far the canonical frame address is from which register,
 * by DWARF number ("7+16"), the return address and the frame pointer from it ("-8"; "-": not saved); "end": the outermost frame, "none": no
 * rule, "other": one of another form.
 */
#include <inttypes.h>
#include <stdio.h>

#include "unwind/table.h"

static void print_save(const struct unwind_table *t, const struct unwind_rule *r, uint8_t reg)
{
	for (unsigned i = 0; i < r->saves_nr; i++) {
		const struct unwind_save *s = &t->saves[r->saves + i];
		if (s->reg == reg) {
			printf(s->kind == UNWIND_SAVE_OFFSET ? " %" PRId32 : " ?", s->value);
			return;
		}
	}
	printf(" -");
}

static void print_rule(const struct unwind_table *t, const struct unwind_rule *r, const struct arch *a)
{
	if (r->kind == UNWIND_CFA_NONE || r->flags & UNWIND_END || r->kind != UNWIND_CFA_REG) {
		printf(r->kind == UNWIND_CFA_NONE ? " none\n" : r->flags & UNWIND_END ? " end\n" : " other\n");
		return;
	}
	printf(" %u%+" PRId32, r->reg, r->value);
	print_save(t, r, r->ra);
	print_save(t, r, a->dwarf_fp);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct object *o = argc == 2 ? object_open_if_there(argv[1]) : NULL;
	if (!o) {
		fprintf(stderr, "usage: show_frames FILE\n");
		return 2;
	}
	struct unwind_table *t = unwind_table_of(o, NULL);
	for (uint32_t i = 1, page = 0; t && i < t->rows_nr; i++) {
		while (t->pages[page + 1] <= i)
			page++;
		printf("%" PRIx64, t->base + (page << UNWIND_PAGE_BITS | t->rows[i] >> UNWIND_RULE_BITS));
		print_rule(t, &t->rules[t->rows[i] & (UNWIND_RULES_MAX - 1)], object_header(o)->arch);
	}
	unwind_table_destroy(t);
	object_close(o);
	return 0;
}
