/*
 * A CPU profile for a page: as ProfilerStart() and ProfilerStop(), into a file that is open.
 */
#pragma once

/* Takes fd, also where it fails: then it returns 0 and says why. */
unsigned page_profile_begin(int fd, const char **ret_why);
/* Ends the profile of that number, where it has not ended yet. */
void page_profile_end(unsigned number);
