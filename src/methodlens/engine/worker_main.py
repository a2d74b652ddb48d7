"""The child process that does whole papers for the local engine: the job first, then tasks in and parcels out, until stdin ends.

It reads PDFs in a child of its own, with the limits that they always have, and holds no keys.
"""

from methodlens.engine import worker as faraway
from methodlens.papers import pipe


def main() -> None:
    job = b""

    def answered(message: bytes) -> bytes:
        nonlocal job
        if job:
            return faraway.do(job, message)
        job = message
        return faraway.get_ready(job)

    pipe.serve(answered)


if __name__ == "__main__":
    main()
