/* Lists the available filters. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "dlfilter/dlfilter_priv.h"

#define NAME_WIDTH 36

static int is_object(const struct dirent *e)
{
	size_t n = strlen(e->d_name);
	return n > 3 && !strcmp(e->d_name + n - 3, ".so");
}

/* A filter describes itself by running code: files of users other than root and us are not run. */
static bool is_trusted(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && (!st.st_uid || st.st_uid == geteuid());
}

static void put_lines(struct out *out, const char *text)
{
	while (text) {
		const char *end = strchr(text, '\n');
		out_fill(out, ' ', NAME_WIDTH + 3);
		out_write_some(out, text, end ? (size_t)(end - text) : strlen(text));
		out_ch(out, '\n');
		text = end ? end + 1 : NULL;
	}
}

static void put_filter(const char *path, const char *name, bool verbose, struct out *out)
{
	struct dlfilter_entries entries = {};
	const char *details = NULL;
	struct strobe_error *err = dlfilter_load(path, "", &entries);
	bool is_filter = !err;
	error_destroy(err); /* another kind of library */
	if (!is_filter)
		return;
	const char *summary = entries.describe ? entries.describe(&details) : NULL;
	out_str(out, "  ");
	out_left(out, name, NAME_WIDTH);
	out_f(out, " %s\n", summary ? summary : "");
	if (verbose)
		put_lines(out, details);
}

static void list_directory(const char *directory, bool verbose, struct out *out)
{
	struct dirent **all;
	_cleanup_strbuf_ struct strbuf path = {};
	int n = scandir(directory, &all, is_object, alphasort);
	for (int i = 0; i < n; i++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", directory, all[i]->d_name);
		if (is_trusted(path.data))
			put_filter(path.data, all[i]->d_name, verbose, out);
		free(all[i]);
	}
	if (n >= 0)
		free(all);
}

void dlfilter_list(const char *exec_path, bool verbose, struct out *out)
{
	_cleanup_strbuf_ struct strbuf path = {};
	strbuf_addf(&path, "%s/dlfilters", exec_path);
	out_str(out, "List of available dlfilters:\n");
	list_directory(".", verbose, out);
	list_directory(path.data, verbose, out);
}
