/* Any bytes as the two files that name frames' attributes and colours; colours that are written are read again. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "view/svg/name_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The readers take paths. */
static int file_of(const void *data, size_t size, char path[32])
{
	int fd = memfd_create("names", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static void read_attributes(const char *path)
{
	struct name_attributes a;
	error_destroy(name_attributes_read(path, &a));
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

static void read_colours(const char *path)
{
	struct name_colours c, again;
	struct out out;
	char written[32];
	size_t n;
	out_init_mem(&out);
	error_destroy(name_colours_read(path, &c));
	name_colours_write(&c, &out);
	const char *text = out_mem(&out, &n);
	int fd = file_of(text, n, written);
	error_destroy(name_colours_read(written, &again));
	if (count(&again) != count(&c))
		abort();
	close(fd);
	name_colours_deinit(&c);
	name_colours_deinit(&again);
	error_destroy(out_close(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	int fd = file_of(data, size, path);
	read_attributes(path);
	read_colours(path);
	close(fd);
	return 0;
}
