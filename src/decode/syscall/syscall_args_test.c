/* Arguments and results of many calls: structs from the system's headers, with texts written by hand. */
#include <linux/aio_abi.h>
#include <netipx/ipx.h>
#include <linux/x25.h>
#include <linux/types.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "decode/syscall/table_testing.h"
#include "decode/syscall/types.h"

#define ADDRESS 0x7ffe00001000

struct memory {
	uint8_t arg, part, status;
	const void *p;
	uint32_t bytes;
};

#define ENTRY(arg, p, n) (struct memory){ arg, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, p, n }
#define CUT(arg, p, n)	 (struct memory){ arg, SYSCALL_PART_WHOLE, SYSCALL_FETCH_PARTIAL, p, n }
#define EXIT(arg, p, n)	 (struct memory){ arg, SYSCALL_PART_EXIT, SYSCALL_FETCH_OK, p, n }
#define NONE		 (struct memory){ 0 }
#define ARGS(...)	 ((const uint64_t[SYSCALL_ARGS]){ __VA_ARGS__ })

/* Checks the call in strace's spelling, with the data of one argument. */
static void says(const char *name, const uint64_t arg[SYSCALL_ARGS], struct memory m, int64_t ret, const char *expected)
{
	struct syscall_style style = { .layout = SYSCALL_STRACE };
	struct syscall_event ev = { .desc = syscall_table_find(table, name), .ret = ret, .has_ret = true };
	uint8_t blob[1024];
	struct syscall_piece head = { .arg = m.arg, .part = m.part, .status = m.status, .bytes = m.bytes };
	struct out out;
	size_t n;
	assert_non_null(ev.desc);
	assert_true(sizeof(head) + m.bytes <= sizeof(blob));
	memcpy(ev.arg, arg, sizeof(ev.arg));
	if (m.p) {
		memcpy(blob, &head, sizeof(head));
		memcpy(blob + sizeof(head), m.p, m.bytes);
		syscall_payload_add(&ev.payload, blob, sizeof(head) + m.bytes);
	}
	out_init_mem(&out);
	syscall_print_args(&out, &style, &ev);
	out_str(&out, " = ");
	syscall_print_result(&out, &style, &ev);
	out_ch(&out, '\0');
	assert_string_equal(out_mem(&out, &n), expected);
	error_destroy(out_close(&out));
}

static void system_v(void **state)
{
	struct msqid_ds q = { .msg_perm = { .mode = 0600, .uid = 1 }, .msg_qnum = 2, .msg_qbytes = 16384, .msg_lspid = 7 };
	struct shmid_ds m = { .shm_perm = { .mode = 0640 }, .shm_segsz = 4096, .shm_cpid = 8, .shm_nattch = 1 };
	const uint64_t s[13] = { [10] = 3 }; /* x86's struct semid_ds with sem_nsems set: others have no holes */
	struct msginfo info = { .msgmax = 8192, .msgseg = 5 };
	says("msgctl", ARGS(1, IPC_STAT, ADDRESS), EXIT(2, &q, sizeof(q)), 0,
	     "1, IPC_STAT, {msg_perm={key=0, uid=1, gid=0, cuid=0, cgid=0, mode=0600}, msg_stime=0, msg_rtime=0, msg_ctime=0, "
	     "msg_cbytes=0, msg_qnum=2, msg_qbytes=16384, msg_lspid=7, msg_lrpid=0} = 0");
	says("msgctl", ARGS(1, IPC_SET, ADDRESS), ENTRY(2, &q, sizeof(q)), 0,
	     "1, IPC_SET, {msg_perm={uid=1, gid=0, mode=0600}, msg_qbytes=16384} = 0");
	/* nothing was returned: the memory has no meaning */
	says("msgctl", ARGS(1, IPC_STAT, ADDRESS), ENTRY(2, &q, sizeof(q)), -22,
	     "1, IPC_STAT, 0x7ffe00001000 = -1 EINVAL (Invalid argument)");
	says("shmctl", ARGS(1, IPC_STAT, ADDRESS), EXIT(2, &m, sizeof(m)), 0,
	     "1, IPC_STAT, {shm_perm={key=0, uid=0, gid=0, cuid=0, cgid=0, mode=0640}, shm_segsz=4096, shm_atime=0, shm_dtime=0, "
	     "shm_ctime=0, shm_cpid=8, shm_lpid=0, shm_nattch=1} = 0");
	says("semctl", ARGS(1, 0, IPC_STAT, ADDRESS), EXIT(3, s, sizeof(s)), 0,
	     "1, 0, IPC_STAT, {sem_perm={key=0, uid=0, gid=0, cuid=0, cgid=0, mode=000}, sem_otime=0, sem_ctime=0, sem_nsems=3} = 0");
	says("msgctl", ARGS(0, IPC_INFO, ADDRESS), EXIT(2, &info, sizeof(info)), 1,
	     "0, IPC_INFO, {msgpool=0, msgmap=0, msgmax=8192, msgmnb=0, msgmni=0, msgssz=0, msgtql=0, msgseg=5} = 1");
	/* a long, then the text */
	says("msgsnd", ARGS(1, ADDRESS, 3, 0), ENTRY(1, "\5\0\0\0\0\0\0\0abcdefgh", 16), 0, "1, {mtype=5, mtext=\"abc\"}, 3, 0 = 0");
	says("msgrcv", ARGS(1, ADDRESS, 90, 0, 0), EXIT(1, "\5\0\0\0\0\0\0\0abcdefgh", 16), 5,
	     "1, {mtype=5, mtext=\"abcde\"}, 90, 0, 0 = 5");
}

static void segments(void **state)
{
	/* struct user_desc, whose header only x86 has */
	struct {
		unsigned entry_number, base_addr, limit, seg_32bit : 1, contents : 2, read_exec_only : 1, limit_in_pages : 1,
			seg_not_present : 1, useable : 1;
	} d = { .entry_number = 3, .base_addr = 0x1000, .limit = 0xfffff, .seg_32bit = 1, .contents = 2, .useable = 1 };
	const char *text = "{entry_number=3, base_addr=0x1000, limit=0xfffff, seg_32bit=1, contents=2, read_exec_only=0, "
			   "limit_in_pages=0, seg_not_present=0, useable=1, lm=0}";
	char expected[400];
	snprintf(expected, sizeof(expected), "%s = 0", text);
	says("set_thread_area", ARGS(ADDRESS), ENTRY(0, &d, sizeof(d)), 0, expected);
	says("get_thread_area", ARGS(ADDRESS), ENTRY(0, &d, sizeof(d)), -38,
	     "{entry_number=3, ...} = -1 ENOSYS (Function not implemented)");
	snprintf(expected, sizeof(expected), "write_ldt, %s, 16 = 0", text);
	says("modify_ldt", ARGS(1, ADDRESS, 16), ENTRY(1, &d, sizeof(d)), 0, expected);
	says("modify_ldt", ARGS(0, ADDRESS, 16), ENTRY(1, &d, sizeof(d)), 0, "read_ldt, 0x7ffe00001000, 16 = 0");
	/* it is an int that the kernel does not extend */
	says("modify_ldt", ARGS(1, ADDRESS, 15), NONE, 0xffffffea, "write_ldt, 0x7ffe00001000, 15 = 4294967274 EINVAL (Invalid argument)");
}

static void signals(void **state)
{
	struct sigevent ev = { .sigev_signo = SIGUSR1, .sigev_notify = SIGEV_SIGNAL };
	siginfo_t si = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	si.si_pid = 5;
	si.si_uid = 6;
	si.si_value.sival_ptr = (void *)0x1ffffffff;
	/* only one kind uses the rest of the struct: 16 bytes are enough */
	says("mq_notify", ARGS(3, ADDRESS), CUT(1, &ev, 16), 0, "3, {sigev_signo=SIGUSR1, sigev_notify=SIGEV_SIGNAL} = 0");
	ev.sigev_notify = 4;
	memcpy((char *)&ev + 16, "\7\0\0", 4);
	says("mq_notify", ARGS(3, ADDRESS), ENTRY(1, &ev, sizeof(ev)), 0,
	     "3, {sigev_signo=SIGUSR1, sigev_notify=SIGEV_THREAD_ID, sigev_notify_thread_id=7} = 0");
	ev.sigev_notify = SIGEV_THREAD;
	says("mq_notify", ARGS(3, ADDRESS), ENTRY(1, &ev, sizeof(ev)), 0,
	     "3, {sigev_signo=SIGUSR1, sigev_notify=SIGEV_THREAD, sigev_notify_function=0x7, sigev_notify_attributes=NULL} = 0");
	says("rt_sigqueueinfo", ARGS(5, SIGUSR1, ADDRESS), ENTRY(2, &si, sizeof(si)), 0,
	     "5, SIGUSR1, {si_signo=SIGUSR1, si_code=SI_QUEUE, si_pid=5, si_uid=6, si_int=-1, si_ptr=0x1ffffffff} = 0");
	says("fcntl", ARGS(3, 11), NONE, SIGIO, "3, F_GETSIG = 29 (SIGIO)");
	says("fcntl", ARGS(3, 1026, 5), NONE, 0, "3, F_NOTIFY, DN_ACCESS|DN_CREATE = 0");
}

static void flags(void **state)
{
	static const uint64_t create[] = { 0100, 0, 0 }, read_only[] = { 0, 0, 0 };
	int status[] = { -14, 2 };
	says("memfd_create", ARGS(ADDRESS, 4 | 21U << 26), ENTRY(0, "m", 1), 3, "\"m\", MFD_HUGETLB|21<<MFD_HUGE_SHIFT = 3");
	says("shmget", ARGS(1, 2, 04000 | 21U << 26 | 0600), NONE, 3, "0x1, 2, SHM_HUGETLB|21<<SHM_HUGE_SHIFT|0600 = 3");
	says("mmap", ARGS(0, 8, 1, 0x40022 | 30U << 26, (uint64_t)-1, 0), NONE, -12,
	     "NULL, 8, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS|MAP_HUGETLB|30<<MAP_HUGE_SHIFT, -1, 0 = -1 ENOMEM (Cannot allocate memory)");
	says("unlinkat", ARGS(3, ADDRESS, 0x1300), ENTRY(1, "a", 1), -22,
	     "3, \"a\", AT_REMOVEDIR|AT_SYMLINK_NOFOLLOW|AT_EMPTY_PATH = -1 EINVAL (Invalid argument)");
	says("openat2", ARGS(3, ADDRESS, ADDRESS, 24), ENTRY(2, create, 24), 4,
	     "3, 0x7ffe00001000, {flags=O_RDONLY|O_CREAT, mode=000, resolve=0}, 24 = 4");
	says("openat2", ARGS(3, ADDRESS, ADDRESS, 24), ENTRY(2, read_only, 24), 4,
	     "3, 0x7ffe00001000, {flags=O_RDONLY, resolve=0}, 24 = 4");
	says("move_pages", ARGS(0, 2, 0, 0, ADDRESS, 2), EXIT(4, status, 8), 0, "0, 2, NULL, NULL, [-EFAULT, 2], MPOL_MF_MOVE = 0");
	says("fsconfig", ARGS(3, 3, 0, ADDRESS, (uint64_t)-100), ENTRY(3, "/a/b\0x", 6), 0,
	     "3, FSCONFIG_SET_PATH, NULL, \"/a/b\", AT_FDCWD = 0");
	says("ioprio_set", ARGS(1, 0, 9 << 13 | 3), NONE, -22,
	     "IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(0x9, 3) = -1 EINVAL (Invalid argument)");
}

static void keys(void **state)
{
	int32_t dh[] = { -1, 5, 6 };
	says("keyctl", ARGS(11, 5, ADDRESS, 16), EXIT(2, "secret\0\0", 8), 6, "KEYCTL_READ, 5, \"secret\", 16 = 6");
	says("keyctl", ARGS(11, 5, ADDRESS, 4), EXIT(2, "secr", 4), 6, "KEYCTL_READ, 5, \"secr\", 4 = 6");
	says("keyctl", ARGS(11, 5, ADDRESS, 16), ENTRY(2, "stack", 5), -126,
	     "KEYCTL_READ, 5, 0x7ffe00001000, 16 = -1 ENOKEY (Required key not available)");
	says("keyctl", ARGS(23, ADDRESS, 0, 0, 0), ENTRY(1, dh, sizeof(dh)), 0,
	     "KEYCTL_DH_COMPUTE, {private=KEY_SPEC_THREAD_KEYRING, prime=5, base=6}, NULL, 0, NULL = 0");
	says("keyctl", ARGS(30, 1, 2, 3, 1), NONE, 0, "KEYCTL_MOVE, 1, 2, 3, KEYCTL_MOVE_EXCL = 0");
	says("keyctl", ARGS(1, ADDRESS), ENTRY(1, "ses\0garbage", 11), 7, "KEYCTL_JOIN_SESSION_KEYRING, \"ses\" = 7");
	says("keyctl", ARGS(1, ADDRESS), CUT(1, "ses", 3), 7, "KEYCTL_JOIN_SESSION_KEYRING, 0x7ffe00001000 = 7");
}

/* struct perf_event_attr: type, size, config. */
static void counters(void **state)
{
	uint8_t attr[64] = { 3, 0, 0, 0, 64, 0, 0, 0, 2, 1, 1 };
	const char *rest = "sample_period=0, sample_type=0, read_format=0, precise_ip=0, ...}, 0, -1, -1, 0 = 3";
	char expected[400];
	const uint64_t *arg = ARGS(ADDRESS, 0, (uint64_t)-1, (uint64_t)-1, 0);
	snprintf(expected, sizeof(expected), "{type=PERF_TYPE_HW_CACHE, size=PERF_ATTR_SIZE_VER0, config="
		 "PERF_COUNT_HW_CACHE_RESULT_MISS<<16|"
		 "PERF_COUNT_HW_CACHE_OP_WRITE<<8|PERF_COUNT_HW_CACHE_LL, %s", rest);
	says("perf_event_open", arg, ENTRY(0, attr, 64), 3, expected);
	memcpy(attr + 8, "\x09\x00\x07\x01", 4);
	snprintf(expected, sizeof(expected), "{type=PERF_TYPE_HW_CACHE, size=PERF_ATTR_SIZE_VER0, config=0x1<<24|0x7<<16|"
		 "PERF_COUNT_HW_CACHE_OP_READ<<8|0x9, %s", rest);
	says("perf_event_open", arg, ENTRY(0, attr, 64), 3, expected);
	attr[0] = 0;
	memcpy(attr + 8, "\1\0\0\0\10\0\0\0", 8);
	snprintf(expected, sizeof(expected), "{type=PERF_TYPE_HARDWARE, size=PERF_ATTR_SIZE_VER0, config=0x8<<32|"
		 "PERF_COUNT_HW_INSTRUCTIONS, %s", rest);
	says("perf_event_open", arg, ENTRY(0, attr, 64), 3, expected);
}

static void options(void **state)
{
	says("getsockopt", ARGS(3, 1, 13, ADDRESS, 0), EXIT(3, "\1\0\0\0\5\0", 6), 0,
	     "3, SOL_SOCKET, SO_LINGER, {l_onoff=1, l_linger=\"\\x05\\x00\"}, NULL = 0");
	says("getsockopt", ARGS(3, 1, 13, ADDRESS, 0), EXIT(3, "\1\0\0\0\5\0\0\0", 8), 0,
	     "3, SOL_SOCKET, SO_LINGER, {l_onoff=1, l_linger=5}, NULL = 0");
}

static void addresses(void **state)
{
	struct sockaddr_ipx ipx = { .sipx_family = 4, .sipx_port = 0x3930, .sipx_network = 0xedfecefaU,
				    .sipx_node = "ABCDEF", .sipx_type = 9 };
	struct sockaddr_x25 x25 = { .sx25_family = 9, .sx25_addr = { "0123" } };
	says("connect", ARGS(3, ADDRESS, 16), ENTRY(1, &ipx, 16), 0,
	     "3, {sa_family=AF_IPX, sipx_port=htons(12345), sipx_network=htonl(0xfacefeed), "
	     "sipx_node=[0x41, 0x42, 0x43, 0x44, 0x45, 0x46], sipx_type=0x9}, 16 = 0");
	says("connect", ARGS(3, ADDRESS, 18), ENTRY(1, &x25, 18), 0, "3, {sa_family=AF_X25, sx25_addr={x25_addr=\"0123\"}}, 18 = 0");
	memset(x25.sx25_addr.x25_addr, '7', 16);
	says("connect", ARGS(3, ADDRESS, 18), ENTRY(1, &x25, 18), 0,
	     "3, {sa_family=AF_X25, sx25_addr={x25_addr=\"777777777777777\"...}}, 18 = 0");
	says("connect", ARGS(3, ADDRESS, 12), ENTRY(1, "\20\0\1\0\2\0\0\0\3\0\0\0", 12), 0,
	     "3, {sa_family=AF_NETLINK, nl_pad=0x1, nl_pid=2, nl_groups=0x000003}, 12 = 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_v), cmocka_unit_test(segments), cmocka_unit_test(signals),
		cmocka_unit_test(flags), cmocka_unit_test(addresses), cmocka_unit_test(keys), cmocka_unit_test(counters),
		cmocka_unit_test(options),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
