#include "symbol/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vector.h"

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

/* Opens it and reads its header. */
static struct strobe_error *open_core(const char *path, int *ret_fd, Elf64_Ehdr *h)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_errno(errno, "cannot open %s%s", path, errno == EPERM ? " (CAP_SYS_RAWIO is required)" : "");
	if (!read_at(fd, h, sizeof(*h), 0) || !is_core(h))
		return error_create(ERROR_FORMAT, "%s is not a core file of this machine", path);
	*ret_fd = take_fd(fd);
	return NULL;
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

static struct strobe_error *unreadable(const char *path, uint64_t addr)
{
	return error_create(ERROR_IO, "%s cannot be read at %" PRIx64 ": the kernel may be locked down", path, addr);
}

struct strobe_error *kcore_read(const char *path, uint64_t addr, void *buf, size_t n)
{
	Elf64_Ehdr h;
	uint64_t offset;
	_cleanup_close_ int fd = -1;
	TRY(open_core(path, &fd, &h));
	if (!find_offset(fd, &h, addr, n, &offset))
		return error_create(ERROR_NOT_FOUND, "%s has no memory at %" PRIx64, path, addr);
	if (!read_at(fd, buf, n, offset))
		return unreadable(path, addr);
	return NULL;
}

/* ---- copies ---- */

#define PAGE_BYTES ((uint64_t)4096) /* of the copy: other machines may have larger ones, which are multiples of it */

typedef VEC(Elf64_Phdr) phdrs;

/* The parts of the ranges that segments of the core hold; p_offset is where they lie there. */
static struct strobe_error *find_parts(int fd, const char *name, const Elf64_Ehdr *h, const struct kcore_range *ranges, size_t n,
				       phdrs *ret)
{
	for (uint32_t i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr p;
		if (!read_at(fd, &p, sizeof(p), h->e_phoff + i * sizeof(p)))
			return error_create(ERROR_TRUNCATED, "%s ends within its headers", name);
		uint64_t end = p.p_vaddr + p.p_filesz;
		for (size_t k = 0; k < n && p.p_type == PT_LOAD && end > p.p_vaddr; k++) {
			uint64_t from = ranges[k].start > p.p_vaddr ? ranges[k].start : p.p_vaddr;
			uint64_t until = ranges[k].end < end ? ranges[k].end : end;
			if (from >= until)
				continue;
			Elf64_Phdr part = { .p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_vaddr = from,
					    .p_filesz = until - from, .p_memsz = until - from, .p_align = PAGE_BYTES,
					    .p_offset = p.p_offset + (from - p.p_vaddr) };
			vec_push(ret, part);
		}
	}
	if (!ret->len || ret->len >= PN_XNUM)
		return error_create(ERROR_NOT_FOUND, "%s does not contain the kernel's code", name);
	return NULL;
}

static struct strobe_error *copy_part(int from, const char *from_name, const Elf64_Phdr *p, int to, const char *to_name)
{
	_cleanup_free_ uint8_t *buffer = xmalloc(1 << 16);
	for (uint64_t done = 0, n; done < p->p_filesz; done += n) {
		n = p->p_filesz - done < 1 << 16 ? p->p_filesz - done : 1 << 16;
		if (!read_at(from, buffer, (size_t)n, p->p_offset + done))
			return unreadable(from_name, p->p_vaddr + done);
		TRY(file_write_fd(to, to_name, buffer, (size_t)n));
	}
	return NULL;
}

/* Zeros up to the next page. */
static struct strobe_error *pad(int fd, const char *name, uint64_t written)
{
	static const uint8_t zeros[PAGE_BYTES];
	return file_write_fd(fd, name, zeros, (size_t)(-written % PAGE_BYTES));
}

static struct strobe_error *write_parts(int from, const char *from_name, Elf64_Ehdr h, const phdrs *parts, int to,
					const char *to_name)
{
	uint64_t headers = sizeof(h) + parts->len * sizeof(Elf64_Phdr), at = (headers + PAGE_BYTES - 1) & -PAGE_BYTES;
	h.e_phoff = sizeof(h);
	h.e_phnum = (uint16_t)parts->len;
	h.e_shnum = h.e_shstrndx = 0;
	h.e_shoff = 0;
	TRY(file_write_fd(to, to_name, &h, sizeof(h)));
	for (size_t i = 0; i < parts->len; i++) {
		Elf64_Phdr p = parts->data[i];
		p.p_offset = at;
		at += (p.p_filesz + PAGE_BYTES - 1) & -PAGE_BYTES;
		TRY(file_write_fd(to, to_name, &p, sizeof(p)));
	}
	TRY(pad(to, to_name, headers));
	for (size_t i = 0; i < parts->len; i++) {
		TRY(copy_part(from, from_name, &parts->data[i], to, to_name));
		TRY(pad(to, to_name, parts->data[i].p_filesz));
	}
	return NULL;
}

struct strobe_error *kcore_write(const char *kcore, const struct kcore_range *ranges, size_t n, int fd, const char *to_name)
{
	Elf64_Ehdr h;
	_cleanup_close_ int from = -1;
	TRY(open_core(kcore, &from, &h));
	phdrs parts = {};
	struct strobe_error *err = find_parts(from, kcore, &h, ranges, n, &parts);
	if (!err)
		err = write_parts(from, kcore, h, &parts, fd, to_name);
	vec_deinit(&parts);
	return err;
}
