/*
 * A profile.proto on its way to another file, unchanged: all messages are checked as the reader checks them, samples that are
 * alike become one, those without a value are left out, and everything else is copied as it is; where there are no such
 * samples that is the file itself. No stack is taken apart.
 *
 * For packed files: their bytes are not needed any more once there is a copy. One thread.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange/exchange.h"

struct pprof_copy;

/* ERROR_FORMAT if the bytes are none, or damaged: exchange_read() says more of that. */
struct strobe_error *pprof_copy_create(const uint8_t *p, size_t n, struct pprof_copy **ret) _must_check_;
void pprof_copy_destroy(struct pprof_copy *c);
/* All of it but its samples. */
const struct profile *pprof_copy_tables(const struct pprof_copy *c);
/* Whether any sample has a value of the event. */
bool pprof_copy_has(const struct pprof_copy *c, uint32_t event);
/* Packed. */
struct strobe_error *pprof_copy_write(const struct pprof_copy *c, struct out *out) _must_check_;
