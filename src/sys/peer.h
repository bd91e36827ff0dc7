/* The other end of a TCP connection within this machine. Source: proc(5), /proc/net/tcp. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/strbuf.h"
#include "sys/sys.h"

/*
 * The user of the socket at the other end of fd; false if it is not of this machine, not seen from our network namespace, or no longer
 * open (the kernel shows such sockets as root's). Any thread.
 */
bool peer_user(const struct sys *sys, int fd, uint32_t *ret_uid);

/* For tests. The same by the two addresses, and in the text of one of the kernel's tables. */
bool peer_user_at(const struct sys *sys, const struct sockaddr *peer, const struct sockaddr *ours, uint32_t *ret_uid);
bool peer_user_in(const char *table, const char *addresses, uint32_t *ret_uid);
/* "0100007F:1F90", as a table has it. mapped: of an IPv4 address ::ffff:… */
void peer_address(const struct sockaddr *a, bool mapped, struct strbuf *ret);
