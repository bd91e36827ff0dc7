/* Reading ELF files: made by a builder, damaged on purpose, and those of this machine against readelf. */
#include "base/testing.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "config.h"
#include "object/object.h"
#include "object/testing_elf.h"
#if HAVE_ZLIB
#include <zlib.h>
#endif
#if HAVE_ZSTD
#include <zstd.h>
#endif
#if HAVE_LZMA
#include <lzma.h>
#endif

static const uint8_t code[64] = { 0xc3 };
static const uint8_t id20[20] = { 0xde, 0xad, 0xbe, 0xef, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

/* Text at 0x2040 that is at 0x40 less than a page before in the file, data after it, a build-id. */
static uint8_t *make_file(bool is_64bit, bool big, size_t *ret_bytes)
{
	struct elf_builder b = {
		.is_64bit = is_64bit, .big = big, .type = ET_DYN, .machine = is_64bit ? EM_X86_64 : EM_386};
	elf_add_build_id(&b, id20, sizeof(id20));
	uint32_t text =
		elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2040, code, sizeof(code));
	uint32_t data = elf_add_section(&b, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x4000, code, 16);
	elf_add_section(&b, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x5000, NULL, 1 << 20);
	elf_load_section(&b, text, PF_R | PF_X);
	elf_load_section(&b, data, PF_R | PF_W);
	elf_add_symbol(&b, &b.symtab, "first", 0x2040, 8, STB_GLOBAL, STT_FUNC, text);
	elf_add_symbol(&b, &b.symtab, "second", 0x2048, 56, STB_LOCAL, STT_FUNC, text);
	elf_add_symbol(&b, &b.dynsym, "first", 0x2040, 8, STB_GLOBAL, STT_FUNC, text);
	return elf_finish(&b, ret_bytes);
}

static void check_file(const uint8_t *bytes, size_t n, bool is_64bit, bool big)
{
	struct object *o;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	uint64_t v;
	assert_ok(object_open_memory(bytes, n, "made", &o));
	const struct object_header *h = object_header(o);
	assert_int_equal(h->is_64bit, is_64bit);
	assert_int_equal(h->swap, big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
	assert_int_equal(h->type, ET_DYN);
	assert_ptr_equal(h->arch, is_64bit ? &arch_x86_64 : &arch_i386);
	assert_int_equal(object_build_id(o, id), 20);
	assert_memory_equal(id, id20, 20);
	const struct object_section *text = object_find_section(o, ".text"), *bss = object_find_section(o, ".bss");
	assert_int_equal(text->addr, 0x2040);
	assert_int_equal(text->bytes, 64);
	size_t bytes_nr = 1;
	assert_null(object_section_raw(o, bss, &bytes_nr));
	assert_int_equal(bytes_nr, 0);
	assert_null(object_find_section(o, ".debug_info"));
	assert_true(object_vaddr_of_offset(o, text->offset + 5, &v));
	assert_int_equal(v, 0x2045);
	assert_true(object_offset_of_vaddr(o, 0x4003, &v));
	assert_int_equal(v, object_find_section(o, ".data")->offset + 3);
	assert_false(object_offset_of_vaddr(o, 0x2040 + 64, &v));
	assert_false(object_vaddr_of_offset(o, 1, &v));
	struct object_symtab t;
	assert_true(object_symtab(o, SHT_SYMTAB, &t));
	assert_int_equal(t.count, 3);
	struct object_symbol s = object_symbol(&t, 2);
	assert_string_equal(object_symbol_name(&t, &s), "second");
	assert_int_equal(s.value, 0x2048);
	assert_int_equal(s.size, 56);
	assert_int_equal(ELF64_ST_BIND(s.info), STB_LOCAL);
	assert_true(object_symtab(o, SHT_DYNSYM, &t));
	assert_int_equal(t.count, 2);
	size_t left;
	assert_int_equal(*(const uint8_t *)object_bytes_at(o, 0x2040, &left), 0xc3);
	assert_int_equal(left, 64);
	assert_null(object_bytes_at(o, 0x2040 + 64, &left));
	object_close(o);
}

static void both_classes_and_byte_orders(void **state)
{
	for (int i = 0; i < 4; i++) {
		size_t n;
		uint8_t *bytes = make_file(i & 1, i & 2, &n);
		check_file(bytes, n, i & 1, i & 2);
		free(bytes);
	}
}

/* Every look-up, so that a sanitizer sees what a damaged file leads to. */
static void read_everything(struct object *o)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	const char *link;
	uint32_t crc;
	uint64_t v;
	size_t left;
	struct object_symtab t;
	for (size_t i = 0; i < object_sections_count(o); i++) {
		const void *p;
		size_t n;
		const struct object_section *s = object_section(o, i);
		assert_true(strlen(s->name) < 1 << 20);
		struct strobe_error *err = object_section_bytes(o, s, &p, &n);
		for (size_t k = 0; !err && k < n; k++)
			crc += ((const uint8_t *)p)[k];
		error_destroy(err);
	}
	for (uint32_t type = SHT_SYMTAB; type <= SHT_DYNSYM; type += SHT_DYNSYM - SHT_SYMTAB) {
		bool has = object_symtab(o, type, &t);
		for (size_t i = 0; has && i < t.count; i++) {
			struct object_symbol s = object_symbol(&t, i);
			assert_true(strlen(object_symbol_name(&t, &s)) < 1 << 20);
			object_bytes_at(o, s.value, &left);
		}
	}
	object_build_id(o, id);
	object_debuglink(o, &link, &crc);
	object_vaddr_of_offset(o, 0x1234, &v);
}

static void damaged_files_are_read_or_refused(void **state)
{
	for (int i = 0; i < 4; i++) {
		size_t n;
		uint8_t *bytes = make_file(i & 1, i & 2, &n);
		for (size_t cut = 0; cut < n; cut += 7) {
			struct object *o;
			uint8_t *copy = malloc(cut ? cut : 1);
			memcpy(copy, bytes, cut);
			struct strobe_error *err = object_open_memory(copy, cut, "cut", &o);
			if (!err) {
				read_everything(o);
				object_close(o);
			}
			error_destroy(err);
			free(copy);
		}
		srandom(1);
		for (int round = 0; round < 3000; round++) {
			struct object *o;
			size_t at = (size_t)random() % n;
			uint8_t was = bytes[at];
			bytes[at] = round & 1 ? 0xff : (uint8_t)random();
			struct strobe_error *err = object_open_memory(bytes, n, "bent", &o);
			if (!err) {
				read_everything(o);
				object_close(o);
			}
			error_destroy(err);
			bytes[at] = was;
		}
		free(bytes);
	}
}

static void what_is_no_elf_is_said(void **state)
{
	struct object *o;
	assert_fails(object_open_memory("#!/bin/sh\nexit 0\n", 17, "script", &o), ERROR_FORMAT);
	assert_fails(object_open_memory("", 0, "empty", &o), ERROR_FORMAT);
	assert_fails(object_open_memory("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3", 17, "short", &o), ERROR_TRUNCATED);
	assert_fails(object_open("/nonexistent", &o), ERROR_NOT_FOUND);
	assert_fails(object_open("/tmp", &o), ERROR_IO);
}

/* The page of the file with the end of .data is mapped with the start of .bss; what is after that is in no segment. */
static void zeros_follow_the_bytes_of_a_segment(void **state)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	uint32_t text = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2000, code, 64);
	uint32_t data = elf_add_section(&b, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x4000, code, 16);
	uint64_t v;
	size_t n;
	struct object *o;
	elf_load_section(&b, text, PF_R | PF_X);
	elf_load_section(&b, data, PF_R | PF_W);
	b.segments[b.segments_nr - 1].zeros = 32;
	uint8_t *bytes = elf_finish(&b, &n);
	uint64_t end = b.segments[b.segments_nr - 1].offset + 16;
	assert_ok(object_open_memory(bytes, n, "zeros", &o));
	assert_true(object_vaddr_of_offset(o, end + 31, &v));
	assert_int_equal(v, 0x4010 + 31);
	assert_false(object_vaddr_of_offset(o, end + 32, &v));
	object_close(o);
	free(bytes);
}

static void executable_segment_wins_a_shared_page(void **state)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	uint32_t text =
		elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2000, code, sizeof(code));
	elf_add_segment(&b, PT_LOAD, PF_R, 0, 0, b.sections[text].offset + 8);
	elf_load_section(&b, text, PF_R | PF_X);
	uint64_t offset = b.sections[text].offset, v;
	size_t n;
	uint8_t *bytes = elf_finish(&b, &n);
	struct object *o;
	assert_ok(object_open_memory(bytes, n, "shared", &o));
	assert_true(object_vaddr_of_offset(o, offset + 4, &v));
	assert_int_equal(v, 0x2004);
	assert_true(object_vaddr_of_offset(o, offset - 4, &v));
	assert_int_equal(v, offset - 4);
	object_close(o);
	free(bytes);
}

/* Notes and relocations below are in the byte order of this machine. */
static const bool is_big_host = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static void build_ids_in_bare_notes(void **state)
{
	struct elf_builder b = { .is_64bit = true, .big = is_big_host };
	struct strbuf notes = {};
	uint8_t id[OBJECT_BUILD_ID_MAX];
	elf_add_note(&b, 5 /* NT_GNU_PROPERTY_TYPE_0 */, "12345", 5, &notes);
	elf_add_note(&b, NT_GNU_BUILD_ID, id20, 8, &notes);
	assert_int_equal(object_build_id_in_notes(notes.data, notes.len, false, id), 8);
	assert_memory_equal(id, id20, 8);
	for (size_t cut = 0; cut < notes.len; cut++)
		assert_int_equal(object_build_id_in_notes(notes.data, cut, false, id), 0);
	strbuf_deinit(&notes);
}

static void debug_links_and_where_they_lead(void **state)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	static const uint8_t link[] = "prog.debug\0\0\x78\x56\x34\x12";
	elf_add_build_id(&b, id20, 20);
	elf_add_section(&b, ".gnu_debuglink", SHT_PROGBITS, 0, 0, link, 16);
	size_t n;
	uint8_t *bytes = elf_finish(&b, &n);
	struct object *o;
	const char *name;
	uint32_t crc;
	assert_ok(object_open_memory(bytes, n, "linked", &o));
	assert_true(object_debuglink(o, &name, &crc));
	assert_string_equal(name, "prog.debug");
	assert_int_equal(crc, 0x12345678);
	object_close(o);
	free(bytes);
}

struct paths {
	char text[1024];
	int stop_after;
};

static bool note_path(void *ctx, const char *path)
{
	struct paths *p = ctx;
	strcat(p->text, path);
	strcat(p->text, "\n");
	return !--p->stop_after;
}

static void debug_files_are_looked_for_in_order(void **state)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	elf_add_build_id(&b, id20, 20);
	elf_add_section(&b, ".gnu_debuglink", SHT_PROGBITS, 0, 0, "p.debug\0abcd", 12);
	size_t n;
	uint8_t *bytes = elf_finish(&b, &n);
	struct object *o;
	assert_ok(object_open_memory(bytes, n, "linked", &o));
	struct paths all = {}, one = { .stop_after = 1 };
	assert_false(object_find_debug(o, "/usr/bin/p", NULL, note_path, &all));
	assert_string_equal(all.text, "/usr/lib/debug/.build-id/de/adbeef05060708090a0b0c0d0e0f1011121314.debug\n"
				      "/usr/bin/p.debug\n/usr/bin/.debug/p.debug\n/usr/lib/debug/usr/bin/p.debug\n");
	assert_true(object_find_debug(o, "/usr/bin/p", "/sysroot", note_path, &one));
	assert_string_equal(one.text,
			    "/sysroot/usr/lib/debug/.build-id/de/adbeef05060708090a0b0c0d0e0f1011121314.debug\n");
	object_close(o);
	free(bytes);
}

/* One section, compressed in the given form; its size as promised by the header may lie. */
static struct object *open_compressed(const char *name, uint64_t flags, const struct strbuf *content,
				      uint8_t **ret_file)
{
	struct elf_builder b = { .is_64bit = true, .type = ET_REL, .machine = EM_X86_64 };
	elf_add_section(&b, name, SHT_PROGBITS, flags, 0, content->data, content->len);
	size_t n;
	struct object *o;
	*ret_file = elf_finish(&b, &n);
	assert_ok(object_open_memory(*ret_file, n, "compressed", &o));
	return o;
}

static __attribute__((unused)) void add_chdr(struct strbuf *to, uint32_t method, uint64_t bytes)
{
	struct elf_builder b = { .is_64bit = true };
	elf_put(&b, to, method, 4);
	elf_put(&b, to, 0, 4);
	elf_put(&b, to, bytes, 8);
	elf_put(&b, to, 1, 8);
}

#if HAVE_ZLIB || HAVE_ZSTD
static __attribute__((unused)) void check_inflated(const char *name, uint64_t flags, const struct strbuf *content,
						   const char *expected, size_t expected_bytes)
{
	uint8_t *file;
	const void *p, *again;
	size_t n;
	struct object *o = open_compressed(name, flags, content, &file);
	const struct object_section *s = object_find_section(o, ".debug_str");
	assert_non_null(s);
	if (expected) {
		assert_ok(object_section_bytes(o, s, &p, &n));
		assert_int_equal(n, expected_bytes);
		assert_memory_equal(p, expected, expected_bytes);
		assert_ok(object_section_bytes(o, s, &again, &n));
		assert_ptr_equal(p, again);
		assert_int_equal(cursor_left(&(struct cursor){ .at = p, .end = (const uint8_t *)p + n }), expected_bytes);
	} else {
		assert_fails(object_section_bytes(o, s, &p, &n), ERROR_FORMAT);
		struct cursor c = object_section_cursor(o, s);
		assert_int_equal(cursor_left(&c), 0);
	}
	object_close(o);
	free(file);
}

static void compressed_sections_are_inflated(void **state)
{
	char text[5000];
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "abcdefg"[i % 7];
	__attribute__((unused)) char packed[6000];
	struct strbuf content = {};
#if HAVE_ZLIB
	uLongf packed_bytes = sizeof(packed);
	assert_int_equal(compress((Bytef *)packed, &packed_bytes, (const Bytef *)text, sizeof(text)), Z_OK);
	add_chdr(&content, ELFCOMPRESS_ZLIB, sizeof(text));
	strbuf_add(&content, packed, packed_bytes);
	check_inflated(".debug_str", SHF_COMPRESSED, &content, text, sizeof(text));
	strbuf_reset(&content);
	strbuf_add(&content, "ZLIB\0\0\0\0\0\0\x13\x88", 12); /* 5000, big-endian */
	strbuf_add(&content, packed, packed_bytes);
	check_inflated(".zdebug_str", 0, &content, text, sizeof(text));
	/* A size that lies: by one byte, and by as much as no memory holds. */
	static const uint64_t lies[] = { sizeof(text) - 1, sizeof(text) + 1, 0, UINT64_MAX, (uint64_t)1 << 40 };
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		strbuf_reset(&content);
		add_chdr(&content, ELFCOMPRESS_ZLIB, lies[i]);
		strbuf_add(&content, packed, packed_bytes);
		check_inflated(".debug_str", SHF_COMPRESSED, &content, NULL, 0);
	}
#endif
#if HAVE_ZSTD
	size_t zstd_bytes = ZSTD_compress(packed, sizeof(packed), text, sizeof(text), 1);
	assert_false(ZSTD_isError(zstd_bytes));
	strbuf_reset(&content);
	add_chdr(&content, 2, sizeof(text));
	strbuf_add(&content, packed, zstd_bytes);
	check_inflated(".debug_str", SHF_COMPRESSED, &content, text, sizeof(text));
#endif
	strbuf_deinit(&content);
}
#else
static void compressed_sections_are_inflated(void **state)
{
	struct strbuf content = {};
	uint8_t *file;
	const void *p;
	size_t n;
	add_chdr(&content, ELFCOMPRESS_ZLIB, 10);
	strbuf_add(&content, "0123456789", 10);
	struct object *o = open_compressed(".debug_str", SHF_COMPRESSED, &content, &file);
	assert_fails(object_section_bytes(o, object_find_section(o, ".debug_str"), &p, &n), ERROR_UNSUPPORTED);
	object_close(o);
	free(file);
	strbuf_deinit(&content);
}
#endif

static __attribute__((unused)) void check_packed(const uint8_t *packed, size_t packed_bytes, const uint8_t *expected,
						 size_t expected_bytes)
{
	char path[] = "/tmp/strobe-packed-XXXXXX";
	int fd = mkstemp(path);
	struct object *o;
	void *p;
	size_t n;
	assert_ok(object_unpack(packed, packed_bytes, "packed", &p, &n));
	assert_int_equal(n, expected_bytes);
	assert_memory_equal(p, expected, n);
	free(p);
	for (size_t cut = 8; cut < packed_bytes; cut += packed_bytes / 7) {
		assert_fails(object_unpack(packed, cut, "cut", &p, &n), ERROR_TRUNCATED);
		assert_null(p);
	}
	assert_ok(file_write_fd(fd, path, packed, packed_bytes));
	assert_ok(object_open_packed_fd(fd, path, &o));
	assert_int_equal(object_find_section(o, ".text")->addr, 0x2040);
	object_close(o);
	close(fd);
	unlink(path);
}

static void whole_files_are_unpacked(void **state)
{
	size_t n;
	uint8_t *file = make_file(true, false, &n), *packed = malloc(2 * n + 1000);
	void *p;
	size_t unpacked;
	assert_ok(object_unpack(file, n, "plain", &p, &unpacked));
	assert_null(p);
#if HAVE_ZLIB
	z_stream z = { .next_in = file, .avail_in = (uInt)n, .next_out = packed, .avail_out = (uInt)(2 * n + 1000) };
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	check_packed(packed, z.total_out, file, n);
	deflateEnd(&z);
#endif
#if HAVE_ZSTD
	size_t zstd_bytes = ZSTD_compress(packed, 2 * n + 1000, file, n, 3);
	check_packed(packed, zstd_bytes, file, n);
#endif
#if HAVE_LZMA
	size_t xz_bytes = 0;
	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, file, n, packed, &xz_bytes, 2 * n + 1000),
			 LZMA_OK);
	check_packed(packed, xz_bytes, file, n);
#endif
	free(packed);
	free(file);
}

/* Lines of a tool's output, or NULL where it is not there. */
static FILE *run_tool(const char *tool, const char *fmt, const char *path)
{
	char command[512];
	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", tool);
	if (system(command))
		return NULL;
	snprintf(command, sizeof(command), fmt, path);
	return popen(command, "r");
}

static void sections_and_symbols_as_readelf_shows_them(void **state)
{
	char exe[256] = "";
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	FILE *f = run_tool("readelf", "LC_ALL=C readelf -sW --sym-base=10 '%s'", exe);
	if (!f) {
		print_message("readelf is not installed\n");
		skip();
	}
	struct object *o;
	struct object_symtab t;
	assert_ok(object_open(exe, &o));
	char line[8192], name[4096];
	bool has = false;
	size_t compared = 0;
	while (fgets(line, sizeof(line), f)) {
		unsigned long long value, size;
		unsigned nr;
		if (strstr(line, "Symbol table '.symtab'"))
			has = object_symtab(o, SHT_SYMTAB, &t);
		if (strstr(line, "Symbol table '.dynsym'"))
			has = object_symtab(o, SHT_DYNSYM, &t);
		*name = 0;
		if (!has || sscanf(line, "%u: %llx %llu %*s %*s %*s %*s %4095s", &nr, &value, &size, name) < 3)
			continue;
		assert_true(nr < t.count);
		struct object_symbol s = object_symbol(&t, nr);
		assert_int_equal(s.value, value);
		assert_int_equal(s.size, size);
		if (ELF64_ST_TYPE(s.info) != STT_SECTION) {
			/* readelf adds the version of dynamic symbols */
			size_t n = strcspn(object_symbol_name(&t, &s), "@");
			assert_int_equal(strncmp(name, object_symbol_name(&t, &s), n), 0);
		}
		compared++;
	}
	pclose(f);
	assert_true(compared > 100);
	object_close(o);
}

/* Two stores into .debug_addr, of four and of eight bytes, and what points outside of it or at no symbol. */
static void relocatable_files_are_laid_out_and_relocated(void **state)
{
	(void)state;
	struct elf_builder b = { .is_64bit = true, .big = is_big_host, .type = ET_REL, .machine = EM_X86_64 };
	uint64_t code_flags = SHF_ALLOC | SHF_EXECINSTR;
	static const uint8_t addresses[16];
	elf_add_section(&b, ".init.text", SHT_PROGBITS, code_flags, 0, code, 8);
	elf_add_section(&b, ".text", SHT_PROGBITS, code_flags, 0, code, sizeof(code));
	elf_add_section(&b, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, code, 16);
	uint32_t exit_text = elf_add_section(&b, ".exit.text", SHT_PROGBITS, code_flags, 0, code, 32);
	uint32_t debug = elf_add_section(&b, ".debug_addr", SHT_PROGBITS, 0, 0, addresses, sizeof(addresses));
	elf_add_symbol(&b, &b.symtab, "leave", 5, 8, STB_GLOBAL, STT_FUNC, exit_text);
	const Elf64_Rela relocations[] = {
		{ 0, ELF64_R_INFO(1, R_X86_64_32), 0x100 },	{ 8, ELF64_R_INFO(1, R_X86_64_64), (Elf64_Sxword)-2 },
		{ 9, ELF64_R_INFO(1, R_X86_64_64), 0x7777 },	{ 4, ELF64_R_INFO(9, R_X86_64_32), 0x7777 },
		{ UINT64_MAX, ELF64_R_INFO(1, R_X86_64_32), 1 }, { 4, ELF64_R_INFO(1, R_X86_64_PC32), 0x7777 },
	};
	uint32_t rela = elf_add_section(&b, ".rela.debug_addr", SHT_RELA, 0, 0, relocations, sizeof(relocations));
	b.sections[rela].info = debug;
	size_t n, got;
	uint8_t *bytes = elf_finish(&b, &n);
	struct object *o;
	assert_ok(object_open_memory(bytes, n, "made", &o));
	assert_int_equal(object_find_section(o, ".text")->addr, 0);
	assert_int_equal(object_find_section(o, ".exit.text")->addr, 64);
	assert_int_equal(object_find_section(o, ".data")->addr, 96);
	assert_int_equal(object_find_section(o, ".init.text")->addr, 112);
	const void *content;
	assert_ok(object_section_bytes(o, object_find_section(o, ".debug_addr"), &content, &got));
	assert_int_equal(got, sizeof(addresses));
	uint32_t half[2];
	uint64_t whole;
	memcpy(half, content, sizeof(half));
	memcpy(&whole, (const uint8_t *)content + 8, sizeof(whole));
	assert_int_equal(half[0], 64 + 5 + 0x100);
	assert_int_equal(half[1], 0);
	assert_int_equal(whole, 64 + 5 - 2);
	/* Code by address, though there is no segment; data of modules lies elsewhere. */
	const uint8_t *leave = object_section_raw(o, object_find_section(o, ".exit.text"), &n);
	assert_ptr_equal(object_bytes_at(o, 70, &got), leave + 6);
	assert_int_equal(got, 26);
	assert_null(object_bytes_at(o, 100, &got));
	object_close(o);
	free(bytes);
}

/* The C library, and the same without its section headers. */
static void dynamic_symbols_without_section_headers(void **state)
{
	(void)state;
	static const char *const paths[] = { "/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6" };
	struct strbuf file = {};
	struct object *whole, *bare;
	struct object_symtab a, b;
	const char *path = paths[access(paths[0], R_OK) ? 1 : 0];
	if (access(path, R_OK))
		skip();
	assert_ok(file_read(path, &file, 0));
	assert_ok(object_open(path, &whole));
	Elf64_Ehdr *h = (Elf64_Ehdr *)file.data;
	h->e_shoff = h->e_shnum = h->e_shstrndx = 0;
	assert_ok(object_open_memory(file.data, file.len, "bare", &bare));
	assert_int_equal(object_sections_count(bare), 0);
	assert_true(object_symtab(whole, SHT_DYNSYM, &a));
	assert_true(object_symtab(bare, SHT_DYNSYM, &b));
	assert_false(object_symtab(bare, SHT_SYMTAB, &b));
	assert_true(object_symtab(bare, SHT_DYNSYM, &b));
	assert_true(a.count > 1000);
	assert_int_equal(a.count, b.count);
	for (size_t i = 0; i < a.count; i++) {
		struct object_symbol x = object_symbol(&a, i), y = object_symbol(&b, i);
		assert_memory_equal(&x, &y, sizeof(x));
		assert_string_equal(object_symbol_name(&a, &x), object_symbol_name(&b, &y));
	}
	uint8_t id[OBJECT_BUILD_ID_MAX];
	struct object_frames frames[2];
	assert_true(object_build_id(bare, id) > 0);
	assert_int_equal(object_frames(bare, frames), 1);
	object_close(whole);
	object_close(bare);
	strbuf_deinit(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_classes_and_byte_orders),
		cmocka_unit_test(damaged_files_are_read_or_refused),
		cmocka_unit_test(what_is_no_elf_is_said),
		cmocka_unit_test(zeros_follow_the_bytes_of_a_segment),
		cmocka_unit_test(executable_segment_wins_a_shared_page),
		cmocka_unit_test(build_ids_in_bare_notes),
		cmocka_unit_test(debug_links_and_where_they_lead),
		cmocka_unit_test(debug_files_are_looked_for_in_order),
		cmocka_unit_test(compressed_sections_are_inflated),
		cmocka_unit_test(whole_files_are_unpacked),
		cmocka_unit_test(relocatable_files_are_laid_out_and_relocated),
		cmocka_unit_test(dynamic_symbols_without_section_headers),
		cmocka_unit_test(sections_and_symbols_as_readelf_shows_them),
	};
	return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
