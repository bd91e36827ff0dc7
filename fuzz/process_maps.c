/* Any bytes as /proc/PID/maps: a process may have mapped files of any name. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/procmap.h"
#include "sys/faked.h"

#define MAPS "/proc/7/maps"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Its file is on disk: one for all inputs, written anew for each. */
static struct sys_faked *machine;
static char *maps;

static void remove_machine(void)
{
	free(maps);
	sys_faked_destroy(machine);
}

static bool see(void *ctx, const struct synth_map *m)
{
	uint64_t *sum = ctx;
	if (!m->name_len)
		abort();
	for (size_t i = 0; i < m->name_len; i++)
		*sum += (uint8_t)m->name[i];
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	if (!machine) {
		machine = sys_faked_create();
		sys_faked_file(machine, MAPS, "");
		maps = sys_path(sys_faked_sys(machine), MAPS);
		atexit(remove_machine);
	}
	int fd = open(maps, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	for (unsigned all = 0; all < 2; all++) {
		struct procmap_options o = { .sys = sys_faked_sys(machine), .data_maps = all, .build_ids = true, .no_ioctl = true };
		struct build_id_cache *cache = build_id_cache_create();
		if (!procmap_each(7, &o, cache, see, &sum))
			abort();
		build_id_cache_destroy(cache);
	}
	return 0;
}
