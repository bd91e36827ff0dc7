/*
 * The current mappings of all processes of the running system, as a machine (machine/machine.h) that is kept up to date.
 *
 * Side-band events on all CPUs report new mappings, programs and tasks; they are read on demand, or when there are many
 * (live_maps_drain). Mappings of older processes are read from procfs on demand. Requires permission to monitor all CPUs, which is
 * implied by the permission to load BPF programs. One thread at a time: the owner has a lock.
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
/* Reads the pending records. */
void live_maps_drain(struct live_maps *l);
/* Descriptors that become readable when records may soon be lost. Borrowed. */
size_t live_maps_fds(const struct live_maps *l, const int **ret);
/*
 * Removes processes that ended more than ten seconds ago, when there are many, so that memory depends on running processes. This
 * renumbers the machine's threads, maps and spaces.
 */
void live_maps_forget_ended(struct live_maps *l);
/* How often processes were removed. Until the next time, address spaces (machine_view.space) keep their numbers and maps. */
uint64_t live_maps_forgotten(const struct live_maps *l);
/* Reads the mappings of a process from procfs, if it still runs. */
void live_maps_read(struct live_maps *l, uint32_t pid);
/*
 * The time from which on all mappings of a process are known: its start, or when it was read from procfs. An older process, of which
 * only new mappings have been reported, is read now.
 */
uint64_t live_maps_complete(struct live_maps *l, uint32_t pid);
