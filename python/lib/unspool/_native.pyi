"""The native part of the package."""

from collections.abc import Iterator
from typing import Optional

__version__: str

class TraceError(Exception):
    """A trace cannot be read."""

    offset: Optional[int]
    """The byte of the file, or the place in a database, that is wrong, if it is one."""

class QuestionError(TraceError):
    """What was asked for is wrong, not the trace."""

class Batch:
    """Rows of a table, which a library takes once."""

    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: Optional[object] = None) -> tuple[object, object]: ...

class Batches(Iterator[Batch]):
    """The batches of a stream."""

    def __iter__(self) -> Batches: ...
    def __next__(self) -> Batch: ...

class Stream:
    """Rows of a table. Each time they are taken, they are passed on from the beginning."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...
    def __iter__(self) -> Batches: ...

class Trace:
    """An open trace, by the arguments of the command line."""

    def __init__(self, args: list[str]) -> None: ...
    @property
    def said(self) -> list[str]: ...
    def answer(self, args: list[str]) -> tuple[bytes, list[str]]: ...
    def stream(
        self,
        table: str,
        range: Optional[tuple[int, int]] = None,
        track: Optional[str] = None,
        filter: Optional[str] = None,
    ) -> Stream: ...
    def close(self) -> None: ...

def clean() -> None: ...
