/* The kernel's symbols: made-up lists, the cache on disk and its damages, and the live list line by line. */
#include "base/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "symbol/kallsyms.h"
#include "symbol/kallsyms_names.h"

static const char list[] = "0000000000000000 D __per_cpu_start\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff810000f0 t __pfx_helper\n"
			   "ffffffff81000100 t helper\n"
			   "ffffffff81000180 W weak_one\n"
			   "ffffffff81000180 T strong_one\n"
			   "ffffffff81000200 r not_code\n"
			   "ffffffff81000300 D some_data\n"
			   "ffffffff81000310 A absolute\n"
			   "this is no line\n"
			   "ffffffff8100031 \n"
			   "ffffffff81000400 t $x\n"
			   "ffffffffc0001000 t mod_first\t[one]\n"
			   "ffffffffc0001010 t mod_last\t[one]\n"
			   "ffffffffc0800000 t far\t[two]\n"
			   "ffffffffc0700000 t unsorted\t[three]";

static bool parse(struct kallsyms *k, const char *text, size_t n, size_t piece)
{
	memset(k, 0, sizeof(*k));
	k->cache.slot = -1;
	struct kallsyms_parser *p = kallsyms_parser_create(k);
	for (size_t at = 0; at < n; at += piece)
		kallsyms_parser_feed(p, text + at, n - at < piece ? n - at : piece);
	return kallsyms_parser_finish(p);
}

static const char *name_at(const struct kallsyms *k, uint64_t addr)
{
	uint64_t start, end;
	char type;
	uint32_t i = kallsyms_find(&k->list, addr);
	if (i == KALLSYMS_NONE)
		return NULL;
	const char *name = kallsyms_symbol(&k->list, i, &start, &end, &type);
	assert_true(start <= addr && addr < end);
	return name;
}

static void check_list(const struct kallsyms *k)
{
	assert_int_equal(k->list.text, 0xffffffff81000000);
	assert_int_equal(k->list.stext, 0xffffffff81000000);
	/* The last of those at one address, as in perf. */
	assert_string_equal(name_at(k, 0xffffffff81000000), "startup_64");
	assert_string_equal(name_at(k, 0xffffffff810000f5), "__pfx_helper");
	assert_string_equal(name_at(k, 0xffffffff81000100), "helper");
	assert_string_equal(name_at(k, 0xffffffff8100017f), "helper");
	assert_string_equal(name_at(k, 0xffffffff81000180), "strong_one");
	/* Types that are not looked up end nothing. */
	assert_string_equal(name_at(k, 0xffffffff81000250), "strong_one");
	assert_string_equal(name_at(k, 0xffffffff81000350), "some_data");
	/* The kernel ends with the page after its last symbol, and so does a module. */
	assert_string_equal(name_at(k, 0xffffffff81001fff), "some_data");
	assert_null(name_at(k, 0xffffffff81002000));
	assert_string_equal(name_at(k, 0xffffffffc0001005), "mod_first");
	assert_string_equal(name_at(k, 0xffffffffc0002fff), "mod_last");
	assert_null(name_at(k, 0xffffffffc0003000));
	assert_string_equal(name_at(k, 0xffffffffc0700010), "unsorted");
	assert_string_equal(name_at(k, 0xffffffffc0800fff), "far");
	assert_null(name_at(k, 0xffffffffc0801000));
	assert_null(name_at(k, UINT64_MAX));
	/* Offsets into per-CPU areas are not addresses. */
	assert_null(name_at(k, 0));
	assert_null(name_at(k, 0x1000));
}

static void lists_fed_in_pieces_of_any_size(void **state)
{
	for (size_t piece = 1; piece < sizeof(list) + 1; piece += piece < 60 ? 1 : 97) {
		struct kallsyms k;
		assert_true(parse(&k, list, sizeof(list) - 1, piece));
		check_list(&k);
		kallsyms_deinit(&k);
	}
}

static void lists_of_32_bit_kernels(void **state)
{
	static const char text[] = "c0008000 T _text\nc0008000 T stext\nc0100000 t fn\nbf000000 t m\t[mod]\n";
	struct kallsyms k;
	assert_true(parse(&k, text, sizeof(text) - 1, 7));
	assert_string_equal(name_at(&k, 0xc0008010), "stext");
	assert_string_equal(name_at(&k, 0xc0100000), "fn");
	assert_string_equal(name_at(&k, 0xbf000ff0), "m");
	assert_null(name_at(&k, 0xbf001000));
	kallsyms_deinit(&k);
}

static void hidden_and_empty_lists(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T foo\n";
	struct kallsyms k;
	assert_false(parse(&k, hidden, sizeof(hidden) - 1, 100));
	assert_int_equal(k.list.count, 0);
	kallsyms_deinit(&k);
	assert_true(parse(&k, "", 0, 1));
	assert_int_equal(k.list.count, 0);
	assert_null(name_at(&k, 0));
	kallsyms_deinit(&k);
	assert_true(parse(&k, "\n\n\0\n \n", 6, 2));
	assert_int_equal(k.list.count, 0);
	kallsyms_deinit(&k);
}

static void given_files_say_what_is_wrong(void **state)
{
	char path[] = "/tmp/strobe-kallsyms-XXXXXX";
	int fd = mkstemp(path);
	struct kallsyms k;
	assert_ok(file_write_fd(fd, path, list, sizeof(list) - 1));
	kallsyms_load(&k, path);
	assert_null(k.problem);
	assert_false(k.live);
	check_list(&k);
	kallsyms_deinit(&k);
	assert_int_equal(ftruncate(fd, 0), 0);
	kallsyms_load(&k, path);
	assert_non_null(strstr(k.problem, path));
	kallsyms_deinit(&k);
	close(fd);
	unlink(path);
	kallsyms_load(&k, path);
	assert_non_null(strstr(k.problem, "No such file"));
	assert_int_equal(k.list.count, 0);
	kallsyms_deinit(&k);
}

/* A home of its own for the cache. */
struct home {
	char dir[32], file[64];
};

static int make_home(void **state)
{
	static struct home h;
	strcpy(h.dir, "/tmp/strobe-home-XXXXXX");
	assert_non_null(mkdtemp(h.dir));
	snprintf(h.file, sizeof(h.file), "%s/strobe/kallsyms", h.dir);
	setenv("XDG_CACHE_HOME", h.dir, 1);
	*state = &h;
	return 0;
}

static int drop_home(void **state)
{
	struct home *h = *state;
	char dir[64];
	unlink(h->file);
	snprintf(dir, sizeof(dir), "%s/strobe", h->dir);
	rmdir(dir);
	rmdir(h->dir);
	unsetenv("XDG_CACHE_HOME");
	return 0;
}

static void save_list(const struct kallsyms_key *key)
{
	struct kallsyms k;
	assert_true(parse(&k, list, sizeof(list) - 1, 4096));
	k.key = *key;
	kallsyms_cache_save(&k);
	kallsyms_deinit(&k);
}

static bool load_list(struct kallsyms *k, const struct kallsyms_key *key)
{
	memset(k, 0, sizeof(*k));
	k->cache.slot = -1;
	k->key = *key;
	return kallsyms_cache_load(k);
}

static void the_cache_gives_back_what_was_saved(void **state)
{
	struct home *h = *state;
	struct kallsyms_key key = { .boot_id = "boot", .build_id = "kernel", .build_id_len = 6, .modules = 5 },
			    other = key;
	struct kallsyms k;
	struct stat st;
	assert_false(load_list(&k, &key));
	save_list(&key);
	assert_int_equal(stat(h->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(load_list(&k, &key));
	check_list(&k);
	kallsyms_deinit(&k);
	other.modules = 6;
	assert_false(load_list(&k, &other));
	other = key;
	other.boot_id[0] = 'B';
	assert_false(load_list(&k, &other));
	/* Others could have put it there. */
	assert_int_equal(chmod(h->file, 0666), 0);
	assert_false(load_list(&k, &key));
	assert_int_equal(chmod(h->file, 0600), 0);
	/* It is replaced, and no other file is left behind. */
	save_list(&other);
	assert_true(load_list(&k, &other));
	kallsyms_deinit(&k);
}

static void damaged_caches_are_refused_or_harmless(void **state)
{
	struct home *h = *state;
	struct kallsyms_key key = { .boot_id = "boot" };
	struct strbuf whole = {};
	struct kallsyms k;
	save_list(&key);
	assert_ok(file_read(h->file, &whole, 0));
	for (size_t cut = 0; cut < whole.len; cut += 3) {
		int fd = open(h->file, O_WRONLY | O_TRUNC);
		assert_ok(file_write_fd(fd, h->file, whole.data, cut));
		close(fd);
		assert_false(load_list(&k, &key));
	}
	for (size_t at = 0; at < whole.len; at++) {
		char was = whole.data[at];
		whole.data[at] = (char)(was ^ 0xff);
		int fd = open(h->file, O_WRONLY | O_TRUNC);
		assert_ok(file_write_fd(fd, h->file, whole.data, whole.len));
		close(fd);
		whole.data[at] = was;
		if (!load_list(&k, &key))
			continue;
		for (uint64_t addr = 0xffffffff81000000; addr < 0xffffffff81003000; addr += 0x40) {
			uint64_t start, end;
			char type;
			uint32_t i = kallsyms_find(&k.list, addr);
			if (i != KALLSYMS_NONE)
				assert_true(strlen(kallsyms_symbol(&k.list, i, &start, &end, &type)) < 1000);
		}
		kallsyms_deinit(&k);
	}
	strbuf_deinit(&whole);
}

static void no_cache_where_there_is_no_home(void **state)
{
	struct kallsyms_key key = { .boot_id = "boot" };
	struct kallsyms k;
	setenv("XDG_CACHE_HOME", "/proc/nonexistent", 1);
	save_list(&key);
	assert_false(load_list(&k, &key));
	/* The list of a boot without a name is not kept. */
	setenv("XDG_CACHE_HOME", ((struct home *)*state)->dir, 1);
	key.boot_id[0] = 0;
	save_list(&key);
	assert_false(load_list(&k, &key));
}

/*
 * Each kept line of the live list must find itself, or another line of the same address. Not those of modules and of BPF
 * programs ("name\t[bpf]"), which come and go between the two readings.
 */
static void every_line_of_the_live_list(void **state)
{
	struct strbuf text = {};
	struct kallsyms k;
	assert_ok(file_read("/proc/kallsyms", &text, 0));
	if (!text.len || !strncmp(text.data, "0000000000000000 ", 17)) {
		strbuf_deinit(&text);
		print_message("the kernel hides its symbols\n");
		skip();
	}
	kallsyms_load(&k, NULL);
	assert_null(k.problem);
	/* And again, from the cache that the first one left. */
	for (int round = 0; round < 2; round++) {
		size_t lines = 0;
		for (char *line = text.data, *next; line && *line; line = next) {
			char *newline = strchr(line, '\n');
			next = newline ? newline + 1 : NULL;
			uint64_t addr = strtoull(line, NULL, 16), start, end;
			char type;
			if (!strchr("tTwWdDbB", line[17]) || line[19] == '$' || addr < k.list.base)
				continue;
			size_t length = strcspn(line + 19, "\t\n");
			if (line[19 + length] == '\t')
				continue;
			uint32_t i = kallsyms_find(&k.list, addr);
			assert_int_not_equal(i, KALLSYMS_NONE);
			const char *name = kallsyms_symbol(&k.list, i, &start, &end, &type);
			assert_int_equal(start, addr);
			bool is_last = !next || strtoull(next, NULL, 16) != addr;
			if (is_last && (strlen(name) != length || strncmp(name, line + 19, length)))
				fail_msg("%.*s is called %s", (int)length, line + 19, name);
			lines++;
		}
		assert_true(lines > 1000);
		kallsyms_deinit(&k);
		kallsyms_load(&k, NULL);
		assert_non_null(k.cache.data);
	}
	kallsyms_deinit(&k);
	strbuf_deinit(&text);
}

struct expected_place {
	size_t name_index;
	uint64_t start, end;
	char type;
	const char *module;
};

static void symbols_by_their_names(void **state)
{
	static const char text[] = "0000000000000000 D twice\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 t twice\n"
				   "ffffffff81000180 r constant\n"
				   "ffffffff81000200 d datum\n"
				   "ffffffff81000300 t twice\n"
				   "no line\n"
				   "ffffffffc0001000 t twice\t[one]\n"
				   "ffffffffc0001010 t other\t[one]\n"
				   "ffffffffc0002800 t near\t[two]";
	static const char *const names[] = { "datum", "twice", "absent", "_text", "constant", "other", "near", "tw" };
	static const struct expected_place expected[] = {
		{ 0, 0xffffffff81000200, 0xffffffff81000300, 'd', "" },
		{ 1, 0xffffffff81000100, 0xffffffff81000200, 't', "" },
		{ 1, 0xffffffff81000300, 0xffffffff81002000, 't', "" }, /* the end of the kernel: the page after */
		{ 1, 0xffffffffc0001000, 0xffffffffc0001010, 't', "[one]" },
		{ 1, 0, 0xffffffff81000000, 'D', "" },
		{ 3, 0xffffffff81000000, 0xffffffff81000100, 'T', "" },
		{ 4, 0xffffffff81000180, 0xffffffff81000200, 'r', "" },
		{ 5, 0xffffffffc0001010, 0xffffffffc0002800, 't', "[one]" }, /* nearer than the page after */
		{ 6, 0xffffffffc0002800, 0xffffffffc0004000, 't', "[two]" },
	};
	kallsyms_places places = {};
	assert_true(kallsyms_find_names(text, sizeof(text) - 1, names, sizeof(names) / sizeof(*names), &places));
	assert_int_equal(places.len, sizeof(expected) / sizeof(*expected));
	for (size_t i = 0; i < places.len; i++) {
		const struct kallsyms_place *p = &places.data[i];
		assert_int_equal(p->name_index, expected[i].name_index);
		assert_int_equal(p->start, expected[i].start);
		assert_int_equal(p->end, expected[i].end);
		assert_int_equal(p->type, expected[i].type);
		assert_int_equal(p->module_bytes, strlen(expected[i].module));
		assert_memory_equal(p->module_bytes ? p->module : "", expected[i].module, p->module_bytes);
	}
	vec_clear(&places);
	static const char hidden[] = "0000000000000000 T twice\n0000000000000000 T other\n";
	assert_false(kallsyms_find_names(hidden, sizeof(hidden) - 1, names, 2, &places));
	vec_clear(&places);
	assert_true(kallsyms_find_names("", 0, names, 2, &places));
	assert_int_equal(places.len, 0);
	vec_deinit(&places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_fed_in_pieces_of_any_size),
		cmocka_unit_test(lists_of_32_bit_kernels),
		cmocka_unit_test(hidden_and_empty_lists),
		cmocka_unit_test(given_files_say_what_is_wrong),
		cmocka_unit_test(symbols_by_their_names),
		cmocka_unit_test_setup_teardown(the_cache_gives_back_what_was_saved, make_home, drop_home),
		cmocka_unit_test_setup_teardown(damaged_caches_are_refused_or_harmless, make_home, drop_home),
		cmocka_unit_test_setup_teardown(no_cache_where_there_is_no_home, make_home, drop_home),
		cmocka_unit_test_setup_teardown(every_line_of_the_live_list, make_home, drop_home),
	};
	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
