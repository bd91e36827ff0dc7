/* Any text as the definition of a probe: what is accepted is written, and parsed again with the same result. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/definition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const struct probe_definition *d, struct arena *arena)
{
	struct probe_definition again;
	struct strbuf text = {}, second = {};
	probe_point_text(&d->point, &text);
	if (probe_definition_parse(strbuf_str(&text), arena, &again))
		abort();
	probe_point_text(&again.point, &second);
	if (strcmp(strbuf_str(&text), strbuf_str(&second)))
		abort();
	probe_definition_deinit(&again);
	strbuf_deinit(&text);
	strbuf_deinit(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	struct probe_definition d;
	arena_init(&arena);
	char *text = arena_strndup(&arena, (const char *)data, size);
	struct strobe_error *err = probe_definition_parse(text, &arena, &d);
	for (size_t i = 0; i < d.arguments.len; i++) {
		struct strbuf argument = {};
		if (!err)
			probe_argument_text(&d.arguments.data[i], &argument);
		strbuf_deinit(&argument);
	}
	if (!err && (d.event && !probe_name_is_good(d.event)))
		abort();
	if (!err && d.point.function && probe_name_is_good(d.point.function) && !d.point.file && !d.point.pattern)
		check_place(&d, &arena);
	error_destroy(err);
	probe_definition_deinit(&d);
	arena_deinit(&arena);
	return 0;
}
