/*
 * A time chart (table/time_chart.h) in a page: as columns in a profile's page, or as a page of its own.
 *
 * Everything is borrowed. One thread.
 */
#pragma once
#include "base/strtab.h"
#include "table/time_chart.h"
#include "view/html/html.h"
#include "view/html/pack.h"

/*
 * Adds columns "task.*", "span.*", "wake.*", "stack.*", "power.*" and the fact "chart". strings: those of the page, packed by the caller.
 * zero_ns: time 0 of the page.
 */
void chart_pack(struct pack *k, struct strtab *strings, const struct time_chart *c, uint64_t zero_ns);
/* The whole page; uses title, facts and gzip of the options. Errors are those of view_html(). */
struct strobe_error *view_html_chart(const struct time_chart *c, const struct html_options *o, struct out *out) _must_check_;
