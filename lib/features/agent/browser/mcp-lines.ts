/** Clients that the page has instructions for; the last one is for any other. */
export const MCP_CLIENTS = [
  { value: "claude", label: "Claude Code" },
  { value: "cursor", label: "Cursor" },
  { value: "vscode", label: "VS Code" },
  { value: "other", label: "URL only" },
] as const;
export type McpClient = (typeof MCP_CLIENTS)[number]["value"];

/** Placeholder for the key: a key is shown once. */
export const KEY_PLACE = "YOUR_API_KEY";

/**
 * Returns the text to paste into a client of the Model Context Protocol, and the file or command it belongs to.
 * @param slug of the workspace, which names the server
 */
export function toMcpLines(
  client: McpClient,
  { origin, slug, key }: { origin: string; slug: string; key: string | null },
): { place: string; text: string } {
  const url = `${origin}/api/mcp`;
  const name = `millrace-${slug}`;
  const headers = { Authorization: `Bearer ${key ?? KEY_PLACE}` };
  const json = (value: object) => JSON.stringify(value, null, 2);
  switch (client) {
    case "claude":
      return {
        place: "Command line",
        text: `claude mcp add --transport http ${name} ${url} --header "Authorization: ${headers.Authorization}"`,
      };
    case "cursor":
      return { place: ".cursor/mcp.json", text: json({ mcpServers: { [name]: { url, headers } } }) };
    case "vscode":
      return { place: ".vscode/mcp.json", text: json({ servers: { [name]: { type: "http", url, headers } } }) };
    case "other":
      return { place: "Streamable HTTP", text: `${url}\nAuthorization: ${headers.Authorization}` };
  }
}
