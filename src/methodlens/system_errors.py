"""What a user can do about an error of the operating system."""

import errno
import os

TOO_FEW_HANDLES = "raise the limit of open files with 'ulimit -n 1024', or use --workers 1, then rerun to resume"
_NO_SPACE = "free some disk space, then rerun to resume"
_READ_ONLY = "get permission to write there, or choose another place with --to or --out"
_FIXES = {
    errno.EMFILE: TOO_FEW_HANDLES,
    errno.ENFILE: TOO_FEW_HANDLES,
    errno.ENOSPC: _NO_SPACE,
    errno.EDQUOT: _NO_SPACE,
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.ENOMEM: "free some memory, or use --workers 1, then rerun to resume",
}


def fix_for(error: OSError, otherwise: str) -> str:
    """
    >>> fix_for(OSError(errno.ENOSPC, "No space left on device"), "choose another path")
    'free some disk space, then rerun to resume'
    """
    return _FIXES.get(error.errno or 0, otherwise)


def out_of_handles() -> bool:
    """Whether this process cannot open another file: libraries such as SQLite hide that cause."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as err:
        return err.errno in (errno.EMFILE, errno.ENFILE)
    return False
