/* Code listings for programs: doc/schema/annotate-1.md. */
#pragma once
#include "base/json.h"
#include "table/listing.h"

#define DATA_LISTING_FORMAT  "strobe-annotate"
#define DATA_LISTING_VERSION 1

/* Writes one object, into an array that the caller has opened. */
void data_listing_json(struct json *j, const struct listing *l, enum listing_share share);
