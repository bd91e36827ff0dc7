/*
 * What the readers of text profiles share: lines, addresses, and scaling of sampled heaps. Private to this room.
 */
#pragma once
#include "exchange/address_profile.h"

struct legacy_lines {
	const char *at, *end;
	char *line; /* the current one, without blanks at its ends; owned */
};

bool legacy_next_line(struct legacy_lines *l);
/* Takes numbers like 0x1f, whatever is between them. One is subtracted from return addresses: from all, or from all but the first. */
enum legacy_addresses { LEGACY_AS_THEY_ARE, LEGACY_LEAF_IS_EXACT, LEGACY_RETURNS };
void legacy_push_addresses(struct address_profile *a, const char *s, enum legacy_addresses kind);
/* A block of this size was kept with probability 1 - exp(-size / rate): scales the sampled values accordingly. */
void legacy_unsample(int64_t rate, int64_t *count, int64_t *bytes);
struct strobe_error *legacy_bad_line(const char *line);

/* Java's: samples name places by number, and a table after them describes the places. */
bool java_text_probe(const char *p, size_t n);
struct strobe_error *java_text_read(const char *p, size_t n, struct profile **ret) _must_check_;
/* Reads that table: frames for the addresses of a profile, which are then only numbers. */
void java_read_places(struct address_profile *a, struct legacy_lines *l);
