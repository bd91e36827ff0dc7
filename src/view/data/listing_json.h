/* Code listings for programs: doc/schema/annotate-1.md. */
#pragma once
#include "base/json.h"
#include "table/listing.h"

#define DATA_LISTING_FORMAT  "strobe-annotate"
#define DATA_LISTING_VERSION 1

/* One object, into whatever array the caller has open. */
void data_listing_json(struct json *j, const struct listing *l, enum listing_share share);
