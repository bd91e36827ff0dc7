/* Functions made of bytes: code as from a JIT compiler, x86 and arm64. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "annotate/annotate.h"

#define START 0x401000

struct made {
	const uint8_t *code;
	size_t bytes;
	const char *file;
};

static const void *bytes_at(void *ctx, uint64_t addr, size_t *ret_bytes)
{
	const struct made *m = ctx;
	if (addr < START || addr - START >= m->bytes)
		return NULL;
	*ret_bytes = m->bytes - (addr - START);
	return m->code + (addr - START);
}

static const char *name_at(void *ctx, uint64_t addr, uint64_t *ret_start)
{
	if (addr < START || addr >= START + 0x100)
		return NULL;
	*ret_start = START;
	return "loop";
}

/* The first two bytes are from line 2; the rest was inlined from inner(), line 1, there. */
static unsigned places_at(void *ctx, uint64_t addr, struct code_place ret[CODE_PLACES_MAX])
{
	const struct made *m = ctx;
	unsigned n = 0;
	if (addr >= START + 2)
		ret[n++] = (struct code_place){ "inner", m->file, 1 };
	ret[n++] = (struct code_place){ "loop", m->file, 2 };
	return n;
}

static struct code_source source_of(struct made *m, const struct arch *arch)
{
	return (struct code_source){ .arch = arch, .bytes = bytes_at, .name = name_at, .places = places_at, .ctx = m };
}

/* NULL if this build or machine has no library for it. */
static struct listing *list(struct made *m, const struct arch *arch, const struct annotate_options *options)
{
	struct code_source source = source_of(m, arch);
	struct listing_event event = { .name = "cycles", .samples = 99 };
	struct annotate_function f = { .name = "loop", .object = "jit", .object_path = "jit", .start = START,
				       .end = START + m->bytes, .events = &event, .events_nr = 1 };
	struct listing *l;
	struct strobe_error *err = annotate_function(&source, &f, options, &l);
	if (error_is(err, ERROR_UNSUPPORTED)) {
		error_destroy(err);
		return NULL;
	}
	assert_ok(err);
	assert_int_equal(l->events.data[0].samples, 0);
	listing_finish(l);
	return l;
}

static void x86_is_decoded_with_its_jumps(void **state)
{
	static const uint8_t code[] = {
		0x31, 0xc0,                   /* xor %eax,%eax */
		0xff, 0xc0,                   /* inc %eax */
		0x75, 0xfc,                   /* jne 401002 */
		0xe8, 0xf5, 0xff, 0xff, 0xff, /* call 401000 */
		0x06,                         /* no instruction in long mode */
		0xc3,                         /* ret */
	};
	struct made m = { code, sizeof(code), "/nowhere/jit.js" };
	struct listing *l = list(&m, &arch_x86_64, &(struct annotate_options){ 0 });
	if (!l)
		return;
	assert_int_equal(l->insns.len, 6);
	const struct listing_insn *i = l->insns.data;
	assert_memory_equal(i[0].text, "xor", 3);
	assert_int_equal(i[2].flow, LISTING_BRANCH);
	assert_int_equal(i[2].target_insn, 1);
	assert_int_equal(i[1].jumps_here, 1);
	assert_int_equal(i[2].target_bytes, strlen("0x401002"));
	assert_memory_equal(i[2].text + i[2].target_at, "0x401002", strlen("0x401002"));
	assert_string_equal(i[2].target.name, "loop");
	assert_int_equal(i[2].target.offset, 2);
	assert_int_equal(i[3].flow, LISTING_CALL);
	assert_int_equal(i[3].target_insn, LISTING_NONE); /* a call is not a jump */
	assert_int_equal(i[4].flow, LISTING_BAD);
	assert_string_equal(i[4].text, ".byte  0x06");
	assert_int_equal(i[4].bytes, 1);
	assert_int_equal(i[5].flow, LISTING_RETURN);
	listing_destroy(l);
}

static void arm64_is_decoded_word_by_word(void **state)
{
	static const uint8_t code[] = {
		0x20, 0x00, 0x80, 0xd2, /* mov x0, #1 */
		0xff, 0xff, 0xff, 0xff, /* no instruction */
		0xc0, 0xff, 0xff, 0xb4, /* cbz x0, 401000 */
		0xc0, 0x03, 0x5f,       /* truncated */
	};
	struct made m = { code, sizeof(code), "/nowhere/jit.js" };
	struct listing *l = list(&m, &arch_aarch64, &(struct annotate_options){ 0 });
	if (!l)
		return;
	const struct listing_insn *i = l->insns.data;
	assert_int_equal(l->insns.len, 4);
	assert_int_equal(i[1].flow, LISTING_BAD);
	assert_int_equal(i[1].bytes, 4);
	assert_string_equal(i[1].text, ".byte  0xff,0xff,0xff,0xff");
	assert_int_equal(i[2].flow, LISTING_BRANCH);
	assert_int_equal(i[2].target_insn, 0);
	assert_memory_equal(i[2].text + i[2].target_at, "#0x401000", i[2].target_bytes);
	assert_int_equal(i[3].bytes, 3);
	listing_destroy(l);
}

static void places_are_trees_of_inlined_calls(void **state)
{
	static const uint8_t code[] = { 0x31, 0xc0, 0xff, 0xc0, 0xc3 };
	char path[] = "/tmp/strobe-annotate-XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(write(fd, "one\ntwo\n", 8), 8);
	close(fd);
	struct made m = { code, sizeof(code), path };
	struct listing *l = list(&m, &arch_x86_64, &(struct annotate_options){ 0 });
	if (!l) {
		unlink(path);
		return;
	}
	const struct listing_place *inner = &l->places.data[l->insns.data[1].place];
	assert_string_equal(inner->function, "inner");
	assert_int_equal(inner->line, 1);
	assert_int_equal(inner->caller, l->insns.data[0].place);
	assert_int_equal(l->insns.data[2].place, l->insns.data[1].place);
	assert_int_equal(l->files.len, 1);
	assert_string_equal(l->files.data[0].opened, path);
	assert_int_equal(lines_count(&l->files.data[0].text), 2);
	listing_destroy(l);

	l = list(&m, &arch_x86_64, &(struct annotate_options){ .without_source = true });
	assert_null(l->files.data[0].opened);
	listing_destroy(l);
	unlink(path);
}

static void source_paths_are_moved(void **state)
{
	static const uint8_t code[] = { 0xc3 };
	char dir[] = "/tmp/strobe-annotate-XXXXXX", path[64];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/jit.js", dir);
	FILE *f = fopen(path, "w");
	fputs("x\n", f);
	fclose(f);
	struct made m = { code, sizeof(code), "/one/two/jit.js" };
	struct listing *l = list(&m, &arch_x86_64, &(struct annotate_options){ .source_prefix = dir, .source_strip = 2 });
	if (!l)
		goto out;
	assert_string_equal(l->files.data[0].opened, path);
	assert_null(l->files.data[0].problem);
	listing_destroy(l);
	l = list(&m, &arch_x86_64, &(struct annotate_options){ .source_prefix = dir, .source_strip = 1 });
	assert_null(l->files.data[0].opened);
	assert_non_null(l->files.data[0].problem);
	listing_destroy(l);
out:
	unlink(path);
	rmdir(dir);
}

static void what_cannot_be_listed_is_refused(void **state)
{
	static const uint8_t code[] = { 0xc3 };
	struct made m = { code, sizeof(code), NULL };
	struct code_source source = source_of(&m, &arch_x86_64);
	struct annotate_function f = { .name = "f", .start = START, .end = START };
	struct listing *l;
	assert_fails(annotate_function(&source, &f, &(struct annotate_options){ 0 }, &l), ERROR_FORMAT);
	f.end = START + ANNOTATE_MAX_BYTES + 1;
	assert_fails(annotate_function(&source, &f, &(struct annotate_options){ 0 }, &l), ERROR_LIMIT);
	f.start = START + 1;
	f.end = START + 2;
	assert_fails(annotate_function(&source, &f, &(struct annotate_options){ 0 }, &l), ERROR_NOT_FOUND);
	source.arch = NULL;
	f.start = START;
	assert_fails(annotate_function(&source, &f, &(struct annotate_options){ 0 }, &l), ERROR_UNSUPPORTED);
	assert_null(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_is_decoded_with_its_jumps),
		cmocka_unit_test(arm64_is_decoded_word_by_word),
		cmocka_unit_test(places_are_trees_of_inlined_calls),
		cmocka_unit_test(source_paths_are_moved),
		cmocka_unit_test(what_cannot_be_listed_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
