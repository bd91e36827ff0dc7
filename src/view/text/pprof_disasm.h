/*
 * pprof's report disasm: the total, then the instructions of functions with their values.
 */
#pragma once
#include "view/pprof_code.h"

void view_pprof_disasm_total(const struct code_values *v, struct out *out);
void view_pprof_disasm(const struct code_values *v, const struct routine *r, struct out *out);
