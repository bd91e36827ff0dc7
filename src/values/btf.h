/*
 * Types and functions of the running kernel and of its modules, from BTF, which kernels contain without debug information.
 *
 * A module's BTF continues the kernel's: its type IDs and name offsets follow those of the base. The bytes are mapped and checked
 * when they are read: invalid types are void, and invalid names NULL. Only this machine's byte order is read. One thread at a time.
 * Source: the kernel's Documentation/bpf/btf.rst, linux/btf.h.
 */
#pragma once
#include "base/error.h"
#include "values/type.h"

struct btf_types;

/* module: the path of a module's BTF, or NULL. ERROR_FORMAT, ERROR_NOT_FOUND. */
struct strobe_error *btf_types_open(const char *kernel, const char *module, struct btf_types **ret) _must_check_;
/* The same for bytes in memory, borrowed; module may be NULL. */
struct strobe_error *btf_types_open_memory(const void *kernel, size_t kernel_bytes, const void *module, size_t module_bytes,
					   struct btf_types **ret) _must_check_;
void btf_types_close(struct btf_types *b);

struct btf_parameter {
	const char *name;
	const struct type *type;
};

struct btf_function {
	const char *name;
	const struct type *returned; /* NULL = void */
	const struct btf_parameter *parameters;
	size_t parameters_nr;
	bool is_variadic;            /* more arguments follow */
};

/* Searches the module's functions first. False if there is none with that name. Lives as long as b. */
bool btf_find_function(struct btf_types *b, const char *name, struct btf_function *ret);
/* A struct, union, enumeration or typedef by its name; NULL: none. */
const struct type *btf_find_type(struct btf_types *b, enum type_kind kind, const char *name);
