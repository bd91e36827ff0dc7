/*
 * Names of addresses in this process, by the symbol tables of the files that are mapped: those of static functions as well.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct name {
	uint64_t address;
	char *text; /* as the compiler wrote it; NULL: none */
};

/* Sorts them by address and fills in what is found; names_free() frees the texts. */
void names_find(struct name *names, size_t nr);
/* The name of an address that was looked for, or NULL. */
const char *names_text(const struct name *names, size_t nr, uint64_t address);
void names_free(struct name *names, size_t nr);
/* By the symbols of one ELF file of this machine's kind; the addresses, in order, are those of the file. Any bytes may be in it. */
void names_of_file(int fd, struct name *names, size_t nr);
