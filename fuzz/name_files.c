/* Any bytes as the two files that name frames' attributes and colours; colours that are written are read again. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "view/svg/name_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines are cut out of files. */
static void lines_of(const void *data, size_t size, struct lines *ret)
{
	char path[32];
	int fd = memfd_create("names", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct strobe_error *err = lines_read(path, ret);
	if (err)
		abort();
	close(fd);
}

static void read_attributes(const struct lines *lines)
{
	struct name_attributes a;
	error_destroy(name_attributes_read(lines, &a));
	for (str_id i = 0; i < a.of.len; i++)
		(void)name_attributes_of(&a, strtab_get(&a.names, i), NAME_USER);
	name_attributes_deinit(&a);
}

static size_t count(const struct name_colours *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->rgb.len; i++)
		n += c->rgb.data[i] != 0;
	return n;
}

static void read_colours(const struct lines *lines)
{
	struct name_colours c, again;
	struct lines written;
	struct out out;
	size_t n;
	out_init_mem(&out);
	name_colours_read(lines, &c);
	name_colours_write(&c, &out);
	const char *text = out_mem(&out, &n);
	lines_of(text, n, &written);
	name_colours_read(&written, &again);
	if (count(&again) != count(&c))
		abort();
	lines_deinit(&written);
	name_colours_deinit(&c);
	name_colours_deinit(&again);
	error_destroy(out_close(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines lines;
	lines_of(data, size, &lines);
	read_attributes(&lines);
	read_colours(&lines);
	lines_deinit(&lines);
	return 0;
}
