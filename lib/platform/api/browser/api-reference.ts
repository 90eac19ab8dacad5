import {
  type FieldRow,
  type JsonSchema,
  toExample,
  toFieldRows,
  toTypeName,
} from "@/lib/platform/api/browser/json-schema-rows";

type Media = Record<string, { schema?: JsonSchema }>;
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, unknown>[];
  "x-role"?: string;
  parameters: { name: string; in: "path" | "query"; required: boolean; schema: JsonSchema }[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
};
/** The parts of the document that are used here. */
export type OpenApiDocument = {
  info: { title: string; version: string; description?: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, unknown> };
};

export type Endpoint = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  who: string;
  parameters: FieldRow[];
  body: FieldRow[];
  /** `type` describes `data`; `fields` are its fields, or those of its items. Null for answers without an envelope. */
  answer: { status: string; type: string; fields: FieldRow[]; isEnvelope: boolean };
  curl: string;
};
export type EndpointGroup = { name: string; endpoints: Endpoint[] };

const ROLES: Record<string, string> = {
  owner: "Owners",
  admin: "Owners and admins",
  member: "Workspace members",
};

/** Returns the endpoints of the API, grouped by tag, ready to be shown. */
export function toReference(given: OpenApiDocument, origin: string): EndpointGroup[] {
  const document = { ...given, paths: resolved(given.paths, given.components?.schemas ?? {}) };
  const groups = new Map<string, Endpoint[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = operation.tags[0] ?? "Other";
      groups.set(name, [...(groups.get(name) ?? []), toEndpoint(method.toUpperCase(), path, operation, origin)]);
    }
  }
  return [...groups].map(([name, endpoints]) => ({ name, endpoints }));
}

/** Returns the groups with the endpoints that match all searched words. */
export function searchReference(groups: EndpointGroup[], search: string): EndpointGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isHit = (name: string, { method, path, summary, description }: Endpoint) => {
    const text = `${name} ${method} ${path} ${summary} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map(({ name, endpoints }) => ({ name, endpoints: endpoints.filter((each) => isHit(name, each)) }))
    .filter(({ endpoints }) => endpoints.length > 0);
}

/** Maximum depth: deeper than any answer; a recursive schema ends here. */
const DEPTH_MAX = 40;
const COMPONENT = "#/components/schemas/";

/** Returns a part of the document with references replaced by the named schemas. */
function resolved<T>(part: T, schemas: Record<string, unknown>, depth = 0): T {
  if (typeof part !== "object" || part === null || depth > DEPTH_MAX) return part;
  if (Array.isArray(part)) return part.map((each) => resolved(each, schemas, depth + 1)) as T;
  const { $ref, ...rest } = part as Record<string, unknown>;
  const inner = Object.entries(rest).map(([key, value]) => [key, resolved(value, schemas, depth + 1)]);
  if (typeof $ref !== "string" || !$ref.startsWith(COMPONENT)) return Object.fromEntries(inner) as T;
  const named = resolved(schemas[$ref.slice(COMPONENT.length)] ?? {}, schemas, depth + 1);
  return { ...(named as object), ...Object.fromEntries(inner) } as T;
}

function toEndpoint(method: string, path: string, operation: Operation, origin: string): Endpoint {
  const body = operation.requestBody?.content["application/json"]?.schema;
  return {
    id: operation.operationId,
    method,
    path,
    summary: operation.summary,
    description: operation.description ?? "",
    who: toWho(operation),
    parameters: operation.parameters.map(({ name, in: place, required, schema }) => ({
      ...(toFieldRows({ type: "object", properties: { [name]: schema } })[0] ?? { depth: 0, type: "text", note: "" }),
      name: place === "query" ? `?${name}` : name,
      isRequired: required,
    })),
    body: toFieldRows(body),
    answer: toAnswer(operation),
    curl: toCurl(method, path, operation, body, origin),
  };
}

function toWho({ security, "x-role": role }: Operation): string {
  if (security.length === 0) return "Anyone";
  const people = role === undefined ? "Any signed-in user" : `${ROLES[role] ?? role}, signed in`;
  return takesKeys(security) ? `${people}, or an API key` : `${people}. No API keys`;
}

function toAnswer({ responses }: Operation): Endpoint["answer"] {
  const [status = "200", response] = Object.entries(responses).find(([code]) => code !== "default") ?? [];
  const [contentType = "", media] = Object.entries(response?.content ?? {})[0] ?? [];
  const data = media?.schema?.properties?.data;
  if (!media?.schema) return { status, type: contentType, fields: [], isEnvelope: false };
  const isNothing = !data || Object.keys(data).length === 0;
  return { status, type: isNothing ? "null" : toTypeName(data), fields: toFieldRows(data), isEnvelope: true };
}

function toCurl(
  method: string,
  path: string,
  operation: Operation,
  body: JsonSchema | undefined,
  origin: string,
): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"${origin}${path}"`];
  if (operation.security.length > 0) {
    lines.push(takesKeys(operation.security) ? '-H "Authorization: Bearer mr_..."' : '-b "auth_session=..."');
  }
  if (body) {
    const example = JSON.stringify(toExample(body)).replaceAll("'", "'\\''");
    lines.push('-H "Content-Type: application/json"', `-d '${example}'`);
  }
  return lines.join(" \\\n  ");
}

function takesKeys(security: Record<string, unknown>[]): boolean {
  return security.some((each) => "apiKey" in each);
}
