/*
 * Samples one by one on a screen, as browse_hooks.samples() prints them. Modal, as the pages of view/tui/ui.h are.
 */
#pragma once
#include "view/tui/ui.h"

/* Whether samples can be printed; if not, *say gets a message. */
bool samples_are_kept(const struct ui *u, struct strbuf *say);
/* Prompts for a format and shows the samples. A problem is reported in *say. */
void samples_menu(struct ui *u, const struct listed_choice *which, const char *title, struct strbuf *say);
void samples_browse(struct ui *u, const struct listed_choice *which, enum listed_detail detail, const char *title, struct strbuf *say);
