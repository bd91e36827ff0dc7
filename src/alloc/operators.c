/*
 * C++'s operators new and delete, for allocators whose operators do not call malloc (tcmalloc, jemalloc, mimalloc).
 *
 * Those of libstdc++ and libc++ call malloc, where they are counted: here they are only called. The real ones are looked up after
 * this library, and if that finds none (a C program that loads a C++ library) in the C++ library itself. Names are those of the
 * Itanium C++ ABI for 64 bits.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "alloc/real.h"
#include "alloc/record.h"

#define EXPORT __attribute__((visibility("default")))

enum { NEW, NEW_ARRAY, NEW_NOTHROW, NEW_ARRAY_NOTHROW, NEW_ALIGNED, NEW_ARRAY_ALIGNED, NEW_ALIGNED_NOTHROW, NEW_ARRAY_ALIGNED_NOTHROW,
       DELETE, DELETE_ARRAY, DELETE_NOTHROW, DELETE_ARRAY_NOTHROW, DELETE_SIZED, DELETE_ARRAY_SIZED, DELETE_ALIGNED,
       DELETE_ARRAY_ALIGNED, DELETE_ALIGNED_NOTHROW, DELETE_ARRAY_ALIGNED_NOTHROW, DELETE_SIZED_ALIGNED, DELETE_ARRAY_SIZED_ALIGNED,
       OPERATORS };

static const char *const names[OPERATORS] = {
	"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnamSt11align_val_tRKSt9nothrow_t", "_ZdlPv", "_ZdaPv", "_ZdlPvRKSt9nothrow_t",
	"_ZdaPvRKSt9nothrow_t", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdaPvSt11align_val_t",
	"_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t", "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
};

/* All take at most these arguments, in registers, and ignore the others. */
typedef void *(*operator_fn)(size_t a, size_t b, size_t c);

struct operator_entry {
	operator_fn call;
	bool counts;
};
static struct operator_entry operators[OPERATORS];

static void *find(const char *name)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++.so.1", "libc++abi.so.1" };
	void *found = dlsym(RTLD_NEXT, name);
	for (unsigned i = 0; !found && i < sizeof(libraries) / sizeof(*libraries); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		found = library ? dlsym(library, name) : NULL;
		if (library)
			dlclose(library);
	}
	return found;
}

static __attribute__((noinline)) const struct operator_entry *look_up(unsigned which)
{
	struct operator_entry *o = &operators[which];
	(void)record_begin();
	void *found = find(names[which]);
	o->counts = real_owns(found);
	__atomic_store_n((void **)&o->call, found, __ATOMIC_RELEASE);
	return o;
}

static inline const struct operator_entry *operator_of(unsigned which)
{
	const struct operator_entry *o = &operators[which];
	return __builtin_expect(__atomic_load_n((void *const *)&o->call, __ATOMIC_ACQUIRE) != NULL, 1) ? o : look_up(which);
}

/* Does what a C++ library does, if none is found. */
static void *stand_in(unsigned which, size_t size, size_t alignment)
{
	bool is_aligned = which >= NEW_ALIGNED && which <= NEW_ARRAY_ALIGNED_NOTHROW;
	bool may_fail = which == NEW_NOTHROW || which == NEW_ARRAY_NOTHROW || which == NEW_ALIGNED_NOTHROW ||
			which == NEW_ARRAY_ALIGNED_NOTHROW;
	void *p = is_aligned ? aligned_alloc(alignment, size ? size : 1) : malloc(size ? size : 1);
	if (!p && !may_fail)
		abort();
	return p;
}

static inline __attribute__((always_inline)) void *do_new(unsigned which, size_t size, size_t b, size_t c)
{
	const struct operator_entry *o = operator_of(which);
	if (!o->call)
		return stand_in(which, size, b);
	if (!o->counts)
		return o->call(size, b, c);
	bool may_be_due = record_may_be_due(size), is_due = may_be_due && record_is_due(size);
	void *p = o->call(size, b, c);
	if (is_due && p)
		record_alloc(p, size, WALK_FRAME);
	return p;
}

static inline __attribute__((always_inline)) void do_delete(unsigned which, void *p, size_t b, size_t c)
{
	const struct operator_entry *o = operator_of(which);
	struct alloc_slot slot;
	if (!o->call) {
		free(p);
		return;
	}
	if (o->counts && blocks_may_have(p) && record_take(p, &slot))
		record_free(&slot);
	o->call((size_t)p, b, c);
}

#define DEFINE_NEW(function, name, which)                                                \
	EXPORT void *function(size_t size, size_t b, size_t c) __asm__(name);            \
	void *function(size_t size, size_t b, size_t c)                                  \
	{                                                                                \
		return do_new(which, size, b, c);                                        \
	}
#define DEFINE_DELETE(function, name, which)                                             \
	EXPORT void function(void *p, size_t b, size_t c) __asm__(name);                 \
	void function(void *p, size_t b, size_t c)                                       \
	{                                                                                \
		do_delete(which, p, b, c);                                               \
	}

DEFINE_NEW(new_one, "_Znwm", NEW)
DEFINE_NEW(new_array, "_Znam", NEW_ARRAY)
DEFINE_NEW(new_nothrow, "_ZnwmRKSt9nothrow_t", NEW_NOTHROW)
DEFINE_NEW(new_array_nothrow, "_ZnamRKSt9nothrow_t", NEW_ARRAY_NOTHROW)
DEFINE_NEW(new_aligned, "_ZnwmSt11align_val_t", NEW_ALIGNED)
DEFINE_NEW(new_array_aligned, "_ZnamSt11align_val_t", NEW_ARRAY_ALIGNED)
DEFINE_NEW(new_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t", NEW_ALIGNED_NOTHROW)
DEFINE_NEW(new_array_aligned_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t", NEW_ARRAY_ALIGNED_NOTHROW)
DEFINE_DELETE(delete_one, "_ZdlPv", DELETE)
DEFINE_DELETE(delete_array, "_ZdaPv", DELETE_ARRAY)
DEFINE_DELETE(delete_nothrow, "_ZdlPvRKSt9nothrow_t", DELETE_NOTHROW)
DEFINE_DELETE(delete_array_nothrow, "_ZdaPvRKSt9nothrow_t", DELETE_ARRAY_NOTHROW)
DEFINE_DELETE(delete_sized, "_ZdlPvm", DELETE_SIZED)
DEFINE_DELETE(delete_array_sized, "_ZdaPvm", DELETE_ARRAY_SIZED)
DEFINE_DELETE(delete_aligned, "_ZdlPvSt11align_val_t", DELETE_ALIGNED)
DEFINE_DELETE(delete_array_aligned, "_ZdaPvSt11align_val_t", DELETE_ARRAY_ALIGNED)
DEFINE_DELETE(delete_aligned_nothrow, "_ZdlPvSt11align_val_tRKSt9nothrow_t", DELETE_ALIGNED_NOTHROW)
DEFINE_DELETE(delete_array_aligned_nothrow, "_ZdaPvSt11align_val_tRKSt9nothrow_t", DELETE_ARRAY_ALIGNED_NOTHROW)
DEFINE_DELETE(delete_sized_aligned, "_ZdlPvmSt11align_val_t", DELETE_SIZED_ALIGNED)
DEFINE_DELETE(delete_array_sized_aligned, "_ZdaPvmSt11align_val_t", DELETE_ARRAY_SIZED_ALIGNED)
