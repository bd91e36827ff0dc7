/*
 * Labels "type", "typeoff" and "typecln" of a profile: the type of data that each row's innermost instruction accesses, the place in it,
 * and its cache line. Empty: not known. And the same beside the instructions of a listing.
 */
#pragma once
#include "datatypes/datatypes.h"
#include "profile/profile.h"
#include "table/listing.h"

/* Adds the label columns, without values. */
void datatype_columns(struct profile *p);
/*
 * Fills them in; the profile must have a frame for each address, and belongs to the caller. dso_of returns the DSO of a mapping, or
 * NULL.
 */
void datatype_labels(struct datatypes *d, struct profile *p, struct dso *(*dso_of)(void *ctx, mapping_id m), void *ctx);
/* Names the type and member beside each instruction of a listing of the DSO's code. */
void datatype_listing(struct datatypes *d, struct dso *dso, struct listing *l);
