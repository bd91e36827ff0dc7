/*
 * The report disasm of pprof: the instructions of functions, and what each of them cost. First the total, then the functions.
 */
#pragma once
#include "view/pprof_code.h"

void view_pprof_disasm_total(const struct code_values *v, struct out *out);
void view_pprof_disasm(const struct code_values *v, const struct routine *r, struct out *out);
