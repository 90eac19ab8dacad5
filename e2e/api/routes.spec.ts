import { CONTRACT_ROUTES, listedRoutes } from "./documented-routes";
import { expect, test } from "./fixtures";

test.describe("the list of routes", () => {
  test("has every route of the API in the OpenAPI page", async ({ anyone }) => {
    const listed = (await listedRoutes(anyone)).map(
      ({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`,
    );
    expect(CONTRACT_ROUTES.filter((route) => !listed.includes(route))).toEqual([]);
  });

  test("is a valid description: each path parameter, body and response has a schema", async ({ anyone }) => {
    const answer = await anyone.get("/api/openapi.json");
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    const page = answer.json;
    expect(page.openapi).toMatch(/^3\./);
    expect(page.success).toBeUndefined();
    const wrong: string[] = [];
    const ids = new Set<string>();
    for (const { method, path, operation } of await listedRoutes(anyone)) {
      const named = (operation.parameters ?? []).filter((each) => each.in === "path").map(({ name }) => name);
      for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
        if (!named.includes(name)) wrong.push(`${method} ${path}: {${name}} is not described`);
      }
      if (operation.operationId !== undefined) {
        if (ids.has(operation.operationId)) wrong.push(`${method} ${path}: operationId is used twice`);
        ids.add(operation.operationId);
      }
      if (Object.keys(operation.responses ?? {}).length === 0) wrong.push(`${method} ${path}: no answers`);
    }
    for (const [, name] of answer.text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (page.components?.schemas?.[name ?? ""] === undefined) wrong.push(`$ref to ${name} leads nowhere`);
    }
    expect(wrong).toEqual([]);
  });
});
