/* The samples of a report, with its filters applied, as a page or a flame graph: `report --html`, `--web` and `--flamegraph`. */
#pragma once
#include "page/page.h"
#include "session/report/report_session.h"

struct report_page {
	struct profile *profile; /* of the kept rows, joined with the base */
	struct html_options options;
	struct time_chart *chart;
	struct page_profile_code *code; /* for a profile from another program */
};

/*
 * The report is aggregated, and must outlive the page. base_path: a file to compare with, or NULL. Call report_page_deinit() in any
 * case.
 */
struct strobe_error *report_page_make(struct report_session *r, const char *base_path, struct report_page *ret) _must_check_;
void report_page_deinit(struct report_page *page);
/* Writes a file, which appears only when it is complete; "-" is standard output. */
struct strobe_error *report_page_write(struct report_session *r, const char *base_path, const char *path) _must_check_;
struct strobe_error *report_flamegraph_write(struct report_session *r, const char *path) _must_check_;
