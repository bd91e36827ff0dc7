/* Any bytes as a jitdump; then the code of each of its functions as an ELF file, which has to be one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "object/jit_image.h"
#include "object/object.h"
#include "symbol/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make_image(const struct jitdump *j, const struct jitdump_function *f)
{
	struct jit_image_line line = { .line = 1, .file = "x" };
	struct jit_image image = { .e_machine = (uint16_t)j->e_machine, .name = jitdump_text(j, f->name),
				   .code = j->data + f->offset, .code_bytes = (size_t)f->bytes, .lines = &line, .lines_nr = 1,
				   .frames = f->unwind_bytes ? j->data + f->unwind_offset : NULL,
				   .frames_bytes = (size_t)f->unwind_bytes, .frames_header_bytes = (size_t)f->unwind_header_bytes };
	struct strbuf file = {};
	struct object *o;
	uint8_t id[20];
	jit_image_write(&image, &file, id);
	struct strobe_error *err = object_open_memory(file.data, file.len, "image", &o);
	if (err || !object_find_section(o, ".text"))
		abort();
	object_close(o);
	strbuf_deinit(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump *j;
	struct strobe_error *err = jitdump_read(data, size, "input", &j);
	if (err) {
		error_destroy(err);
		return 0;
	}
	for (size_t i = 0; i < j->functions.len; i++) {
		const struct jitdump_function *f = &j->functions.data[i];
		if (f->offset > size || f->bytes > size - f->offset || strlen(jitdump_text(j, f->name)) >= size)
			abort();
		if (jitdump_function_at(j, f->offset) != f || jitdump_function_at(j, f->offset + f->bytes - 1) != f)
			abort();
		const struct jitdump_line *l = jitdump_line_at(j, f, f->bytes - 1);
		if (l && strlen(jitdump_text(j, l->file)) >= size)
			abort();
		if (i < 8)
			make_image(j, f);
	}
	for (size_t i = 0; i < j->placements.len; i++)
		if (j->placements.data[i].function >= j->functions.len)
			abort();
	jitdump_close(j);
	return 0;
}
