/*
 * Another machine, by OpenSSH's client (ssh, or what the environment's STROBE_SSH names): one connection, over which command lines are
 * run one after the other or at the same time.
 *
 * The user's configuration, keys and prompts are those of ssh. Signals that end programs are blocked in ssh, so that Ctrl-C is for the
 * program that waits. One thread. Source: ssh(1), ssh_config(5): ControlMaster, ControlPath, ControlPersist.
 */
#pragma once
#include <sys/types.h>

#include "base/error.h"
#include "base/strbuf.h"

struct ssh;

/* destination: as ssh has it, "user@host" or "ssh://user@host:port"; borrowed. Nothing is run yet. */
struct strobe_error *ssh_create(const char *destination, struct ssh **ret) _must_check_;
/* Ends the connection. NULL is fine. */
void ssh_destroy(struct ssh *s);

/* Descriptors for the line's standard input and output; -1: ours. */
struct strobe_error *ssh_start(const struct ssh *s, const char *line, int in, int out, pid_t *ret) _must_check_;
/* The exit status, of a line or of ssh itself (255), of what waitpid(2) said. */
int ssh_status(int waited);
/* Starts and waits; a status other than 0 is an error: "cannot WHAT on HOST". */
struct strobe_error *ssh_run(const struct ssh *s, const char *line, int in, int out, const char *what) _must_check_;
/* The same; *ret gets what the line prints, up to 64 KiB. */
struct strobe_error *ssh_read(const struct ssh *s, const char *line, struct strbuf *ret, const char *what) _must_check_;
