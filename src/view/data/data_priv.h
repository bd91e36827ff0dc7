/* Shared by the writers of data. */
#pragma once
#include "report/report.h"

/* Whether the cell is a number as it stands in the label. */
bool data_is_number(const struct hist *h, const struct hist_key *k);
void data_cell(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, struct strbuf *out);
