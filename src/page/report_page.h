/* The samples that a report counts, its filters applied, as a page or a flame graph: `report --html`, `--web` and `--flamegraph`. */
#pragma once
#include "page/page.h"
#include "session/report/report_session.h"

struct report_page {
	struct profile *profile; /* of the kept rows, joined with the base */
	struct html_options options;
	struct time_chart *chart;
	struct page_profile_code *code; /* of a profile that another program wrote */
};

/* The report is aggregated, and outlives the page. base_path: a file to compare with, or NULL. report_page_deinit() in any case. */
struct strobe_error *report_page_make(struct report_session *r, const char *base_path, struct report_page *ret) _must_check_;
void report_page_deinit(struct report_page *page);
/* To a file, which appears whole or not at all; "-" is standard output. */
struct strobe_error *report_page_write(struct report_session *r, const char *base_path, const char *path) _must_check_;
struct strobe_error *report_flamegraph_write(struct report_session *r, const char *path) _must_check_;
