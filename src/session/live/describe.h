/* A live profile in one line: events, sampling rate, losses. One thread, that of the session. */
#pragma once
#include "base/strbuf.h"
#include "session/live/live.h"

/* "   PerfTop: …": rate, losses, events and target, as in perf top. */
void live_describe(const struct live_session *l, struct strbuf *out);
/* ", 4000 Hz, lost: …": for a line that has events and samples already. with_rates: of the last refresh. */
void live_describe_briefly(const struct live_session *l, bool with_rates, struct strbuf *out);
