/* Any bytes as an ELF file with notes of markers (SDT): the lines that the build-id cache would store for them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/sdt/sdt_notes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* "%sdt_PROVIDER:NAME=NAME" and the definition of a uprobe, a line each: whatever names hold, they are lines. */
static void check_lines(const char *lines)
{
	for (const char *at = lines; *at;) {
		const char *end = strchr(at, '\n');
		if (!end || end == at)
			abort();
		at = end + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf lines = {};
	struct object *o;
	struct strobe_error *err = object_open_memory(data, size, "input", &o);
	if (err) {
		error_destroy(err);
		return 0;
	}
	sdt_notes_lines(o, "/usr/bin/input", &lines);
	check_lines(strbuf_str(&lines));
	strbuf_deinit(&lines);
	object_close(o);
	return 0;
}
