/* Symbols of code from a jitdump. The DSO's address space is the dump: an address is the offset of code in it. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "symbol/jit_file.h"
#include "symbol/symbol_priv.h"

static bool load_jitdump(struct dso *d)
{
	const char *path;
	_cleanup_close_ int fd = jit_file_open(d, d->file->path, &path);
	if (fd < 0)
		return false;
	struct jitdump *j;
	_cleanup_error_ struct strobe_error *err = jitdump_open_fd(fd, path, &j);
	if (err) {
		dso_problem(d, "%s", err->message);
		return false;
	}
	struct symtable_builder b = { .ends = SYMTABLE_ENDS_JIT };
	for (size_t i = 0; i < j->functions.len; i++) {
		const struct jitdump_function *f = &j->functions.data[i];
		struct symtable_entry e = { .start = f->offset, .end = f->offset + f->bytes, .name = (uint32_t)f->name,
					    .binding = STB_GLOBAL, .type = 't' };
		vec_push(&b.entries, e);
	}
	b.names[0] = (struct symtable_names){ .data = j->data, .bytes = j->bytes };
	if (b.entries.len) {
		symtable_finish(&b, &d->table);
		d->has_table = true;
	}
	symtable_builder_deinit(&b);
	d->jitdump = j;
	d->long_name = path;
	if (j->bad_records)
		dso_problem(d, "%s: %llu damaged records were skipped", path, (unsigned long long)j->bad_records);
	else if (!d->has_table)
		dso_problem(d, "%s describes no code", path);
	return d->has_table;
}

const struct symbol_source source_jitdump = { .name = "jitdump", .kinds = 1u << MAPPED_JIT, .load = load_jitdump };
