"""Azure OpenAI: OpenAI's form with a key header of its own, and a path that names the deployment."""

from typing import Any
from urllib.parse import quote

from methodlens.readers.wire.form import ChatCall
from methodlens.readers.wire.openai import OpenAIChat
from methodlens.settings import ChatServer

_V1 = "/openai/v1"


class AzureChat(OpenAIChat):
    """`model` is the deployment's name. A base_url that ends in /openai/v1 needs no api_version."""

    key_header = "api-key"

    def request(self, server: ChatServer, call: ChatCall) -> tuple[str, dict[str, Any]]:
        path, body = super().request(server, call)
        if _is_v1(server):
            return path, body
        del body["model"]
        return f"/openai/deployments/{quote(server.model, safe='')}{path}{_version(server)}", body

    def models_path(self, server: ChatServer) -> str:
        return "/models" if _is_v1(server) else f"/openai/models{_version(server)}"


def _is_v1(server: ChatServer) -> bool:
    return server.base_url.rstrip("/").endswith(_V1)


def _version(server: ChatServer) -> str:
    return f"?api-version={quote(server.api_version, safe='')}"
