/* Names of addresses in this process, from symbol tables of the mapped files: includes static functions. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct name {
	uint64_t address;
	char *text; /* mangled; NULL: none */
};

/* Sorts them by address and fills in the names; names_free() frees the texts. */
void names_find(struct name *names, size_t nr);
/* The name of one of these addresses, or NULL. */
const char *names_text(const struct name *names, size_t nr, uint64_t address);
void names_free(struct name *names, size_t nr);
/* From the symbols of one ELF file of this architecture; the addresses are file addresses in ascending order. The file is untrusted. */
void names_of_file(int fd, struct name *names, size_t nr);
