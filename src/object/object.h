/*
 * A reader of ELF files over a guarded mapping: header, sections, segments, symbol tables, PLT, notes.
 *
 * Both classes and both byte orders. The file is untrusted: references outside of it count as absent, and no allocation has an unchecked
 * size. After object_open an object is read-only and may be used from several threads; object_section_bytes takes a lock for
 * decompression. Returned pointers live until object_close. Addresses: `vaddr` is the ELF virtual address (ip_rel), `offset` is in the
 * file. Sources: elf(5), the gABI, and the psABI supplements for the PLT.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/filemap.h"

#define OBJECT_BUILD_ID_MAX 64 /* maximum length; SHA-1 is 20, some linkers write 8, 16 or 32 */

struct object;

struct object_header {
	bool is_64bit, big_endian, swap; /* swap: not the native byte order */
	uint16_t type;       /* ET_* */
	uint16_t machine;    /* EM_* */
	uint32_t flags;
	uint64_t entry;
	const struct arch *arch; /* or NULL */
};

struct object_section {
	const char *name; /* "" where it has none */
	uint32_t type;    /* SHT_* */
	uint32_t link, info;
	uint64_t flags;   /* SHF_* */
	/* addr in a relocatable file: as laid out by the kernel's module loader, from the start of the code. */
	uint64_t addr, offset, bytes, entry_bytes, align;
};

struct object_segment {
	uint32_t type, flags; /* PT_*, PF_* */
	uint64_t offset, vaddr, file_bytes, memory_bytes, align;
};

/* Opens and checks header, section and segment tables; ERROR_FORMAT: not an ELF file. */
struct strobe_error *object_open(const char *path, struct object **ret) _must_check_;
/* For possible paths of a file: NULL if there is none, or it is unusable. */
struct object *object_open_if_there(const char *path);
/*
 * The i-th usual path of a kernel release with symbols, below root (object/sysroot.h; NULL: /); owned. NULL after the last one.
 */
char *object_vmlinux_place(const char *root, const char *release, size_t i);
/* fd is borrowed; name is for messages. */
struct strobe_error *object_open_fd(int fd, const char *name, struct object **ret) _must_check_;
/* The same for a file that may be compressed, as kernel modules: .ko.gz, .ko.xz, .ko.zst. */
struct strobe_error *object_open_packed_fd(int fd, const char *name, struct object **ret) _must_check_;
/*
 * Decompresses gzip, xz, zstd or bzip2, detected by the first bytes; *ret is owned by the caller, and NULL for other data. Limited
 * to 256 MB; ERROR_UNSUPPORTED if this build lacks the library.
 */
struct strobe_error *object_unpack(const void *packed, size_t packed_bytes, const char *name, void **ret,
				   size_t *ret_bytes) _must_check_;
/* Bytes in memory, borrowed until object_close: the vdso, or a file inside another. */
struct strobe_error *object_open_memory(const void *bytes, size_t n, const char *name,
					struct object **ret) _must_check_;
/* MiniDebugInfo: the compressed ELF file in .gnu_debugdata, with symbols that .dynsym lacks; *ret NULL: none. */
struct strobe_error *object_open_mini(struct object *o, struct object **ret) _must_check_;
/* The vDSO in this process; NULL: none. */
const void *object_own_vdso(size_t *ret_bytes);
void object_close(struct object *o);

const char *object_name(const struct object *o);
const struct object_header *object_header(const struct object *o);
/* Index 0 is the null section, as in st_shndx. */
size_t object_sections_count(const struct object *o);
const struct object_section *object_section(const struct object *o, size_t i);
/* The first section of that name; ".zdebug_x" also matches ".debug_x". NULL: none. */
const struct object_section *object_find_section(const struct object *o, const char *name);
/* Raw bytes in the file; NULL (and 0) for NOBITS and sections outside of the file. */
const void *object_section_raw(const struct object *o, const struct object_section *s, size_t *ret_bytes);
/*
 * A descriptor of the file with the unmodified section, which the caller closes, and its offset; -1: the bytes are decompressed or
 * relocated, or the file cannot be reopened.
 */
int object_section_fd(const struct object *o, const struct object_section *s, uint64_t *ret_offset);
/* Permanent code: the kernel places .init.text elsewhere and frees it after initialization. */
bool object_section_is_code(const struct object_section *s);
/* The content, decompressed and, in relocatable files, relocated (cached, thread-safe). */
struct strobe_error *object_section_bytes(struct object *o, const struct object_section *s, const void **ret,
					  size_t *ret_bytes) _must_check_;
/* Frees decompressed or relocated content when it has no more users; it is made again if needed. */
void object_section_release(struct object *o, const struct object_section *s);
/* A cursor over the content in the byte order of the object; empty if it cannot be read. */
struct cursor object_section_cursor(struct object *o, const struct object_section *s);

size_t object_segments_count(const struct object *o);
const struct object_segment *object_segment(const struct object *o, size_t i);
/*
 * Converts by PT_LOAD, preferring executable segments where two share a page of the file; an offset after the bytes of a segment is in
 * the zeros that follow them in memory. False: none.
 */
bool object_vaddr_of_offset(const struct object *o, uint64_t offset, uint64_t *ret);
bool object_offset_of_vaddr(const struct object *o, uint64_t vaddr, uint64_t *ret);
/* The file's bytes at a virtual address, up to the end of its segment; NULL: none. */
const void *object_bytes_at(const struct object *o, uint64_t vaddr, size_t *ret_bytes);
/* All of the file, unpacked where it was packed. */
const void *object_file(const struct object *o, size_t *ret_bytes);
/* Releases the pages of an object that is not read for a while. */
void object_rest(const struct object *o);
/* The mapped file; all 0 if the bytes come from elsewhere. */
struct filemap_identity object_identity(const struct object *o);
/* Whether the file has been truncated meanwhile: missing bytes are read as zeros. */
bool object_is_cut(const struct object *o);

/* A symbol table in place. Entries are decoded one at a time, without checks. */
struct object_symtab {
	const uint8_t *entries;
	size_t count;
	size_t entry_bytes;
	const char *strings;  /* strings_bytes long; its last byte is NUL */
	size_t strings_bytes; /* 0 = no names */
	bool is_64bit, swap;
};

struct object_symbol {
	uint64_t value, size;
	uint32_t name; /* offset in strings; unchecked, use object_symbol_name() */
	uint16_t section;
	uint8_t info, other; /* ELF64_ST_BIND/TYPE/VISIBILITY */
};

/*
 * SHT_SYMTAB or SHT_DYNSYM; false: none inside of the file. Without section headers the latter is found by the dynamic section.
 */
bool object_symtab(const struct object *o, uint32_t type, struct object_symtab *ret);

/* The first function, or variable, of that name defined in either table, by a linear search. */
bool object_find_function(const struct object *o, const char *name, struct object_symbol *ret);
bool object_find_variable(const struct object *o, const char *name, struct object_symbol *ret);

/* Whether the function at vaddr is Thumb code (arm, by its symbol). */
bool object_is_thumb(const struct object *o, uint64_t vaddr);

static inline struct object_symbol object_symbol(const struct object_symtab *t, size_t i)
{
	struct object_symbol s;
	const uint8_t *p = t->entries + i * t->entry_bytes;
	if (t->is_64bit) {
		memcpy(&s.name, p, 4);
		s.info = p[4];
		s.other = p[5];
		memcpy(&s.section, p + 6, 2);
		memcpy(&s.value, p + 8, 8);
		memcpy(&s.size, p + 16, 8);
		if (t->swap) {
			s.value = __builtin_bswap64(s.value);
			s.size = __builtin_bswap64(s.size);
		}
	} else {
		uint32_t value, size;
		memcpy(&s.name, p, 4);
		memcpy(&value, p + 4, 4);
		memcpy(&size, p + 8, 4);
		s.info = p[12];
		s.other = p[13];
		memcpy(&s.section, p + 14, 2);
		s.value = t->swap ? __builtin_bswap32(value) : value;
		s.size = t->swap ? __builtin_bswap32(size) : size;
	}
	if (t->swap) {
		s.name = __builtin_bswap32(s.name);
		s.section = __builtin_bswap16(s.section);
	}
	return s;
}

/* "" if it has none or an invalid one. */
static inline const char *object_symbol_name(const struct object_symtab *t, const struct object_symbol *s)
{
	return s->name < t->strings_bytes ? t->strings + s->name : "";
}

/* A stub of the procedure linkage table, and its target. */
struct object_plt_entry {
	uint64_t vaddr;
	uint32_t bytes;
	uint32_t symbol; /* index in .dynsym; 0 = none: an ifunc of this object, see resolver */
	uint64_t resolver; /* vaddr of an ifunc's resolver (IRELATIVE) if symbol is 0 */
};

/*
 * Calls fn for each stub of .plt, .plt.sec and .plt.got. x86 and arm64 stubs are decoded to find their GOT slot, for any
 * layout; those of other architectures are taken in the order of .rela.plt.
 */
void object_each_plt(const struct object *o, void (*fn)(void *ctx, const struct object_plt_entry *e), void *ctx);

/* A slot of the global offset table, which the dynamic linker fills. */
struct object_slot {
	uint64_t vaddr;
	const char *symbol; /* of .dynsym; NULL: the slot holds an address of this object */
	uint64_t address;   /* that, or the resolver of an ifunc */
};

/* Calls fn for each slot with a relocation, in file order. */
void object_each_slot(const struct object *o, void (*fn)(void *ctx, const struct object_slot *slot), void *ctx);

/*
 * The sections with call frame information, .eh_frame and .debug_frame (decompressed), and the base addresses for its
 * pointers.
 */
struct object_frames {
	const uint8_t *bytes;
	size_t n;
	uint64_t vaddr;     /* of bytes */
	uint64_t text, got; /* vaddrs; 0: none */
	bool is_debug_frame;
};
/* Either or both; returns the number. */
unsigned object_frames(struct object *o, struct object_frames ret[2]);

/* NT_GNU_BUILD_ID; returns its length; 0: none. */
size_t object_build_id(const struct object *o, uint8_t ret[OBJECT_BUILD_ID_MAX]);
/* The same in bare notes: /sys/kernel/notes, /sys/module/NAME/notes/.note.gnu.build-id. */
size_t object_build_id_in_notes(const void *notes, size_t bytes, bool swap, uint8_t ret[OBJECT_BUILD_ID_MAX]);
/* The same for such a file of the running machine; 0 also if it cannot be read. */
#define KERNEL_NOTES "/sys/kernel/notes"
size_t object_build_id_of_notes(const char *path, uint8_t ret[OBJECT_BUILD_ID_MAX]);
/* .gnu_debuglink: the file name (borrowed) and CRC-32; false: none. */
bool object_debuglink(struct object *o, const char **ret_name, uint32_t *ret_crc);
/* The name and build-id in .gnu_debugaltlink (borrowed); false: none. */
bool object_supplement_link(struct object *o, const char **ret_name, const uint8_t **ret_id, size_t *ret_id_bytes);
/* Whether a file is the separate debug file of `of`: by build ID or, without one, by the checksum in the link. */
bool object_is_debug_of(const struct object *debug, struct object *of);

/*
 * Files that may hold the symbols and DWARF of `o`, in the order gdb and elfutils look, each below sysroot (object/sysroot.h, or
 * NULL): build-id below /usr/lib/debug, then .gnu_debuglink beside it, in .debug/, and below /usr/lib/debug. Calls fn
 * with each path until it returns true; returns whether it did. path is where `o` came from. The caller opens and
 * calls object_is_debug_of().
 */
bool object_find_debug(struct object *o, const char *path, const char *sysroot, bool (*fn)(void *ctx, const char *path),
		       void *ctx);
/*
 * The file to which dwz moved debug information common to several files (.gnu_debugaltlink), checked by build ID: at the path of the
 * link, below sysroot first (NULL: none), or in /usr/lib/debug/.dwz. NULL: no link, or no such file; the caller closes it.
 */
struct object *object_open_supplement(struct object *o, const char *sysroot);
