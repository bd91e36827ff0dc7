/*
 * For a command that is another one with options of its own, `mem record` being `record`: which of the words are whose.
 */
#pragma once
#include "cli/options.h"

/*
 * Puts the options of `own`, with their values, before those of `other`; both stay in their order. Returns how many words the first part
 * has, argv[0] among them. Options that both tables have, and -h, are own; what neither has, and the words after all options, are the
 * other's.
 */
int options_split(const struct option *own, const struct option *other, int argc, char **argv);
