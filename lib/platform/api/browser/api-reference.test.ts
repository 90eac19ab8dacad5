import { describe, expect, it } from "vitest";
import { type OpenApiDocument, searchReference, toReference } from "@/lib/platform/api/browser/api-reference";
import { toFieldRows, toTypeName } from "@/lib/platform/api/browser/json-schema-rows";

const ID = { type: "string", pattern: "^[0-9a-fA-F]{24}$", description: "24-digit hexadecimal id" };
const envelope = (data: object) => ({ content: { "application/json": { schema: { properties: { data } } } } });
const DOCUMENT: OpenApiDocument = {
  info: { title: "Millrace", version: "1" },
  servers: [{ url: "https://data.example.com" }],
  paths: {
    "/api/workspaces/{workspaceId}/invites": {
      post: {
        operationId: "invite",
        summary: "Invite somebody",
        tags: ["Members"],
        security: [{ session: [] }],
        "x-role": "admin",
        parameters: [{ name: "workspaceId", in: "path", required: true, schema: ID }],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["email"],
                properties: {
                  email: { type: "string", format: "email" },
                  role: { type: "string", enum: ["owner", "admin", "member"], default: "member" },
                },
              },
            },
          },
        },
        responses: { 201: envelope({ type: "object", required: ["id"], properties: { id: ID } }), default: {} },
      },
    },
    "/api/health": {
      get: {
        operationId: "health",
        summary: "Check service health",
        tags: ["Service"],
        security: [],
        parameters: [],
        responses: { 200: { content: { "application/json": {} } } },
      },
    },
  },
};
const groups = toReference(DOCUMENT, "https://data.example.com");
const endpoint = groups[0]?.endpoints[0];

describe("the API reference", () => {
  it("groups endpoints by tag", () => {
    expect(
      groups.map(({ name, endpoints }) => [name, endpoints.map(({ method, path }) => `${method} ${path}`)]),
    ).toEqual([
      ["Members", ["POST /api/workspaces/{workspaceId}/invites"]],
      ["Service", ["GET /api/health"]],
    ]);
  });

  it("says which roles are allowed and whether an API key is enough", () => {
    expect(endpoint?.who).toBe("Owners and admins, signed in. No API keys");
    expect(groups[1]?.endpoints[0]?.who).toBe("Anyone");
  });

  it("lists parameters and the fields of bodies and responses", () => {
    expect(endpoint?.parameters).toEqual([{ name: "workspaceId", depth: 0, type: "id", isRequired: true, note: "" }]);
    expect(endpoint?.body).toEqual([
      { name: "email", depth: 0, type: "email", isRequired: true, note: "" },
      { name: "role", depth: 0, type: "owner, admin or member", isRequired: false, note: 'default "member"' },
    ]);
    expect(endpoint?.answer).toMatchObject({ status: "201", type: "object", isEnvelope: true });
    expect(groups[1]?.endpoints[0]?.answer).toMatchObject({ type: "application/json", isEnvelope: false });
  });

  it("gives an example request with the required body fields", () => {
    expect(endpoint?.curl).toBe(
      `curl -X POST "https://data.example.com/api/workspaces/{workspaceId}/invites" \\
  -b "auth_session=..." \\
  -H "Content-Type: application/json" \\
  -d '{"email":"ana@example.com"}'`,
    );
  });

  it("finds endpoints that match all words of a search", () => {
    expect(searchReference(groups, "post invite").map(({ name }) => name)).toEqual(["Members"]);
    expect(searchReference(groups, "post health")).toEqual([]);
    expect(searchReference(groups, " ")).toEqual(groups);
  });
});

describe("a schema in words", () => {
  it("names IDs, times, lists and choices", () => {
    expect(toTypeName({ anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] })).toBe("time or null");
    expect(toTypeName({ type: "array", items: ID })).toBe("list of id");
    expect(toTypeName({ type: ["string", "null"] })).toBe("text or null");
    expect(toTypeName({})).toBe("anything");
  });

  it("indents the fields of objects in a list", () => {
    const rows = toFieldRows({
      type: "object",
      properties: { items: { type: "array", items: { type: "object", properties: { id: ID } } } },
    });
    expect(rows.map(({ name, depth }) => [name, depth])).toEqual([
      ["items", 0],
      ["id", 1],
    ]);
  });
});

it("C43 shows the fields of named schemas, and stops at a schema that contains itself", () => {
  const post = DOCUMENT.paths["/api/workspaces/{workspaceId}/invites"]?.post;
  if (!post) throw new Error("The document lacks its operation.");
  const ref = { $ref: "#/components/schemas/Thing" };
  const envelope = { type: "object", properties: { data: ref } };
  const document = {
    ...DOCUMENT,
    paths: {
      "/api/things": {
        get: { ...post, responses: { 200: { content: { "application/json": { schema: envelope } } } } },
      },
    },
    components: { schemas: { Thing: { type: "object", properties: { id: { type: "string" }, inner: ref } } } },
  } as unknown as typeof DOCUMENT;
  const [group] = toReference(document, "https://data.example.com");
  expect(group?.endpoints[0]?.answer.fields.slice(0, 2)).toMatchObject([{ name: "id" }, { name: "inner" }]);
});
