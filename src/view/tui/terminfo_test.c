/* What infocmp, ncurses' own reader of entries, says of those made here. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "view/tui/terminfo.h"

#define DIR_NAME "terminfo-test"

static bool has_infocmp(void)
{
	return !system("command -v infocmp > /dev/null 2>&1");
}

static char *output_of(const char *line)
{
	struct strbuf out = {};
	char bytes[512];
	FILE *p = popen(line, "r");
	assert_non_null(p);
	for (size_t n; (n = fread(bytes, 1, sizeof(bytes), p));)
		strbuf_add(&out, bytes, n);
	pclose(p);
	strbuf_addch(&out, '\0');
	return strbuf_take(&out);
}

static bool find(const char *term, struct strbuf *entry)
{
	static const char *const dirs[] = { "/lib/terminfo", "/usr/share/terminfo", "/etc/terminfo" };
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		char path[256];
		snprintf(path, sizeof(path), "%s/%c/%s", dirs[i], *term, term);
		struct strobe_error *err = file_read(path, entry, 65536);
		if (!err)
			return true;
		error_destroy(err);
	}
	return false;
}

/* All that differs is what has to do with colours. */
static void colours_alone_differ(void **state)
{
	static const char *const terms[] = { "xterm-256color", "tmux-256color", "screen-256color", "linux", "xterm" };
	static const char expected[] = "\tRGB,\n\tcolors#0x1000000, pairs#0x7fff,\n"
				   "\tsetab=\\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,\n"
				   "\tsetaf=\\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,\n";
	if (!has_infocmp())
		skip();
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++) {
		struct strbuf entry = {}, made = {};
		char path[256], line[1024];
		if (find(terms[i], &entry)) {
			assert_true(terminfo_direct(entry.data, entry.len, &made));
			snprintf(path, sizeof(path), DIR_NAME "/%c", *terms[i]);
			mkdir(DIR_NAME, 0755);
			mkdir(path, 0755);
			snprintf(path, sizeof(path), DIR_NAME "/%c/%s", *terms[i], terms[i]);
			FILE *f = fopen(path, "w");
			assert_non_null(f);
			assert_int_equal(fwrite(made.data, 1, made.len, f), made.len);
			fclose(f);
			snprintf(line, sizeof(line),
				 "LC_ALL=C; export LC_ALL; infocmp -x1 %s | sort > " DIR_NAME "/was; infocmp -x1 -A " DIR_NAME
				 " %s | sort > " DIR_NAME "/is; comm -13 " DIR_NAME "/was " DIR_NAME "/is | grep -v '^#' | tr -d '\\n\\t'",
				 terms[i], terms[i]);
			char *is = output_of(line);
			struct strbuf flat = {};
			for (const char *p = expected; *p; p++)
				if (*p != '\n' && *p != '\t' && *p != ' ')
					strbuf_addch(&flat, *p);
			assert_string_equal(is, strbuf_str(&flat));
			strbuf_deinit(&flat);
			free(is);
			unlink(path);
		}
		strbuf_deinit(&entry);
		strbuf_deinit(&made);
	}
	assert_int_equal(system("rm -r " DIR_NAME), 0);
}

static void damage_is_refused(void **state)
{
	struct strbuf entry = {}, out = {};
	if (!find("xterm-256color", &entry) && !find("xterm", &entry))
		skip();
	for (size_t n = 0; n < entry.len; n++) {
		char *copy = malloc(n + 1); /* of its own size, for the sanitizer to see */
		memcpy(copy, entry.data, n);
		strbuf_reset(&out);
		(void)terminfo_direct(copy, n, &out);
		free(copy);
	}
	for (size_t i = 0; i < entry.len; i++) {
		char was = entry.data[i];
		entry.data[i] = (char)0xff;
		strbuf_reset(&out);
		(void)terminfo_direct(entry.data, entry.len, &out);
		entry.data[i] = was;
	}
	strbuf_reset(&out);
	assert_false(terminfo_direct("no entry at all", 15, &out));
	assert_int_equal(out.len, 0);
	assert_false(terminfo_direct_variable("../../etc/passwd", &out));
	assert_false(terminfo_direct_variable("no-such-terminal", &out));
	strbuf_deinit(&entry);
	strbuf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_alone_differ),
		cmocka_unit_test(damage_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
