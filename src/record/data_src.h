/*
 * The memory access that a sample's data_src word describes: perf_event_open(2), PERF_SAMPLE_DATA_SRC.
 */
#pragma once
#include <stdint.h>

#include "base/strbuf.h"

/* Appends each part in perf's wording: "LOAD", "L1 hit", "None", "L1 or L2 hit", "No", " N/A". */
void data_src_op(struct strbuf *out, uint64_t word);
void data_src_level(struct strbuf *out, uint64_t word);
void data_src_snoop(struct strbuf *out, uint64_t word);
void data_src_tlb(struct strbuf *out, uint64_t word);
void data_src_lock(struct strbuf *out, uint64_t word);
void data_src_blocked(struct strbuf *out, uint64_t word);
/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" */
void data_src_text(struct strbuf *out, uint64_t word);
/* The size of a page in perf's format, "4K", "2M"; "N/A" for impossible ones. Also for code pages. */
const char *data_src_page_size(uint64_t bytes);
