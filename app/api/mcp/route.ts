import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { answerMcp } from "@/lib/features/agent/mcp/server";
import { keyOnly } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Model Context Protocol",
    description:
      "Implements Streamable HTTP: one JSON-RPC message per request, answered as JSON. A client with the capability `elicitation` gets a session: its calls that write are answered as a stream, in which its user approves them. Requires an API key, which selects the workspace. Exposes the agent's tools; write tools require a key with full access. Queries are read-only. Resources: `millrace://connections/{id}/schema` and `millrace://consoles/{id}`.",
    tag: "Agent",
    access: keyOnly,
    isRead: true,
    rawBody: { "application/json": null },
    outside: {
      200: {
        "application/json": z.looseObject({ jsonrpc: z.literal("2.0") }),
        "text/event-stream": z.looseObject({ jsonrpc: z.literal("2.0") }).describe("Each message"),
      },
      202: {},
      400: { "application/json": z.looseObject({ jsonrpc: z.literal("2.0") }) },
      404: { "application/json": z.looseObject({ jsonrpc: z.literal("2.0") }) },
      406: { "application/json": z.looseObject({ jsonrpc: z.literal("2.0") }) },
    },
    failures: ["unsupported_media_type", "forbidden"],
    handle: ({ caller, request, signal }) => answerMcp(caller, request, signal),
  }),
});
