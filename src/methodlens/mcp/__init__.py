"""An MCP server: language-model clients list, search, ask and compare papers. Needs the extra `mcp`."""
