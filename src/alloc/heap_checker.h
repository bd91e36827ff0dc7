/*
 * The heap checker of libstrobe_alloc.so for programs that look for their own leaks, compatible with gperftools' libtcmalloc.
 *
 *	HEAPCHECK=normal ./program		// or with LD_PRELOAD=libstrobe_alloc.so.0, without a change to the program
 *
 *	HeapLeakChecker checker("parsing");
 *	… what must not leak …
 *	if (!checker.NoLeaks()) …
 *
 * A block leaks if nothing points to it any more, in registers, stacks, data and other blocks: the library starts strobe, which
 * stops the program and examines its memory. Names, arguments, environment and layout of the class are those of gperftools 2.10
 * (BSD-3-Clause; its documentation, docs/heap_checker.html): programs that were compiled with its header run with this library. All
 * functions do nothing if HEAPCHECK is not set. They may be called by any thread, but not by signal handlers.
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
#include <stdint.h>

class HeapLeakChecker {
 public:
	/* Whether HEAPCHECK is set. */
	static bool IsActive();
	/* The checker of the whole program; NULL if HEAPCHECK is not set or "local". */
	static HeapLeakChecker *GlobalChecker();
	/* Looks for leaks since the program began; false: there are some. */
	static bool NoGlobalLeaks();
	/* No check at the end of the program. */
	static void CancelGlobalCheck();

	/* name: in messages and in the name of the file. Checks allocations from now on. */
	explicit HeapLeakChecker(const char *name);
	~HeapLeakChecker();
	/* False: something allocated since is a leak. */
	bool NoLeaks() { return DoNoLeaks(DO_NOT_SYMBOLIZE); }
	bool QuickNoLeaks() { return NoLeaks(); }
	bool BriefNoLeaks() { return NoLeaks(); }
	bool SameHeap() { return NoLeaks(); }
	bool QuickSameHeap() { return NoLeaks(); }
	bool BriefSameHeap() { return NoLeaks(); }
	/* The result of the last of these. */
	ssize_t BytesLeaked() const;
	ssize_t ObjectsLeaked() const;

	/* Allocations of its thread during its lifetime are never leaks, nor are blocks that they point to. */
	class Disabler {
	 public:
		Disabler();
		~Disabler();

	 private:
		Disabler(const Disabler &);
	};

	/* Excludes from all checks the block that contains ptr, and blocks that it points to. Returns ptr. */
	template <typename T> static T *IgnoreObject(T *ptr)
	{
		DoIgnoreObject(static_cast<const void *>(const_cast<const T *>(ptr)));
		return ptr;
	}
	static void UnIgnoreObject(const void *ptr);

 private:
	enum ShouldSymbolize { SYMBOLIZE, DO_NOT_SYMBOLIZE };
	bool DoNoLeaks(ShouldSymbolize should_symbolize);
	static void DoIgnoreObject(const void *ptr);
	HeapLeakChecker(const HeapLeakChecker &);

	void *lock_;
	const char *name_;
	void *start_snapshot_;
	bool has_checked_;
	ssize_t inuse_bytes_increase_, inuse_allocs_increase_;
	bool keep_profiles_;
};

/* A pointer that the checker does not see. */
template <class T> class HiddenPointer {
 public:
	explicit HiddenPointer(T *t) : masked_(reinterpret_cast<uintptr_t>(t) ^ mask) {}
	T *get() const { return reinterpret_cast<T *>(masked_ ^ mask); }

 private:
	static const uintptr_t mask = static_cast<uintptr_t>(0xF03A5F7BF03A5F7Bll);
	uintptr_t masked_;
};

/* Functions that release memory kept to the end of the program, called before the check of the whole program. */
class HeapCleaner {
 public:
	typedef void (*void_function)(void);
	HeapCleaner(void_function f);
	static void RunHeapCleanups();
};

#define REGISTER_HEAPCHECK_CLEANUP(name, body)                                                 \
	namespace                                                                              \
	{                                                                                      \
		void heapcheck_cleanup_##name()                                                \
		{                                                                              \
			body;                                                                  \
		}                                                                              \
		static HeapCleaner heapcheck_cleaner_##name(&heapcheck_cleanup_##name);        \
	}

extern "C" {
#endif

/* The same for C. */
struct strobe_leak_check {
	void *reserved[7];
};
int strobe_leak_check_is_active(void);
/* name is borrowed until the end of the check. */
void strobe_leak_check_begin(struct strobe_leak_check *check, const char *name);
/* 1: no leaks since the beginning. Sums may be NULL. May be called again. */
int strobe_leak_check_end(struct strobe_leak_check *check, size_t *ret_objects, size_t *ret_bytes);
/* 1: no leaks since the program began. */
int strobe_leak_check_all(void);
/* These nest: allocations of the thread between them are never leaks. */
void strobe_leaks_disable(void);
void strobe_leaks_enable(void);
void strobe_leak_ignore(const void *ptr);

#ifdef __cplusplus
}
#endif
