/* Rows that several commands share, for OPTIONS_OF(), each with the struct of its offsets. */
#pragma once
#include "cli/options.h"

/* --symfs, a string: DIR[,LAYOUT] as object/sysroot.h has it, checked. */
#define SYMFS_OPTION(field_offset, text) \
	{ OPTION_CALL, 0, "symfs", (field_offset), .arg = "directory[,hierarchy|flat]", .parse = parse_symfs, .help = (text) }
struct strobe_error *parse_symfs(void *field, const char *value, bool negated);

extern const struct option symbol_option_rows[];   /* struct symbols_options: kernel image, symbols, names */
extern const struct option switch_option_rows[];   /* struct selection: --switch-on, --switch-off */
extern const struct option grouping_option_rows[]; /* struct report_grouping: columns, percentages, groups */
extern const struct option code_option_rows[];     /* struct code_options: instructions and source lines */
