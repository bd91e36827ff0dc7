"""Names of flags and values in events, for scripts: the interface of perf's module Core."""

from collections import defaultdict


def autodict():
    """A dict whose missing items are such dicts."""
    return defaultdict(autodict)


flag_fields = autodict()
symbolic_fields = autodict()


def define_flag_field(event_name, field_name, delim):
    flag_fields[event_name][field_name]["delim"] = delim


def define_flag_value(event_name, field_name, value, field_str):
    flag_fields[event_name][field_name]["values"][value] = field_str


def define_symbolic_field(event_name, field_name):
    symbolic_fields[event_name][field_name]


def define_symbolic_value(event_name, field_name, value, field_str):
    symbolic_fields[event_name][field_name]["values"][value] = field_str


def _names_of_bits(values, value, joint):
    """The names of the values whose bits are all set, lowest first."""
    if not value:
        return values.get(0, "")
    names = []
    for bits in sorted(values):
        if bits and value & bits == bits:
            names.append(values[bits])
            value &= ~bits
    return joint.join(names)


def flag_str(event_name, field_name, value):
    field = flag_fields[event_name][field_name]
    delim = field["delim"]
    return _names_of_bits(field["values"], value, " %s " % delim if delim else "")


def symbol_str(event_name, field_name, value):
    return symbolic_fields[event_name][field_name]["values"].get(value, "")


trace_flags = {
    0x00: "NONE",
    0x01: "IRQS_OFF",
    0x02: "IRQS_NOSUPPORT",
    0x04: "NEED_RESCHED",
    0x08: "HARDIRQ",
    0x10: "SOFTIRQ",
}


def trace_flag_str(value):
    return _names_of_bits(trace_flags, value, " | ")


def taskState(state):
    return {0: "R", 1: "S", 2: "D", 64: "DEAD"}.get(state, "Unknown")


class EventHeaders:
    """The arguments that all handlers of tracepoints have."""

    def __init__(self, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain):
        self.cpu = common_cpu
        self.secs = common_secs
        self.nsecs = common_nsecs
        self.pid = common_pid
        self.comm = common_comm
        self.callchain = common_callchain

    def ts(self):
        return self.secs * 10**9 + self.nsecs

    def ts_format(self):
        return "%d.%d" % (self.secs, self.nsecs // 1000)
