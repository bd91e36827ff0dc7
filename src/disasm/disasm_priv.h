/* A disassembler: one descriptor for each library. */
#pragma once
#include "base/library.h"
#include "disasm/disasm.h"

#define DISASM_TEXT_MAX 256

struct disasm {
	const struct disasm_library *library;
	const struct arch *arch;
	enum disasm_encoding encoding;
	enum disasm_syntax syntax;
};

struct disasm_library {
	const char *name;   /* Debian package of the library */
	const char *header; /* Debian package of its header */
	bool (*knows)(const struct arch *arch, enum disasm_encoding encoding);
	/* ERROR_UNSUPPORTED if it is not installed. *ret begins with a struct disasm that the caller fills in. */
	struct strobe_error *(*create)(const struct arch *arch, enum disasm_encoding encoding, enum disasm_syntax syntax,
				       struct disasm **ret);
	void (*destroy)(struct disasm *d);
	bool (*decode)(struct disasm *d, const void *code, size_t n, uint64_t ip, struct insn *ret);
	/* Mnemonic, a space if there are operands, operands; at most DISASM_TEXT_MAX with the NUL. */
	bool (*text)(struct disasm *d, const void *code, size_t n, uint64_t ip, char *ret);
};

/* NULL create: missing in the build. */
extern const struct disasm_library disasm_zydis, disasm_capstone;
