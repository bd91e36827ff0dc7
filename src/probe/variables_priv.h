/* Shared by the sources of variables: debug information (variables.c) and the kernel's BTF (kernel_variables.c). */
#pragma once
#include "probe/fetch.h"
#include "probe/variables.h"
#include "values/btf.h"

struct probe_variables {
	const struct arch *arch; /* or NULL */
	bool is_kernel;
	bool is_inline; /* a BPF program fetches values, which knows the size of the program's pointers */
	/* Either */
	struct probe_debug debug;
	struct dwarf_types *types;
	/* or */
	struct btf_types *btf;
};

/* ---- kernel_variables.c ---- */
struct strobe_error *probe_kernel_list(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
				       probe_variable_list *ret) _must_check_;
struct strobe_error *probe_kernel_fetch(struct probe_variables *v, const struct probe_site *site, const struct probe_argument *a,
					struct arena *arena, probe_fetches *ret) _must_check_;
struct strobe_error *probe_kernel_parameters(struct probe_variables *v, const struct probe_site *site, struct arena *arena,
					     probe_values *ret, const struct type **ret_returned) _must_check_;

/* ---- returned.c ---- */
/* Without static addresses. */
struct fetch_machine probe_fetch_machine(const struct probe_variables *v);
/* "s_string": perf's name for an argument with a type. */
const char *probe_argument_name(const struct fetch_path *path, const struct probe_argument *a, struct arena *arena);
/* A fetch argument for the return value ("$retval->next") of a type (NULL = void). */
struct strobe_error *probe_fetch_returned(const struct probe_variables *v, const char *function, const struct type *type,
					  const struct fetch_path *path, const struct probe_argument *a, struct arena *arena,
					  probe_fetches *ret) _must_check_;

/* ---- variables.c ---- */
const char *probe_type_name(const struct type *t, struct arena *arena);
/* Sorts by type and name, and removes duplicates. */
void probe_variables_sort(probe_variable_list *l);
