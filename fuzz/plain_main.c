/*
 * Runs a fuzz target over files instead of under a fuzzer: each argument is a file, or a directory of them.
 * Prints TAP, one line a file. A finding ends the process by a signal or by the sanitizer, which the test runner sees
 * as a missing plan; the name of the file is printed before the target runs, as a comment.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned n_run;

static void run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *data;
	size_t size;

	if (!f || fstat(fileno(f), &st)) {
		printf("not ok %u - %s cannot be read\n", ++n_run, path);
		if (f)
			fclose(f);
		return;
	}
	/* of exactly the file's size, so that a sanitizer sees a read one byte beyond it */
	data = malloc(st.st_size ? st.st_size : 1);
	if (!data)
		abort();
	size = fread(data, 1, st.st_size, f);
	fclose(f);
	printf("# %s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	printf("ok %u - %s\n", ++n_run, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
}

static void run_directory(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char *file = NULL;

		if (names[i]->d_name[0] != '.' && asprintf(&file, "%s/%s", path, names[i]->d_name) > 0)
			run_file(file);
		free(file);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			run_directory(argv[i]);
		else
			run_file(argv[i]);
	}
	if (!n_run)
		printf("not ok %u - no input: a corpus requires at least one file\n", ++n_run);
	printf("1..%u\n", n_run);
	return 0;
}
