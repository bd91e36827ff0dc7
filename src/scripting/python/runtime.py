"""Runs a script of perf's Python interface for strobe: runtime.py EVENTS REPLIES SCRIPT [ARGUMENT...]

EVENTS is a descriptor with pickles, each a list of events: (handler, common numbers, arguments), None at the end. REPLIES is one
to which the names of the script's handlers are written once it has been loaded. MODULES, which the build puts in front of this
file, has the sources of modules that scripts import where perf's own are not installed.
"""

import os
import signal
import sys
import traceback
from importlib.machinery import ModuleSpec
from pickle import Unpickler
from types import ModuleType

BROKEN_PIPE = 141  # as a shell reports the end by SIGPIPE
INTERRUPTED = 130


class Context:
    """What handlers are given as context: the event that is being handled."""

    common = (0, 0, 0)  # preempt_count, flags, lock_depth


class Modules:
    """Finds the modules of MODULES, after all that are installed."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return ModuleSpec(name, cls) if name in MODULES else None

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        exec(compile(MODULES[module.__name__], module.__name__ + ".py", "exec"), module.__dict__)


def offer_modules(context):
    module = ModuleType("perf_trace_context")
    module.perf_script_context = context
    module.common_pc = lambda context: context.common[0]
    module.common_flags = lambda context: context.common[1]
    module.common_lock_depth = lambda context: context.common[2]
    module.perf_set_itrace_options = lambda context, options: 0  # there are no traces of instructions
    module.perf_sample_insn = lambda context: None
    module.perf_sample_srcline = lambda context: (None, 0)
    module.perf_sample_srccode = lambda context: (None, 0, None)
    sys.modules[module.__name__] = module
    sys.meta_path.append(Modules)


def load(script, context):
    main = ModuleType("__main__")
    main.__file__ = script
    main.perf_script_context = context
    sys.modules["__main__"] = main
    with open(script, "rb") as f:
        source = f.read()
    exec(compile(source, script, "exec"), main.__dict__)
    return main.__dict__


def reply(fd, handlers):
    lines = []
    for name, value in list(handlers.items()):
        if callable(value):
            code = getattr(value, "__code__", None)
            lines.append("%s %d\n" % (name, code.co_argcount if code else 0))
    with os.fdopen(fd, "wb") as f:
        f.write("".join(lines).encode("utf-8", "replace") + b"\n")


class Interrupt:
    """The first Ctrl-C ends the events, and trace_end() is still called; the second one ends the script."""

    came = False

    def __init__(self):
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self.on_signal)

    def on_signal(self, number, frame):
        self.came = True
        signal.signal(signal.SIGINT, signal.default_int_handler)


def batches(fd):
    with os.fdopen(fd, "rb", buffering=1 << 17) as f:
        unpickler = Unpickler(f)
        while True:
            try:
                batch = unpickler.load()
            except EOFError:
                return
            yield batch


def handle(batches, handlers, context, interrupt):
    """Returns whether the events are complete, or the user interrupted them."""
    for batch in batches:
        for event in batch:
            if event is None or interrupt.came:
                return True
            name, context.common, arguments = event
            handlers[name](*arguments)
    return interrupt.came


def call(handlers, name):
    handler = handlers.get(name)
    if callable(handler):
        handler()


def run(events, replies, script):
    context = Context()
    offer_modules(context)
    interrupt = Interrupt()
    handlers = load(script, context)
    call(handlers, "trace_begin")
    reply(replies, handlers)
    if not handle(batches(events), handlers, context, interrupt):
        return 1
    call(handlers, "trace_end")
    return 0


def print_error():
    """The traceback as if the script were run alone: without our own frames."""
    kind, error, frames = sys.exc_info()
    while frames and frames.tb_frame.f_globals is globals():
        frames = frames.tb_next
    traceback.print_exception(kind, error, frames)


def main():
    events, replies = int(sys.argv[1]), int(sys.argv[2])
    for fd in (events, replies):
        os.set_inheritable(fd, False)
    del sys.argv[:3]
    sys.path[0] = os.path.dirname(sys.argv[0])
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="surrogateescape")  # bytes of names come out as they were recorded
    try:
        status = run(events, replies, sys.argv[0])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = BROKEN_PIPE
    except KeyboardInterrupt:
        status = INTERRUPTED
    except Exception:
        print_error()
        status = 1
    sys.exit(status)


main()
