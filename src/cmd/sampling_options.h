/*
 * The options of record and top for events and sampling.
 */
#pragma once
#include "capture/options.h"
#include "cli/options.h"
#include "event/event.h"

struct sampling_options {
	struct capture_options capture;
	struct event_list events;
	size_t last_event; /* index of the first event of the last -e: for --filter */
	unsigned verbose;
};

void sampling_options_init(struct sampling_options *o);
void sampling_options_deinit(struct sampling_options *o);

/* Rows of option tables, for OPTIONS_OF(): offsets are those of a struct sampling_options. */
extern const struct option sampling_target_rows[], sampling_event_rows[], sampling_record_rows[], sampling_buffer_rows[];
