import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { routeModules } from "@/.generated/routes";
import { schemaModules } from "@/.generated/schemas";
import { documentedPath, failuresOf, openApiDocument, statusesOf } from "@/lib/platform/api/openapi";
import { listEndpoints } from "@/lib/platform/api/registry";
import { ERROR_STATUS } from "@/lib/platform/http/errors";

type Schema = Record<string, unknown>;
type Operation = {
  parameters: { name: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, { headers?: Schema; content?: Record<string, { schema?: Schema }> }>;
  security: Schema[];
  "x-refuses"?: Record<string, string>;
};

const endpoints = listEndpoints(routeModules);
/** Without names, so that each operation contains its whole schema. */
const page = openApiDocument(endpoints, { url: "http://localhost:3000", version: "0" });
const named = openApiDocument(endpoints, { url: "http://localhost:3000", version: "0" }, schemaModules);
const operations = endpoints.map((endpoint) => {
  const ofPath = (page.paths as Record<string, Record<string, Operation>>)[documentedPath(endpoint.path)] ?? {};
  const operation = ofPath[endpoint.method.toLowerCase()] as Operation;
  return { ...endpoint, label: `${endpoint.method} ${endpoint.path}`, operation };
});

/** Free text, bounded only by its body: statements, and fields that next-auth validates. */
const FREE_TEXTS = [
  /^POST \/api\/auth\/signin\/\{provider\}: (provider|csrfToken|callbackUrl)$/,
  /^GET \/api\/auth\/callback\/\{provider\}: provider$/,
  /[ .]query$/,
  // Names inside free values; settings are listed by type.
  /[ .](query|params|chart|config|spec)\.\(name\)$/,
  /: variables\.\*/,
];

/** The generated requests read real values of path parameters from here; it runs only where schemathesis is installed. */
const HOOKS = readFileSync(new URL("reference_hooks.py", import.meta.url), "utf8");

describe("the generated requests of the API reference", () => {
  it("have a real value for each path parameter", () => {
    const values = HOOKS.match(/^PATH_VALUES = \{\n(.*?)^\}/ms)?.[1] ?? "";
    const known = [...values.matchAll(/^ {4}"(\w+)":/gm)].map(([, name]) => name);
    const names = endpoints.flatMap(({ path }) =>
      [...documentedPath(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
    expect(names.length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining([...new Set(names)]));
  });
});

describe("the API reference", () => {
  it("gives the format or length of every text input", () => {
    const loose = operations.flatMap(({ label, operation }) =>
      [
        ...operation.parameters.flatMap(({ name, schema }) => looseTexts(schema, name)),
        ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => looseTexts(schema, "")),
      ].map((path) => `${label}: ${path}`),
    );
    expect(loose.filter((text) => !FREE_TEXTS.some((free) => free.test(text)))).toEqual([]);
  });

  it("lists each endpoint's statuses of access and input, with their codes", () => {
    for (const { label, operation, ...endpoint } of operations) {
      expect([label, Object.keys(operation.responses).map(Number).sort()]).toEqual([
        label,
        statusesOf(endpoint).sort(),
      ]);
      const codes = failuresOf(endpoint);
      if (operation.security.length > 0)
        expect([label, codes]).toEqual([label, expect.arrayContaining(["unauthenticated"])]);
      if (operation.requestBody)
        expect([label, codes]).toEqual([label, expect.arrayContaining(["invalid_request", "too_large"])]);
      for (const code of codes) expect(operation.responses).toHaveProperty(String(ERROR_STATUS[code]));
      expect(operation.responses).not.toHaveProperty("default");
    }
  });

  it("names the header with the next cursor for responses without a place for it", () => {
    const lists = operations.filter(({ operation }) => operation.parameters.some(({ name }) => name === "cursor"));
    expect(lists.length).toBeGreaterThan(8);
    for (const { label, operation } of lists) {
      const { headers, content } = operation.responses["200"] ?? {};
      const hasPlace = JSON.stringify(content).includes('"nextCursor"');
      expect([label, headers !== undefined && "X-Next-Cursor" in headers]).toEqual([label, !hasPlace]);
    }
  });

  it("lists no alternative twice", () => {
    expect(alternativesGivenTwice(named, "")).toEqual([]);
  });

  it("lists rejection reasons for existing fields only", () => {
    for (const { label, operation } of operations) {
      const known = JSON.stringify([operation.parameters, operation.requestBody]);
      for (const path of Object.keys(operation["x-refuses"] ?? {})) {
        const name = path.split(".").at(-1);
        expect([label, path, known.includes(`"${name}"`)]).toEqual([label, path, true]);
      }
    }
  });
});

describe("C43 the named schemas of the reference", () => {
  const schemas = (named.components as { schemas: Record<string, Schema> }).schemas;
  const text = JSON.stringify(named);

  it("C43 have the product's nouns", () => {
    for (const name of [
      ...["User", "Workspace", "Member", "Invite", "ApiKey", "Session", "Connection", "ConnectionType", "Entity"],
      ...[
        "Console",
        "ConsoleRun",
        "Schedule",
        "Execution",
        "ExecuteAnswer",
        "Dashboard",
        "WidgetData",
        "Flow",
        "FlowRun",
      ],
      ...["Run", "Rule", "Delivery", "App", "Binding", "Share", "Chat", "ChatMessage", "Failure"],
    ]) {
      expect([name, schemas[name] !== undefined]).toEqual([name, true]);
    }
  });

  it("C43 have no unused and no missing references", () => {
    const used = new Set([...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name));
    expect([...used].sort()).toEqual(Object.keys(schemas).sort());
  });

  it("C43 give every array its items, and every operation a description and a known tag", () => {
    const bare: string[] = [];
    const look = (value: unknown, path: string) => {
      if (typeof value !== "object" || value === null) return;
      const { type, items, prefixItems } = value as Schema;
      if ([type].flat().includes("array") && items === undefined && prefixItems === undefined) bare.push(path);
      for (const [key, inner] of Object.entries(value)) look(inner, `${path}/${key}`);
    };
    look(named, "");
    expect(bare).toEqual([]);
    const tags = (named.tags as { name: string; description: string }[]).map(({ name, description }) => {
      expect([name, description === name]).toEqual([name, false]);
      return name;
    });
    for (const path of Object.values(
      named.paths as Record<string, Record<string, { tags: string[]; description: string }>>,
    )) {
      for (const operation of Object.values(path)) {
        expect(tags).toEqual(expect.arrayContaining(operation.tags));
        expect(operation.description.length).toBeGreaterThan(0);
      }
    }
  });

  it("C43 name no operation twice", () => {
    const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

/** Returns the paths of unbounded strings in a schema. */
function looseTexts(schema: unknown, path: string): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, properties, items, additionalProperties, propertyNames, ...rest } = schema as Schema;
  const variants = ["anyOf", "oneOf"].flatMap((key) => (rest[key] as unknown[] | undefined) ?? []);
  const isBounded = ["pattern", "format", "enum", "const", "maxLength"].some((key) => key in rest);
  const own = [type].flat().includes("string") && !isBounded ? [path] : [];
  const below = (name: string) => (path === "" ? name : `${path}.${name}`);
  return [
    ...own,
    ...variants.flatMap((variant) => looseTexts(variant, path)),
    ...Object.entries((properties as Schema) ?? {}).flatMap(([name, each]) => looseTexts(each, below(name))),
    ...looseTexts(items, below("*")),
    ...looseTexts(additionalProperties, below("*")),
    ...looseTexts(propertyNames, below("(name)")),
  ];
}

/** Returns the paths in `value` whose `anyOf`, `oneOf` or `allOf` contains the same schema twice. */
function alternativesGivenTwice(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const isList = ["anyOf", "oneOf", "allOf"].includes(key) && Array.isArray(each);
    const isTwice = isList && new Set(each.map((schema: unknown) => JSON.stringify(schema))).size < each.length;
    return [...(isTwice ? [`${path}/${key}`] : []), ...alternativesGivenTwice(each, `${path}/${key}`)];
  });
}
