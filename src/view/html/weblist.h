/*
 * pprof's report weblist: the source of functions as a page; a line opens to show its instructions.
 */
#pragma once
#include "view/pprof_code.h"

void view_weblist_begin(const struct code_values *v, struct out *out);
void view_weblist_routine(const struct code_values *v, const struct routine *r, const struct code_files *files, struct out *out);
void view_weblist_end(struct out *out);
