/*
 * Prints what the DWARF reader finds for addresses, for the oracle test and for timing:
 * dwarf_lines FILE [SUPPLEMENT [expecting]] < addresses
 *
 * "-" is no supplement; "expecting" announces every second address beforehand, in the order of the input, which must ascend then. Each
 * hexadecimal address is answered by its frames, innermost first, as "name\tfile:line", and an empty line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "object/dwarf/dwarf.h"

static struct object *open_split(void *ctx, const char *path, uint64_t id)
{
	struct object *o = NULL;
	(void)ctx;
	(void)id;
	error_destroy(object_open(path, &o));
	return o;
}

static void answer(struct dwarf *d, uint64_t addr)
{
	struct dwarf_frame f[DWARF_FRAMES_MAX] = {};
	unsigned n = dwarf_frames(d, addr, f);
	if (!n && dwarf_line(d, addr, &f[0]))
		n = 1;
	for (unsigned i = 0; i < n; i++)
		printf("%s\t%s:%u\n", f[i].name ? f[i].name : "??", f[i].file ? f[i].file : "??", f[i].line);
	printf(n ? "\n" : "??\t??:0\n\n");
}

int main(int argc, char **argv)
{
	struct object *o = NULL, *supplement = NULL;
	const char *name;
	const uint8_t *id;
	size_t id_bytes;
	char line[64];
	VEC(uint64_t) addrs = {}, expected = {};
	if (argc < 2 || object_open(argv[1], &o))
		return 2;
	if (object_supplement_link(o, &name, &id, &id_bytes))
		error_destroy(object_open(argc > 2 && strcmp(argv[2], "-") ? argv[2] : name, &supplement));
	while (fgets(line, sizeof(line), stdin))
		vec_push(&addrs, strtoull(line, NULL, 16));
	for (size_t i = 0; i < addrs.len && argc > 3; i += 2)
		vec_push(&expected, addrs.data[i]);
	struct dwarf *d = dwarf_create(o, (struct dwarf_files){ .supplement = supplement, .open_split = open_split,
								.expected = expected.data, .expected_nr = expected.len });
	for (size_t i = 0; d && i < addrs.len; i++)
		answer(d, addrs.data[i]);
	dwarf_destroy(d);
	object_close(o);
	object_close(supplement);
	vec_deinit(&addrs);
	vec_deinit(&expected);
	return d ? 0 : 1;
}
