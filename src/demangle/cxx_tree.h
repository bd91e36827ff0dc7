/*
 * A mangled C++ name as a tree, made by cxx_parse.c and printed by cxx_print.c.
 *
 * Shared parts (substitutions) make it a graph without cycles, except through template parameters; printing is bounded
 * in depth, steps and output, because a short graph can stand for gigabytes of text.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"

enum cxx_kind {
	CXX_NAME,         /* text */
	CXX_STD,          /* std::string and the like: text; long_text where a constructor follows */
	CXX_QUALIFIED,    /* a::b */
	CXX_LOCAL,        /* a::b, a being an encoding */
	CXX_TEMPLATE,     /* a<b>, b a list */
	CXX_TAGGED,       /* a[abi:text] */
	CXX_CONSTRUCTOR,  /* of a */
	CXX_DESTRUCTOR,   /* of a */
	CXX_OPERATOR,     /* code: "operator+" as a name, "+" in an expression */
	CXX_CONVERSION,   /* operator a */
	CXX_LITERAL_OPERATOR, /* operator"" a */
	CXX_BINDING,      /* [a, …], structured */
	CXX_LAMBDA,       /* {lambda(a)#number} */
	CXX_UNNAMED,      /* {unnamed type#number} */
	CXX_DEFAULT_ARG,  /* {default arg#number}::a */
	CXX_FUNCTION_NAME, /* an encoding: name a, type b; number: CXX_THIS_* */
	CXX_SPECIAL,      /* text and a: vtable for a … */
	CXX_CONSTRUCTION_VTABLE, /* construction vtable for a-in-b */
	CXX_REFERENCE_TEMPORARY, /* reference temporary #number for a */

	CXX_BUILTIN,      /* text; number: CXX_LITERAL_* */
	CXX_VENDOR_TYPE,  /* text<a> */
	CXX_CONST,
	CXX_VOLATILE,
	CXX_RESTRICT,
	CXX_VENDOR_QUALIFIER, /* a b */
	CXX_POINTER,
	CXX_LVALUE,
	CXX_RVALUE,
	CXX_COMPLEX,
	CXX_IMAGINARY,
	CXX_FUNCTION,     /* returns a (or NULL), takes list b; number: CXX_THIS_*; c: of noexcept or throw */
	CXX_ARRAY,        /* of a, dimension b or NULL */
	CXX_MEMBER_POINTER, /* to b in class a */
	CXX_VECTOR,       /* of a, b elements */
	CXX_DECLTYPE,     /* a */
	CXX_PARAM,        /* T<number>: its argument depends on where it is printed */
	CXX_PACK_EXPANSION, /* a… */
	CXX_LIST,         /* a, then list b; an empty list has neither */

	CXX_LITERAL,      /* of type a: text; number: negative */
	CXX_FUNCTION_PARAM, /* number; 0 is this */
	CXX_UNARY,        /* operator a, operand b */
	CXX_SUFFIX,       /* operand b, operator a */
	CXX_BINARY,       /* operator a; b, c */
	CXX_TERNARY,      /* operator a; list of three b */
	CXX_CAST,         /* (a)b */
	CXX_NAMED_CAST,   /* operator a < b > ( c ) */
	CXX_CALL,         /* a, list b */
	CXX_NEW,          /* operator a, placement list b, list c: type, initialiser */
	CXX_INITIALISER,  /* a{list b}; a may be NULL */
	CXX_FOLD,         /* text: fl fr fL fR; operator a; b, c */
	CXX_COUNT,        /* sizeof...: of the pack in a */
	CXX_GLOBAL_SCOPE, /* ::a */
	CXX_THROW,        /* throw, of nothing */
};

enum {
	CXX_THIS_CONST = 1,
	CXX_THIS_VOLATILE = 2,
	CXX_THIS_RESTRICT = 4,
	CXX_THIS_LVALUE = 8,
	CXX_THIS_RVALUE = 16,
	CXX_NOEXCEPT = 32,
	CXX_THROWS = 64,
	CXX_TRANSACTION_SAFE = 128,
};

/* How literals of a builtin type are written. */
enum { CXX_LITERAL_DEFAULT, CXX_LITERAL_INT, CXX_LITERAL_SUFFIX, CXX_LITERAL_BOOL, CXX_LITERAL_FLOAT };

struct cxx_operator {
	char code[3];
	const char *name; /* with a trailing blank if an operand follows the word */
	uint8_t operands;
};

struct cxx_scope;

struct cxx_node {
	enum cxx_kind kind;
	uint32_t number, text_bytes;
	const char *text;
	const char *long_text;
	const struct cxx_operator *op;
	struct cxx_node *a, *b, *c;
	const struct cxx_scope *scope; /* of a CXX_PARAM after a reference, while printing: where it was first printed */
	uint32_t printed_at, printed_bytes; /* of names, while printing: the location of their text in the output; 0 bytes: none */
};

/*
 * Parses the name of a symbol (from "_Z" on). Parameters, return types and qualifiers of `this` are left out unless the whole
 * encoding is requested. What follows the encoding is always left out. NULL if the name does not follow the grammar (Itanium C++ ABI,
 * 5.1 "External Names").
 */
struct cxx_node *cxx_parse(struct arena *arena, const char *mangled, bool whole);
/* Appends the readable text, once for a tree; false if it is too long or makes no sense. */
bool cxx_print(struct arena *arena, struct cxx_node *n, struct strbuf *out);
/* The name in an encoding, or of its entity with template arguments of its own; never NULL for a tree. */
const struct cxx_node *cxx_entity(const struct cxx_node *n);
const struct cxx_operator *cxx_operator_by_code(const char *code);
