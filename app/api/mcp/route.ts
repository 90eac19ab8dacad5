import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { answerMcp } from "@/lib/features/agent/mcp/server";
import { keyOnly } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Model Context Protocol",
    description:
      "Streamable HTTP without sessions: one JSON-RPC message a request, answered as JSON. The key is the workspace; a cookie alone is 401. Tools are the agent's, those that write for full keys only; queries only read. Resources are `millrace://connections/{id}/schema` and `millrace://consoles/{id}`.",
    tag: "Agent",
    access: keyOnly,
    isRead: true,
    rawBody: { "application/json": null },
    outside: {
      200: { "application/json": z.looseObject({ jsonrpc: z.literal("2.0") }) },
      202: {},
      400: { "application/json": z.looseObject({ jsonrpc: z.literal("2.0") }) },
      406: { "application/json": z.looseObject({ jsonrpc: z.literal("2.0") }) },
    },
    failures: ["unsupported_media_type", "forbidden"],
    handle: ({ caller, request, signal }) => answerMcp(caller, request, signal),
  }),
});
