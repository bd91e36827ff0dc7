/*
 * Copies a profile.proto to another file. All messages are checked like in the reader, equal samples are merged, those without a
 * value are dropped, and everything else is copied unchanged; without such samples the output is the file itself. Stacks are not
 * decoded.
 *
 * For packed files: their bytes are not needed after creation. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange/exchange.h"

struct pprof_copy;

/* ERROR_FORMAT if the bytes are not a packed profile.proto, or damaged: exchange_read() reports the details. */
struct strobe_error *pprof_copy_create(const uint8_t *p, size_t n, struct pprof_copy **ret) _must_check_;
void pprof_copy_destroy(struct pprof_copy *c);
/* All but its samples. */
const struct profile *pprof_copy_tables(const struct pprof_copy *c);
/* Whether any sample has a value of the event. */
bool pprof_copy_has(const struct pprof_copy *c, uint32_t event);
/* Packed. */
struct strobe_error *pprof_copy_write(const struct pprof_copy *c, struct out *out) _must_check_;
