#include "profiler/names.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE_MOST    ((uint64_t)256 << 20)
#define NAME_MOST     4096

typedef ElfW(Sym) symbol;
typedef ElfW(Shdr) section;

struct module {
	uintptr_t start, end, bias;
	char *path;
};

struct modules {
	struct module *all;
	size_t nr;
};

/* ---- a file ---- */

/* Reads bytes of a file and appends a NUL: unlike a mapping, without SIGBUS if the file is truncated meanwhile. */
static void *read_part(int fd, uint64_t at, uint64_t bytes)
{
	char *ret = bytes && bytes <= TABLE_MOST && at <= INT64_MAX ? malloc(bytes + 1) : NULL;
	size_t done = 0;
	while (ret && done < bytes) {
		ssize_t n = pread(fd, ret + done, bytes - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			free(ret);
			return NULL;
		}
		done += (size_t)n;
	}
	if (ret)
		ret[bytes] = 0;
	return ret;
}

static section *read_sections(int fd, uint32_t *ret_nr)
{
	ElfW(Ehdr) head;
	*ret_nr = 0;
	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || head.e_shentsize != sizeof(section))
		return NULL;
	section *ret = read_part(fd, head.e_shoff, head.e_shnum * sizeof(*ret));
	*ret_nr = ret ? head.e_shnum : 0;
	return ret;
}

/* The first one at or above an address. */
static size_t lower_bound(const struct name *names, size_t nr, uint64_t address)
{
	size_t low = 0, high = nr;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (names[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_function(const symbol *s)
{
	unsigned type = s->st_info & 0xf;
	return (type == STT_FUNC || type == STT_GNU_IFUNC) && s->st_shndx != SHN_UNDEF && s->st_size;
}

static void add_symbol(const symbol *s, const char *strings, uint64_t bytes, struct name *names, size_t nr)
{
	if (!is_function(s) || s->st_name >= bytes || !strings[s->st_name])
		return;
	for (size_t i = lower_bound(names, nr, s->st_value); i < nr && names[i].address - s->st_value < s->st_size; i++)
		if (!names[i].text)
			names[i].text = strndup(strings + s->st_name, NAME_MOST);
}

static void add_table(int fd, const section *table, const section *strings_at, struct name *names, size_t nr)
{
	symbol *symbols = read_part(fd, table->sh_offset, table->sh_size);
	char *strings = read_part(fd, strings_at->sh_offset, strings_at->sh_size);
	for (size_t i = 0; symbols && strings && i < table->sh_size / sizeof(*symbols); i++)
		add_symbol(&symbols[i], strings, strings_at->sh_size, names, nr);
	free(symbols);
	free(strings);
}

void names_of_file(int fd, struct name *names, size_t nr)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	uint32_t sections_nr;
	section *sections = read_sections(fd, &sections_nr);
	for (unsigned t = 0; t < sizeof(types) / sizeof(*types); t++)
		for (uint32_t i = 0; i < sections_nr; i++)
			if (sections[i].sh_type == types[t] && sections[i].sh_link < sections_nr)
				add_table(fd, &sections[i], &sections[sections[i].sh_link], names, nr);
	free(sections);
}

/* ---- the process ---- */

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct modules *m = arg;
	struct module found = { .start = UINTPTR_MAX, .bias = info->dlpi_addr };
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		found.start = start < found.start ? start : found.start;
		found.end = start + p->p_memsz > found.end ? start + p->p_memsz : found.end;
	}
	struct module *all = realloc(m->all, (m->nr + 1) * sizeof(*all));
	if (!all)
		return 1;
	m->all = all;
	found.path = strdup(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
	all[m->nr++] = found;
	return 0;
}

/* The addresses within a module, which are adjacent. */
static void find_in(const struct module *m, struct name *names, size_t nr)
{
	size_t first = lower_bound(names, nr, m->start), end = lower_bound(names, nr, m->end);
	int fd = m->path && first < end ? open(m->path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	for (size_t i = first; i < end; i++)
		names[i].address -= m->bias;
	names_of_file(fd, names + first, end - first);
	for (size_t i = first; i < end; i++)
		names[i].address += m->bias;
	close(fd);
}

static int by_address(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

void names_find(struct name *names, size_t nr)
{
	struct modules m = {};
	qsort(names, nr, sizeof(*names), by_address);
	/* The files are read later, since the unwinder of exceptions waits for the list's lock. */
	dl_iterate_phdr(add_module, &m);
	for (size_t i = 0; i < m.nr; i++)
		find_in(&m.all[i], names, nr);
	for (size_t i = 0; i < m.nr; i++)
		free(m.all[i].path);
	free(m.all);
}

const char *names_text(const struct name *names, size_t nr, uint64_t address)
{
	size_t at = lower_bound(names, nr, address);
	return at < nr && names[at].address == address ? names[at].text : NULL;
}

void names_free(struct name *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(names[i].text);
}
