import { z } from "zod";
import { apiKeySchema, createApiKeyBody, createdApiKeySchema } from "@/lib/features/accounts/api-key-schema";
import { createApiKey, listApiKeys } from "@/lib/features/accounts/api-key-service";
import { route } from "@/lib/features/accounts/route";
import { admin, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";
import { listQuery } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List API keys",
    description: "Returns keys newest first, without their secrets.",
    tag: "API keys",
    access: peopleOnly(admin),
    params: pathIds("workspaceId"),
    query: listQuery,
    response: z.array(apiKeySchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listApiKeys(caller, query)),
  }),
  POST: route({
    summary: "Create an API key",
    description: "Returns the key once. It acts as you in this workspace.",
    tag: "API keys",
    access: peopleOnly(admin),
    params: pathIds("workspaceId"),
    body: createApiKeyBody,
    response: createdApiKeySchema,
    refuses: { expiresAt: "A time in the past" },
    status: 201,
    message: "API key created",
    handle: ({ caller, body }) => createApiKey(caller, body),
  }),
});
