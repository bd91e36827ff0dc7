#include "alloc/eh_section.h"

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define SECTIONS_MOST 4096

static bool get(int fd, void *to, size_t bytes, uint64_t at)
{
	return lseek(fd, (off_t)at, SEEK_SET) == (off_t)at && read(fd, to, bytes) == (ssize_t)bytes;
}

static bool is_eh_frame(int fd, const ElfW(Shdr) *names, const ElfW(Shdr) *s)
{
	static const char eh_frame[] = ".eh_frame";
	char name[sizeof(eh_frame)];
	return s->sh_flags & SHF_ALLOC && s->sh_type != SHT_NOBITS && s->sh_name < names->sh_size &&
	       get(fd, name, sizeof(name), names->sh_offset + s->sh_name) && !memcmp(name, eh_frame, sizeof(name));
}

static bool find(int fd, struct eh_section *ret)
{
	ElfW(Ehdr) eh;
	ElfW(Shdr) names, s;
	if (!get(fd, &eh, sizeof(eh), 0) || memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_shentsize != sizeof(s) ||
	    eh.e_shstrndx >= eh.e_shnum || eh.e_shnum > SECTIONS_MOST)
		return false;
	if (!get(fd, &names, sizeof(names), eh.e_shoff + (uint64_t)eh.e_shstrndx * sizeof(s)))
		return false;
	for (unsigned i = 0; i < eh.e_shnum; i++) {
		if (!get(fd, &s, sizeof(s), eh.e_shoff + (uint64_t)i * sizeof(s)))
			return false;
		if (is_eh_frame(fd, &names, &s)) {
			*ret = (struct eh_section){ .address = s.sh_addr, .bytes = s.sh_size };
			return true;
		}
	}
	return false;
}

bool eh_section_find(struct eh_section *ret)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool found = find(fd, ret);
	close(fd);
	return found;
}
