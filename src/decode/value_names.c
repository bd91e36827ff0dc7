#include "decode/value_names.h"

#include "decode/print_program.h"

/* The last field in the text of an expression; NULL: none. */
static const char *field_of(const struct print_node *n)
{
	const char *name = NULL;
	const struct print_node *parts[] = { n->left, n->right, n->third };
	if (n->kind == NODE_FIELD || n->kind == NODE_SPAN)
		return n->field ? n->field->name : NULL;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *last = parts[i] ? field_of(parts[i]) : NULL;
		name = last ? last : name;
	}
	return name;
}

static bool names_values(const struct print_node *n)
{
	return n->kind == NODE_FLAGS || n->kind == NODE_SYMBOLIC;
}

/* zero: the text for the value 0, or NULL. */
static void give_rows(const struct print_node *n, const char *zero, const struct value_names_callbacks *c)
{
	struct value_names_field f = { .name = field_of(n->left), .delimiter = n->kind == NODE_FLAGS ? n->text : NULL };
	if (!f.name)
		return;
	c->field(c->ctx, &f);
	if (zero)
		c->value(c->ctx, &f, 0, zero);
	for (uint32_t i = 0; i < n->rows_nr; i++)
		if (n->rows[i].known)
			c->value(c->ctx, &f, n->rows[i].value, n->rows[i].name);
}

static void walk(const struct print_node *n, const struct value_names_callbacks *c)
{
	if (!n)
		return;
	if (names_values(n)) {
		give_rows(n, NULL, c);
	} else if (n->kind == NODE_TERNARY && names_values(n->right) && n->third->kind == NODE_STRING) {
		give_rows(n->right, n->third->text, c);
	} else {
		walk(n->left, c);
		walk(n->right, c);
		walk(n->third, c);
	}
}

void value_names_each(const struct tracepoint *tp, const struct value_names_callbacks *callbacks)
{
	for (uint32_t i = 0; tp->program && i < tp->program->parts_nr; i++)
		walk(tp->program->parts[i].arg, callbacks);
}
