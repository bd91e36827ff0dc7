/* Any bytes as an archive, packed or not. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/tar.h"

#define CONTENT_MAX ((uint64_t)64 << 20) /* unpacked; a caller has the disk for a limit */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct strobe_error *read_all(struct tar_reader *r)
{
	uint64_t total = 0;
	for (;;) {
		struct tar_entry e;
		bool end;
		TRY(tar_next(r, &e, &end));
		if (end)
			return NULL;
		if (strlen(e.path) > 1 << 17 || strlen(e.target) > 1 << 17)
			abort();
		for (uint64_t bytes = 0;;) {
			const void *p;
			size_t n;
			TRY(tar_content(r, &p, &n));
			if (!n && bytes != e.bytes)
				abort();
			if (!n)
				break;
			bytes += n;
			total += n;
			if (total > CONTENT_MAX)
				return NULL;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tar_reader *r;
	int fd = memfd_create("tar", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	struct strobe_error *err = tar_reader_create(fd, "input", &r);
	if (!err) {
		err = read_all(r);
		tar_reader_destroy(r);
	}
	error_destroy(err);
	close(fd);
	return 0;
}
