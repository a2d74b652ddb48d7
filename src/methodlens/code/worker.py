"""The child process that reads a repository: limited and confined like the one that parses PDFs. It executes nothing of it."""

import gc
import os
import warnings
from pathlib import Path

import msgspec
from msgspec import Struct

from methodlens.confined.limited_worker import serve_limited
from methodlens.records.code import Repository, RepositoryStatus
from methodlens.settings import CodeLimits


class ReadRequest(Struct, frozen=True):
    """The reply is a Repository. With `snapshot`, `path` is the archive that `git_history.write_snapshot` made."""

    path: bytes
    limits: CodeLimits
    snapshot: bool = False
    unread: tuple[tuple[str, int], ...] = ()
    links: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()


def answer(request: ReadRequest) -> Repository:
    from methodlens.code.analysis import analyse
    from methodlens.code.skipped import Skipped
    from methodlens.code.trees import SnapshotTree, Tree, TreeBroken, TreeTooBig, open_tree

    path, skipped, limits = Path(os.fsdecode(request.path)), Skipped(), request.limits
    try:
        tree: Tree
        if request.snapshot:
            tree = SnapshotTree(path, limits, skipped, unread=request.unread, links=request.links)
            for name in request.submodules:
                skipped.add("submodule, not part of this repository", name)
        else:
            tree = open_tree(path, limits, skipped)
        return analyse(tree, limits, skipped)
    except TreeTooBig as err:
        return Repository("", "", RepositoryStatus.TOO_BIG, str(err))
    except TreeBroken as err:
        return Repository("", "", RepositoryStatus.MALFORMED, str(err))
    except OSError as err:
        reason = f"it cannot be read ({err.strerror}); check its path and permissions"
        return Repository("", "", RepositoryStatus.MALFORMED, reason)


def main() -> None:
    gc.disable()  # syntax trees have no cycles, and looking for some takes half of the time
    warnings.simplefilter("ignore")  # `ast` warns about the code that it parses
    decode = msgspec.json.Decoder(ReadRequest).decode
    serve_limited(decode, lambda request: msgspec.json.encode(answer(request)))


if __name__ == "__main__":
    main()
