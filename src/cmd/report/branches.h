/* Blocks of code and their cycles, from the branch records of a recording. */
#pragma once
#include "cmd/report/run.h"
#include "report/blocks.h"

/*
 * Reads the recording that the run has a resolver for, whose struct symbol and struct mapped_file are the blocks' functions and
 * objects: it has to live as long. b is the caller's to deinit, on errors too.
 */
struct strobe_error *branches_read(struct report_run *r, struct blocks *b) _must_check_;
