"""Run inside gdb: what gdb reports about places in a program, as a second source where perf and strobe differ.

PLACES names a JSON file: {"functions": {NAME: [ADDRESS]}, "entries": [[NAME, ADDRESS]], "scopes": [ADDRESS]}. The results are written
to ANSWERS: for functions where they are declared, for entries whether ADDRESS is in such a function, for scopes the text of
"info scope" and the names that all functions have there. The addresses of a function are those of the symbol table, for debug
information without mangled names.
"""

import json
import os

import gdb


def functions_at(address):
    """From the innermost, with inlined ones."""
    block = gdb.block_for_pc(address)
    while block and block.superblock:
        if block.function:
            yield block.function
        block = block.superblock


def is_at(name, address, starts):
    functions = list(functions_at(address))
    if not functions:
        return False
    return any(name in (f.name, f.linkage_name, f.print_name) for f in functions) or int(functions[-1].value().address) in starts


def declared(name, starts):
    """[(file, line)]: of global functions of that name, of the static ones of all units, and of those that begin at the addresses."""
    found = [gdb.lookup_global_symbol(name), *gdb.lookup_static_symbols(name), *(f for a in starts for f in list(functions_at(a))[-1:])]
    return sorted({(os.path.basename(s.symtab.filename), s.line) for s in found if s and s.symtab})


def scope(address):
    try:
        text = gdb.execute(f"info scope *{address:#x}", to_string=True)
    except gdb.error as e:
        text = str(e)
    names, block = set(), gdb.block_for_pc(address)
    while block and block.superblock:
        names |= {symbol.name for symbol in block}
        block = block.superblock
    return text, sorted(names)


def main():
    with open(os.environ["PLACES"], encoding="utf-8") as f:
        listing = json.load(f)
    answers = {
        "functions": {name: declared(name, starts) for name, starts in listing["functions"].items()},
        "entries": [is_at(name, address, listing["functions"].get(name, ())) for name, address in listing["entries"]],
        "scopes": [scope(address) for address in listing["scopes"]],
    }
    with open(os.environ["ANSWERS"], "w", encoding="utf-8") as f:
        json.dump(answers, f)


main()
