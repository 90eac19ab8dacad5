import { fill, listedRoutes, needsCredentials } from "./documented-routes";
import { expect, expectError, expectOk, register, sampleOf, test } from "./fixtures";

test.describe("lists", () => {
  test("clamps an integer limit to 1..200, and returns 400 for anything else", async ({ owner }) => {
    const id = await sampleOf(owner);
    for (let n = 0; n < 3; n++) {
      expectOk(await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: `select ${n} n` }));
    }
    const list = `${owner.home}/executions`;
    for (const [limit, count] of [
      ["2", 2],
      ["1", 1],
      ["0", 1],
      ["-1", 1],
      ["-99999999999", 1],
      ["201", 3],
      ["1000000000", 3],
    ] as const) {
      const answer = await owner.api.get(`${list}?limit=${limit}`);
      expectOk(answer);
      expect([limit, answer.json.data.items.length]).toEqual([limit, count]);
    }
    for (const limit of ["a", "", "1.5", "NaN", "1e2", "0x10", "%20", "null", "true", "Infinity", "1,2", "%D9%A1"]) {
      const answer = await owner.api.get(`${list}?limit=${limit}`);
      expect([limit, answer.status]).toEqual([limit, 400]);
      expectError(answer, 400, "invalid_request");
    }
  });

  test("has a default limit of 50", async ({ owner }) => {
    const id = await sampleOf(owner);
    await Promise.all(
      Array.from({ length: 51 }, async (_, n) => {
        expectOk(await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: `select ${n} n` }));
      }),
    );
    const { json } = await owner.api.get(`${owner.home}/executions`);
    expect(json.data.items).toHaveLength(50);
    expect(typeof json.data.nextCursor).toBe("string");
  });

  test("returns every item once by cursor and ends with null, unaffected by new items", async ({ owner }) => {
    const id = await sampleOf(owner);
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { json } = await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: `select ${n} n` });
      made.unshift(json.data.executionId);
    }
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let page = 0; page < 10 && cursor !== null; page++) {
      const query: string = cursor === "" ? "limit=2" : `limit=2&cursor=${encodeURIComponent(cursor)}`;
      const { json } = await owner.api.get(`${owner.home}/executions?${query}`);
      seen.push(...json.data.items.map((item: { id?: string; executionId?: string }) => item.executionId ?? item.id));
      cursor = json.data.nextCursor;
      await owner.api.post(`${owner.home}/databases/${id}/execute`, { query: "select 'between'" });
    }
    expect(cursor).toBeNull();
    expect(seen).toEqual(made);
  });

  test("returns 400 for an invalid cursor on every list", async ({ anyone, owner }) => {
    const wrong: string[] = [];
    for (const { path, operation } of (await listedRoutes(anyone)).filter(({ method }) => method === "GET")) {
      if (!operation.parameters?.some(({ name }) => name === "cursor") || /\{(?!workspaceId)/.test(path)) continue;
      for (const cursor of ["bad", "", "%00", "..%2f", "e30", "eyJpZCI6eyIkbmUiOm51bGx9fQ", "x".repeat(3000)]) {
        const filled = fill(path, owner.workspaceId);
        const answer = await owner.api.get(`${filled}?cursor=${cursor}`);
        if (answer.status !== 400) wrong.push(`${path}?cursor=${cursor.slice(0, 40)}: ${answer.status}`);
      }
      for (const limit of ["a", "1.5"]) {
        const answer = await owner.api.get(`${fill(path, owner.workspaceId)}?limit=${limit}`);
        if (answer.status !== 400) wrong.push(`${path}?limit=${limit}: ${answer.status}`);
      }
      // Lists with required parameters are skipped; test/lists.int.test.ts clamps their limits too.
      const needsMore = operation.parameters.some(({ required, in: place }) => required && place === "query");
      if (needsMore) continue;
      if ((await owner.api.get(`${fill(path, owner.workspaceId)}?limit=1000000000`)).status !== 200) {
        wrong.push(`${path}: a great limit is not clamped`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("shows nothing of another workspace's list with its cursor", async ({ owner, stranger }) => {
    for (const person of [owner, stranger]) {
      const id = await sampleOf(person);
      for (let n = 0; n < 3; n++)
        await person.api.post(`${person.home}/databases/${id}/execute`, { query: "select 1" });
    }
    const cursorOf = async (person: typeof owner) =>
      (await person.api.get(`${person.home}/executions?limit=1`)).json.data.nextCursor as string;
    const answer = await owner.api.get(
      `${owner.home}/executions?cursor=${encodeURIComponent(await cursorOf(stranger))}`,
    );
    expect([200, 400]).toContain(answer.status);
    const own = (await owner.api.get(`${owner.home}/executions`)).text;
    for (const item of answer.json.data?.items ?? []) expect(own).toContain(item.id ?? item.executionId);
  });
});

test("changes nothing on GET: the same response twice on every list", async ({ owner, anyone }) => {
  await register(anyone);
  const routes = (await listedRoutes(anyone)).filter(
    (route) => needsCredentials(route) && route.method === "GET" && !/\{(?!workspaceId)/.test(route.path),
  );
  for (const { path } of routes.filter(({ path }) => !path.endsWith("/events"))) {
    const filled = fill(path, owner.workspaceId);
    const [first, second] = [await owner.api.get(filled), await owner.api.get(filled)];
    expect([path, second.status, second.text]).toEqual([path, first.status, first.text]);
  }
});
