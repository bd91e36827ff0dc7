/*
 * The mappings of a process: by the PROCMAP_QUERY ioctl (Linux 6.11), one call each, else from the text of its maps file.
 *
 * The ioctl returns only executable mappings, with build IDs from the page cache, without opening files.
 * For older kernels build-ids are read from the files through /proc/PID/map_files or the path, once for each
 * (device, inode) of a cache. The ioctl omits [vsyscall], where no code is executed any more. Source:
 * include/uapi/linux/fs.h, proc_pid_maps(5).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/synth_priv.h"
#include "sys/sys.h"

struct procmap_options {
	const struct sys *sys;
	bool data_maps, build_ids;
	bool no_ioctl;        /* for tests: the text alone */
	uint64_t deadline_ns; /* of CLOCK_MONOTONIC; 0 = none */
};

struct build_id_cache;
struct build_id_cache *build_id_cache_create(void);
void build_id_cache_destroy(struct build_id_cache *c);

/*
 * Calls fn for each mapping of pid (its pid and tid set) until fn returns false; strings are borrowed for the call. False: the deadline
 * passed before the end; a process without permission has no mappings.
 */
bool procmap_each(pid_t pid, const struct procmap_options *o, struct build_id_cache *cache,
		  bool (*fn)(void *ctx, const struct synth_map *m), void *ctx);
