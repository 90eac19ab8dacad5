import { z } from "zod";
import type { Access } from "@/lib/access/rules";
import { SESSION_COOKIE } from "@/lib/auth/session";
import type { Endpoint } from "./registry";

type JsonSchema = Record<string, unknown>;

/** What the success envelope and the failure envelope look like (docs/api.md, Common rules). */
const FAILURE: JsonSchema = {
  type: "object",
  required: ["success", "error", "code"],
  properties: {
    success: { const: false },
    error: { type: "string", description: "What happened and what to do, for people" },
    code: { type: "string", description: "Stable, snake_case" },
    details: { description: "A list of {path, message} for invalid input; an object for a failed query" },
  },
};

/** The OpenAPI 3.1 description, made from the schemas that validate the requests themselves. */
export function openApiDocument(endpoints: Endpoint[], server: { url: string; version: string }): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as JsonSchema)[endpoint.method.toLowerCase()] = operation(endpoint);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Millrace",
      version: server.version,
      description:
        "Accounts, workspaces, connections and query execution. Answers are {success, data} or {success, error, code}. A list goes on where its cursor says: nextCursor in data or, where data is an array, the header X-Next-Cursor.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: server.url }],
    paths,
    components: {
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE },
        apiKey: { type: "http", scheme: "bearer", description: "A workspace's API key, mr_..." },
      },
      schemas: { Failure: FAILURE },
    },
  };
}

function operation({ method, path, definition }: Endpoint): JsonSchema {
  const status = String(definition.status ?? 200);
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string = "") => next.toUpperCase())}`,
    summary: definition.summary,
    ...(definition.description && { description: definition.description }),
    tags: [definition.tag],
    security: securityOf(definition.access),
    // OpenAPI has no word for the role that a session or a key's creator needs in the workspace.
    ...(definition.access.scope === "workspace" && { "x-role": definition.access.role }),
    parameters: [...parametersOf(definition.params, "path"), ...parametersOf(definition.query, "query")],
    ...(definition.body && {
      requestBody: { required: true, content: { "application/json": { schema: inputSchema(definition.body) } } },
    }),
    responses: {
      [status]: {
        description: "Done",
        content: definition.produces
          ? { [definition.produces]: {} }
          : { "application/json": { schema: successSchema(definition.response) } },
      },
      ...(!definition.produces && {
        default: {
          description: "What went wrong, and what to do",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
        },
      }),
    },
  };
}

function securityOf(access: Access): JsonSchema[] {
  if (access.scope === "open") return [];
  const takesKeys = access.scope === "user" ? access.keys : access.keys !== "never";
  return takesKeys ? [{ session: [] }, { apiKey: [] }] : [{ session: [] }];
}

function parametersOf(schema: z.ZodType | undefined, where: "path" | "query"): JsonSchema[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = inputSchema(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: property,
  }));
}

function successSchema(data: z.ZodType | undefined): JsonSchema {
  return {
    type: "object",
    required: ["success", "data"],
    properties: {
      success: { const: true },
      data: data ? withoutDialect(z.toJSONSchema(data, { unrepresentable: "any" })) : {},
      message: { type: "string" },
    },
  };
}

function inputSchema(schema: z.ZodType): JsonSchema {
  return withoutDialect(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}

function withoutDialect({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
