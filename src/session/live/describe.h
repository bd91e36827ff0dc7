/* A live profile in a line: what is sampled, at what rate, what was lost. One thread, that of the session. */
#pragma once
#include "base/strbuf.h"
#include "session/live/live.h"

/* "   PerfTop: …": rate, losses, events and target, as perf top has it. */
void live_describe(const struct live_session *l, struct strbuf *out);
/* ", 4000 Hz, lost: …": for a line that has events and samples already. with_rates: of the last refresh. */
void live_describe_briefly(const struct live_session *l, bool with_rates, struct strbuf *out);
