/* Messages, semaphores and shared memory of System V: the structs of msgctl(2), semctl(2) and shmctl(2), and messages. */
#include "decode/syscall/special/specials.h"

enum { IPC_SET = 1, IPC_STAT, IPC_INFO, MSG_STAT = 11, MSG_INFO, MSG_STAT_ANY, SHM_STAT = 13, SHM_INFO, SHM_STAT_ANY };
enum { SEM_STAT = 18, SEM_INFO, SEM_STAT_ANY, CMD_MASK = 0xff /* without IPC_64 of 32 bits */ };

static const struct control {
	char call; /* the first letter that distinguishes the three: Msgctl, sEmctl, sHmctl */
	uint8_t cmd;
	const struct struct_type *s;
} controls[] = {
	{ 'm', IPC_SET, &struct_msqid_set },	 { 'm', IPC_STAT, &struct_msqid_ds },	 { 'm', MSG_STAT, &struct_msqid_ds },
	{ 'm', MSG_STAT_ANY, &struct_msqid_ds }, { 'm', IPC_INFO, &struct_msginfo },	 { 'm', MSG_INFO, &struct_msginfo },
	{ 'e', IPC_SET, &struct_semid_set },	 { 'e', IPC_STAT, &struct_semid_ds },	 { 'e', SEM_STAT, &struct_semid_ds },
	{ 'e', SEM_STAT_ANY, &struct_semid_ds }, { 'e', IPC_INFO, &struct_seminfo },	 { 'e', SEM_INFO, &struct_seminfo },
	{ 'h', IPC_SET, &struct_shmid_set },	 { 'h', IPC_STAT, &struct_shmid_ds },	 { 'h', SHM_STAT, &struct_shmid_ds },
	{ 'h', SHM_STAT_ANY, &struct_shmid_ds }, { 'h', IPC_INFO, &struct_shminfo },	 { 'h', SHM_INFO, &struct_shm_info },
};

static const struct struct_type *control_of(const char *name, uint32_t cmd)
{
	char call = name[0] == 'm' ? 'm' : name[1];
	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		if (controls[i].call == call && controls[i].cmd == cmd)
			return controls[i].s;
	return NULL;
}

/* IPC_SET reads the struct, the others write it. */
void print_ipc_arg(struct emit *e, unsigned i)
{
	uint32_t cmd = (uint32_t)e->ev->arg[i - 1] & CMD_MASK;
	const struct struct_type *s = control_of(e->ev->desc->name, cmd);
	struct piece p = piece_find(e->ev, i, cmd == IPC_SET ? SYSCALL_PART_WHOLE : SYSCALL_PART_EXIT);
	if (s)
		s = struct_on(e->arch, s);
	if (s && p.data && p.bytes >= struct_bytes(e->arch, s))
		emit_members(e, s, p.data, p.bytes);
	else
		emit_pointer(e, e->ev->arg[i]);
}

/* A long for the type, then the text, whose size is the next argument, or the result. */
void print_msgbuf(struct emit *e, unsigned i)
{
	struct piece p = piece_best(e->ev, i);
	bool received = e->ev->desc->args[i].at & SYSCALL_AT_EXIT;
	size_t word = e->arch->pointer_bytes;
	uint64_t size = received ? (uint64_t)e->ev->ret : e->ev->arg[i + 1];
	if (p.bytes < word) {
		emit_pointer(e, e->ev->arg[i]);
		return;
	}
	size_t n = p.bytes - word < size ? p.bytes - word : (size_t)size;
	emit_struct(e);
	emit_member(e, "mtype");
	emit_i64(e, (int64_t)value_load(e->arch, p.data, word));
	emit_member(e, "mtext");
	emit_string(e, p.data + word, n, n < size);
	emit_struct_end(e);
}
