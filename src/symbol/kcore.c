#include "symbol/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define SEGMENTS_AT_ONCE 64

/* False where it ends before. */
static bool read_at(int fd, void *buf, size_t n, uint64_t offset)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = offset + done > INT64_MAX ? 0 : pread(fd, (char *)buf + done, n - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static bool is_core(const Elf64_Ehdr *h)
{
	const union {
		uint16_t word;
		uint8_t first;
	} order = { 1 };
	return !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_ident[EI_DATA] == (order.first ? ELFDATA2LSB : ELFDATA2MSB) && h->e_type == ET_CORE &&
	       h->e_phentsize == sizeof(Elf64_Phdr);
}

/* The offset of addr, where one segment holds it and n - 1 more bytes. */
static bool find_offset(int fd, const Elf64_Ehdr *h, uint64_t addr, size_t n, uint64_t *ret)
{
	Elf64_Phdr p[SEGMENTS_AT_ONCE];
	for (uint32_t i = 0; i < h->e_phnum; i += SEGMENTS_AT_ONCE) {
		uint32_t here = h->e_phnum - i < SEGMENTS_AT_ONCE ? h->e_phnum - i : SEGMENTS_AT_ONCE;
		if (!read_at(fd, p, here * sizeof(*p), h->e_phoff + i * sizeof(*p)))
			return false;
		for (uint32_t k = 0; k < here; k++) {
			uint64_t into = addr - p[k].p_vaddr;
			if (p[k].p_type != PT_LOAD || addr < p[k].p_vaddr || into >= p[k].p_filesz || n > p[k].p_filesz - into)
				continue;
			*ret = p[k].p_offset + into;
			return true;
		}
	}
	return false;
}

struct strobe_error *kcore_read(const char *path, uint64_t addr, void *buf, size_t n)
{
	Elf64_Ehdr h;
	uint64_t offset;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_errno(errno, "cannot open %s%s", path, errno == EPERM ? " (it wants CAP_SYS_RAWIO)" : "");
	if (!read_at(fd, &h, sizeof(h), 0) || !is_core(&h))
		return error_create(ERROR_FORMAT, "%s is no core file of this machine", path);
	if (!find_offset(fd, &h, addr, n, &offset))
		return error_create(ERROR_NOT_FOUND, "%s has no memory at %" PRIx64, path, addr);
	if (!read_at(fd, buf, n, offset))
		return error_create(ERROR_IO, "%s cannot be read at %" PRIx64 ": the kernel may be locked down", path, addr);
	return NULL;
}
