/* Arguments of ioctl(2): structs from the system's headers, with texts written by hand. */
#include <stdint.h>
#include <stdlib.h>

#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/dm-ioctl.h>
#include <linux/blktrace_api.h>
#include <linux/btrfs.h>
#include <linux/gpio.h>
#include <linux/input.h>
#include <linux/kvm.h>
#include <linux/loop.h>
#include <linux/rtc.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <mtd/ubi-user.h>
#include <scsi/sg.h>
#include <linux/bsg.h>

#include "decode/syscall/table_testing.h"
#include "decode/syscall/types.h"

#define ADDRESS 0x7ffe00001000

struct blob {
	uint8_t bytes[2048];
	size_t len;
};

static void piece(struct blob *b, uint8_t part, const void *p, size_t n)
{
	struct syscall_piece head = { .arg = 2, .part = part, .status = SYSCALL_FETCH_OK, .bytes = (uint32_t)n };
	if (!p)
		return;
	assert_true(b->len + sizeof(head) + n + 8 <= sizeof(b->bytes));
	memcpy(b->bytes + b->len, &head, sizeof(head));
	memcpy(b->bytes + b->len + sizeof(head), p, n);
	b->len += sizeof(head) + (n + 7) / 8 * 8;
}

/* ioctl(3, request, ADDRESS) = ret, in strace's spelling: the n bytes there before and after the call (NULL: not fetched). */
static void says(uint32_t request, int64_t ret, const void *before, const void *after, size_t n, const char *expected)
{
	struct syscall_style style = { .layout = SYSCALL_STRACE };
	struct syscall_event ev = { .desc = syscall_table_find(table, "ioctl"), .ret = ret, .has_ret = true };
	struct blob b = {};
	struct out out;
	size_t bytes;
	ev.arg[0] = 3;
	ev.arg[1] = request;
	ev.arg[2] = ADDRESS;
	piece(&b, SYSCALL_PART_WHOLE, before, n);
	piece(&b, SYSCALL_PART_EXIT, after, n);
	syscall_payload_add(&ev.payload, b.bytes, b.len);
	out_init_mem(&out);
	syscall_print_args(&out, &style, &ev);
	out_ch(&out, '\0');
	assert_string_equal(out_mem(&out, &bytes), expected);
	error_destroy(out_close(&out));
}

static void sizes(void **state)
{
	static const struct {
		const struct struct_type *s;
		size_t bytes;
	} known[] = {
		{ &struct_blktrace_setup, _IOC_SIZE(0xc0481273) }, { &struct_dm, sizeof(struct dm_ioctl) },
		{ &struct_ff_effect, sizeof(struct ff_effect) }, { &struct_gpioevent_request, sizeof(struct gpioevent_request) },
		{ &struct_gpiohandle_config, sizeof(struct gpiohandle_config) },
		{ &struct_gpio_v2_line_info, sizeof(struct gpio_v2_line_info) },
		{ &struct_gpio_v2_line_values, sizeof(struct gpio_v2_line_values) },
		{ &struct_gpio_v2_line_config, sizeof(struct gpio_v2_line_config) },
		{ &struct_gpio_v2_line_request, sizeof(struct gpio_v2_line_request) },
		{ &struct_kvm_regs, sizeof(struct kvm_regs) }, { &struct_kvm_sregs, sizeof(struct kvm_sregs) },
		{ &struct_loop_info, sizeof(struct loop_info) }, { &struct_loop_info64, sizeof(struct loop_info64) },
		{ &struct_loop_config, sizeof(struct loop_config) }, { &struct_rtc_param, sizeof(struct rtc_param) },
		{ &struct_seccomp_notif, sizeof(struct seccomp_notif) },
		{ &struct_seccomp_notif_resp, sizeof(struct seccomp_notif_resp) },
		{ &struct_seccomp_notif_addfd, sizeof(struct seccomp_notif_addfd) }, { &struct_sg_io_v3, sizeof(struct sg_io_hdr) },
		{ &struct_sg_io_v4, sizeof(struct sg_io_v4) }, { &struct_ubi_make_volume, sizeof(struct ubi_mkvol_req) },
		{ &struct_uffdio_api, sizeof(struct uffdio_api) }, { &struct_uffdio_register, sizeof(struct uffdio_register) },
		{ &struct_uffdio_copy, sizeof(struct uffdio_copy) }, { &struct_uffdio_zeropage, sizeof(struct uffdio_zeropage) },
		{ &struct_uffdio_continue, sizeof(struct uffdio_continue) },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known) && arch_native() == &arch_x86_64; i++) /* the headers are this machine's */
		if (struct_bytes(&arch_x86_64, known[i].s) != known[i].bytes)
			fail_msg("%s: %zu bytes, the headers say %zu", known[i].s->name, struct_bytes(&arch_x86_64, known[i].s),
				 known[i].bytes);
}

static void device_mapper(void **state)
{
	struct dm_ioctl dm = { .version = { 4, 1, 2 }, .data_size = 312, .data_start = 305, .flags = DM_UUID_FLAG | DM_READONLY_FLAG,
			       .event_nr = 7, .dev = 0x1234, .name = "vg-root" };
	says(DM_DEV_STATUS, -9, &dm, NULL, sizeof(dm),
	     "3, DM_DEV_STATUS, [{version=[4, 1, 2], data_size=312, data_start=305, target_count=0, "
	     "flags=DM_READONLY_FLAG|DM_UUID_FLAG, event_nr=7, dev=makedev(0x12, 0x34), name=\"vg-root\"}]");
	/* the kernel does not read data after a too small size, or of another version */
	dm.data_size = 14;
	says(DM_DEV_STATUS, -22, &dm, NULL, sizeof(dm), "3, DM_DEV_STATUS, [{version=[4, 1, 2], data_size=14}]");
	says(DM_DEV_STATUS, -22, &dm, NULL, 100, "3, DM_DEV_STATUS, 0x7ffe00001000");
}

static void answers(void **state)
{
	struct uffdio_register r = { .range = { 0x1000, 0x2000 }, .mode = UFFDIO_REGISTER_MODE_MISSING, .ioctls = 1 << _UFFDIO_WAKE };
	struct uffdio_api before = { .api = UFFD_API }, after = { .api = UFFD_API, .features = UFFD_FEATURE_SIGBUS, .ioctls = 3 };
	says(UFFDIO_REGISTER, 0, &r, &r, sizeof(r),
	     "3, UFFDIO_REGISTER, {range={start=0x1000, len=0x2000}, mode=UFFDIO_REGISTER_MODE_MISSING, ioctls=1<<_UFFDIO_WAKE}");
	says(UFFDIO_REGISTER, -22, &r, NULL, sizeof(r),
	     "3, UFFDIO_REGISTER, {range={start=0x1000, len=0x2000}, mode=UFFDIO_REGISTER_MODE_MISSING}");
	says(UFFDIO_API, 0, &before, &after, sizeof(after),
	     "3, UFFDIO_API, {api=0xaa, features=0 => UFFD_FEATURE_SIGBUS, ioctls=1<<_UFFDIO_REGISTER|1<<_UFFDIO_UNREGISTER}");
	says(UFFDIO_API, -22, &before, NULL, sizeof(before), "3, UFFDIO_API, {api=0xaa, features=0}");
}

/* struct rtc_param: the parameter decides the meaning of the value. */
static void clocks(void **state)
{
	struct rtc_param p = { .param = RTC_PARAM_FEATURES, .uvalue = 0x101, .index = 2 };
	says(RTC_PARAM_SET, 0, &p, NULL, sizeof(p),
	     "3, RTC_PARAM_SET, {param=RTC_PARAM_FEATURES, uvalue=1<<RTC_FEATURE_ALARM|0x100, index=2}");
	p = (struct rtc_param){ .param = RTC_PARAM_CORRECTION, .svalue = -5 };
	says(RTC_PARAM_SET, 0, &p, NULL, sizeof(p), "3, RTC_PARAM_SET, {param=RTC_PARAM_CORRECTION, svalue=-5, index=0}");
	says(RTC_PARAM_GET, -9, &p, NULL, sizeof(p), "3, RTC_PARAM_GET, {param=RTC_PARAM_CORRECTION, index=0}");
	says(RTC_PARAM_GET, 0, &p, &p, sizeof(p), "3, RTC_PARAM_GET, {param=RTC_PARAM_CORRECTION, svalue=-5, index=0}");
	p = (struct rtc_param){ .param = RTC_PARAM_BACKUP_SWITCH_MODE, .uvalue = RTC_BSM_LEVEL };
	says(RTC_PARAM_SET, 0, &p, NULL, sizeof(p),
	     "3, RTC_PARAM_SET, {param=RTC_PARAM_BACKUP_SWITCH_MODE, uvalue=RTC_BSM_LEVEL, index=0}");
}

static void notifications(void **state)
{
	struct seccomp_notif_resp resp = { .id = 0x12, .val = -3, .error = -2, .flags = 1 };
	struct seccomp_notif_addfd add = { .id = 0x12, .flags = 1, .srcfd = 4, .newfd = 5, .newfd_flags = 02000000 };
	says(SECCOMP_IOCTL_NOTIF_SEND, 0, &resp, NULL, sizeof(resp),
	     "3, SECCOMP_IOCTL_NOTIF_SEND, {id=0x12, val=-3, error=-ENOENT, flags=SECCOMP_USER_NOTIF_FLAG_CONTINUE}");
	resp.error = 2;
	says(SECCOMP_IOCTL_NOTIF_SEND, 0, &resp, NULL, sizeof(resp),
	     "3, SECCOMP_IOCTL_NOTIF_SEND, {id=0x12, val=-3, error=2, flags=SECCOMP_USER_NOTIF_FLAG_CONTINUE}");
	says(SECCOMP_IOCTL_NOTIF_ADDFD, 5, &add, NULL, sizeof(add),
	     "3, SECCOMP_IOCTL_NOTIF_ADDFD, {id=0x12, flags=SECCOMP_ADDFD_FLAG_SETFD, srcfd=4, newfd=5, newfd_flags=O_CLOEXEC}");
}

static void scsi(void **state)
{
	struct sg_io_hdr h = { .interface_id = 'S', .dxfer_direction = SG_DXFER_FROM_DEV, .cmd_len = 6, .dxfer_len = 36,
			       .timeout = 20000, .status = 2 };
	int other = 5;
	says(SG_IO, -9, &h, NULL, sizeof(h),
	     "3, SG_IO, {interface_id='S', dxfer_direction=SG_DXFER_FROM_DEV, cmd_len=6, mx_sb_len=0, iovec_count=0, dxfer_len=36, "
	     "dxferp=NULL, cmdp=NULL, sbp=NULL, timeout=20000, flags=0}");
	says(SG_IO, 0, &h, &h, sizeof(h),
	     "3, SG_IO, {interface_id='S', dxfer_direction=SG_DXFER_FROM_DEV, cmd_len=6, mx_sb_len=0, iovec_count=0, dxfer_len=36, "
	     "dxferp=NULL, cmdp=NULL, sbp=NULL, timeout=20000, flags=0, status=0x2, masked_status=0, msg_status=0, sb_len_wr=0, "
	     "host_status=0, driver_status=0, resid=0, duration=0, info=0}");
	says(SG_IO, -9, &other, NULL, sizeof(other), "3, SG_IO, [5]");
}

static void lines(void **state)
{
	struct gpio_v2_line_request r = { .offsets = { 4, 9 }, .consumer = "me", .num_lines = 2, .fd = 7 };
	r.config.num_attrs = 1;
	r.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
	r.config.attrs[0].attr.debounce_period_us = 30;
	r.config.attrs[0].mask = 3;
	says(GPIO_V2_GET_LINE_IOCTL, 0, &r, &r, sizeof(r),
	     "3, GPIO_V2_GET_LINE_IOCTL, {num_lines=2, offsets=[4, 9], consumer=\"me\", config={flags=0, num_attrs=1, "
	     "attrs=[{debounce_period_us=30, mask=0x3}]}, event_buffer_size=0, fd=7}");
	/* more than there is room for */
	r.config.num_attrs = 4000000000U;
	r.config.attrs[0].attr.id = 99;
	says(GPIO_V2_LINE_SET_CONFIG_IOCTL, 0, &r.config, NULL, offsetof(struct gpio_v2_line_config, attrs[1]),
	     "3, GPIO_V2_LINE_SET_CONFIG_IOCTL, 0x7ffe00001000");
}

static void interfaces(void **state)
{
	uint8_t get[40] = "eth0", set[40] = "eth0", hardware[40] = "eth0", renamed[40] = "eth0", conf[16] = { 80, 0 }, none[16] = {};
	get[16] = 1;
	set[16] = 1;
	memcpy(hardware + 16, "\1\0\2\xab\0\0\0\1", 8);
	memcpy(renamed + 16, "wan0", 5);
	conf[8] = none[8] = 0x10;
	says(0x8913, -19, get, NULL, 40, "3, SIOCGIFFLAGS, {ifr_name=\"eth0\"}");
	says(0x8914, -1, set, NULL, 40, "3, SIOCSIFFLAGS, {ifr_name=\"eth0\", ifr_flags=IFF_UP}");
	says(0x891e, -1, set, NULL, 40, "3, SIOCSIFMETRIC, {ifr_name=\"eth0\", ifr_metric=1}");
	says(0x891d, -1, set, NULL, 40, "3, SIOCGIFMETRIC, {ifr_name=\"eth0\"}");
	says(0x8931, -1, hardware, NULL, 40,
	     "3, SIOCADDMULTI, {ifr_name=\"eth0\", ifr_hwaddr={sa_family=ARPHRD_ETHER, sa_data=02:ab:00:00:00:01}}");
	says(0x8923, -1, renamed, NULL, 40, "3, SIOCSIFNAME, {ifr_name=\"eth0\", ifr_newname=\"wan0\"}");
	says(0x8912, 0, conf, none, 16, "3, SIOCGIFCONF, {ifc_len=80 => 0, ifc_buf=[]}");
	says(0x8912, -14, conf, NULL, 16, "3, SIOCGIFCONF, {ifc_len=80, ifc_buf=0x10}");
}

static void others(void **state)
{
	struct loop_info64 loop = { .lo_offset = 512, .lo_number = 3, .lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_PARTSCAN,
				    .lo_file_name = "/disk.img" };
	struct { uint32_t nent, padding; } cpuid = { 75, 0 }, none = {};
	struct btrfs_ioctl_vol_args volume = { .fd = 5, .name = "snapshot" };
	struct btrfs_ioctl_vol_args_v2 second = { .fd = 5, .flags = BTRFS_SUBVOL_RDONLY | BTRFS_SUBVOL_QGROUP_INHERIT, .size = 72,
						  .name = "two" };
	uint32_t modem = 0x2 | 0x4000;
	says(LOOP_SET_STATUS64, 0, &loop, NULL, sizeof(loop),
	     "3, LOOP_SET_STATUS64, {lo_offset=0x200, lo_number=3, lo_flags=LO_FLAGS_READ_ONLY|LO_FLAGS_PARTSCAN, "
	     "lo_file_name=\"/disk.img\", ...}");
	/* The numbers contain the size of structs that other architectures lack. */
	says(0xc008ae05, 0, &cpuid, &cpuid, 8, "3, KVM_GET_SUPPORTED_CPUID, {nent=75, entries=[...]}");
	says(0x4008ae90, 0, &none, NULL, 8, "3, KVM_SET_CPUID2, {nent=0, entries=[]}");
	says(BTRFS_IOC_SNAP_CREATE, 0, &volume, NULL, 640, "3, BTRFS_IOC_SNAP_CREATE, {fd=5, name=\"snapshot\"}");
	says(BTRFS_IOC_SNAP_CREATE_V2, 0, &second, NULL, 640,
	     "3, BTRFS_IOC_SNAP_CREATE_V2, {fd=5, flags=BTRFS_SUBVOL_RDONLY|BTRFS_SUBVOL_QGROUP_INHERIT, size=72, qgroup_inherit=NULL, "
	     "name=\"two\"}");
	second.flags = BTRFS_DEVICE_SPEC_BY_ID;
	second.devid = 7;
	says(BTRFS_IOC_RM_DEV_V2, 0, &second, NULL, 640, "3, BTRFS_IOC_RM_DEV_V2, {fd=5, flags=BTRFS_DEVICE_SPEC_BY_ID, devid=7}");
	says(0x5418, 0, &modem, NULL, 4, "3, TIOCMSET, [TIOCM_DTR|TIOCM_OUT2]");
	says(0x40082406, 0, "a > 5\0x", NULL, 8, "3, PERF_EVENT_IOC_SET_FILTER, \"a > 5\"");
	says(0x40082406, 0, "abcdefgh", NULL, 8, "3, PERF_EVENT_IOC_SET_FILTER, \"abcdefgh\"...");
}

/* Every request, with too few bytes, all with the same value: nothing is read beyond them (checked by a sanitizer). */
static void any_bytes(void **state)
{
	static const uint32_t requests[] = {
#define IOCTL(name, number, ...) number,
#include "decode/syscall/ioctl/ioctls.def"
#undef IOCTL
	};
	static const uint8_t fills[] = { 0, 4, 'S', 0xff };
	static const size_t most = 640;
	struct syscall_style style = { .layout = SYSCALL_STRACE, .whole = true };
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
		for (size_t n = 0; n <= most; n += n < 64 ? 4 : 36)
			for (size_t k = 0; k < sizeof(fills); k++) {
				struct syscall_event ev = { .desc = syscall_table_find(table, "ioctl"), .has_ret = true };
				struct syscall_piece head = { .arg = 2, .part = k % 2, .bytes = (uint32_t)n };
				uint8_t *blob = malloc(sizeof(head) + n);
				struct out out;
				ev.arg[1] = requests[i];
				ev.arg[2] = ADDRESS;
				memcpy(blob, &head, sizeof(head));
				memset(blob + sizeof(head), fills[k], n);
				syscall_payload_add(&ev.payload, blob, sizeof(head) + n);
				out_init_mem(&out);
				syscall_print_args(&out, &style, &ev);
				error_destroy(out_close(&out));
				free(blob);
			}
}

/* The number of bytes to fetch if the request does not contain it. */
static void bytes(void **state)
{
	assert_int_equal(syscall_ioctl_bytes(0x5413), 64);
	assert_int_equal(syscall_ioctl_bytes(DM_VERSION), sizeof(struct dm_ioctl));
	assert_true(syscall_ioctl_bytes(LOOP_CONFIGURE) >= sizeof(struct loop_config));
	assert_true(syscall_ioctl_bytes(SG_IO) >= sizeof(struct sg_io_v4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes), cmocka_unit_test(device_mapper), cmocka_unit_test(answers), cmocka_unit_test(clocks),
		cmocka_unit_test(notifications), cmocka_unit_test(scsi), cmocka_unit_test(lines), cmocka_unit_test(interfaces),
		cmocka_unit_test(others), cmocka_unit_test(bytes), cmocka_unit_test(any_bytes),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
