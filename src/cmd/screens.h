/* Screens of commands that also have text output. */
#pragma once
#include "cmd/cmd.h"

struct screen;
/*
 * Opens the screen if input and output are a terminal or --tui was given; NULL: the output is text. If --tui was given and the
 * screen cannot be opened, prints the reason.
 */
struct screen *cmd_open_screen(struct cmd_context *ctx, bool tui, enum colour_when colour);
