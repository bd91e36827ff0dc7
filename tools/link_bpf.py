#!/usr/bin/env python3
"""Links an object of BPF programs into a C image: tools/link_bpf.py NAME OBJECT > NAME.inc

The work of a loader such as libbpf at each start of a program is done once, here: each program gets the functions that it
calls, references to maps become numbers of maps, and the definitions of maps become a table. Relocations of
fields (CO-RE) are applied by the kernel, and passed to it unchanged. The image is a struct bpf_image (bpf/load/image.h).

Source: Documentation/bpf/llvm_reloc.rst, btf.rst; linux/bpf.h.
"""

import struct
import sys

LD_IMM64, CALL = 0x18, 0x85
PSEUDO_CALL, PSEUDO_FUNC, PSEUDO_MAP_IDX, PSEUDO_MAP_IDX_VALUE = 1, 4, 5, 6
INT, PTR, ARRAY, STRUCT, UNION, ENUM, FUNC_PROTO, VAR, DATASEC, DECL_TAG, ENUM64 = 1, 2, 3, 4, 5, 6, 13, 14, 15, 17, 19
MAP_ARRAY, MAP_TASK_STORAGE = 2, 29
RDONLY_PROG, MMAPABLE = 1 << 7, 1 << 10
PROGRAM_TYPES = {"tracepoint": "BPF_PROG_TYPE_TRACEPOINT", "raw_tp": "BPF_PROG_TYPE_RAW_TRACEPOINT",
                 "perf_event": "BPF_PROG_TYPE_PERF_EVENT", "uprobe": "BPF_PROG_TYPE_KPROBE", "uprobe.s": "BPF_PROG_TYPE_KPROBE",
                 "kprobe": "BPF_PROG_TYPE_KPROBE"}


def fail(text):
    sys.exit(f"link_bpf: {text}")


def string_at(data, at):
    return data[at:data.index(b"\0", at)].decode()


class Section:
    def __init__(self, index, header, content):
        self.index, self.type, self.flags, self.size, self.link, self.info = index, header[1], header[2], header[5], header[6], header[7]
        self.name = ""
        self.data = bytes(self.size) if self.type == 8 else content[header[4]:header[4] + self.size]


class Symbol:
    def __init__(self, record, names):
        name, info, _, self.section, self.value, self.size = struct.unpack("<IBBHQQ", record)
        self.name, self.type, self.bind = string_at(names, name), info & 15, info >> 4


class Elf:
    def __init__(self, content):
        if content[:6] != b"\x7fELF\2\1":
            fail("not a little-endian ELF object")
        at, size, count, names = struct.unpack_from("<Q10xHHH", content, 40)
        headers = [struct.unpack_from("<IIQQQQIIQQ", content, at + i * size) for i in range(count)]
        self.sections = [Section(i, h, content) for i, h in enumerate(headers)]
        for section, header in zip(self.sections, headers):
            section.name = string_at(self.sections[names].data, header[0])
        table = next(s for s in self.sections if s.type == 2)
        self.symbols = [Symbol(table.data[i:i + 24], self.sections[table.link].data) for i in range(0, table.size, 24)]
        self.relocations = {}  # section -> {offset: (type, symbol)}
        for s in self.sections:
            if s.type == 9:
                pairs = struct.iter_unpack("<QQ", s.data)
                self.relocations[s.info] = {at: (info & 0xffffffff, self.symbols[info >> 32]) for at, info in pairs}

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)


class Btf:
    """The types, and the records of .BTF.ext for each section."""

    def __init__(self, elf):
        self.data = bytearray(elf.section(".BTF").data)
        self.header, self.types_at, types_size, strings_at, strings_size = struct.unpack_from("<IIIII", self.data, 4)
        self.strings = bytes(self.data[self.header + strings_at:self.header + strings_at + strings_size])
        self.at = [None]  # of each type
        at, end = self.header + self.types_at, self.header + self.types_at + types_size
        while at < end:
            self.at.append(at)
            at += 12 + self.tail_bytes(at)

    def tail_bytes(self, at):
        _, info, _ = struct.unpack_from("<III", self.data, at)
        kind, n = info >> 24 & 31, info & 0xffff
        return {INT: 4, ARRAY: 12, STRUCT: 12 * n, UNION: 12 * n, ENUM: 8 * n, FUNC_PROTO: 8 * n, VAR: 4, DATASEC: 12 * n,
                DECL_TAG: 4, ENUM64: 12 * n}.get(kind, 0)

    def type(self, number):
        name, info, size = struct.unpack_from("<III", self.data, self.at[number])
        return string_at(self.strings, name), info >> 24 & 31, info & 0xffff, size

    def members(self, number):
        for i in range(self.type(number)[2]):
            name, member, _ = struct.unpack_from("<III", self.data, self.at[number] + 12 + 12 * i)
            yield string_at(self.strings, name), member

    def array(self, number):
        return struct.unpack_from("<III", self.data, self.at[number] + 12)  # element, index, how many

    def bytes_of(self, number):
        _, kind, _, size = self.type(number)
        if kind == PTR:
            return 8
        if kind == ARRAY:
            element, _, n = self.array(number)
            return n * self.bytes_of(element)
        return size if kind in (INT, STRUCT, UNION, ENUM, ENUM64) else self.bytes_of(size)

    def pointee(self, number):
        return self.type(number)[3]

    def fill_sections(self, elf):
        """Sizes and offsets of variables, which compilers leave to the loader."""
        places = {s.name: s for s in elf.symbols if s.type == 1}
        for number in range(1, len(self.at)):
            name, kind, n, _ = self.type(number)
            if kind != DATASEC:
                continue
            rows = [struct.unpack_from("<III", self.data, self.at[number] + 12 + 12 * i) for i in range(n)]
            rows = sorted((places[self.type(var)[0]].value if self.type(var)[0] in places else offset, var, size)
                          for var, offset, size in rows)
            struct.pack_into("<I", self.data, self.at[number] + 8, elf.section(name).size)
            for i, (offset, var, size) in enumerate(rows):
                struct.pack_into("<III", self.data, self.at[number] + 12 + 12 * i, var, offset, size)

    def notes(self, elf, which):
        """{section: [record of words]}: 0 functions, 2 relocations by types; each begins with its offset in the section."""
        section = elf.section(".BTF.ext")
        header = struct.unpack_from("<I", section.data, 4)[0]
        start, size = struct.unpack_from("<II", section.data, 8 + 8 * which)
        at, end = header + start, header + start + size
        notes = {}
        if not size:
            return notes
        bytes_each = struct.unpack_from("<I", section.data, at)[0]
        at += 4
        while at < end:
            name, n = struct.unpack_from("<II", section.data, at)
            at += 8
            rows = notes.setdefault(string_at(self.strings, name), [])
            for _ in range(n):
                rows.append(struct.unpack_from(f"<{bytes_each // 4}I", section.data, at))
                at += bytes_each
        return notes


class Map:
    def __init__(self, name, kind, flags=0, entries=0, key_bytes=0, value_bytes=0):
        self.name, self.kind, self.flags, self.entries = name, kind, flags, entries
        self.key_bytes, self.value_bytes = key_bytes, value_bytes
        self.key_type = self.value_type = 0
        self.inner = None

    @classmethod
    def defined(cls, btf, name, number):
        """From its definition: a structure whose members say by their types what they are."""
        m = cls(name, 0)
        for what, pointer in btf.members(number):
            target = btf.pointee(pointer) if btf.type(pointer)[1] == PTR else pointer
            if what == "key":
                m.key_type, m.key_bytes = target, btf.bytes_of(target)
            elif what == "value":
                m.value_type, m.value_bytes = target, btf.bytes_of(target)
            elif what == "values":
                element = btf.array(pointer)[0]
                m.inner, m.value_bytes = cls.defined(btf, name, btf.pointee(element)), 4
            elif what in ("type", "max_entries", "map_flags", "key_size", "value_size"):
                field = {"type": "kind", "max_entries": "entries", "map_flags": "flags", "key_size": "key_bytes",
                         "value_size": "value_bytes"}[what]
                setattr(m, field, btf.array(target)[2])
            else:
                fail(f"map {name}: unknown attribute {what}")
        if m.kind != MAP_TASK_STORAGE:
            m.key_type = m.value_type = 0
        return m


class Linker:
    def __init__(self, elf):
        self.elf, self.btf = elf, Btf(elf)
        self.btf.fill_sections(elf)
        self.functions = {}  # (section, offset) -> symbol
        for s in elf.symbols:
            if s.type == 2 and s.section < 0xff00 and elf.sections[s.section].flags & 4:
                self.functions[s.section, s.value] = s
        self.maps, self.map_at = [], {}  # (section, offset) -> number
        self.add_maps()
        self.infos, self.relos = self.btf.notes(elf, 0), self.btf.notes(elf, 2)

    def add_maps(self):
        section = self.elf.section(".maps")
        types = {self.btf.type(i)[0]: self.btf.type(i)[3] for i in range(1, len(self.btf.at)) if self.btf.type(i)[1] == VAR}
        for s in self.elf.symbols:
            if section and s.section == section.index and s.type == 1:
                self.map_at[section.index, s.value] = len(self.maps)
                self.maps.append(Map.defined(self.btf, s.name, types[s.name]))
        for s in self.elf.sections:
            if s.size and (s.name.startswith((".rodata", ".data", ".bss"))):
                if s.name not in (".rodata", ".bss"):
                    fail(f"section {s.name}: variables are in .rodata and .bss only")
                self.map_at[s.index, None] = len(self.maps)
                self.maps.append(Map(s.name, MAP_ARRAY, RDONLY_PROG if s.name == ".rodata" else MMAPABLE, 1, 4, s.size))

    def code_of(self, function):
        data = self.elf.sections[function.section].data[function.value:function.value + function.size]
        return [list(insn) for insn in struct.iter_unpack("<BBhi", data)]

    def target(self, function, i, insn, found):
        """The function that an instruction calls, or whose address it loads."""
        section, offset = function.section, function.value + 8 * (i + insn[3] + 1)
        if found:
            section = found[1].section
            offset = found[1].value + (8 * (insn[3] + 1) if insn[0] == CALL else insn[3])
        if (section, offset) not in self.functions:
            fail(f"{function.name}: instruction {i} calls nothing that is known")
        return self.functions[section, offset]

    def link(self, program):
        """The program, then each function that it reaches, once: (code, [(at, function)])."""
        placed, order, calls, code = {}, [program], [], []
        for function in order:
            at = placed[function] = len(code)
            code += self.code_of(function)
            relocations = self.elf.relocations.get(function.section, {})
            i = 0
            while i < function.size // 8:
                insn = code[at + i]
                found = relocations.get(function.value + 8 * i)
                wide = insn[0] == LD_IMM64
                source = insn[1] >> 4
                if (insn[0] == CALL and source == PSEUDO_CALL) or (wide and found and self.elf.sections[found[1].section].flags & 4):
                    callee = self.target(function, i, insn, found)
                    if callee not in order:
                        order.append(callee)
                    calls.append((at + i, callee))
                    if wide:
                        insn[1] = insn[1] & 15 | PSEUDO_FUNC << 4
                elif wide and found:
                    self.refer(insn, code[at + i + 1], found[1])
                elif found:
                    fail(f"{function.name}: instruction {i}: unknown relocation {found[0]}")
                i += 2 if wide else 1
        for at, callee in calls:
            code[at][3] = placed[callee] - at - 1
        return code, [(placed[f], f) for f in order]

    def refer(self, insn, second, symbol):
        """To a map, or to a variable: the value of a map of one entry, at an offset."""
        number = self.map_at.get((symbol.section, symbol.value))
        kind = PSEUDO_MAP_IDX
        if number is None:
            number = self.map_at[symbol.section, None]
            kind = PSEUDO_MAP_IDX_VALUE
            second[3] = symbol.value + insn[3]
        insn[1] = insn[1] & 15 | kind << 4
        insn[3] = number

    def notes_of(self, notes, functions, scale):
        rows = []
        for at, f in functions:
            for row in notes.get(self.elf.sections[f.section].name, []):
                if f.value <= row[0] < f.value + f.size:
                    rows.append((at * scale + (row[0] - f.value) * scale // 8, *row[1:]))
        return rows

    def programs(self):
        for s in sorted(self.functions.values(), key=lambda s: (s.section, s.value)):
            section = self.elf.sections[s.section].name
            if s.bind == 1 and section != ".text":
                yield s, section


def put_array(kind, name, words, each=16):
    words = [str(w) for w in words]
    print(f"static const {kind} {name}[] = {{")
    for i in range(0, len(words), each):
        print("\t" + ", ".join(words[i:i + each]) + ",")
    print("};")


def put_map(m):
    return (f'{{ "{m.name}", {{ {m.kind}, {m.key_bytes}, {m.value_bytes}, {m.entries}, {m.flags} }}, {m.key_type}, {m.value_type}, '
            + ("NULL" if m.inner is None else f"&(const struct bpf_map_shape){{ {m.inner.kind}, {m.inner.key_bytes}, "
               f"{m.inner.value_bytes}, {m.inner.entries}, {m.inner.flags} }}") + " },")


def main():
    name, path = sys.argv[1:]
    with open(path, "rb") as f:
        linker = Linker(Elf(f.read()))
    print('#include "bpf/load/image.h"\n')
    put_array("unsigned char", f"{name}_types", linker.btf.data, 32)
    rows = []
    for n, (program, section) in enumerate(linker.programs()):
        code, functions = linker.link(program)
        infos, relos = linker.notes_of(linker.infos, functions, 1), linker.notes_of(linker.relos, functions, 8)
        kind, _, target = section.partition("/")
        words = [struct.unpack("<Q", struct.pack("<BBhi", *insn))[0] for insn in code]
        put_array("uint64_t", f"{name}_code_{n}", (f"{w:#x}" for w in words), 6)
        put_array("struct bpf_func_info", f"{name}_functions_{n}", ("{ %d, %d }" % row[:2] for row in infos), 8)
        put_array("struct bpf_core_relo", f"{name}_relocations_{n}", ("{ %d, %d, %d, %d }" % row for row in relos or [(0, 0, 0, 0)]), 6)
        rows.append(f'\t{{ "{program.name}", {PROGRAM_TYPES[kind]}, "{target}", {name}_code_{n}, {len(words)}, '
                    f"{name}_functions_{n}, {len(infos)}, {name}_relocations_{n}, {len(relos)}, "
                    f"{'true' if kind.endswith('.s') else 'false'} }},")
    print(f"static const struct bpf_image_map {name}_maps[] = {{")
    for m in linker.maps:
        print("\t" + put_map(m))
    print("};")
    print(f"static const struct bpf_image_program {name}_programs[] = {{")
    print("\n".join(rows))
    print("};")
    print(f"static const struct bpf_image {name}_image = {{")
    print(f'\t"{name}", {name}_types, sizeof({name}_types), {name}_maps, {len(linker.maps)}, {name}_programs, {len(rows)},')
    print("};")


if __name__ == "__main__":
    main()
