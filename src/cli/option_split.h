/*
 * Splits the words of a command that extends another one by its own options, like `mem record` extends `record`.
 */
#pragma once
#include "cli/options.h"

/*
 * Puts the options of `own`, with their values, before those of `other`; both keep their order. Returns the number of words of the
 * first part, including argv[0]. Options in both tables, and -h, belong to `own`; unknown ones, and the words after all options, to
 * `other`.
 */
int options_split(const struct option *own, const struct option *other, int argc, char **argv);
