/*
 * Runs command lines on another machine by OpenSSH's client (ssh, or the program named by the environment's STROBE_SSH): sequentially
 * or concurrently, over one connection.
 *
 * Configuration, keys and prompts are those of ssh. Terminating signals are blocked in ssh, so that Ctrl-C is handled by the waiting
 * program. One thread. Source: ssh(1), ssh_config(5): ControlMaster, ControlPath, ControlPersist.
 */
#pragma once
#include <sys/types.h>

#include "base/error.h"
#include "base/strbuf.h"

struct ssh;

/* destination: as for ssh, "user@host" or "ssh://user@host:port"; borrowed. Does not run anything yet. */
struct strobe_error *ssh_create(const char *destination, struct ssh **ret) _must_check_;
/* Ends the connection. NULL is fine. */
void ssh_destroy(struct ssh *s);

/* Descriptors for the command's standard input and output; -1: ours. */
struct strobe_error *ssh_start(const struct ssh *s, const char *line, int in, int out, pid_t *ret) _must_check_;
/* The exit status of a command, or of ssh itself (255), from a status of waitpid(2). */
int ssh_status(int waited);
/* Starts it and waits; a status other than 0 is an error: "cannot WHAT on HOST". */
struct strobe_error *ssh_run(const struct ssh *s, const char *line, int in, int out, const char *what) _must_check_;
/* The same; *ret gets the command's output, up to 64 KiB. */
struct strobe_error *ssh_read(const struct ssh *s, const char *line, struct strbuf *ret, const char *what) _must_check_;
