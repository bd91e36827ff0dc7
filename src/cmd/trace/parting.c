#include "cmd/trace/parting.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_all_but(int *keep, size_t nr)
{
	unsigned from = 0;
	qsort(keep, nr, sizeof(*keep), by_number);
	for (size_t i = 0; i < nr; i++) {
		if ((unsigned)keep[i] > from)
			close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	close_range(from, ~0U, 0);
}

/* The child has nothing open but these, and ends after us: then the last one to close them is not us. */
void trace_part(const struct stream_tracer *tracer)
{
	int keep[STREAM_TRACER_LASTING_MAX + 1], end[2];
	size_t n = stream_tracer_lasting(tracer, keep, STREAM_TRACER_LASTING_MAX);
	char none;
	if (!n || pipe2(end, O_CLOEXEC))
		return;
	keep[n++] = end[0];
	if (!fork()) {
		close_all_but(keep, n);
		/* Until the other end is closed: by the end of our parent. */
		_exit(read(end[0], &none, 1) > 0);
	}
	close(end[0]);
}
