import { z } from "zod";
import type { Access } from "@/lib/platform/access/rules";
import { SESSION_COOKIE } from "@/lib/platform/access/session-cookie";
import { BODY_LIMITS } from "@/lib/platform/http/body";
import type { ContentShapes } from "@/lib/platform/http/content";
import { ERROR_STATUS, type ErrorKind } from "@/lib/platform/http/errors";
import type { Endpoint } from "./registry";
import { type SchemaModule, schemaNames } from "./schema-names";

type JsonSchema = Record<string, unknown>;
/** The named schemas of the reference that the answers use. */
type Components = { names: ReadonlyMap<unknown, string>; schemas: Record<string, JsonSchema> };
type Answer = { description: string; headers?: JsonSchema; content?: Record<string, JsonSchema> };

/** Schema of the failure envelope (docs/develop/api.md, Common rules). */
const FAILURE: JsonSchema = {
  type: "object",
  required: ["success", "error", "code"],
  properties: {
    success: { const: false },
    error: { type: "string", description: "Human-readable: what happened and what to do" },
    code: { enum: Object.keys(ERROR_STATUS), description: "Stable error code in snake_case" },
    details: {
      description: "List of {path, message} for invalid input; object for a failed query",
      anyOf: [
        {
          type: "array",
          items: {
            type: "object",
            required: ["path", "message"],
            properties: { path: { type: "string" }, message: { type: "string" } },
          },
        },
        { type: "array", items: { type: "object", additionalProperties: true } },
        { type: "object", additionalProperties: true },
      ],
    },
  },
};
const RETRY_AFTER = { description: "Seconds to wait before retrying", schema: { type: "integer" } };
const NEXT_CURSOR = { description: "Cursor of the next page; absent on the last page", schema: { type: "string" } };
const WAITS: ReadonlySet<number> = new Set([ERROR_STATUS.rate_limited, ERROR_STATUS.unavailable]);

/** Descriptions of the reference's groups. */
const TAGS: Readonly<Record<string, string>> = {
  OAuth: "Sign-in of MCP clients, and the apps with access.",
  "API keys": "Keys that act as their creator in one workspace.",
  Account: "Registration, sign-in, sessions, passwords and preferences.",
  Agent: "Chats with the agent, its models, plans and the Model Context Protocol.",
  Apps: "Small applications: files, preview, publishing, bindings and the linked repository.",
  Connections: "Databases and other sources, their types, schemas and files.",
  Consoles: "Saved queries with folders, drafts, history and schedules.",
  Dashboards: "Widgets over datasets, with filters, refreshes and snapshots.",
  Flows: "Jobs that move data, their runs and inbound webhooks.",
  Imports: "Uploaded files, previews of their rows, and their import into tables of the connection Files.",
  Metrics: "Metric files in Ossie's core format, and queries of their metrics.",
  Members: "Members of a workspace and invitations.",
  Notifications: "Rules, deliveries and test notifications.",
  Queries: "Query execution, its history and cancellation.",
  Reviews: "Branches of the repository that are reviewed and merged.",
  Runs: "Runs of consoles, flows and dashboards.",
  Service: "Health, version and this description.",
  Shares: "Dashboards and apps behind a link.",
  Workspaces: "Workspaces, their mails and their events.",
};

/** Returns the path of an endpoint as documented: OpenAPI has no syntax for a catch-all segment, so it is one text. */
export function documentedPath(path: string): string {
  return path.replace(/\.\.\.\}$/, "}");
}

/** Returns the OpenAPI 3.1 description, generated from the schemas that validate the requests. */
export function openApiDocument(
  endpoints: Endpoint[],
  server: { url: string; version: string },
  modules: readonly SchemaModule[] = [],
): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  const components: Components = { names: schemaNames(modules), schemas: {} };
  for (const endpoint of endpoints) {
    const path = documentedPath(endpoint.path);
    paths[path] ??= {};
    (paths[path] as JsonSchema)[endpoint.method.toLowerCase()] = operation(endpoint, components);
  }
  const tags = [...new Set(endpoints.map(({ definition }) => definition.tag))].sort();
  return {
    openapi: "3.1.0",
    info: {
      title: "Millrace",
      version: server.version,
      description:
        "API of Millrace. Responses are {success, data} or {success, error, code}. Lists are paginated with nextCursor in data, or X-Next-Cursor if data is an array. Names are trimmed. x-refuses lists further reasons for invalid_request.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      contact: { name: "Millrace", url: server.url },
    },
    servers: [{ url: server.url }],
    tags: tags.map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    components: {
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE },
        apiKey: { type: "http", scheme: "bearer", description: "A workspace's API key, mr_..." },
      },
      schemas: { Failure: FAILURE, ...components.schemas },
    },
  };
}

/**
 * Returns every error code of an endpoint: those of its access and of its input, and those that its definition adds. An
 * answer with another code is a fault of the definition, or of the handler.
 */
export function failuresOf({ method, path, definition }: Endpoint): ErrorKind[] {
  const { access, body, rawBody, query, params, guardsOrigin, failures = [], worksWithoutStore } = definition;
  const takesKeys =
    access.scope === "open"
      ? access.keys === "ignored"
      : access.scope === "key" || (access.scope === "user" && access.keys);
  const isLocked = access.scope !== "open" || access.keys === "refused";
  const found: [ErrorKind, boolean][] = [
    ["invalid_request", Boolean(params || query || body || rawBody)],
    ["unauthenticated", isLocked],
    // With a cookie, another site may have caused the request.
    [
      "forbidden",
      access.scope === "workspace" || !takesKeys || Boolean(guardsOrigin) || (isLocked && method !== "GET"),
    ],
    ["not_found", /\{(?!workspaceId\})/.test(path)],
    ["too_large", Boolean(body || rawBody)],
    ["unsupported_media_type", Boolean(body)],
    ["internal", true],
    ["unavailable", !worksWithoutStore],
    // Reading needs no disk space.
    ["storage_full", !worksWithoutStore && method !== "GET"],
  ];
  return [...new Set([...found.flatMap(([kind, may]) => (may ? [kind] : [])), ...failures])];
}

/** Returns every status of an endpoint's answers. */
export function statusesOf(endpoint: Endpoint): number[] {
  const { outside, response, status = 200 } = endpoint.definition;
  const successes = outside ? [...Object.keys(outside).map(Number), ...(response ? [status] : [])] : [status];
  return [...new Set([...successes, ...failuresOf(endpoint).map((kind) => ERROR_STATUS[kind])])];
}

function operation(endpoint: Endpoint, components: Components): JsonSchema {
  const { method, path, definition } = endpoint;
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string = "") => next.toUpperCase())}`,
    summary: definition.summary,
    description: definition.description ?? `${definition.summary}.`,
    tags: [definition.tag],
    security: securityOf(definition.access),
    // OpenAPI cannot express the role that a session or a key's creator needs in the workspace.
    ...(definition.access.scope === "workspace" && { "x-role": definition.access.role }),
    // JSON Schema cannot express rules that depend on more than the data, either.
    ...(definition.refuses && { "x-refuses": definition.refuses }),
    parameters: [...parametersOf(definition.params, "path"), ...parametersOf(definition.query, "query")],
    ...requestBodyOf(definition),
    responses: answersOf(endpoint, components),
  };
}

function securityOf(access: Access): JsonSchema[] {
  if (access.scope === "open") return [];
  if (access.scope === "key") return [{ apiKey: [] }];
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

function requestBodyOf({ body, rawBody, bodyLimit }: Endpoint["definition"]): JsonSchema {
  if (rawBody) return { requestBody: { content: contentOf(rawBody, inputSchema) } };
  if (!body) return {};
  const description = `At most ${BODY_LIMITS[bodyLimit ?? "json"] / 1024} KiB`;
  // A body with a default is optional.
  const required = !body.safeParse(undefined).success;
  return { requestBody: { description, required, content: { "application/json": { schema: inputSchema(body) } } } };
}

function answersOf(endpoint: Endpoint, components: Components): Record<string, Answer> {
  const { definition } = endpoint;
  const { outside = {}, response } = definition;
  const success = String(definition.status ?? 200);
  const answers: Record<string, Answer> = {};
  for (const [status, shapes] of Object.entries(outside)) {
    const content = contentOf(shapes, (shape) => outputSchema(shape, components));
    const description = Number(status) < 300 ? "Done" : Number(status) < 400 ? "Redirect" : "Failing components";
    answers[status] = { description, ...(Object.keys(content).length > 0 && { content }) };
  }
  if (!definition.outside || response) {
    answers[success] = {
      description: "Done",
      ...(goesOnInHeader(definition) && { headers: { "X-Next-Cursor": NEXT_CURSOR } }),
      content: { "application/json": { schema: successSchema(response, components) }, ...answers[success]?.content },
    };
  }
  for (const [status, codes] of Map.groupBy(failuresOf(endpoint), (kind) => ERROR_STATUS[kind])) {
    answers[status] = {
      description: answers[status]?.description ?? "What happened and what to do",
      ...(WAITS.has(status) && { headers: { "Retry-After": RETRY_AFTER } }),
      // An explicit schema of the same type, as for health, replaces the envelope's.
      content: { "application/json": { schema: failureSchema(codes) }, ...answers[status]?.content },
    };
  }
  return answers;
}

/** Returns whether a list's next cursor is in a header: for arrays, and for lists beside other fields. */
function goesOnInHeader({ query, response }: Endpoint["definition"]): boolean {
  const takesCursor = query instanceof z.ZodObject && "cursor" in query.shape;
  return takesCursor && !(response instanceof z.ZodObject && "nextCursor" in response.shape);
}

function successSchema(data: z.ZodType | undefined, components: Components): JsonSchema {
  return {
    type: "object",
    required: ["success", "data"],
    properties: {
      success: { const: true },
      data: data ? outputSchema(data, components) : { type: "null" },
      message: { type: "string" },
    },
  };
}

function failureSchema(codes: ErrorKind[]): JsonSchema {
  return { allOf: [{ $ref: "#/components/schemas/Failure" }, { properties: { code: { enum: codes } } }] };
}

function contentOf(shapes: ContentShapes, toSchema: (shape: z.ZodType) => JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(shapes).map(([type, shape]) => [type, { schema: shape ? toSchema(shape) : plainBytes(type) }]),
  );
}

/** Returns the schema of a body that we do not validate: a message of another protocol, or bytes. */
function plainBytes(type: string): JsonSchema {
  if (type === "application/json") return { type: "object", additionalProperties: true };
  return { type: "string", format: "binary" };
}

function inputSchema(schema: z.ZodType): JsonSchema {
  return jsonSchemaOf(schema, "input");
}

/** Returns the schema of an answer. Named schemas are added to the components once, and referenced. */
function outputSchema(schema: z.ZodType, components: Components): JsonSchema {
  return jsonSchemaOf(schema, "output", components);
}

/** Returns the JSON schema. If the checks of a schema cannot be expressed, `reference` in its meta replaces it. */
function jsonSchemaOf(schema: z.ZodType, io: "input" | "output", components?: Components): JsonSchema {
  const { $schema: _, ...found } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema, zodSchema }) => {
      const { reference, description } = jsonSchema as { reference?: JsonSchema; description?: string };
      if (reference) replace(jsonSchema, description === undefined ? reference : { description, ...reference });
      // The server alone can tell a number from an exact number, for example.
      if (Array.isArray(jsonSchema.anyOf)) jsonSchema.anyOf = distinct(jsonSchema.anyOf);
      const name = components?.names.get(zodSchema);
      if (!components || name === undefined || "$ref" in jsonSchema) return;
      components.schemas[name] = structuredClone(jsonSchema as JsonSchema);
      replace(jsonSchema, { $ref: `#/components/schemas/${name}` });
    },
  });
  return found as JsonSchema;
}

function distinct<T>(schemas: T[]): T[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

function replace(object: Record<string, unknown>, by: JsonSchema): void {
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, by);
}
