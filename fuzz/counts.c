/* Any bytes as a recording of counts (stat record), read to its last round. */
#include <stdint.h>
#include <stdlib.h>

#include "counter/recording.h"
#include "perfdata/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct record_source *source;
	struct recording r;
	bool end = false;
	struct strobe_error *err = reader_open_mem(data, size, &source);
	if (err) {
		error_destroy(err);
		return 0;
	}
	recording_open(&r);
	/* compressed records can be rounds without end */
	for (unsigned rounds = 0; !err && !end && rounds < 1000; rounds++)
		err = recording_next(&r, source, &end);
	error_destroy(err);
	recording_close(&r);
	source_destroy(source);
	return 0;
}
