import { describe, expect, onTestFinished, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { openSource, readSource } from "@/test/fixtures/connections/drivers/shared/read-source";
import {
  type JsonService,
  type ServiceAnswer,
  type ServiceRequest,
  startJsonService,
} from "@/test/servers/json-service";
import type { DataSource } from "../../data-source";
import { graphql } from ".";

process.env.ALLOW_PRIVATE_NETWORK = "all";

const SECRET = "s3cr3t-marker-of-the-graph";
const QUERY = `query ($after: String, $first: Int, $since: String) {
  orders(after: $after, first: $first, since: $since) { nodes { id at } pageInfo { hasNextPage endCursor } }
}`;
const RESOURCE = { name: "orders", query: QUERY, path: "orders", primaryKey: "id", variables: { first: 10 } };
const signal = new AbortController().signal;

type Asked = { query: string; variables: Record<string, unknown> };
type Answer = (asked: Asked, turn: number, request: ServiceRequest) => ServiceAnswer;

async function serve(answer: Answer): Promise<JsonService> {
  const service = await startJsonService((request, turn) => answer(JSON.parse(request.body), turn, request));
  onTestFinished(() => service.stop());
  return service;
}

async function connect(service: JsonService, config: Record<string, unknown> = {}): Promise<DataSource> {
  const source = await openSource(graphql, {
    endpoint: `${service.address}/graphql`,
    resources: [RESOURCE],
    ...config,
  });
  onTestFinished(() => source.close());
  return source;
}

const asked = (request: ServiceRequest | undefined): Asked => JSON.parse(request?.body ?? "{}");
const rowsFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: from + index,
    at: `2026-01-01T00:00:${String(from + index).padStart(2, "0")}Z`,
  }));
const ids = ({ rows }: { rows: Record<string, unknown>[] }) => rows.map(({ id }) => id);
const upTo = (count: number) => rowsFrom(1, count).map(({ id }) => id);

/** Returns a page of 35 records, `first` at a time, after a cursor that is the number of the last one. */
const connection = (records: unknown[], size: number, after: unknown, wrap = "nodes") => {
  const start = Number(after ?? 0);
  const page = records.slice(start, start + size);
  const items = wrap === "nodes" ? page : page.map((node) => ({ cursor: "unused", node }));
  return {
    [wrap]: items,
    pageInfo: { hasNextPage: start + size < records.length, endCursor: String(start + page.length) },
  };
};

/** Returns a page with `hasNextPage`. */
const page = (nodes: unknown[], endCursor: unknown) => ({ nodes, pageInfo: { hasNextPage: true, endCursor } });

async function failureOf(run: Promise<unknown>): Promise<AppError> {
  const error = await run.then(
    () => new Error("It did not fail."),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

test.each(["nodes", "edges"])("reads a connection with %s completely, and resumes from any page", async (wrap) => {
  const all = rowsFrom(1, 35);
  const service = await serve(({ variables }) => ({
    json: { data: { orders: connection(all, Number(variables.first), variables.after, wrap) } },
  }));
  const source = await connect(service);
  const whole = await readSource(source, "orders", { batchRows: 4 });
  expect(ids(whole)).toEqual(upTo(35));
  expect(service.requests.map((request) => asked(request).variables)).toEqual([
    { first: 10 }, { first: 10, after: "10" }, { first: 10, after: "20" }, { first: 10, after: "30" },
  ]); // biome-ignore format: one page after the other
  expect(service.requests.every(({ method, url }) => method === "POST" && url.pathname === "/graphql")).toBe(true);
  for (let cut = 1; cut < whole.checkpoints.length; cut += 1) {
    const before = await readSource(source, "orders", { batchRows: 4, batchesMax: cut });
    const from = JSON.parse(JSON.stringify(before.checkpoints.at(-1)));
    const after = await readSource(source, "orders", { batchRows: 4, from });
    expect([...ids(before), ...ids(after)]).toEqual(upTo(35));
  }
});

test("treats a plain list at any depth as one page", async () => {
  const service = await serve(() => ({ json: { data: { shop: { orders: rowsFrom(1, 3) } } } }));
  const source = await connect(service, { resources: [{ ...RESOURCE, path: "shop.orders" }] });
  expect(ids(await readSource(source, "orders"))).toEqual([1, 2, 3]);
  expect(await source.entities(signal)).toEqual([
    {
      name: "orders",
      kind: "resource",
      columns: [
        { name: "id", type: "int64", nullable: false, primaryKey: true },
        { name: "at", type: "timestamptz", nullable: true, primaryKey: false },
      ],
    },
  ]);
});

test("requests new records by a variable, which is omitted the first time", async () => {
  let all = rowsFrom(1, 5);
  const service = await serve(({ variables }) => {
    const since = typeof variables.since === "string" ? variables.since : "";
    return {
      json: {
        data: {
          orders: connection(
            all.filter(({ at }) => at >= since),
            2,
            variables.after,
          ),
        },
      },
    };
  });
  const variables = { since: "{{cursor}}", filter: { and: [{ from: "at>{{cursor}}" }, { kind: "a" }] } };
  const source = await connect(service, { resources: [{ ...RESOURCE, variables }] });
  const options = { cursorField: "at", primaryKey: ["id"] };
  const first = await readSource(source, "orders", options);
  expect(ids(first)).toEqual(upTo(5));
  expect(asked(service.requests[0]).variables).toEqual({ filter: { and: [{}, { kind: "a" }] } });
  all = [...all, ...rowsFrom(6, 1), { id: 7, at: "2026-01-01T00:00:05Z" }];
  const from = first.checkpoints.at(-1) ?? null;
  expect(ids(await readSource(source, "orders", { ...options, from }))).toEqual([6, 7]);
  expect(asked(service.requests.at(-1)).variables.since).toBe("2026-01-01T00:00:05Z");
});

describe("a failing service", () => {
  const failing: [string, Answer, RegExp][] = [
    ["with errors in an answer 200", () => ({ json: { errors: [{ message: "Field 'x' is unknown" }, { message: "b" }] } }), /^The source returned an error: Field 'x' is unknown\. Plus 1 more error\.$/],
    ["with errors beside a part of the data", () => ({ json: { data: { orders: connection(rowsFrom(1, 3), 9, 0) }, errors: [{ message: "Two are missing" }] } }), /Two are missing/],
    ["with errors in an answer 400", () => ({ status: 400, json: { errors: [{ message: "Syntax Error" }] } }), /HTTP 400: Syntax Error\./],
    ["by having no data", () => ({ json: { ok: true } }), /is not GraphQL/],
    ["by being a page for people", () => ({ body: "<html>", headers: { "content-type": "text/html" } }), /Expected JSON, but the source returned .*text\/html/],
    ["by having nothing at the path", () => ({ json: { data: { others: [] } } }), /No value at the path/],
    ["by having a word at the path", () => ({ json: { data: { orders: "many" } } }), /neither a list nor a connection/],
    ["by not saying whether there is more", () => ({ json: { data: { orders: { nodes: [] } } } }), /must request pageInfo/],
    ["by not saying where there is more", () => ({ json: { data: { orders: { nodes: [], pageInfo: { hasNextPage: true } } } } }), /Request endCursor/],
    ["by ignoring the cursor", () => ({ json: { data: { orders: connection(rowsFrom(1, 30), 10, 0) } } }), /repeats an earlier page|was already read/],
    ["by going round in a circle", (_, turn) => ({ json: { data: { orders: { nodes: [{ id: turn }], pageInfo: { hasNextPage: true, endCursor: `c${turn % 3}` } } } } }), /was already read/],
    ["by naming one cursor for ever", (_, turn) => ({ json: { data: { orders: page([{ id: turn }], "c") } } }), /was already read/],
    ["by naming one cursor for ever behind nothing", () => ({ json: { data: { orders: page([], "c") } } }), /was already read/],
    ["by saying that there is more behind a null", () => ({ json: { data: { orders: page(rowsFrom(1, 3), null) } } }), /Request endCursor/],
    ["by saying that there is more behind an empty cursor", () => ({ json: { data: { orders: page(rowsFrom(1, 3), "") } } }), /Request endCursor/],
    ["by saying that there is more behind a cursor that is no text", () => ({ json: { data: { orders: page(rowsFrom(1, 3), { a: 1 }) } } }), /Request endCursor/],
    ["by saying in words that there is more", () => ({ json: { data: { orders: { nodes: [], pageInfo: { hasNextPage: "yes", endCursor: "c" } } } } }), /must request pageInfo/],
    ["by asking elsewhere", () => ({ status: 302, headers: { location: "/other" } }), /The source redirects \(HTTP 302\)/],
  ]; // biome-ignore format: one kind after the other

  test.each(failing)("%s is reported, and none of its records are kept", async (_, answer, message) => {
    const service = await serve(answer);
    const source = await connect(service);
    let kept = 0;
    const error = await failureOf(readSource(source, "orders", { batchesMax: 50 }).then(({ rows }) => { kept = rows.length; throw new Error("It did not fail."); })); // biome-ignore format: one reading
    expect([error.kind, kept]).toEqual(["source_unreachable", 0]);
    expect(error.message).toMatch(message);
    expect(service.requests.length).toBeLessThan(20);
  });

  test("stops after a hundred empty pages that name a next one", async () => {
    const service = await serve((_, turn) => ({ json: { data: { orders: page([], `c${turn}`) } } }));
    const error = await failureOf(readSource(await connect(service), "orders"));
    expect([error.kind, error.message]).toEqual([
      "source_unreachable",
      expect.stringMatching(/^100 consecutive pages of orders were empty/),
    ]);
    expect(service.requests).toHaveLength(101);
  });

  test.each([
    { errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }] },
    { errors: [{ message: "API rate limit", type: "RATE_LIMITED" }] },
  ])("is retried after a temporary failure: %j", async (busy) => {
    const service = await serve((_, turn) => ({ json: turn === 0 ? busy : { data: { orders: [{ id: 1 }] } } }));
    expect(ids(await readSource(await connect(service), "orders"))).toEqual([1]);
    expect(service.requests).toHaveLength(2);
  });

  test("T47 exposes the secrets in no error, whatever it repeats", async () => {
    const service = await serve((_, __, { headers }) => ({
      json: { errors: [{ message: `Bad: ${JSON.stringify(headers)}` }] },
    }));
    const auth = { kind: "header", name: "X-Access", value: SECRET };
    const source = await connect(service, { auth, headers: { "X-Other": `${SECRET}-2` } });
    for (const run of [readSource(source, "orders"), source.test(signal), source.entities(signal)]) {
      const error = await failureOf(run);
      expect(error.message).toMatch(/^The source returned an error: Bad/);
      expect(`${error.message} ${error.stack}`).not.toContain(SECRET);
    }
    expect(service.requests[0]?.headers["x-access"]).toBe(SECRET);
  });
});

test("is tested with a query that every service knows if there are no resources", async () => {
  const service = await serve(() => ({ json: { data: { __typename: "Query" } } }));
  const source = await connect(service, { resources: [] });
  expect(await source.test(signal)).toEqual({});
  expect(asked(service.requests[0]).query).toBe("query { __typename }");
});

test.each([
  [{ endpoint: "ftp://a.example" }, "config.endpoint"],
  [{ resources: [{ ...RESOURCE, query: "mutation { a }" }] }, "config.resources.0.query"],
  [{ resources: [{ ...RESOURCE, path: "" }] }, "config.resources.0.path"],
  [{ resources: [{ ...RESOURCE, afterVariable: "a b" }] }, "config.resources.0.afterVariable"],
  [{ resources: [{ ...RESOURCE, other: 1 }] }, "config.resources.0.other"],
])("%j is rejected at its field", async (over, path) => {
  const config = { endpoint: "https://api.example.com/graphql", ...over };
  const error = await failureOf(
    Promise.resolve(graphql.check?.({ workspaceId: "a".repeat(24), readOnly: true, config })),
  );
  expect((error.details as { path: string }[]).map((each) => each.path)).toEqual([path]);
});
