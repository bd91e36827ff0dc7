/*
 * What the processes of the running system have mapped at this moment: a machine that follows them.
 *
 * Side-band events on all CPUs report new mappings, programs and tasks; they are read when a caller needs to know, or when
 * there are many (live_maps_drain). A process that was there before is read from procfs when it is requested. Requires permission to
 * look at all CPUs, which whoever loads BPF programs has. One thread at a time: the owner has a lock.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "sys/sys.h"

struct live_maps;

struct live_clock {
	bool use;
	int32_t id;
};

struct strobe_error *live_maps_open(const struct sys *sys, struct live_clock clock, struct live_maps **ret) _must_check_;
void live_maps_close(struct live_maps *l);
struct machine *live_maps_machine(struct live_maps *l);
/* Reads what was reported. */
void live_maps_drain(struct live_maps *l);
/* Which are readable when there is so much to read that some may be lost. Borrowed. */
size_t live_maps_fds(const struct live_maps *l, const int **ret);
/*
 * Forgets what ended ten seconds ago, where there is much of it by now: what is held goes by what runs, and not by what ran. The
 * machine's threads, maps and spaces are others then, and so is its generation.
 */
void live_maps_forget_ended(struct live_maps *l);
/* Reads the mappings of a process from procfs; nothing where it has ended. */
void live_maps_read(struct live_maps *l, uint32_t pid);
/*
 * From when on all mappings of a process are known: it began in our time, or was read. What was there before, and of which only
 * new mappings were reported, is read now.
 */
uint64_t live_maps_complete(struct live_maps *l, uint32_t pid);
