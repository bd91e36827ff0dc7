/*
 * A heap profile of this process as a file: in the text format of gperftools' heap profiler, or in pprof's (pprof_file.h).
 *
 * The region must exist; counts may change meanwhile. Allocates from the program's heap only what heap_file_text() returns. Source:
 * gperftools docs/heapprofile.html.
 */
#pragma once
#include <stdbool.h>

/* Does not close the file. 0 or errno. */
int heap_file_write(int fd, bool is_packed);
/* Text, to be released by free(); NULL if out of memory. */
char *heap_file_text(void);
