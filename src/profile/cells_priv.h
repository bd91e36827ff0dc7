/* Words for data sources (union perf_mem_data_src of perf_event.h) and transaction flags (PERF_TXN_*). */
#pragma once
#include "profile/columns.h"

void column_format_data_source(enum column_id id, uint64_t data_src, unsigned width, struct strbuf *out);
void column_format_transaction(uint64_t txn, unsigned width, struct strbuf *out);
