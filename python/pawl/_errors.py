"""The family of exceptions: pawl.Error, and one class for each code of the library."""

from __future__ import annotations


class Error(Exception):
    """Something that pawl refuses or cannot do.

    ``code`` is the library's name for the kind of fault ("bad_shape"); the text is the command line's: the chain of
    places, and what is wrong there.
    """

    code: str = "internal"


class IoError(Error, OSError):
    """A file cannot be opened, read or written."""

    code = "io"


class BadFile(Error, ValueError):
    """Bytes that are not what they claim to be: truncated, corrupt, not ONNX."""

    code = "bad_file"


class BadModel(Error, ValueError):
    """A well-formed file whose graph breaks a rule of the standard."""

    code = "bad_model"


class BadShape(Error, ValueError):
    """Shapes, ranks or axes that do not fit together."""

    code = "bad_shape"


class BadType(Error, TypeError, ValueError):
    """Element types or kinds of values that do not fit together."""

    code = "bad_type"


class BadValue(Error, ValueError):
    """A value outside of what the operator or option allows."""

    code = "bad_value"


class BadArgument(Error, ValueError):
    """The call itself: a missing, extra or misspelt input, option or file."""

    code = "bad_argument"


class Unsupported(Error, NotImplementedError):
    """Legal, and not implemented; the text names the operator, type or feature."""

    code = "unsupported"


class Limit(Error, MemoryError):
    """A stated bound was passed: memory, nesting, steps."""

    code = "limit"


class Interrupted(Error):
    """The run was asked to stop by ``RunOptions.terminate``."""

    code = "interrupted"


class InternalError(Error, RuntimeError):
    """A bug in pawl."""

    code = "internal"


_CLASSES: dict[str, type[Error]] = {
    each.code: each
    for each in (
        IoError,
        BadFile,
        BadModel,
        BadShape,
        BadType,
        BadValue,
        BadArgument,
        Unsupported,
        Limit,
        Interrupted,
        InternalError,
    )
}


def exception_of(code: str, message: str) -> Error:
    """The exception for an error of the library."""
    return _CLASSES.get(code, InternalError)(message)
