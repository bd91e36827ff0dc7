#include "table/counts.h"

bool counts_place_has_cpus(enum counts_by by)
{
	return by != COUNTS_BY_NOTHING && by != COUNTS_BY_CPU && by != COUNTS_BY_THREAD;
}

void counts_place_name(struct strbuf *b, enum counts_by by, const struct counts_place *p)
{
	switch (by) {
	case COUNTS_BY_NOTHING: break;
	case COUNTS_BY_CPU:
		if (!p->of_core) {
			strbuf_addf(b, "CPU%d", p->cpu);
			break;
		}
		/* fallthrough */
	case COUNTS_BY_CORE: strbuf_addf(b, "S%d-D%d-C%d", p->socket, p->die, p->core); break;
	case COUNTS_BY_CLUSTER: strbuf_addf(b, "S%d-D%d-CLS%d", p->socket, p->die, p->cluster); break;
	case COUNTS_BY_CACHE: strbuf_addf(b, "S%d-D%d-L%d-ID%d", p->socket, p->die, p->cache_level, p->cache); break;
	case COUNTS_BY_DIE: strbuf_addf(b, "S%d-D%d", p->socket, p->die); break;
	case COUNTS_BY_SOCKET: strbuf_addf(b, "S%d", p->socket); break;
	case COUNTS_BY_NODE: strbuf_addf(b, "N%d", p->node); break;
	case COUNTS_BY_THREAD: strbuf_addf(b, "%s-%d", p->comm ? p->comm : "", p->tid); break;
	}
}
