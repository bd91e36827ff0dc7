#include "sys/guard.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/testing.h"

static char *made_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	char *path = xasprintf("%s/strobe-guard-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(path));
	return path;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void assert_content(const char *path, const char *text)
{
	_cleanup_strbuf_ struct strbuf b = {};
	assert_null(file_read(path, &b, 0));
	assert_string_equal(strbuf_str(&b), text);
}

/* The guard restores the files, skips files that are gone, and removes the directory. */
static void test_undoes_at_end(void **state)
{
	_cleanup_free_ char *folder = made_folder();
	_cleanup_free_ char *file = xasprintf("%s/file", folder), *gone = xasprintf("%s/gone", folder);
	_cleanup_free_ char *inner = xasprintf("%s/inner", folder);
	struct guard g;
	put(file, "before");
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_null(guard_start(&g, (const struct guard_write[]){ { gone, "x" }, { file, "before" } }, 2, inner));
	put(file, "changed");
	guard_end(&g);
	assert_content(file, "before");
	assert_int_equal(access(gone, F_OK), -1);
	assert_int_equal(access(inner, F_OK), -1);
	guard_end(&g); /* no effect the second time */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* A killed process leaves nothing behind. */
static void test_undoes_when_killed(void **state)
{
	_cleanup_free_ char *folder = made_folder();
	_cleanup_free_ char *inner = xasprintf("%s/inner", folder);
	pid_t pid = fork();
	if (!pid) {
		struct guard g;
		mkdir(inner, 0700);
		if (guard_start(&g, NULL, 0, inner))
			_exit(1);
		raise(SIGKILL);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	for (unsigned i = 0; !access(inner, F_OK) && i < 1000; i++)
		usleep(10000);
	assert_int_equal(access(inner, F_OK), -1);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undoes_at_end),
		cmocka_unit_test(test_undoes_when_killed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
