/*
 * A source that delivers another source's records sorted by time, round by round.
 *
 * Guarantee: at a FINISHED_ROUND, all records up to the newest one of the round *before* have been read, so these are delivered, in
 * order of time, and in order of arrival if times are equal. Records without a time (and those of user types, from 64 on, except
 * RECORD_TIMED) are delivered as they arrive, before held ones. A file without rounds is sorted as a whole. A record older than a
 * delivered one is delivered at once and counted as late. A record ten minutes ahead of all others is held until others catch up; if two
 * rounds later there is still an earlier one, which the guarantee excludes, its time is damaged: it is dropped and counted as misdated.
 * If the input is stable, records are not copied, and sorted runs of them are stored by their ends; else held records are copied into an
 * arena that is reused by rounds. Used for files and live rings.
 */
#pragma once
#include <stdint.h>

#include "record/source.h"

/* Takes ownership of input. */
struct record_source *order_create(struct record_source *input);
/* For a receiver that keeps no records: releases memory of the input, so that about two rounds of a large file are mapped. */
void order_release_given(struct record_source *order);
/* The number of late records so far. */
uint64_t order_late(const struct record_source *order);
/* The number of records dropped so far because of a damaged time. */
uint64_t order_misdated(const struct record_source *order);
