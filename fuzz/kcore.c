/* Any bytes as a core file of a kernel's memory: what is read from it, and copies of ranges of it, which are read in turn. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/kcore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COPY_MAX (1u << 20) /* a file with holes is large at no cost: that much of it is enough */

static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("kcore", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

static void read_at(const char *path, uint64_t addr)
{
	uint8_t bytes[64];
	struct strobe_error *err = kcore_read(path, addr, bytes, sizeof(bytes));
	error_destroy(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32], copy_path[32];
	uint64_t addr;
	if (size < sizeof(addr))
		return 0;
	memcpy(&addr, data, sizeof(addr));
	int from = file_of(data + sizeof(addr), size - sizeof(addr)), to = file_of("", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	snprintf(copy_path, sizeof(copy_path), "/proc/self/fd/%d", to);
	read_at(path, addr);
	const struct kcore_range ranges[] = { { addr, addr + COPY_MAX }, { addr - 4096, addr + 1 }, { addr, addr } };
	struct strobe_error *err = kcore_write(path, ranges, sizeof(ranges) / sizeof(*ranges), to, "copy");
	if (!err)
		read_at(copy_path, addr);
	error_destroy(err);
	close(from);
	close(to);
	return 0;
}
