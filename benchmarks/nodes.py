"""A Ray cluster of several nodes on this machine, one core each, with authentication: for the benchmark and the long tests.

It runs in a process of its own (Ray reads its environment once, when it is imported), told what to do line by line.
"""

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class ClusterDidNotStartError(RuntimeError):
    """With Ray's messages as a note."""


class Nodes:
    """`environ` is what a driver needs to join, including the token."""

    def __init__(self, process: "subprocess.Popen[str]", environ: Mapping[str, str]) -> None:
        self._process = process
        self.environ = environ
        self.pid = process.pid
        self.address = self._answer()

    def kill(self) -> None:
        """Kills the last node with SIGKILL."""
        self._tell("kill")

    def _tell(self, what: str) -> str:
        if self._process.stdin:
            print(what, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> str:
        """Ray prints too; our lines start with >."""
        for line in self._process.stdout or ():
            if line.startswith("> "):
                return line[2:].strip()
        raise ClusterDidNotStartError("the cluster did not start")


@contextmanager
def nodes(many: int, **environ: str) -> Iterator[Nodes]:
    """`environ` is for the nodes only."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
    with (
        tempfile.TemporaryFile("w+") as messages,
        # -P keeps this folder off the path: benchmarks/code.py would replace the module `code` of the standard library
        subprocess.Popen(
            [sys.executable, "-P", __file__, str(many)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            text=True,
            env=dict(os.environ) | token | environ,
        ) as process,
    ):
        try:
            yield Nodes(process, token)
        except ClusterDidNotStartError as error:
            messages.seek(0)
            error.add_note(messages.read()[-4000:])
            raise
        finally:  # the cluster may still print while it shuts down
            if process.stdin:
                process.stdin.close()
            process.wait()


def _main(many: int) -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    added = [cluster.add_node(num_cpus=1) for _ in range(many - 1)]
    cluster.wait_for_nodes()
    print(f"> {cluster.address}", flush=True)
    for line in sys.stdin:
        if line.strip() == "kill":
            cluster.remove_node(added.pop(), allow_graceful=False)
        print("> done", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    _main(int(sys.argv[1]))
