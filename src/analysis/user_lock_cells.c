#include "analysis/user_lock_cells.h"

#include <inttypes.h>
#include <stdio.h>

enum user_cell {
	CELL_GAP,
	CELL_TID,
	CELL_COMM,
	CELL_TYPE,
	CELL_ADDRESS,
	CELL_LOCK,
	CELL_CALLER,
	CELL_OWNER,
	CELL_OWNER_TID,
	CELL_WAKER,
	CELL_STACK,
	CELL_OWNER_STACK,
	CELL_WAKER_STACK,
	CELLS,
};

static const struct table_column columns[CELLS] = {
	[CELL_GAP] = { .key = "", .title = "", .type = TABLE_TEXT, .text_only = true, .width = 1 },
	[CELL_TID] = { .key = "tid", .title = "tid", .type = TABLE_COUNT, .width = 10, .is_fixed = true },
	[CELL_COMM] = { .key = "comm", .type = TABLE_TEXT, .width = 15 },
	[CELL_TYPE] = { .key = "type", .type = TABLE_TEXT, .width = 8 },
	[CELL_ADDRESS] = { .key = "address", .type = TABLE_TEXT, .data_only = true },
	[CELL_LOCK] = { .key = "lock", .type = TABLE_TEXT, .width = 18 },
	[CELL_CALLER] = { .key = "caller", .type = TABLE_TEXT, .width = 20 },
	[CELL_OWNER] = { .key = "owner", .type = TABLE_TEXT },
	[CELL_OWNER_TID] = { .key = "owner_tid", .type = TABLE_COUNT, .data_only = true, .is_optional = true },
	[CELL_WAKER] = { .key = "waker", .type = TABLE_TEXT, .data_only = true },
	[CELL_STACK] = { .key = "stack", .type = TABLE_ITEMS, .items = TABLE_ITEMS_LIST, .data_only = true, .is_optional = true },
	[CELL_OWNER_STACK] = { .key = "owner_stack", .type = TABLE_ITEMS, .items = TABLE_ITEMS_LIST, .data_only = true,
			       .is_optional = true },
	[CELL_WAKER_STACK] = { .key = "waker_stack", .type = TABLE_ITEMS, .items = TABLE_ITEMS_LIST, .data_only = true,
			       .is_optional = true },
};

/* The columns of rows: a bit for each. */
static unsigned cells_of(const struct lock_question *q)
{
	unsigned stacks = 1U << CELL_STACK | 1U << CELL_OWNER_STACK | 1U << CELL_WAKER_STACK, ret = 1U << CELL_GAP;
	unsigned lock = 1U << CELL_TYPE | 1U << CELL_ADDRESS | 1U << CELL_LOCK, owner = 1U << CELL_OWNER | 1U << CELL_OWNER_TID;
	if (q->by_owner)
		ret |= owner;
	else if (q->by == LOCK_BY_THREAD)
		ret |= 1U << CELL_TID | 1U << CELL_COMM;
	else
		ret |= lock | owner | 1U << CELL_WAKER | (q->by == LOCK_BY_CALLER ? 1U << CELL_CALLER : 0);
	return q->with_stacks ? ret | stacks : ret;
}

void user_lock_columns(struct table *t, const struct lock_question *q)
{
	for (unsigned i = 0; i < CELLS; i++)
		if (cells_of(q) >> i & 1)
			table_column(t, columns[i]);
}

static void set_stack(struct table *t, size_t column, const struct user_stack_names *s)
{
	struct table_item *items = arena_new_array(&t->arena, struct table_item, s->nr + 1);
	for (uint32_t i = 0; i < s->nr; i++)
		items[i] = (struct table_item){ .text = s->names[i] };
	if (s->nr)
		table_set_items(t, column, items, s->nr);
}

static void set_owner(struct table *t, size_t column, const struct user_lock *u, bool by_owner)
{
	table_set_text(t, column, u->owner ? u->owner_comm : by_owner ? "Unknown" : "");
	if (u->owner)
		table_show(t, column, "%s/%" PRIu32, u->owner_comm, u->owner);
}

/* Allocated locks have no name: shows the address. */
static void set_lock(struct table *t, size_t column, const struct user_lock *u)
{
	table_set_text(t, column, u->lock);
	if (u->kind == FUTEX_JOIN)
		table_show(t, column, "(end of a thread)");
	else if (!*u->lock)
		table_show(t, column, "%#" PRIx64, u->address);
}

static void set_cell(struct table *t, enum user_cell cell, size_t column, const struct user_lock *u, const struct lock_question *q)
{
	char address[20];
	switch (cell) {
	case CELL_TID:
		table_set_count(t, column, u->tid);
		break;
	case CELL_COMM:
		table_set_text(t, column, u->comm);
		break;
	case CELL_TYPE:
		table_set_text(t, column, futex_kind_name(u->kind));
		break;
	case CELL_ADDRESS:
		snprintf(address, sizeof(address), "%#" PRIx64, u->address);
		table_set_text(t, column, address);
		break;
	case CELL_LOCK:
		set_lock(t, column, u);
		break;
	case CELL_CALLER:
		table_set_text(t, column, u->caller);
		break;
	case CELL_OWNER:
		set_owner(t, column, u, q->by_owner);
		break;
	case CELL_OWNER_TID:
		if (u->owner)
			table_set_count(t, column, u->owner);
		break;
	case CELL_WAKER:
		table_set_text(t, column, u->waker);
		break;
	case CELL_STACK:
	case CELL_OWNER_STACK:
	case CELL_WAKER_STACK:
		set_stack(t, column, &u->stacks[USER_STACK_WAIT + cell - CELL_STACK]);
		break;
	default:
		table_set_text(t, column, "");
	}
}

static void add_lines(struct table *t, const struct user_stack_names *s)
{
	for (uint32_t i = 0; i < s->nr; i++)
		table_line(t, "\t\t\t%#" PRIx64 "  %s", s->ips[i], s->names[i]);
}

/* Of the longest wait. */
static void add_stacks(struct table *t, const struct user_lock *u)
{
	add_lines(t, &u->stacks[USER_STACK_WAIT]);
	if (u->stacks[USER_STACK_OWNER].nr)
		table_line(t, "\t\t    owner %s/%" PRIu32 " was off its CPU:", u->owner_comm, u->owner);
	else if (u->owner && !u->owner_waited && u->kind != FUTEX_JOIN)
		table_line(t, "\t\t    owner %s/%" PRIu32 " was running", u->owner_comm, u->owner);
	add_lines(t, &u->stacks[USER_STACK_OWNER]);
	if (u->stacks[USER_STACK_WAKER].nr)
		table_line(t, "\t\t    woken by %s:", u->waker);
	add_lines(t, &u->stacks[USER_STACK_WAKER]);
}

void user_lock_set(struct table *t, size_t column, const struct user_lock *u, const struct lock_question *q)
{
	for (unsigned i = 0; i < CELLS; i++)
		if (cells_of(q) >> i & 1)
			set_cell(t, (enum user_cell)i, column++, u, q);
	if (q->with_stacks)
		add_stacks(t, u);
}
