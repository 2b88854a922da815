# SPDX-License-Identifier: LGPL-2.1-or-later
"""libliquidsched by ctypes: its structs, its functions, and errors as exceptions.

The structs are those of liquidsched.h, in its words; selftests/host/library/python.sh compares
every member with the header.
"""
import ctypes as C
import os

import numpy as np

_KINDS = dict(bool=C.c_bool, u8=C.c_uint8, u32=C.c_uint32, i64=C.c_int64, u64=C.c_uint64,
              size=C.c_size_t, double=C.c_double, enum=C.c_int, text=C.c_char_p, pointer=C.c_void_p)
STRUCTS = {}


def _struct(name, members):
    """Make the struct of lines "KIND MEMBER ...", where a kind may be another struct."""
    fields = []
    for line in members.split(";"):
        kind, *names = line.split()
        fields += [(member, STRUCTS[kind] if kind in STRUCTS else _KINDS[kind])
                   for member in names]
    STRUCTS[name] = type(name, (C.Structure,), {"_fields_": fields})
    return STRUCTS[name]


class Error(C.Structure):
    _fields_ = [("text", C.c_char * 1024)]


Bytes = _struct("bytes", "pointer data; size size")
Link = _struct("link", "u32 from to from_port to_port capacity")
Pair = _struct("pair", "u32 src dst count")
Transfer = _struct("transfer", "u32 src dst")
Transfers = _struct("transfers", "pointer transfer first")
Import = _struct("import", """pointer topo; text topo_label; pointer lft; text lft_label name;
    u32 rail; u64 unit_bps; text leave_out; bool allow_unreachable; pointer like note context;
    u64 unknown_bps; text rail_name; pointer node_names; text node_names_label strip_domain from
    dir; pointer host; size hosts""")
SolveOptions = _struct("solve_options", """text method; u64 seed work; double time_limit;
    u64 unit_bytes link_rate_bps; pointer from progress context; u64 threads; bool list;
    u32 parts""")
Progress = _struct("progress", """text phase; u64 done total; u32 best_length lower_bound;
    u64 work""")
ScheduleInfo = _struct("schedule_info", """text fabric_name fabric_digest traffic_digest method;
    u64 seed work unit_bytes link_rate_bps transfers; u32 duration; double fluid_bound;
    u32 length lower_bound; enum certificate; text witness_json;
    u32 wavelengths timeslots timeslot_bound version parts""")
RouteOptions = _struct("route_options", """pointer traffic; u32 lanes; bool circles; u64 seed work;
    pointer from; u32 lmc; pointer stretch; bool schedule""")
Routing = _struct("routing", """pointer fabric; u32 lanes; bool circles; pointer lane;
    double load switch_load; u32 busiest; u64 hops; double bound; pointer price; u32 moved;
    pointer traffic; double least; pointer schedule;
    double shifts""")
ChooseOptions = _struct("choose_options", """pointer senders receivers; size candidates; u32 count;
    pointer traffic; u64 seed work""")
Choice = _struct("choice", """u32 count; pointer senders receivers; u64 transfers; double lambda;
    u64 spread; double bound; enum proof; double first_lambda random_lambda random_least
    random_most; u64 first_spread random_spread; u32 candidates classes;
    u64 allocations trials work""")
PlanOptions = _struct("plan_options", """pointer host_of_rank; u32 ranks; bool cyclic;
    u64 piece_bytes""")
PlanInfo = _struct("plan_info", """u64 id; u32 ranks rank length; bool cyclic;
    u64 pieces tokens edges memory_bytes unit_bytes""")
Piece = _struct("piece", """u32 peer part units parts frame frames lane slot waits again member
    after""")
Token = _struct("token", "u32 rank slot")
Incoming = _struct("incoming", "u32 peer pieces parts frame")
Cut = _struct("cut", "u64 offset main tail")
RunOptions = _struct("run_options", """enum sync; i64 timeout_ns; u32 timeouts; i64 frame_ns;
    pointer slots; u64 first_epoch""")
Next = _struct("next", "enum step; u32 piece slot; i64 until_ns")
RunStats = _struct("run_stats", """u64 epochs epoch sent waits wait_ns wait_max_ns timeouts
    unsynchronised""")
SimOptions = _struct("sim_options", """enum switching order; bool contention_aware; u64 window
    rate_bps message_bytes packet_bytes worm_bytes buffer_bytes overhead hop_ns frame_ns guard_ns
    cycles; enum jitter; u64 jitter_ns clock_error_ns seed; pointer progress context; enum queues;
    u32 lanes; enum lane_by sync; double jitter_share; u64 token_ns tail_bytes token_timeout_ns
    start_skew_ns; double frame_slack; pointer rank""")
SimLink = _struct("sim_link", "u64 bytes busy_ns blocked_ns waits drops")
SimHost = _struct("sim_host", """u64 sent_bytes received_bytes sent_packets received_packets worms
    waits wait_ns wait_max_ns blocked_ns late late_max_ns end_ns dropped_deadlock dropped_tail
    dropped_too_long dropped_unsent""")
SimResult = _struct("sim_result", """pointer options; bool scheduled; u32 duration length;
    u64 transfers time_ns message_ns; double throughput liquid_throughput crossbar_throughput;
    pointer total; u64 deadlocks events memory_bytes; double lost_length_ns lost_headers_ns
    lost_guard_ns lost_other_ns; u32 host_count link_count; pointer host link; u64 tokens
    token_waits token_wait_ns token_wait_max_ns token_timeouts unsynchronised under_way_most
    on_schedule_most""")

View = _struct("view", "text label; pointer fabric load; text unit; pointer traffic schedule")
Page = _struct("page", """text title text; pointer view; size views; pointer bar; size bars;
    text kind_0 kind_1""")

# Words for the values of enums, in the order of liquidsched.h
ENUMS = dict(
    certificate="liquid optimal gap", proof="unproven lambda best", sync="tokens clock order",
    step="done send wait_left wait_token wait_until", switching="wormhole cut-through packet",
    order="pairwise random all-at-once shuffle-xor shuffle-rotation pairwise-xor",
    jitter="none uniform normal exponential", queues="fifo-speedup voq fifo",
    lane_by="destination source layers", sim_sync="gates tokens clock order",
    opensm="tables qos-policy options")
ENUMS = {kind: words.split() for kind, words in ENUMS.items()}

# Functions by what they return; that of an int may fail, and takes an error as its last argument.
_RETURNS = dict(
    int="""stream_open stream_close fabric_make fabric_read_by fabric_write fabric_import
        fabric_digest fabric_route traffic_new traffic_alltoall traffic_add_pairs traffic_loads
        solve verify schedule_list schedule_read_json schedule_write_json simulate route
        routing_write choose plan_make plan_make_matrix plan_slice plan_read run_new run_begin
        page_write""",
    u32="fabric_host_count fabric_alias_count fabric_switch_count fabric_link_count",
    u64="fabric_unit_rate", text="fabric_name fabric_node_name fabric_note",
    pointer="""fabric_link schedule_info plan_info plan_pieces plan_tokens plan_incoming plan_givers
        run_main_left run_left run_stats""")
_RETURNS = {function: kind for kind, names in _RETURNS.items() for function in names.split()}

_library = C.CDLL(os.environ.get("LIBLIQUIDSCHED") or "libliquidsched.so.0")
_libc = C.CDLL(None)
_libc.free.argtypes = [C.c_void_p]


class LiquidError(Exception):
    """What the library says; .status is one of its codes, such as -4 where a limit was reached."""

    status = 0


class InputError(LiquidError, ValueError):
    """The input is invalid; the text names the place."""


class FileError(LiquidError, OSError):
    """A file could not be read or written."""


class InvalidError(LiquidError):
    """The schedule, or a proof, is not valid."""


_EXCEPTIONS = {-1: InputError, -2: MemoryError, -3: FileError, -6: InvalidError}


def call(name, *args):
    """Call liquid_NAME; a failure is raised as an exception."""
    function = getattr(_library, "liquid_" + name)
    kind = _RETURNS.get(name)
    if kind != "int":
        function.restype = _KINDS.get(kind)
        return function(*args)
    err = Error()
    status = function(*args, C.byref(err))
    if status < 0:
        error = _EXCEPTIONS.get(status, LiquidError)(err.text.decode(errors="replace"))
        error.status = status
        raise error
    return status


def fill(struct, options):
    """A @struct with these members; words of enums become their numbers, None the default."""
    names = [member for member, _ in struct._fields_]
    values = {}
    for member, value in options.items():
        if member not in names:
            raise TypeError(f"no option '{member}'; there are: {', '.join(names)}")
        words = ENUMS.get("sim_sync" if struct is SimOptions and member == "sync" else member)
        if isinstance(value, str) and words and value not in words:
            raise InputError(f"{member}: '{value}' is not one of {', '.join(words)}")
        if isinstance(value, str):
            value = words.index(value) if words else value.encode()
        if value is not None:
            values[member] = value
    return struct(**values)


def figures(struct):
    """The numbers, words and texts of @struct, without its pointers."""
    found = {}
    for member, kind in struct._fields_:
        value = getattr(struct, member)
        if kind is C.c_char_p:
            value = value.decode() if value is not None else None
        elif kind is C.c_int:
            value = ENUMS[member][value]
        if kind is not C.c_void_p:
            found[member] = value
    return found


def array(pointer, struct, count):
    """A copy of @count elements at @pointer: of a struct, or of a type of numpy."""
    kind = np.dtype(struct)
    if not count:
        return np.zeros(0, kind)
    memory = (C.c_char * (int(count) * kind.itemsize)).from_address(pointer)
    return np.frombuffer(memory, kind).copy()


def address(values, kind=np.uint32):
    """An array of numpy for the library, and its address; (None, None) for None."""
    if values is None:
        return None, None
    values = np.ascontiguousarray(values, kind)
    return values, values.ctypes.data_as(C.c_void_p)


class Stream:
    """A file or memory for functions of the library that read or write a FILE."""

    def __init__(self, path=None, data=None, mode="r"):
        self.file = C.c_void_p()
        self.bytes = Bytes()
        self._keep = data           # the library reads from it
        if data is not None:
            self.bytes = Bytes(C.cast(C.c_char_p(data), C.c_void_p).value, len(data))
        call("stream_open", os.fsencode(path) if path is not None else None, mode.encode(),
             C.byref(self.bytes), C.byref(self.file))
        self._written = path is None and mode == "w"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            call("stream_close", self.file)
        except LiquidError:
            if kind is None:
                raise

    def take(self):
        """The bytes that were written, after the stream is closed."""
        data = C.string_at(self.bytes.data, self.bytes.size)
        _libc.free(self.bytes.data)
        return data


class Object:
    """Something of the library, freed with the Python object."""

    _free = ""

    def __init__(self, pointer, keep=()):
        self._pointer = pointer
        self._keep = keep           # objects that must live as long

    def __del__(self, _call=call):
        if self._free and getattr(self, "_pointer", None):
            _call(self._free, self._pointer)

    @property
    def _as_parameter_(self):
        return self._pointer


_Watch = C.CFUNCTYPE(C.c_int, C.c_void_p, C.POINTER(Progress))


class Watch:
    """A progress callback, which @ask ends with the best so far, and Ctrl-C with nothing."""

    def __init__(self, ask):
        self._ask = ask
        self._error = None
        self.function = _Watch(self._called)
        self.pointer = C.cast(self.function, C.c_void_p)

    def _called(self, _, progress):
        try:
            return 2 if self._ask and self._ask(figures(progress.contents)) else 0
        except BaseException as error:      # pylint: disable=broad-except
            self._error = error
            return 1

    def call(self, name, *args):
        """Call a function that makes an object; what @ask has raised is raised here."""
        try:
            return make(name, *args)
        except LiquidError:
            if self._error:
                raise self._error from None
            raise


def make(name, *args):
    """Call a function whose last argument but the error is where to put a new object."""
    pointer = C.c_void_p()
    call(name, *args, C.byref(pointer))
    return pointer
