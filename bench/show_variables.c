/*
 * Prints variables and their fetch arguments, for tests and for timing: show_variables FILE|kernel < lines
 *
* A line of input is "ADDRESS FUNCTION ARGUMENT…": an ELF virtual address in hexadecimal (0 of the kernel), whose variables ("-":
 * the innermost's), and arguments of probes. Each argument is answered by a line "name=text", or "! reason"; "-V" by a line
 * "type\tname" for each variable and an empty one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/variables.h"

#define WORDS_MAX 128

static struct object *object;
static struct probe_variables *variables;
static struct arena arena;

static struct strobe_error *open_file(const char *path)
{
	if (!strcmp(path, "kernel"))
		return probe_variables_of_kernel(sys_live(), NULL, &variables);
	TRY(object_open(path, &object));
	return probe_variables_of_program(object, path, &(struct probe_debug_options){}, &variables);
}

static struct strobe_error *list(const struct probe_site *site)
{
	probe_variable_list l = {};
	TRY(probe_variables_list(variables, site, (struct probe_variable_options){}, &arena, &l));
	for (size_t i = 0; i < l.len; i++)
		printf("%s\t%s\n", l.data[i].type, l.data[i].name);
	printf("\n");
	vec_deinit(&l);
	return NULL;
}

static struct strobe_error *fetch(const struct probe_site *site, char *value)
{
	char *colon = strchr(value, ':');
	struct probe_argument a = { .value = value, .type = colon ? colon + 1 : NULL };
	probe_fetches f = {};
	if (colon)
		*colon = 0;
	TRY(probe_variables_fetch(variables, site, &a, &arena, &f));
	for (size_t i = 0; i < f.len; i++)
		printf("%s%s=%s", i ? " " : "", f.data[i].name ? f.data[i].name : "", f.data[i].text);
	printf("\n");
	vec_deinit(&f);
	return NULL;
}

static void answer(char *line)
{
	const char *address = strtok(line, " \n"), *function = strtok(NULL, " \n");
	if (!address || !function)
		return;
	struct probe_site site = { .address = strtoull(address, NULL, 16), .function = strcmp(function, "-") ? function : NULL };
	for (char *word; (word = strtok(NULL, " \n"));) {
		site.is_return = !strncmp(word, "$retval", strlen("$retval"));
		struct strobe_error *err = strcmp(word, "-V") ? fetch(&site, word) : list(&site);
		if (err)
			printf("! %s\n", err->message);
		error_destroy(err);
	}
}

int main(int argc, char **argv)
{
	char line[8192];
	struct strobe_error *err = argc > 1 ? open_file(argv[1]) : NULL;
	if (!variables) {
		fprintf(stderr, "show_variables: %s\n", err ? err->message : "usage: show_variables FILE|kernel");
		error_destroy(err);
		return 2;
	}
	arena_init(&arena);
	while (fgets(line, sizeof(line), stdin))
		answer(line);
	probe_variables_close(variables);
	object_close(object);
	arena_deinit(&arena);
	return 0;
}
