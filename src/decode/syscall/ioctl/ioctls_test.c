/* The numbers of ioctls.def and constants_ioctl.def against the system's headers, by the compiler. */
#include <stdbool.h>

#include <linux/types.h>
#include <linux/ioctl.h>
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <linux/btrfs.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/hdreg.h>
#include <linux/if_tun.h>
#include <linux/kd.h>
#include <linux/kvm.h>
#include <linux/loop.h>
#include <linux/nsfs.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/rtc.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>
#include <linux/vt.h>
#include <linux/watchdog.h>
#include <stddef.h>
#include <linux/dm-ioctl.h>
#include <linux/input.h>
#include <linux/gpio.h>
#include <linux/lirc.h>
#include <mtd/mtd-abi.h>
#include <linux/nbd.h>
#include <linux/tee.h>
#include <mtd/ubi-user.h>
#include <linux/hidraw.h>
#include <linux/uinput.h>
#include <linux/blkpg.h>
#include <linux/blktrace_api.h>
#include <linux/ptp_clock.h>
#include <linux/fd.h>
#include <linux/cdrom.h>
#include <scsi/sg.h>
#include <linux/bsg.h>
#include <linux/seccomp.h>

/* The number until Linux 5.7, which is still accepted. */
#define SECCOMP_IOCTL_NOTIF_ID_VALID_WRONG_DIR SECCOMP_IOR(2, __u64)

#include "base/testing.h"
#include "decode/syscall.h"

#if defined(__x86_64__)
#define IOCTL(name, number, ...) _Static_assert((uint32_t)(name) == (number), #name);
#include "decode/syscall/ioctl/ioctls.def"
#undef IOCTL
#define TABLE(id, prefix)
#define C(name, value) _Static_assert((uint32_t)(name) == (value), #name);
#define E(name, value) C(name, value)
#define END
#define C_NEW(name, value)
#define E_NEW(name, value)
#include "decode/syscall/constants/constants_ioctl.def"
#undef TABLE
#undef C
#undef E
#undef END
#endif

/* Each number has one name and is found by the search, so the table is sorted. */
static void names(void **state)
{
	static const struct {
		uint32_t number;
		const char *name;
	} all[] = {
#define IOCTL(name, number, ...) { number, #name },
#include "decode/syscall/ioctl/ioctls.def"
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_string_equal(syscall_ioctl_name(all[i].number), all[i].name);
	assert_null(syscall_ioctl_name(0));
	assert_null(syscall_ioctl_name(UINT32_MAX));
	assert_null(syscall_ioctl_name(TIOCGWINSZ | 0x10000));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
