import { expect, it } from "vitest";
import { KEY_PLACE, MCP_CLIENTS, toMcpLines } from "@/lib/features/agent/browser/mcp-lines";

const at = { origin: "https://data.example", slug: "harrow", key: "mr_secret" };

it.each(MCP_CLIENTS)("puts URL and key into the lines for $label", ({ value }) => {
  const { text } = toMcpLines(value, at);
  expect(text).toContain("https://data.example/api/mcp");
  expect(text).toContain("Bearer mr_secret");
});

it("shows a placeholder without a new key", () => {
  expect(toMcpLines("cursor", { ...at, key: null }).text).toContain(`Bearer ${KEY_PLACE}`);
});

it.each(["cursor", "vscode"] as const)("the file for %s is JSON", (client) => {
  expect(JSON.stringify(JSON.parse(toMcpLines(client, at).text))).toContain("millrace-harrow");
});
