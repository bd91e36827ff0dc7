/* A CPU profile for a page: like ProfilerStart() and ProfilerStop(), but into an open file. */
#pragma once

/* Takes ownership of fd, even on failure: then returns 0 with the reason. */
unsigned page_profile_begin(int fd, const char **ret_why);
/* Ends the profile with that number, unless it has ended already. */
void page_profile_end(unsigned number);
