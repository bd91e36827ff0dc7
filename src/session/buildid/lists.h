/* Lists of files by build ID: those of recordings, of the kernel and of a cache as a table, of the kernel's maps as lines. */
#pragma once
#include "base/out.h"
#include "session/buildid/kernel_maps.h"
#include "session/buildid/recorded_files.h"
#include "table/table.h"

/* Inits *t: IDs, with paths where there are any (a program or a kernel has only its own ID). */
void recorded_files_table(const struct recorded_files *files, struct table *t);
/* "HEX START END NAME" a line. */
void kernel_maps_text(const struct kernel_maps *maps, struct out *out);
/* Inits *t, whose text is lines "HEX PATH": the contents of a cache, and the files of a recording that it lacks. */
void buildid_cache_table(const char *dir, struct table *t);
void recorded_files_missing_table(const struct recorded_files *files, const char *dir, struct table *t);
