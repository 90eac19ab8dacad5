import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { jsonText } from "@/lib/base/values/json-text";
import { AppError } from "@/lib/platform/http/errors";
import { openSource, readSource } from "@/test/fixtures/connections/drivers/shared/read-source";
import {
  type JsonService,
  type ServiceAnswer,
  type ServiceRequest,
  startJsonService,
} from "@/test/servers/json-service";
import type { DataSource } from "../../data-source";
import { RateBucket } from "../shared/rate-bucket";
import { rest } from ".";

process.env.ALLOW_PRIVATE_NETWORK = "all";

const MIB = 1024 * 1024;
const SECRET = "s3cr3t-marker-of-the-service";
/** Members of a gzip stream may follow each other. */
const BOMB = Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MIB, " "))));
const RESOURCE = { name: "orders", path: "/orders" };

type Answer = (request: ServiceRequest, turn: number) => ServiceAnswer | Promise<ServiceAnswer>;

async function serve(answer: Answer): Promise<JsonService> {
  const service = await startJsonService(answer);
  onTestFinished(() => service.stop());
  return service;
}

async function connect(service: JsonService, config: Record<string, unknown> = {}): Promise<DataSource> {
  const source = await openSource(rest, { baseUrl: `${service.address}/v1`, resources: [RESOURCE], ...config });
  onTestFinished(() => source.close());
  return source;
}

const rowsFrom = (from: number, count: number) => Array.from({ length: count }, (_, index) => ({ id: from + index }));
const ids = ({ rows }: { rows: Record<string, unknown>[] }) => rows.map(({ id }) => id);
const upTo = (count: number) => rowsFrom(1, count).map(({ id }) => id);

async function failureOf(run: Promise<unknown>): Promise<AppError> {
  const error = await run.then(
    () => new Error("It did not fail."),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

describe("authentication", () => {
  test.each([
    [{ kind: "none" }, {}, ""],
    [{ kind: "bearer", token: SECRET }, { authorization: `Bearer ${SECRET}` }, ""],
    [
      { kind: "basic", user: "ana", password: SECRET },
      { authorization: `Basic ${Buffer.from(`ana:${SECRET}`).toString("base64")}` },
      "",
    ],
    [{ kind: "header", name: "X-Api-Key", value: SECRET }, { "x-api-key": SECRET }, ""],
    [{ kind: "query", name: "api_key", value: `${SECRET}&x=1` }, {}, `?api_key=${SECRET}%26x%3D1`],
  ])("%j reaches the service, and so do the headers", async (auth, headers, search) => {
    const service = await serve(() => ({ json: [{ id: 1 }] }));
    const source = await connect(service, { auth, headers: { "X-Tenant": "north" } });
    expect(ids(await readSource(source, "orders"))).toEqual([1]);
    const [request] = service.requests;
    expect(request?.headers).toMatchObject({ ...headers, "x-tenant": "north", accept: "application/json" });
    expect(`${request?.url.pathname}${request?.url.search}`).toBe(`/v1/orders${search}`);
  });

  test.each([
    { kind: "bearer", token: SECRET },
    { kind: "basic", user: "ana", password: SECRET },
    { kind: "header", name: "X-Api-Key", value: SECRET },
    { kind: "query", name: "api_key", value: SECRET },
  ])("T47 exposes nothing of %j in an error, whatever the service answers", async (auth) => {
    const echo: Answer = ({ url, headers }) => ({
      status: 401,
      json: { error: { message: `Bad sign-in: ${url} ${JSON.stringify(headers)}` } },
    });
    const service = await serve(echo);
    const source = await connect(service, { auth, headers: { "X-Other": `${SECRET}-header` } });
    const failures = [
      await failureOf(source.test(new AbortController().signal)),
      await failureOf(readSource(source, "orders")),
      await failureOf(source.entities(new AbortController().signal)),
    ];
    for (const error of failures) {
      expect(error).toMatchObject({ kind: "source_unreachable", details: { status: 401 } });
      expect(error.message).toMatch(/HTTP 401: Bad sign-in.*Check the credentials/);
      const shown = [SECRET, Buffer.from(`ana:${SECRET}`).toString("base64")];
      for (const text of shown)
        expect(`${error.message} ${JSON.stringify(error.details)} ${error.stack}`).not.toContain(text);
    }
  });
});

describe("pagination", () => {
  const SIZE = 10;
  /** Serves 35 records in pages of 10, in the format of each kind of service. */
  const all = rowsFrom(1, 35);
  const slice = (start: number, size = SIZE) => all.slice(start, start + size);
  const numberOf = (url: URL, name: string, absent: number) => Number(url.searchParams.get(name) ?? absent);
  const kinds: [string, Record<string, unknown>, Answer][] = [
    ["all in one answer", { kind: "none" }, () => ({ json: { data: all } })],
    ["page numbers from 1 to an empty page", { kind: "page" }, ({ url }) => ({
      json: { data: slice((numberOf(url, "page", 1) - 1) * SIZE) },
    })],
    ["page numbers from 0, under another name", { kind: "page", startPage: 0, pageParam: "p" }, ({ url }) => ({
      json: { data: slice(numberOf(url, "p", 0) * SIZE) },
    })],
    ["page numbers with their total", { kind: "page", totalPagesPath: "meta.pages" }, ({ url }) => {
      const page = numberOf(url, "page", 1);
      if (page > 4) return { status: 404, json: { error: "no such page" } };
      return { json: { data: slice((page - 1) * SIZE), meta: { pages: 4 } } };
    }],
    ["page numbers with a flag", { kind: "page", hasMorePath: "more", sizeParam: "per_page", size: 7 }, ({ url }) => {
      const size = numberOf(url, "per_page", 1);
      const page = numberOf(url, "page", 1);
      return { json: { data: slice((page - 1) * size, size), more: page * size < 35 } };
    }],
    ["offsets to an empty page", { kind: "offset", sizeParam: "limit", size: 100 }, ({ url }) => ({
      // It returns fewer records than requested.
      json: { data: slice(numberOf(url, "offset", 0), Math.min(SIZE, numberOf(url, "limit", 0))) },
    })],
    ["offsets with their total", { kind: "offset", offsetParam: "skip", totalPath: "total" }, ({ url }) => {
      const skip = numberOf(url, "skip", 0);
      if (skip >= 35) return { status: 400, json: { error: "beyond the end" } };
      return { json: { data: slice(skip), total: "35" } };
    }],
    ["cursors in the answer", { kind: "cursor", cursorPath: "meta.next" }, ({ url }) => {
      const start = numberOf(url, "cursor", 0);
      return { json: { data: slice(start), meta: { next: start + SIZE < 35 ? `${start + SIZE}` : null } } };
    }],
    ["cursors of the last record", { kind: "cursor", cursorParam: "after", lastRecordField: "id", hasMorePath: "more" }, ({ url }) => {
      const after = numberOf(url, "after", 0);
      return { json: { data: slice(after), more: after + SIZE < 35 } };
    }],
    ["links in a header", { kind: "link" }, ({ url, headers }) => {
      const start = numberOf(url, "from", 0);
      const next = `<http://${headers.host}/v1/orders?from=${start + SIZE}>; rel="next"`;
      return { json: { data: slice(start) }, headers: start + SIZE < 35 ? { link: `</v1>; rel="first", ${next}` } : {} };
    }],
    ["links in the answer", { kind: "link", nextPath: "links.next" }, ({ url }) => {
      const start = numberOf(url, "from", 0);
      return { json: { data: slice(start), links: { next: start + SIZE < 35 ? `?from=${start + SIZE}` : null } } };
    }],
  ]; // biome-ignore format: one kind after the other

  test.each(kinds)(
    "by %s is read completely, and resumes anywhere without a gap or duplicate",
    async (_, pagination, answer) => {
      const service = await serve(answer);
      const resources = [{ ...RESOURCE, recordsPath: "data", primaryKey: "id" }];
      const source = await connect(service, { pagination, resources });
      const whole = await readSource(source, "orders", { batchRows: 4 });
      expect(ids(whole)).toEqual(upTo(35));
      // A full reading always restarts.
      expect(whole.checkpoints.at(-1)).toBeNull();
      expect(Math.max(...whole.batchRows)).toBe(4);
      for (let cut = 1; cut < whole.checkpoints.length; cut += 1) {
        const before = await readSource(source, "orders", { batchRows: 4, batchesMax: cut });
        const kept = JSON.parse(JSON.stringify(before.checkpoints.at(-1)));
        const after = await readSource(source, "orders", { batchRows: 4, from: kept });
        expect([...ids(before), ...ids(after)]).toEqual(upTo(35));
      }
    },
  );

  const failing: [string, Record<string, unknown>, Answer, RegExp][] = [
    ["ignores the page number", { kind: "page" }, () => ({ json: slice(0) }), /Page 2 of orders repeats/],
    ["goes round in a circle of pages", { kind: "page" }, ({ url }) => ({ json: slice((numberOf(url, "page", 1) % 3) * SIZE) }), /Page 4 of orders repeats/],
    ["ignores the offset", { kind: "offset" }, () => ({ json: slice(0) }), /Page 2 of orders repeats/],
    ["names one cursor for ever", { kind: "cursor", cursorPath: "next" }, (_, turn) => ({ json: { next: "c", data: [{ id: turn }] } }), /was already read/],
    ["names cursors in a circle", { kind: "cursor", cursorPath: "next" }, (_, turn) => ({ json: { next: `c${turn % 3}`, data: [{ id: turn }] } }), /was already read/],
    ["links to itself", { kind: "link" }, ({ url }, turn) => ({ json: { data: [{ id: turn }] }, headers: { link: `<${url.pathname}?a=1>; rel=next` } }), /was already read/],
    ["leads on through empty pages", { kind: "cursor", cursorPath: "next" }, (_, turn) => ({ json: { next: `c${turn}`, data: [] } }), /100 consecutive pages of orders were empty/],
    ["says that there are more pages than there are", { kind: "page", totalPagesPath: "pages" }, ({ url }) => ({ json: { data: slice((numberOf(url, "page", 1) - 1) * SIZE), pages: 1_000_000 } }), /it reports 1,000,000 pages, but page 5 is empty/],
    ["says that there are fewer pages than there are", { kind: "page", totalPagesPath: "pages", sizeParam: "n", size: SIZE }, ({ url }) => ({ json: { data: slice((numberOf(url, "page", 1) - 1) * SIZE), pages: 2 } }), /page 2 is reported as the last, but page 3 has records/],
    ["says that there is more for ever", { kind: "offset", hasMorePath: "more" }, ({ url }) => ({ json: { data: slice(numberOf(url, "offset", 0)), more: true } }), /reports more records, but none at offset 35/],
    ["counts more records than it has", { kind: "offset", totalPath: "total" }, ({ url }) => ({ json: { data: slice(numberOf(url, "offset", 0)), total: 99 } }), /it reports 99 records, but none at offset 35/],
    ["says that there is more and not where", { kind: "cursor", cursorPath: "next", hasMorePath: "more" }, () => ({ json: { data: slice(0), more: true } }), /reports more records, but no next cursor/],
    ["does not count where it should", { kind: "page", totalPagesPath: "pages" }, () => ({ json: { data: slice(0) } }), /total is missing/],
  ]; // biome-ignore format: one kind after the other

  test.each(failing)("detects a source that %s", async (_, pagination, answer, message) => {
    const service = await serve(answer);
    const isBare = Array.isArray((await (await fetch(`${service.address}/v1/orders`)).json()) as unknown);
    const source = await connect(service, {
      pagination,
      resources: [{ ...RESOURCE, ...(!isBare && { recordsPath: "data" }) }],
    });
    const error = await failureOf(readSource(source, "orders"));
    expect(error.kind).toBe("source_unreachable");
    expect(error.message).toMatch(message);
    expect(service.requests.length).toBeLessThan(200);
  });

  test("treats a repeated last page beyond the end as the end", async () => {
    const service = await serve(({ url }) => {
      const page = Math.min(2, Number(url.searchParams.get("page")));
      return { json: { data: all.slice((page - 1) * 5, page * 5), pages: 2 } };
    });
    const pagination = { kind: "page", totalPagesPath: "pages", sizeParam: "n", size: 5 };
    const source = await connect(service, { pagination, resources: [{ ...RESOURCE, recordsPath: "data" }] });
    expect(ids(await readSource(source, "orders"))).toEqual(upTo(10));
  });

  test("T35, T37 sends secrets to no other server, by link or redirect", async () => {
    const canary = await serve(() => ({ json: [{ id: 666 }] }));
    const elsewhere = `${canary.address}/v1/orders`;
    const auth = { kind: "bearer", token: SECRET };
    const inner = "http://169.254.169.254/latest/meta-data";
    const answers: Answer[] = [elsewhere, inner, `//127.0.0.1:${canary.port}/x`].flatMap((address): Answer[] => [
      () => ({ json: [{ id: 1 }], headers: { link: `<${address}>; rel="next"` } }),
      () => ({ status: 302, headers: { location: address } }),
      () => ({ status: 307, headers: { location: address } }),
    ]);
    for (const answer of answers) {
      const source = await connect(await serve(answer), { auth, pagination: { kind: "link" } });
      const error = await failureOf(readSource(source, "orders"));
      expect(error.message).toMatch(/is on another host/);
    }
    expect(canary.requests).toEqual([]);
  });

  test("follows a redirect within the server with credentials, up to a limit", async () => {
    const service = await serve(({ url }) => {
      if (url.pathname === "/v2/orders") return { json: [{ id: 1 }] };
      return { status: 301, headers: { location: url.pathname === "/v1/orders" ? "/v2/orders" : url.pathname } };
    });
    const auth = { kind: "query", name: "key", value: SECRET };
    const source = await connect(service, { auth });
    expect(ids(await readSource(source, "orders"))).toEqual([1]);
    expect(service.requests.at(-1)?.url.search).toBe(`?key=${SECRET}`);
    const lost = await connect(service, { resources: [{ name: "orders", path: "/round" }] });
    expect((await failureOf(readSource(lost, "orders"))).message).toMatch(/Too many redirects \(more than 5\)/);
  });

  test("keeps a key in the URL out of checkpoints, even if the service repeats it in its links", async () => {
    const service = await serve(({ url }) => {
      const at = Number(url.searchParams.get("at") ?? 0);
      const token = at === 1 ? `&token=${SECRET}` : "";
      const link = `</v1/orders?at=${at + 1}&key=${SECRET}${token}>; rel="next"`;
      return at < 3 ? { json: [{ id: at }], headers: { link } } : { json: [{ id: at }] };
    });
    const auth = { kind: "query", name: "key", value: SECRET };
    const source = await connect(service, { auth, pagination: { kind: "link" } });
    const { rows, checkpoints } = await readSource(source, "orders");
    expect(ids({ rows })).toEqual([0, 1, 2, 3]);
    expect(JSON.stringify(checkpoints)).not.toContain(SECRET);
    // A reading cannot resume from a place that may not be stored.
    expect(checkpoints).toEqual([{ next: "/v1/orders?at=1" }, null, { next: "/v1/orders?at=3" }, null]);
    expect(service.requests.map(({ url }) => url.searchParams.getAll("key"))).toEqual(Array(4).fill([SECRET]));
  });
});

describe("incremental sync", () => {
  type Item = { id: number; at: string | number | null };
  let items: Item[];
  const resources = (over: object = {}) => [
    { ...RESOURCE, primaryKey: "id", params: { since: "{{cursor}}", kind: "a" }, ...over },
  ];
  const pagination = { kind: "page", sizeParam: "n", size: 2 };
  /** Newest first, an order in which a page number is no stable position. */
  const answer: Answer = ({ url }) => {
    const since = url.searchParams.get("since");
    const found = items.filter(({ at }) => since === null || (at !== null && String(at) >= since)).toReversed();
    const start = (Number(url.searchParams.get("page")) - 1) * 2;
    return { json: found.slice(start, start + 2) };
  };
  const day = (number: number) => `2026-01-${String(number).padStart(2, "0")}T00:00:00Z`;
  const options = { cursorField: "at", primaryKey: ["id"], batchRows: 1 };

  beforeEach(() => {
    items = [1, 2, 3, 4, 5].map((id) => ({ id, at: day(id) }));
  });

  test("requests new records by the cursor and drops those with its value", async () => {
    const service = await serve(answer);
    const source = await connect(service, { resources: resources(), pagination });
    const first = await readSource(source, "orders", options);
    expect(ids(first)).toEqual([5, 4, 3, 2, 1]);
    expect(service.requests[0]?.url.search).toBe("?kind=a&n=2&page=1");
    const from = first.checkpoints.at(-1) ?? null;
    expect(from).toMatchObject({ since: day(5) });
    expect((await readSource(source, "orders", { ...options, from })).rows).toEqual([]);
    items.push({ id: 6, at: day(5) }, { id: 7, at: day(7) });
    const second = await readSource(source, "orders", { ...options, from });
    expect(ids(second)).toEqual([7, 6]);
    expect(service.requests.at(-1)?.url.searchParams.get("since")).toBe(day(5));
    // Without a key, rows of the same value are indistinguishable, so only newer ones are returned.
    expect(ids(await readSource(source, "orders", { ...options, primaryKey: [], from }))).toEqual([7]);
  });

  test("C6 keeps the checkpoint if records have exactly its value", async () => {
    const service = await serve(answer);
    const source = await connect(service, { resources: resources(), pagination });
    const from = (await readSource(source, "orders", options)).checkpoints.at(-1) ?? null;
    const kept = JSON.stringify(from);
    items.push({ id: 6, at: day(5) });
    const second = await readSource(source, "orders", { ...options, from });
    expect([ids(second), JSON.stringify(from)]).toEqual([[6], kept]);
    const last = second.checkpoints.at(-1) ?? null;
    expect((await readSource(source, "orders", { ...options, from: last })).rows).toEqual([]);
  });

  test("loses and repeats no record when it is killed anywhere while new records arrive", async () => {
    const service = await serve(({ url }) => {
      // In insertion order, so that new ones come last.
      const start = (Number(url.searchParams.get("page")) - 1) * 2;
      const since = url.searchParams.get("since");
      const found = items.filter(({ at }) => since === null || (at !== null && String(at) >= since));
      return { json: found.slice(start, start + 2) };
    });
    const source = await connect(service, { resources: resources(), pagination });
    for (let cut = 1; cut <= 5; cut += 1) {
      items = [4, 2, 5, 1, 3].map((id) => ({ id, at: day(id) }));
      const killed = await readSource(source, "orders", { ...options, batchesMax: cut });
      items.push({ id: 6, at: day(6) });
      const resumed = await readSource(source, "orders", { ...options, from: killed.checkpoints.at(-1) ?? null });
      items.push({ id: 7, at: day(6) });
      const next = await readSource(source, "orders", { ...options, from: resumed.checkpoints.at(-1) ?? null });
      const seen = [killed, resumed, next].flatMap(ids);
      expect([cut, seen.toSorted()]).toEqual([cut, [1, 2, 3, 4, 5, 6, 7]]);
    }
  });

  test("repeats a page that changed during an interruption rather than skipping it", async () => {
    const service = await serve(answer);
    const source = await connect(service, { resources: resources(), pagination });
    const killed = await readSource(source, "orders", { ...options, batchesMax: 1 });
    expect(ids(killed)).toEqual([5]);
    // Newest first: the first page has changed.
    items.push({ id: 6, at: day(6) });
    const resumed = await readSource(source, "orders", { ...options, from: killed.checkpoints.at(-1) ?? null });
    expect(ids(resumed)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  test("reads a service without a cursor completely and drops old records", async () => {
    const service = await serve(() => ({ json: items }));
    const source = await connect(service, { resources: [RESOURCE] });
    items.push({ id: 8, at: null });
    const first = await readSource(source, "orders", options);
    expect(ids(first)).toEqual([1, 2, 3, 4, 5, 8]);
    items.push({ id: 6, at: "2026-01-05T01:00:00+01:00" }, { id: 7, at: "2026-01-05T00:30:00+01:00" });
    const from = first.checkpoints.at(-1) ?? null;
    expect(ids(await readSource(source, "orders", { ...options, from }))).toEqual([6]);
  });

  test("encodes the cursor as one path segment, with its start value the first time", async () => {
    const service = await serve(() => ({ json: items }));
    const path = "/since/{{cursor}}/orders";
    const source = await connect(service, { resources: [{ ...RESOURCE, path, cursorStart: "../a b" }] });
    const first = await readSource(source, "orders", options);
    await readSource(source, "orders", { ...options, from: first.checkpoints.at(-1) ?? null });
    expect(service.requests.map(({ url }) => url.pathname)).toEqual([
      "/v1/since/..%2Fa%20b/orders",
      `/v1/since/${encodeURIComponent(day(5))}/orders`,
    ]);
    const out = await connect(service, { resources: [{ ...RESOURCE, path: "/{{cursor}}/x", cursorStart: ".." }] });
    expect((await failureOf(readSource(out, "orders", options))).message).toMatch(/is outside the base URL/);
  });

  test("rejects a cursor field that no record has, and an unknown resource", async () => {
    const source = await connect(await serve(() => ({ json: items })));
    await expect(readSource(source, "orders", { cursorField: "changed" })).rejects.toMatchObject({
      kind: "invalid_request",
    });
    await expect(readSource(source, "nothing")).rejects.toMatchObject({ kind: "invalid_request" });
    await expect(readSource(source, "orders", { from: "elsewhere" })).rejects.toMatchObject({
      kind: "invalid_request",
    });
  });
});

describe("a failing service", () => {
  test.each([429, 500, 502, 503, 504])(
    "with %d is tried three times in all, and the error names the status",
    async (status) => {
      const service = await serve(() => ({ status, headers: { "retry-after": "0" }, json: { message: "busy" } }));
      const error = await failureOf(readSource(await connect(service), "orders"));
      expect(error).toMatchObject({ kind: "source_unreachable", details: { status } });
      expect(error.message).toBe(`The source returned HTTP ${status}: busy. Failed after 3 attempts.`);
      expect(service.requests).toHaveLength(3);
    },
  );

  test.each([400, 403, 404, 410])("with %d is not retried", async (status) => {
    const service = await serve(() => ({ status, json: {} }));
    expect((await failureOf(readSource(await connect(service), "orders"))).message).toContain(`HTTP ${status}`);
    expect(service.requests).toHaveLength(1);
  });

  test("is retried after the requested pause, without losing a record", async () => {
    const times: number[] = [];
    const service = await serve(({ url }, turn) => {
      times.push(performance.now());
      if (turn === 1) return { status: 429, headers: { "retry-after": "1" } };
      if (turn === 2) return (response) => response.destroy();
      const page = Number(url.searchParams.get("page"));
      return { json: page > 2 ? [] : rowsFrom(page * 10, 2) };
    });
    const source = await connect(service, { pagination: { kind: "page" } });
    expect(ids(await readSource(source, "orders"))).toEqual([10, 11, 20, 21]);
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test("fails at once if it asks for more time than there is", async () => {
    const service = await serve(() => ({ status: 503, headers: { "retry-after": "3600" } }));
    const error = await failureOf(readSource(await connect(service), "orders"));
    expect(error.message).toBe("The source returned HTTP 503. Retry after 3600 s.");
    expect(error.retryAfterSeconds).toBe(3600);
    expect(service.requests).toHaveLength(1);
  });

  test("in the middle of a list says how to resume", async () => {
    const service = await serve(({ url }) =>
      url.searchParams.has("cursor")
        ? { status: 410, json: { error: "expired" } }
        : { json: { data: [{ id: 1 }], next: "c" } },
    );
    const config = {
      pagination: { kind: "cursor", cursorPath: "next" },
      resources: [{ ...RESOURCE, recordsPath: "data" }],
    };
    const error = await failureOf(readSource(await connect(service, config), "orders"));
    expect(error.message).toMatch(/HTTP 410: expired.*backfill/);
  });

  const odd: [string, ServiceAnswer, RegExp][] = [
    ["a page for people", { body: "<html>", headers: { "content-type": "text/html" } }, /returned text\/html \(HTTP 200\)/],
    ["broken JSON", { body: '[{"id":1}' }, /invalid JSON/],
    ["an object where a list is due", { json: { data: [], total: 0 } }, /an object with keys data, total\. Set recordsPath/],
    ["a number where a list is due", { json: 5 }, /is not a list/],
    ["1 GB", (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(MIB, " ");
      let left = 1024;
      const pump = () => {
        while (left > 0 && !response.destroyed) {
          left -= 1;
          if (!response.write(chunk)) return void response.once("drain", pump);
        }
        response.end();
      };
      pump();
    }, /exceeds 16 MiB/],
    ["a small answer that unfolds to 1 GB", { body: BOMB, headers: { "content-encoding": "gzip" } }, /exceeds 16 MiB/],
    ["records nested without measure", { body: `[{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}]` }, /nested too deeply/],
    ["data for names", { json: [Object.fromEntries(rowsFrom(1, 1001).map(({ id }) => [`k${id}`, id]))] }, /more than 1,000 distinct fields/],
    ["a cut answer", (response) => {
      response.writeHead(200, { "content-length": "100" }).write("[");
      response.destroy();
    }, /closed the connection/],
  ]; // biome-ignore format: one answer after the other

  test.each(odd)("T54 by answering %s is reported, in bounded memory", async (_, given, message) => {
    const service = await serve(() => given);
    const before = process.memoryUsage().rss;
    const error = await failureOf(readSource(await connect(service), "orders"));
    expect(error.message).toMatch(message);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
  });

  test("that drips is left when the reader leaves", async () => {
    const service = await serve(() => (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.once("close", () => clearInterval(drip));
    });
    const left = new AbortController();
    setTimeout(() => left.abort(new Error("gone home")), 100);
    await expect(readSource(await connect(service), "orders", { signal: left.signal })).rejects.toThrow("gone home");
  });

  test("may return an empty response or null for an empty list", async () => {
    for (const given of [{ status: 204, body: "" }, { json: null }, { json: [] }]) {
      const { rows, checkpoints } = await readSource(await connect(await serve(() => given)), "orders");
      expect([rows, checkpoints]).toEqual([[], [null]]);
    }
  });
});

describe("columns", () => {
  test("grow from page to page, widen their types, and keep every digit", async () => {
    const pages = [
      '[{"id":1,"price":2,"tags":["a"]}]',
      '[{"id":2,"price":2.5,"late":"2026-01-01"},{"id":9007199254740993,"tags":null}]',
    ];
    const service = await serve(({ url }) => ({ body: pages[Number(url.searchParams.get("page")) - 1] ?? "[]" }));
    const source = await connect(service, { pagination: { kind: "page" } });
    const { extract } = source;
    const stream = await extract?.call(source, {
      entity: { name: "orders" }, cursorField: null, primaryKey: [], from: null, batchRows: 10, signal: new AbortController().signal,
    }); // biome-ignore format: one request
    expect(stream?.fields.map(({ name, type }) => `${name} ${type}`)).toEqual(["id int64", "price int64", "tags json"]);
    const grown = [];
    for await (const { fields, columns } of stream?.batches ?? [])
      grown.push([fields?.map(({ name, type }) => `${name} ${type}`), columns]);
    expect(grown).toEqual([
      [undefined, [[1], [2], [jsonText('["a"]')]]],
      [
        ["id int64", "price float64", "tags json", "late date"],
        [[2, "9007199254740993"], [2.5, null], [null, null], ["2026-01-01", null]],
      ],
      [undefined, [[], [], [], []]],
    ]); // biome-ignore format: as tables
  });

  test("are sampled from one page of each resource; a failing one has none", async () => {
    const service = await serve(({ url }) =>
      url.pathname.endsWith("/broken") ? { status: 404 } : { json: [{ id: 1, note: null, total: 2.5 }] },
    );
    const resources = [
      { ...RESOURCE, primaryKey: "id" },
      { name: "broken", path: "/broken" },
    ];
    const source = await connect(service, { resources, pagination: { kind: "page" } });
    expect(await source.entities(new AbortController().signal)).toEqual([
      {
        name: "orders",
        kind: "resource",
        columns: [
          { name: "id", type: "int64", nullable: false, primaryKey: true },
          { name: "total", type: "float64", nullable: true, primaryKey: false },
        ],
      },
      { name: "broken", kind: "resource" },
    ]);
    expect(service.requests).toHaveLength(2);
  });
});

test("waits on close for a running read, and not for an aborted one", async () => {
  const service = await serve(({ url }) => {
    const page = Number(url.searchParams.get("page"));
    return { json: page > 4 ? [] : [{ id: page }] };
  });
  const config = { baseUrl: service.address, resources: [RESOURCE], pagination: { kind: "page" } };
  const source = await openSource(rest, config);
  const abort = new AbortController();
  const begin = (signal: AbortSignal) =>
    source.extract?.({ entity: RESOURCE, cursorField: null, primaryKey: [], from: null, batchRows: 10, signal });
  const [stream] = await Promise.all([begin(new AbortController().signal), begin(abort.signal)]);
  abort.abort();
  let isClosed = false;
  const closed = source.close().then(() => {
    isClosed = true;
  });
  const seen: unknown[] = [];
  for await (const { columns } of stream?.batches ?? []) {
    seen.push(...(columns[0] ?? []));
    expect(isClosed).toBe(false);
  }
  expect(seen).toEqual([1, 2, 3, 4]);
  await closed;
});

test("keeps the requests of all readers within the rate, in any minute", async () => {
  const times: number[] = [];
  const service = await serve(({ url }) => {
    times.push(performance.now());
    return {
      json: Number(url.searchParams.get("page")) > 3 ? [] : [{ id: `${url.pathname}${url.searchParams.get("page")}` }],
    };
  });
  // Every 100 ms.
  const config = {
    rateLimitPerMinute: 600,
    pagination: { kind: "page" },
    resources: [RESOURCE, { name: "b", path: "/b" }],
  };
  const places: number[] = [];
  const { reserve } = RateBucket.prototype;
  const spy = vi.spyOn(RateBucket.prototype, "reserve").mockImplementation(function (this: RateBucket) {
    const now = performance.now();
    const waitMs = reserve.call(this, now);
    places.push(now + waitMs);
    return waitMs;
  });
  const [one, two] = [await connect(service, config), await connect(service, config)];
  await Promise.all([readSource(one, "orders"), readSource(two, "b")]).finally(() => spy.mockRestore());
  expect([times.length, places.length]).toEqual([8, 8]);
  places.sort((a, b) => a - b);
  for (const [index, place] of places.entries()) {
    if (index > 0) expect(place - (places[index - 1] ?? 0)).toBeGreaterThan(99.9);
    // No request is sent before its slot, to the millisecond of a timer.
    expect(times[index]).toBeGreaterThan(place - 2);
  }
});

test("reads 100,000 records in 100 pages with little memory", async () => {
  const service = await serve(({ url }) => {
    const page = Number(url.searchParams.get("page"));
    const records = rowsFrom((page - 1) * 1000 + 1, 1000).map(({ id }) => ({
      id,
      text: createHash("sha256").update(String(id)).digest("hex"),
    }));
    return { json: page > 100 ? [] : records };
  });
  const source = await connect(service, { pagination: { kind: "page" } });
  const { batches } = (await source.extract?.({
    entity: { name: "orders" }, cursorField: null, primaryKey: [], from: null, batchRows: 500, signal: new AbortController().signal,
  })) ?? { batches: [] }; // biome-ignore format: one request
  let [rows, sum] = [0, 0];
  const before = process.memoryUsage().rss;
  for await (const { rowCount, columns } of batches) {
    rows += rowCount;
    for (const id of columns[0] ?? []) sum += Number(id);
  }
  expect([rows, sum]).toEqual([100_000, (100_000 * 100_001) / 2]);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
});

describe("the settings", () => {
  const check = (config: Record<string, unknown>) =>
    rest.check?.({
      workspaceId: "a".repeat(24),
      readOnly: true,
      config: { baseUrl: "https://api.example.com", ...config },
    });
  const pathsOf = async (config: Record<string, unknown>) => {
    const { kind, details } = await failureOf(Promise.resolve(check(config)));
    return [kind, ...(details as { path: string }[]).map(({ path }) => path)];
  };

  test.each<[Record<string, unknown>, string]>([
    [{ baseUrl: "ftp://a.example" }, "config.baseUrl"],
    [{ baseUrl: "https://u:p@a.example" }, "config.baseUrl"],
    [{ baseUrl: "https://a.example/?key=1" }, "config.baseUrl"],
    [{ baseUrl: "https://a.example:6379" }, "config.baseUrl"],
    [{ auth: { kind: "bearer", token: "a\r\nb" } }, "config.auth.token"],
    [{ auth: { kind: "bearer", token: "\u{1f600}" } }, "config.auth"],
    [{ auth: { kind: "header", name: "Host", value: "x" } }, "config.auth"],
    [{ auth: { kind: "header", name: "a b", value: "x" } }, "config.auth"],
    [{ headers: { "Content-Length": "5" } }, "config.headers"],
    [{ resources: { orders: "/orders" } }, "config.resources"],
    [{ resources: [{ path: "/orders" }] }, "config.resources.0.name"],
    [{ resources: [RESOURCE, RESOURCE] }, "config.resources.1.name"],
    [{ resources: [{ ...RESOURCE, path: "https://evil.example/x" }] }, "config.resources.0.path"],
    [{ resources: [{ ...RESOURCE, path: "//evil.example/x" }] }, "config.resources.0.path"],
    [{ resources: [{ ...RESOURCE, path: "\\\\evil.example" }] }, "config.resources.0.path"],
    [{ resources: [{ ...RESOURCE, path: "/{{cursor}}" }] }, "config.resources.0.cursorStart"],
    [{ resources: [{ ...RESOURCE, recordsPath: "a[" }] }, "config.resources.0.recordsPath"],
    [{ resources: [{ ...RESOURCE, other: 1 }] }, "config.resources.0.other"],
    [{ pagination: { kind: "cursor" } }, "config.pagination.cursorPath"],
    [{ pagination: { kind: "page", size: 5 } }, "config.pagination.sizeParam"],
    [{ rateLimitPerMinute: 0 }, "config.rateLimitPerMinute"],
  ])("%j are rejected at their field", async (config, path) => {
    expect(await pathsOf(config)).toEqual(["invalid_request", path]);
  });

  test("allow no internal address, stored or dialled (T30, T34)", async () => {
    for (const baseUrl of ["http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/"]) {
      expect(await failureOf(Promise.resolve(check({ baseUrl })))).toMatchObject({ kind: "address_refused" });
      const source = await openSource(rest, { baseUrl, resources: [RESOURCE] });
      onTestFinished(() => source.close());
      expect(await failureOf(readSource(source, "orders"))).toMatchObject({ kind: "address_refused" });
    }
  });
});

describe("C19 reads responses as their services mean them", () => {
  const latin = (text: string) => Buffer.from(text, "latin1");
  test.each<[string, string | Buffer, string, unknown]>([
    ["ISO-8859-1", latin('[{"id":"caf\xe9"}]'), "application/json; charset=ISO-8859-1", "café"],
    ["a charset in quotes", latin('[{"id":"caf\xe9"}]'), 'application/json; charset="latin1"', "café"],
    ["windows-1252", Buffer.from([0x5b, 0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0x80, 0x22, 0x7d, 0x5d]), "application/json; charset=windows-1252", "€"],
    ["Shift_JIS", Buffer.from([0x5b, 0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0x93, 0xfa, 0x22, 0x7d, 0x5d]), "application/json;charset=shift_jis", "日"],
    ["UTF-16 by its mark", Buffer.from('\uFEFF[{"id":"café"}]', "utf16le"), "application/json", "café"],
    ["UTF-8 with a mark", '\uFEFF[{"id":"café"}]', "application/json", "café"],
    ["UTF-8 without a charset", '[{"id":"café"}]', "text/plain", "café"],
    ["an int64", '[{"id":9007199254740993}]', "application/json", "9007199254740993"],
    ["a decimal", '[{"id":12345678901234567890.123456789}]', "application/json", "12345678901234567890.123456789"],
    ["an integer of 128 bits", '[{"id":170141183460469231731687303715884105727}]', "application/json", "170141183460469231731687303715884105727"],
    ["a number that no double reaches", '[{"id":1e400}]', "application/json", "1e400"],
  ])("C19 of %s", async (_, body, type, id) => {
    const service = await serve(() => ({ headers: { "content-type": type }, body }));
    expect(ids(await readSource(await connect(service), "orders"))).toEqual([id]);
  }); // biome-ignore format: a line each

  test.each<[string, Buffer, string, RegExp]>([
    ["Latin-1 without a charset", latin('[{"id":"caf\xe9"}]'), "application/json", /Couldn't decode the response of \/v1\/orders: it is not valid UTF-8/],
    ["Latin-1 that says UTF-8", latin('[{"id":"caf\xe9"}]'), "application/json; charset=utf-8", /not valid UTF-8/],
    ["half a character", Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d]), "application/json", /not valid UTF-8/],
    ["a charset that nobody knows", latin("[1]"), "application/json; charset=klingon", /charset klingon is not supported/],
  ])("C19 rejects %s by name", async (_, body, type, message) => {
    const service = await serve(() => ({ headers: { "content-type": type }, body }));
    const error = await failureOf(readSource(await connect(service), "orders"));
    expect([error.kind, error.message]).toEqual(["source_unreachable", expect.stringMatching(message)]);
  }); // biome-ignore format: a line each
});
