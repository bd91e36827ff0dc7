/* Screens of commands that have text in their place. */
#pragma once
#include "cmd/cmd.h"

struct screen;
/*
 * The screen, open, where both ends are a terminal or --tui was given; NULL: the output is text. Where --tui was given and there can be no
 * screen, the reason is printed.
 */
struct screen *cmd_open_screen(struct cmd_context *ctx, bool tui, enum colour_when colour);
