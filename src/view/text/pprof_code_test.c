#include "base/testing.h"

#include <stdlib.h>

#include "base/mem.h"
#include "view/text/pprof_disasm.h"
#include "view/text/pprof_list.h"

/* main, whose line 3 costs 40 and whose line 4 calls f, of which line 9 costs 60; all in m.c, main from line 2 on. */
static struct profile *two_functions(void)
{
	struct profile *p = profile_create();
	str_id file = strtab_add(&p->strings, "m.c"), names[] = { strtab_add(&p->strings, "main"), strtab_add(&p->strings, "f") };
	struct profile_frame frames[] = { { .line = 3, .addr = 0x10 }, { .line = 4, .addr = 0x20 }, { .line = 9, .addr = 0x30 } };
	frame_id ids[3];
	for (unsigned i = 0; i < 3; i++) {
		struct profile_function f = {
			.mapping = PROFILE_NONE, .name = names[i == 2], .file = file, .line = i == 2 ? 0 : 2,
		};
		frames[i].mapping = PROFILE_NONE;
		frames[i].function = profile_function(p, &f);
		frames[i].ip = frames[i].addr;
		ids[i] = profile_frame(p, &frames[i]);
	}
	p->origin.events_are_values = true;
	uint32_t e = profile_event(p, "samples", "count");
	labels_id none = profile_labels(p, NULL);
	profile_add(p, profile_stack(p, PROFILE_NONE, ids[0]), none, e, 1, 40, 0);
	profile_add(p, profile_stack(p, profile_stack(p, PROFILE_NONE, ids[1]), ids[2]), none, e, 1, 60, 0);
	return p;
}

static char *text_of(struct out *out)
{
	size_t n;
	const char *s = out_mem(out, &n);
	char *ret = xstrndup(s, n);
	error_destroy(out_close(out));
	return ret;
}

static struct code_file get_file(void *ctx, const char *path)
{
	assert_string_equal(path, "m.c");
	return (struct code_file){ path, ctx, NULL };
}

static struct code_file no_file(void *ctx, const char *path)
{
	static const struct lines none;
	return (struct code_file){ path, &none, ctx };
}

static char *list(const struct profile *p, const char *pattern, struct code_files files)
{
	struct out out;
	struct pprof_list_options o = {
		.values = { .p = p, .divide_by = 1, .unit = "minimum" },
		.files = files,
		.pattern = pattern,
	};
	out_init_mem(&out);
	assert_ok(view_pprof_list(&o, &out));
	return text_of(&out);
}

/* From where main begins to five lines after the last that costs something, here the end of the file. */
static void list_shows_what_each_line_cost(void **state)
{
	struct profile *p = two_functions();
	struct lines lines = {};
	static const char *const source[] = { "int x;\n", "int main(void)\n", "\tx++;\n", "\tf();\n", "}\n" };
	for (unsigned i = 0; i < 5; i++) {
		vec_push(&lines.starts, (uint32_t)lines.text.len);
		strbuf_addstr(&lines.text, source[i]);
	}
	char *text = list(p, "^main$", (struct code_files){ &lines, get_file });
	assert_string_equal(text, "Total: 100\n"
				  "ROUTINE ======================== main in m.c\n"
				  "        40        100 (flat, cum)   100% of Total\n"
				  "         .          .      2:int main(void)\n"
				  "        40         40      3:\tx++;\n"
				  "         .         60      4:\tf();\n"
				  "         .          .      5:}\n");
	free(text);
	lines_deinit(&lines);
	profile_destroy(p);
}

static void list_says_which_file_is_missing(void **state)
{
	struct profile *p = two_functions();
	char problem[] = "it is gone", *text = list(p, "f", (struct code_files){ problem, no_file });
	assert_string_equal(text, "Total: 100\n"
				  "ROUTINE ======================== f in m.c\n"
				  "        60         60 (flat, cum) 60.00% of Total\n"
				  " Error: it is gone\n");
	free(text);
	struct pprof_list_options o = { .values = { .p = p, .divide_by = 1, .unit = "minimum" }, .pattern = "g" };
	struct out out;
	out_init_mem(&out);
	assert_fails(view_pprof_list(&o, &out), ERROR_NOT_FOUND);
	error_destroy(out_close(&out));
	profile_destroy(p);
}

/* The place of an instruction is named where it differs from the one before; its own debug information goes before the profile's. */
static void disasm_names_where_instructions_are_from(void **state)
{
	struct profile *p = two_functions();
	struct code_values v = { .p = p, .total = 100, .divide_by = 1, .unit = "minimum" };
	struct listing *l = listing_create();
	uint32_t here = listing_place(l, &(struct listing_place){
		.file = listing_file(l, "src/m.c"), .line = 3, .caller = LISTING_NONE, .function = "main" });
	const char *const texts[] = { "push   %rbp", "nop", "a text of forty columns, which is too wide" };
	for (uint32_t i = 0; i < 3; i++)
		listing_insn(l, &(struct listing_insn){ .addr = 0x10 + i, .bytes = 1, .text = texts[i],
							.place = i < 2 ? here : LISTING_NONE });
	const struct routine_insn insns[] = {
		{ { 0, 0 }, "", "", 0 },
		{ { 40, 100 }, "", "", 0 },
		{ { 0, 60 }, "f", "f.c", 9 },
	};
	struct routine r = { .name = "main", .sum = { 40, 100 }, .l = l, .insns = insns };
	struct out out;
	out_init_mem(&out);
	view_pprof_disasm_total(&v, &out);
	view_pprof_disasm(&v, &r, &out);
	char *text = text_of(&out);
	assert_string_equal(text, "Total: 100\n"
				  "ROUTINE ======================== main\n"
				  "        40        100 (flat, cum)   100% of Total\n"
				  "         .          .         10: push   %rbp                             ;m.c:3\n"
				  "        40        100         11: nop\n"
				  "                                                                          ;f f.c:9\n"
				  "         .         60         12: a text of forty columns, which is too wide\n");
	free(text);
	listing_destroy(l);
	profile_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_shows_what_each_line_cost),
		cmocka_unit_test(list_says_which_file_is_missing),
		cmocka_unit_test(disasm_names_where_instructions_are_from),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
