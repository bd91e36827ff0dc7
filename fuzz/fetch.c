/*
 * Any lines: arguments as tracefs takes them, then after an empty line filters of their fields. Plans stay within what programs read and
 * write, and filters lead to their end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/fetch_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool find_symbol(void *ctx, const char *name, uint64_t *ret)
{
	*ret = strlen(name);
	return *name == 's';
}

static void check_plan(const struct fetch_plan *plan, const struct fetch_format *format)
{
	struct strbuf text = {};
	if (plan->args_nr != format->nr || plan->args_nr > FETCH_PLAN_ARGS || plan->bytes > FETCH_PLAN_FIXED_MAX)
		abort();
	for (unsigned i = 0; i < plan->args_nr; i++) {
		const struct fetch_plan_arg *a = &plan->arg[i];
		if (a->derefs > FETCH_PLAN_DEREFS || a->reg >= FETCH_PLAN_REGS || a->left > 63 || a->right > 63 ||
		    a->at + a->bytes * (a->count ? a->count : 1) > plan->bytes)
			abort();
	}
	fetch_format_text(plan, format, "fuzz", 1, &text);
	strbuf_deinit(&text);
}

static void check_filter(const struct fetch_plan_filter *f)
{
	for (uint32_t i = 0; i < f->tests_nr; i++) {
		const struct fetch_plan_test *t = &f->test[i];
		bool true_later = t->when_true > i && (t->when_true < f->tests_nr || t->when_true >= FETCH_PLAN_PASSES);
		bool false_later = t->when_false > i && (t->when_false < f->tests_nr || t->when_false >= FETCH_PLAN_PASSES);
		if (!true_later || !false_later || t->text_bytes >= FETCH_PLAN_TEXT_BYTES)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	static const struct arch *const archs[] = { &arch_x86_64, &arch_i386, &arch_aarch64, &arch_s390x };
	struct arena arena;
	struct fetch_plan plan;
	struct fetch_format format = {};
	struct fetch_plan_filter filter;
	struct fetch_place place = { .arch = archs[data[0] & 3], .is_kernel = data[0] & 4, .is_return = data[0] & 8,
				     .is_entry = data[0] & 16, .offset = 0x1000, .symbol = find_symbol };
	bool is_filter = false;
	arena_init(&arena);
	fetch_plan_begin(&plan, &place);
	char *rest = arena_strndup(&arena, (const char *)data + 1, size - 1);
	for (char *line; (line = strsep(&rest, "\n"));) {
		if (!*line)
			is_filter = true;
		else if (!is_filter)
			error_destroy(fetch_plan_add(&plan, &format, line, &place, &arena));
		else {
			struct strobe_error *err = fetch_filter_parse(line, &plan, &format, &filter);
			if (!err)
				check_filter(&filter);
			error_destroy(err);
		}
	}
	check_plan(&plan, &format);
	arena_deinit(&arena);
	return 0;
}
