#!/usr/bin/env python3
"""The room rule holds, and its checker sees each kind of breach."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

from strobetest import SCRATCH, TOP, Tap

CHECKER = os.path.join(TOP, "tools", "check_layers.py")
PLAN_OF_TREE = os.path.join(TOP, "doc", "ARCHITECTURE.md")
BREACHES = {
    "view/text/table.c": '#include "sys/procfs.h"\n',  # a room that its row does not name
    "view/text/near.c": '#include "view/svg/svg.h"\n',  # a neighbour
    "view/up.c": '#include "view/text/text.h"\n',  # a room above it
    "symbol/elf.c": "#include <gelf.h>\n",  # a header that another room owns
    "machine/thread.c": '#include "record/event_priv.h"\n',  # private
    "record/up.c": '#include "../sys/procfs.h"\n',
    "record/talk.c": 'void talk(void)\n{\n\tprintf("hello");\n}\n',
    "record/leave.c": "void leave(void)\n{\n\texit(1);\n}\n",
    "nowhere/room.c": "\n",
    "roomless.c": "\n",
    "record/gone.c": '#include "record/gone.h"\n',
    "cmd/record/near.c": '#include "cmd/stat/run.h"\n',  # a folder of cmd/ that its row does not name
    "cmd/cmd_y.c": '#include "cmd/stat/run.h"\n',  # "all" are the rooms below cmd/
    "cmd/unplanned/y.c": "\n",  # a folder of cmd/ without a row
    "cmd/record.c": "bool f(unsigned type)\n{\n\treturn type == PERF_RECORD_MMAP2;\n}\n",  # cmd/ knows no record
    "cmd/sample.c": "void f(const struct resolved_sample *s);\n",
    "cmd/attr.c": "bool f(const struct choice *c)\n{\n\treturn c->attr.sample_type & 1;\n}\n",
    "cmd/register.c": "unsigned f(void)\n{\n\treturn PERF_REG_X86_IP;\n}\n",
    "cmd/record/row.c": "void f(const struct profile_row *row);\n",
    "cmd/record/member.c": "size_t f(const struct output *o)\n{\n\treturn o->profile->rows.len;\n}\n",
    "record/private.c": '#include "record/inner/priv.h"\n',
    "view/leak.c": "void f(struct procfs_task *t);\n",  # a type of a room that its row does not name, through whichever header
    "view/call.c": "void f(void)\n{\n\tprocfs_read();\n}\n",
    "machine/path.c": 'const char *p = "/proc/modules";\n',  # cannot read it through sys/
    "capture/open.c": 'int f(void)\n{\n\treturn open("/sys/kernel/notes", 0);\n}\n',
    "capture/kallsyms.c": 'int f(void)\n{\n\treturn open("/proc/kallsyms", 0);\n}\n',  # symbol/kallsyms.c may
    "view/macro.c": "int f(void)\n{\n\treturn PROCFS_TASKS_MAX;\n}\n",
    "view/enumerator.c": "int f(int state)\n{\n\treturn state == TASK_SLEEPING;\n}\n",
    "view/variable.c": "int f(void)\n{\n\treturn procfs_limit;\n}\n",
    "view/declared.c": "int procfs_read(void);\n",  # by hand, without a header
    "view/angle.c": "#include <sys/procfs.h>\n",
    "cmd/include.c": "#include <linux/perf_event.h>\n",
    "cmd/sample_id.c": "bool f(const struct choice *c)\n{\n\treturn c->sample_id == 1;\n}\n",
    "record/written.c": 'void f(void)\n{\n\twrite(1, "x", 1);\n}\n',
    "record/stream.c": 'void f(void)\n{\n\tfwrite("x", 1, 1, stdout);\n}\n',
    "record/descriptor.c": 'void f(void)\n{\n\tdprintf(STDERR_FILENO, "x");\n}\n',
    "record/pointer.c": 'void f(void)\n{\n\tint (*p)(const char *) = puts;\n\tp("x");\n}\n',
    "machine/parts.c": 'const char *p = "/pr" "oc/modules";\n',
    "capture/made.c": 'int f(char *p)\n{\n\tsnprintf(p, 9, "/proc/%d/maps", 1);\n\treturn open(p, 0);\n}\n',
}
FINE = {
    "view/svg/svg.h": '#include "view/view.h"\n',
    "view/text/text.h": "\n",
    "view/view.h": '#include "profile/profile.h"\n#include "base/error.h"\n',
    "record/event_priv.h": "\n",
    "record/fine.c": '#include "record/event_priv.h"\n/* printf("no") */\nconst char *s = "exit(1)";\n',
    "sys/procfs.h": "struct procfs_task {\n\tint pid;\n};\nint procfs_read(void);\nextern const int procfs_limit;\n"
                    "#define PROCFS_TASKS_MAX 9\nenum task_state { TASK_RUNNING = 1, TASK_SLEEPING };\n",
    "sys/read.c": 'int f(void)\n{\n\treturn open("/proc/modules", 0);\n}\n',
    "record/inner/priv.h": "\n",
    "record/inner/fine.c": '#include "record/inner/priv.h"\n',
    "capture/fine.c": 'int f(void)\n{\n\treturn sys_read(sys, "/proc/modules", procfs_read());\n}\n/* "/proc/iomem" */\n',
    "machine/own.c": "struct procfs_task {\n\tint other;\n};\nenum { TASK_SLEEPING };\nint f(void)\n{\n\treturn TASK_SLEEPING;\n}\n",
    "machine/fields.c": "int f(const struct task *t)\n{\n\treturn t->procfs_limit;\n}\n",
    "cmd/stat/run.h": "\n",
    "profile/profile.h": "\n",
    "base/error.h": "\n",
    "view/tui/speak.c": 'void f(void)\n{\n\tprintf("x");\n}\n',
    "cmd/fine.c": 'struct sample {\n\tint n;\n};\n/* PERF_RECORD_MMAP2 */\nconst char *s = "PERF_SAMPLE_TIME";\n',
    "cmd/cmd_x.c": '#include "view/svg/svg.h"\nvoid f(void) { printf("x"); }\n',
}


CONFINED = """libelf.h gelf.h elfutils/libdw.h elf.h ncurses.h slang.h bpf/libbpf.h bpf/bpf_helpers.h zstd.h lzma.h bzlib.h
 perfmon/pfmlib.h curl/curl.h Zydis/Zydis.h capstone/capstone.h microhttpd.h histedit.h editline/readline.h""".split()
PLAN = "| 1 | `a/` | One. | b |\n| 1 | `b/` | Two. | c |\n| 2 | `c/` | Three. | %s |\n"


def load_checker():
    spec = importlib.util.spec_from_file_location("check_layers", CHECKER)
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    return checker


def check(files, plan=PLAN_OF_TREE):
    """Whether a tree of these files keeps the rule, and what is said of it."""
    root = os.path.join(SCRATCH, "src")
    shutil.rmtree(root, ignore_errors=True)
    for path, text in files.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    said = [f"{where}: {problem}" for where, problem in load_checker().problems(root, plan, False)]
    return not said, "\n".join(said)


def check_confined(tap, checker):
    """No room but its owner includes the header of a library: one header for each row of the checker's table, at least."""
    missed = [pattern for pattern, _ in checker.CONFINED if not any(re.fullmatch(pattern, header) for header in CONFINED)]
    tap.equal(missed, [], "a header for each confined library is planted below")
    _, said = check(FINE | {"view/libraries.c": "".join(f"#include <{header}>\n" for header in CONFINED)})
    unseen = [header for header in CONFINED if f"<{header}> belongs to" not in said]
    tap.equal(unseen, [], "the checker sees each of them in another room")


def check_stale(tap, checker, plan):
    """Permissions that nothing needs, in the tree as it is: of a row of the plan, and in the checker's own lists."""
    with open(PLAN_OF_TREE, encoding="utf-8") as old, open(plan, "w", encoding="utf-8") as new:
        new.write(re.sub(r"(?m)^(\|.*`table/` .*\|) *\|$", r"\1 net |", old.read()))
    checker.KERNEL_FILES["base/strbuf.c"] = "planted"
    checker.LEAKS.add(("base", "net"))
    said = "\n".join(problem for _, problem in checker.problems(os.path.join(TOP, "src"), plan, True))
    for stale in "table/ uses nothing of net/", "base/strbuf.c needs no exception", "base/ uses nothing of net/ any more":
        tap.ok(stale in said, f"the checker sees a permission that is not needed: {stale}", said)
    tap.equal(said.count("\n"), 2, "and no other")


def main():
    tap = Tap()
    done = subprocess.run([sys.executable, CHECKER], capture_output=True, text=True)
    tap.ok(done.returncode == 0, "the tree keeps the room rule", done.stdout + done.stderr)
    is_fine, said = check(FINE)
    tap.ok(is_fine, "the checker passes what is allowed", said)
    for path, text in BREACHES.items():
        is_fine, said = check(FINE | {path: text})
        tap.ok(not is_fine and path in said, f"the checker sees the breach in {path}", said)
    _, said = check({f"record/file{i}.c": "\n" for i in range(26)})
    tap.ok("record/:1" in said.replace("src/", ""), "the checker sees a folder of 26 files", said)
    _, said = check({"cmd/long.c": "\n" * 26000})
    tap.ok("26000 lines" in said, "the checker sees that cmd/ grows", said)
    plan = os.path.join(SCRATCH, "plan.md")
    for last, passes in ("", True), ("a", False):
        with open(plan, "w", encoding="utf-8") as f:
            f.write(PLAN % last)
        is_fine, said = check({"c/file.c": "\n"}, plan)
        tap.ok(is_fine is passes and ("a -> b -> c -> a" in said) is not passes,
               "rows without a circle pass" if passes else "the checker sees a circle of rows", said)
    checker = load_checker()
    check_confined(tap, checker)
    check_stale(tap, checker, plan)
    tap.done()


main()
