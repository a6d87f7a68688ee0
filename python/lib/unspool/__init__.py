"""Traces of programs as Arrow streams, and the answers of the command ``unspool``.

>>> import unspool
>>> t = unspool.open("xray/threads.xray")
>>> t
<unspool.Trace xray/threads.xray: XRay FDR 5, 513 slices>
>>> for function in t.stats()["functions"][:3]:
...     print(function["name"], function["count"], function["self"])
#8 7 646100
#2 2 568094
#5 85 406040

What has rows is a :class:`Stream`, which polars, DuckDB, pandas and pyarrow take as it is::

    polars.DataFrame(t.slices())
    duckdb.sql("select name, sum(dur) from slices group by 1")    # with slices = t.slices()
    pandas.DataFrame.from_arrow(t.slices())
    pyarrow.table(t.slices())

Positions are absolute and count ticks, calls, steps or points, as the trace does
(:attr:`Trace.unit`); both ends of a range are included.
"""

from __future__ import annotations

import atexit
import errno
import json
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any, Iterable, Optional, Tuple, Union

from . import _native
from ._native import Batch, QuestionError, Stream, TraceError, __version__

__all__ = [
    "Batch",
    "QuestionError",
    "Stream",
    "Trace",
    "TraceError",
    "TraceWarning",
    "__version__",
    "open",
]

#: A path of a file.
File = Union[str, "os.PathLike[str]"]
#: The first and the last position, either of which may be None.
Range = Tuple[Optional[int], Optional[int]]

atexit.register(_native.clean)


class TraceWarning(UserWarning):
    """Something is wrong with a file, but what could be read is there."""


def open(
    path: File,
    *,
    binary: Union[File, Iterable[File]] = (),
    names: Optional[File] = None,
    limits: bool = True,
    nest_tail_calls: bool = False,
) -> Trace:
    """Opens a trace and reads all of it.

    :param path: The file, of any format that Unspool reads, in any container; ``archive.zip/name``
        for a file in an archive.
    :param binary: The program that ran, for names of functions, and its shared libraries:
        ``FILE``, ``OBJECT=FILE`` or ``FILE@BASE``, as ``unspool --binary`` takes them.
    :param names: A file of names, as ``unspool --names`` takes it.
    :param limits: Stop at the limits on unpacked bytes and memory.
    :param nest_tail_calls: Attribute the callee of a tail call to the function that jumped to it.
    :raises TraceError: if nothing could be read. What else is wrong with the file is a
        :class:`TraceWarning`, and among :attr:`Trace.problems`.

    >>> t = unspool.open("binaries/program.xray", binary="binaries/program.elf")
    >>> t.names().columns
    ['id', 'name', 'kind', 'key']
    >>> unspool.open("xray/README.md")
    Traceback (most recent call last):
    unspool.TraceError: xray/README.md: This is text, not a trace.
    """
    return Trace(path, binary=binary, names=names, limits=limits, nest_tail_calls=nest_tail_calls)


class Trace:
    """An open trace. :func:`open` makes it.

    Each has a thread of its own, which reads and computes without Python's lock; Ctrl+C stops what
    it does. Large traces are in a temporary file, so that they need little memory. A trace may be
    used from several threads; it answers one after the other. In a ``with`` statement, or by
    :meth:`close`, it goes before it is collected.
    """

    def __init__(
        self,
        path: File,
        *,
        binary: Union[File, Iterable[File]] = (),
        names: Optional[File] = None,
        limits: bool = True,
        nest_tail_calls: bool = False,
    ) -> None:
        self._path = os.fspath(path)
        _expect(self._path)
        if isinstance(binary, (str, os.PathLike)):
            binary = (binary,)
        self._binaries = [os.fspath(it) for it in binary]
        self._names = None if names is None else os.fspath(names)
        self._options = [] if limits else ["--no-limits"]
        self._options += ["--nest-tail-calls"] if nest_tail_calls else []
        args = [*self._options, *(f"--binary={it}" for it in self._binaries)]
        if self._names is not None:
            args.append(f"--names={self._names}")
        self._trace = _native.Trace([*args, "--", self._path])
        self._info: Optional[dict[str, Any]] = None
        _warn(self._trace.said)

    def __repr__(self) -> str:
        info = self.info
        return f"<unspool.Trace {self._path}: {info['title']}, {info['slices']} slices>"

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the trace and removes its temporary files. Streams of it end with an error.

        >>> with unspool.open("xray/threads.xray") as t:
        ...     found = t.find("dur>400us")
        >>> t.stats()
        Traceback (most recent call last):
        ValueError: The trace is closed.
        """
        self._trace.close()

    # Facts

    @property
    def path(self) -> str:
        """The file, as it was opened."""
        return self._path

    @property
    def info(self) -> dict[str, Any]:
        """What the trace contains: the object that ``unspool info --json`` prints.

        >>> t.info["format"], t.info["clock"]["frequency"]
        ('xray', 2400000000)
        """
        if self._info is None:
            self._info = json.loads(self._answer("info", ["--json"]))
        return self._info

    @property
    def problems(self) -> list[dict[str, Any]]:
        """What is wrong with the trace, by kind, with the first place of each. Empty if nothing is.

        >>> with warnings.catch_warnings(action="ignore"):
        ...     truncated = unspool.open("xray/truncated.xray")
        >>> [(problem["kind"], problem["first"]["offset"]) for problem in truncated.problems]
        [('truncated', 9851), ('exit-without-enter', 2224)]
        """
        return list(self.info["problems"])

    @property
    def frequency(self) -> Optional[int]:
        """Ticks per second. None if positions are not in seconds."""
        frequency: Optional[int] = self.info["clock"].get("frequency")
        return frequency

    @property
    def unit(self) -> str:
        """What positions count: ``tick``, or for example ``call``, ``step`` or ``point``."""
        unit: str = self.info["clock"].get("unit", "tick")
        return unit

    # Rows

    def slices(
        self,
        *,
        range: Optional[Range] = None,
        track: Union[str, int, None] = None,
        filter: Optional[str] = None,
    ) -> Stream:
        """What has a duration: calls, handlers, groups, lifetimes. Those of a track that nest come
        in the order in which they are entered.

        ``id``, ``track``, ``depth`` (0 is the outermost), ``start``, ``dur``, ``name`` (a
        dictionary of texts), ``parent`` (the id of the slice that encloses it) and ``flags`` (1
        began before the recording, 2 never ended, 4 the end is inferred, 8 is a guess).

        :param range: Only slices that overlap with it: ``(first, last)``, both included. None in
            place of either leaves that end open.
        :param track: Only this track, by name, or by its number in ``info["tracks"]``.
        :param filter: Only slices that match this expression, as :meth:`find` takes it.

        >>> pyarrow.table(t.slices(filter="name:#8 dur>170000")).select(["start", "dur"]).to_pylist()
        [{'start': 7140221778830, 'dur': 170466}]
        """
        return self._stream("slices", range, track, filter)

    def instants(
        self,
        *,
        range: Optional[Range] = None,
        track: Union[str, int, None] = None,
        filter: Optional[str] = None,
    ) -> Stream:
        """What has no duration: ``track``, ``time`` and ``name``. Parameters as of :meth:`slices`."""
        return self._stream("instants", range, track, filter)

    def counters(self, *, range: Optional[Range] = None, track: Union[str, int, None] = None) -> Stream:
        """Values over time: ``track``, ``time``, ``value`` (which holds from there on), and
        ``exact``, the value as an integer if it is one. Parameters as of :meth:`slices`.

        >>> values = unspool.open("trace_db/variables.trace")
        >>> values.counters().columns
        ['track', 'time', 'value', 'exact']
        """
        return self._stream("counters", range, track, None)

    def tracks(self) -> Stream:
        """Threads, lanes and counters: ``id``, ``kind``, ``name``, ``number`` (the id of a thread or
        process), and ``parent``. Their ids are the values of columns called ``track``."""
        return self._stream("tracks", None, None, None)

    def names(self) -> Stream:
        """What slices and instants are called: ``id``, ``name``, ``kind``, and ``key`` (the id or
        address that the file has)."""
        return self._stream("names", None, None, None)

    def records(
        self,
        *,
        range: Optional[Range] = None,
        track: Union[str, int, None] = None,
        filter: Optional[str] = None,
    ) -> Stream:
        """What is written in the file, one by one: ``id``, ``time``, ``track`` and ``name``.

        :param range: Only records in it: ``(first, last)``, both included.
        :param track: Only those of this track.
        :param filter: Only those that :meth:`find` finds.

        >>> pyarrow.table(t.records()).num_rows
        1021
        """
        return self._stream("records", range, track, filter)

    def fields(
        self,
        *,
        range: Optional[Range] = None,
        track: Union[str, int, None] = None,
        filter: Optional[str] = None,
    ) -> Stream:
        """The fields of :meth:`records`, a row each: ``record`` (its id), ``key``, ``value`` (a
        text), ``number`` (the value, if it is a number) and ``symbol`` (the name of a constant).
        Keys lead into lists and structures with dots: ``args.mode``, ``args.m.3``, ``vars.i``.

        >>> values = unspool.open("trace_db/variables.trace")
        >>> fields = pyarrow.table(values.fields(range=(3, 3)))
        >>> fields.column("key").to_pylist()
        ['statement', 'vars.n', 'vars.i', 'vars.key', 'vars.values']
        """
        return self._stream("fields", range, track, filter)

    # Answers

    def sql(self, query: str) -> list[dict[str, Any]]:
        """Runs SQL on the trace, in SQLite, and returns the rows. docs/sql.md has the tables and
        functions; they are made at the first query.

        >>> t.sql("select name, count(*) as calls from named_slices group by 1 order by 2 desc limit 2")
        [{'name': '#13', 'calls': 122}, {'name': '#5', 'calls': 85}]
        >>> t.sql("select nothing")
        Traceback (most recent call last):
        unspool.QuestionError: no such column: nothing
          select nothing
                 ^
        """
        return self._lines("sql", ["--json"], query)

    def stats(
        self,
        by: str = "function",
        *,
        range: Optional[Range] = None,
        track: Union[str, int, None] = None,
    ) -> dict[str, Any]:
        """Counts and times of functions, by descending self time: the object that ``unspool stats
        --json`` prints.

        :param by: ``function``, ``thread`` (functions of each thread), or ``stack``.
        :param range: Only slices that overlap with it.
        :param track: Only this track.
        """
        answer: dict[str, Any] = json.loads(self._answer("stats", ["--json", "--by", by, *_scope(range, track)]))
        return answer

    def find(self, expression: str, *, limit: Optional[int] = None) -> list[dict[str, Any]]:
        """Finds slices and records: the objects that ``unspool find --json`` prints. docs/find.md
        describes the language. A limit of 0 is none.

        >>> hit = t.find("name:#8 dur>150000")[0]
        >>> hit["start"], hit["name"], hit["dur"]
        (7140220782563, '#8', 162086)
        """
        hits = self._lines("find", ["--json", *([] if limit is None else [f"--limit={limit}"])], expression)
        # If there are more, the last line says so.
        return hits[:limit] if limit else hits

    def state(
        self,
        at: int,
        *,
        before: bool = False,
        after: bool = False,
        thread: Optional[int] = None,
        memory: Iterable[str] = (),
    ) -> dict[str, Any]:
        """The state at a step of a BAP frames trace, or at a call of an apitrace, as far as the
        trace records it: the object that ``unspool state --json`` prints.

        :param at: The number of the step or call.
        :param before: Before the call (apitrace). For steps, that is the default.
        :param after: After the step (frames). For calls, that is the default.
        :param thread: The thread whose registers are wanted (frames).
        :param memory: What memory is wanted, such as ``0x7ffe10+64`` (frames).

        >>> frames = unspool.open("frames/calls.frames")
        >>> frames.state(5)["registers"]["RSP"]
        {'value': 'f0dfffffff7f0000', 'step': 5, 'how': 'read'}
        """
        args = ["--json", f"--at={at}", *(["--before"] if before else []), *(["--after"] if after else [])]
        args += [] if thread is None else [f"--thread={thread}"]
        answer: dict[str, Any] = json.loads(self._answer("state", [*args, *(f"--memory={it}" for it in memory)]))
        return answer

    def compare(
        self, other: Union[Trace, File], *, records: bool = False, why: bool = False, ignore: Iterable[str] = ()
    ) -> dict[str, Any]:
        """What differs in another trace of the same format, this one being the base: the object
        that ``unspool compare --json`` prints. docs/compare.md has the definitions. Both files are
        read for it.

        :param other: The other trace.
        :param records: Compare the records one by one, in place of the functions.
        :param why: Find the step at which two executions part, and why (frames).
        :param ignore: Rules for what to leave out (with ``records``).

        >>> good, bad = (unspool.open(f"trace_db/compare-{which}.trace") for which in ("good", "bad"))
        >>> good.compare(bad)["format"]
        'trace-db'
        """
        if not isinstance(other, Trace):
            _expect(os.fspath(other))
        against: Union[Trace, _Other]
        against = other if isinstance(other, Trace) else _Other(os.fspath(other))
        args = ["--json", *self._options]
        args += [*(["--records"] if records else []), *(["--why"] if why else []), *(f"--ignore={it}" for it in ignore)]
        for side, trace in (("a", self), ("b", against)):
            args += [f"--binary-{side}={it}" for it in trace._binaries]
            args += [] if trace._names is None else [f"--names-{side}={trace._names}"]
        text, said = self._trace.answer(["compare", *args, "--", self._path, against._path])
        _warn(said)
        answer: dict[str, Any] = json.loads(text)
        return answer

    def image(
        self,
        call: Optional[int] = None,
        *,
        texture: Optional[int] = None,
        level: int = 0,
        layer: int = 0,
        flip: bool = False,
    ) -> bytes:
        """A texture of an apitrace as PNG, as uploads have left it after a call. Pictures of frames
        need a graphics processor: the page draws them.

        :param call: The call; the end of the trace if it is omitted.
        :param texture: The name of the texture. By default, the one that the call uploads to.
        :param level: The level of detail.
        :param layer: The slice, layer or face.
        :param flip: Put the last row first.

        >>> uploads = unspool.open("graphics/uploads.trace")
        >>> uploads.image(texture=1)[1:4]
        b'PNG'
        """
        if texture is None:
            texture = self._uploaded(call)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "image.png")
            args = [f"--texture={texture}", f"--level={level}", f"--layer={layer}", f"--output={path}"]
            args += [] if call is None else [f"--at={call}"]
            self._answer("image", [*args, *(["--flip"] if flip else [])])
            return Path(path).read_bytes()

    def _uploaded(self, call: Optional[int]) -> int:
        """The texture that a call uploads to."""
        resources = json.loads(self._answer("resources", ["--json"]))["resources"]
        textures = [it for it in resources if it["kind"] == "texture"]
        at = [it["name"] for it in textures if any(event[0] == call for event in it["events"])]
        if call is None or not at:
            which = "Name a texture" if call is None else f"Call {call} uploads to no texture: name one"
            raise QuestionError(f"{which}, as in image(call, texture=5). The page draws pictures of frames.")
        name: int = at[0]
        return name

    def _answer(self, command: str, args: list[str], *last: str) -> bytes:
        own = [] if command in ("info", "stats", "find", "state", "sql") else self._options
        text, said = self._trace.answer([command, *own, *args, "--", self._path, *last])
        if command not in ("info", "stats", "find", "state", "sql"):
            _warn(said)
        return text

    def _lines(self, command: str, args: list[str], *last: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._answer(command, args, *last).splitlines()]

    def _stream(
        self, table: str, range: Optional[Range], track: Union[str, int, None], filter: Optional[str]
    ) -> Stream:
        bounds = None if range is None else _bounds(range)
        return self._trace.stream(table, bounds, None if track is None else str(track), filter)


class _Other:
    """A trace that is compared and not open."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._binaries: list[str] = []
        self._names: Optional[str] = None


#: One more than the highest position.
_END = 2**64 - 1


def _bounds(range: Range) -> tuple[int, int]:
    """A range with its end excluded."""
    first, last = range
    first, last = 0 if first is None else first, _END if last is None else last
    if not 0 <= first <= last <= _END:
        raise QuestionError(f"{range} is not a range: expected (first, last), from 0 on, None for an open end")
    return first, min(last + 1, _END)


def _scope(range: Optional[Range], track: Union[str, int, None]) -> list[str]:
    args = []
    if range is not None:
        _bounds(range)
        args.append("--range=" + "..".join("" if end is None else str(end) for end in range))
    return args if track is None else [*args, f"--track={track}"]


def _expect(path: str) -> None:
    """Fails as other functions do if there is no such file, nor an archive that it may be in."""
    there = Path(path)
    if not there.exists() and not any(parent.is_file() for parent in there.parents):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _warn(said: list[str]) -> None:
    """Passes on what is wrong with a file. Other lines are counts."""
    for line in said:
        if line.startswith("unspool: "):
            warnings.warn(line[len("unspool: ") :], TraceWarning, stacklevel=4)
