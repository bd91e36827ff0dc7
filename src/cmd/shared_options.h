/* Rows that several commands share, for OPTIONS_OF(), each with the struct of its offsets. */
#pragma once
#include "cli/options.h"

extern const struct option symbol_option_rows[];   /* struct symbols_options: kernel image, symbols, names */
extern const struct option switch_option_rows[];   /* struct selection: --switch-on, --switch-off */
extern const struct option grouping_option_rows[]; /* struct report_grouping: columns, percentages, groups */
extern const struct option code_option_rows[];     /* struct code_options: instructions and source lines */
