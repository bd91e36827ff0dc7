/* Any bytes as the head of a request to strobe_serve(), and as the file that names of addresses are read from. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profiler/names.c"
#include "profiler/request.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct request r;
	size_t head = request_head_bytes((const char *)data, size);
	if (head > size)
		abort();
	if (!request_parse((const char *)data, head ? head : size, &r)) {
		request_is_local(&r);
		request_number(&r, "seconds", 0);
	}
	struct name names[] = { { .address = 0x100 }, { .address = 0x1000 }, { .address = 0x1234 }, { .address = 0x401000 } };
	int fd = memfd_create("file", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	names_of_file(fd, names, sizeof(names) / sizeof(*names));
	names_free(names, sizeof(names) / sizeof(*names));
	close(fd);
	return 0;
}
