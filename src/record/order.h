/*
 * Time order: a source that gives another source's records sorted by time, round by round.
 *
 * Guarantee: when a FINISHED_ROUND is read, every record not later than the newest one of the round *before* is on hand,
 * so that much is delivered, in order of time, and in order of arrival where times are equal. Records without a time
 * (and those of user types, from 64 on, except RECORD_TIMED) are delivered as they arrive, before what is still held. A file
 * without rounds is sorted whole. A record older than one already delivered is delivered at once and counted as late. One whose time
 * is ten minutes ahead of all others waits until others come near to it; where two rounds later there is still an earlier one, which the
 * guarantee excludes, its time is damaged: it is left out and counted as misdated. Where the input is
 * stable, records are not copied, and stretches of them that are in order are kept by their ends; else held records are
 * copied into an arena that is reused round by round. The same sorter serves files and live rings.
 */
#pragma once
#include <stdint.h>

#include "record/source.h"

/* Takes ownership of input. */
struct record_source *order_create(struct record_source *input);
/* For a receiver that keeps no record: memory of the input is given back, so that of a large file some two rounds are mapped. */
void order_release_given(struct record_source *order);
/* How many records came too late to be put in order so far. */
uint64_t order_late(const struct record_source *order);
/* How many records were left out so far, for their time is damaged. */
uint64_t order_misdated(const struct record_source *order);
