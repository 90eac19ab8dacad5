import { randomUUID } from "node:crypto";
import { request } from "node:http";
import type { Answer } from "./client";
import { test as base, expect, expectError, newConnection, type Person, sampleOf } from "./fixtures";

/** A query that fails in row 400,000, long after the first bytes are sent. */
const FAILS_LATE =
  "select case when i = 400000 then error('too late') else i::varchar end as v from range(800000) t(i)";

type Stream = {
  readonly status: number;
  readonly firstByteMs: number;
  readonly bytes: number;
  /** Whether the body ended normally; a truncated one did not. */
  readonly whole: boolean;
  readonly tail: string;
};
type Bench = {
  person: Person;
  id: string;
  run: (query: string, accept: string, more?: object) => Promise<Answer>;
  stream: (query: string, accept: string, stopAfterBytes?: number, more?: object) => Promise<Stream>;
};

const test = base.extend<object, { bench: Bench }>({
  bench: [
    async ({ reader }, use) => {
      const id = await newConnection(reader);
      const path = `${reader.home}/databases/${id}/execute`;
      await use({
        person: reader,
        id,
        run: (query, accept, more = {}) => reader.api.post(path, { query, ...more }, { headers: { accept } }),
        stream: (query, accept, stopAfterBytes, more = {}) =>
          readStream(reader, path, { query, ...more }, accept, stopAfterBytes),
      });
    },
    { scope: "worker" },
  ],
});

/** Reads and discards the body. */
function readStream(
  person: Person,
  path: string,
  body: object,
  accept: string,
  stopAfterBytes = Number.POSITIVE_INFINITY,
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const outgoing = request(
      {
        host: person.api.base.hostname,
        port: person.api.base.port,
        method: "POST",
        path,
        headers: { cookie: `auth_session=${person.session}`, "content-type": "application/json", accept },
      },
      (incoming) => {
        let firstByteMs = 0;
        let bytes = 0;
        let tail = "";
        const end = () =>
          resolve({ status: incoming.statusCode ?? 0, firstByteMs, bytes, whole: incoming.complete, tail });
        incoming.on("data", (chunk: Buffer) => {
          if (bytes === 0) firstByteMs = performance.now() - startedAt;
          bytes += chunk.length;
          tail = (tail + chunk.toString("latin1")).slice(-300);
          if (bytes > stopAfterBytes) outgoing.destroy();
        });
        incoming.on("close", end);
        incoming.on("error", () => {});
      },
    );
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}

test.describe("NDJSON", () => {
  test("has one plain row object per line, each line terminated, with the execution ID in a header", async ({
    bench,
  }) => {
    const answer = await bench.run("select i, 'a' || i as s from range(3) t(i)", "application/x-ndjson");
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^application\/x-ndjson/);
    expect(answer.headers["x-execution-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers["cache-control"]).toContain("no-store");
    expect(answer.text).toBe('{"i":0,"s":"a0"}\n{"i":1,"s":"a1"}\n{"i":2,"s":"a2"}\n');
  });

  test("has no line break within a line, whatever a value contains", async ({ bench }) => {
    const { text } = await bench.run(
      "select chr(10) || chr(13) || chr(8232) || chr(8233) || '\"\\' as v",
      "application/x-ndjson",
    );
    expect(text.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(text)).toEqual({ v: '\n\r\u2028\u2029"\\' });
  });

  test("has no lines for no rows", async ({ bench }) => {
    const answer = await bench.run("select 1 as a where false", "application/x-ndjson");
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });

  test("renames duplicate columns as JSON does", async ({ bench }) => {
    expect((await bench.run("select 1 as id, 2 as id", "application/x-ndjson")).text).toBe('{"id":1,"id_2":2}\n');
  });
});

test.describe("CSV", () => {
  test("follows RFC 4180: a header, CRLF, doubled quotes, and quotes only where required", async ({ bench }) => {
    const answer = await bench.run(
      `select 1 as id, 'plain' as a, 'a,b' as b, 'say "hi"' as c, 'x' || chr(10) || 'y' as d, null as e, '' as f`,
      "text/csv",
    );
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^text\/csv/);
    expect(answer.text.split("\r\n")[0]).toBe("id,a,b,c,d,e,f");
    expect(answer.text).toMatch(/\r\n1,plain,"a,b","say ""hi""","x\ny",(,""|"",|,)\r\n$/);
  });

  test("distinguishes an empty text from null", async ({ bench }) => {
    const lines = (
      await bench.run("select * from (values (1, null), (2, '')) t(n, v) order by n", "text/csv")
    ).text.split("\r\n");
    expect(lines[1]).not.toBe((lines[2] ?? "").replace("2", "1"));
  });

  test("T60 keeps a cell that looks like a formula", async ({ bench }) => {
    const { text } = await bench.run("select '=1+1' as a, '+x' as b, '-x' as c, '@x' as d", "text/csv");
    expect(text).toBe("a,b,c,d\r\n=1+1,+x,-x,@x\r\n");
  });

  test("quotes headers where required", async ({ bench }) => {
    const { text } = await bench.run('select 1 as "a,b", 2 as "c""d"', "text/csv");
    expect(text).toBe('"a,b","c""d"\r\n1,2\r\n');
  });

  test("has only a header for no rows", async ({ bench }) => {
    expect((await bench.run("select 1 as a, 2 as b where false", "text/csv")).text).toBe("a,b\r\n");
  });
});

test.describe("Arrow", () => {
  test("is an Arrow stream of the whole result", async ({ bench }) => {
    const answer = await bench.run("select i from range(3000) t(i)", "application/vnd.apache.arrow.stream");
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/vnd.apache.arrow.stream");
    const { tableFromIPC } = await import("apache-arrow");
    expect(tableFromIPC(answer.bytes).numRows).toBe(3000);
  });
});

test.describe("Parquet and Excel", () => {
  for (const [accept, first, last, late] of [
    ["application/vnd.apache.parquet", "PAR1", /PAR1$/, [200, false]],
    // Text is read to its end first, since a cell holds at most 32,767 characters.
    ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "PK", /PK/, [400, true]],
  ] as const) {
    test(`${accept} is a complete file`, async ({ bench }) => {
      const answer = await bench.run("select i, 'r' || i as s from range(3000) t(i)", accept);
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, accept]);
      expect(answer.bytes.subarray(0, first.length).toString("latin1")).toBe(first);
      expect(answer.bytes.subarray(-100).toString("latin1")).toMatch(last);
    });

    test(`${accept}: breaks on a late failure, is rejected on an early one, and ends with its client`, async ({
      bench,
    }) => {
      const { status, whole } = await bench.stream(FAILS_LATE, accept);
      expect([status, whole]).toEqual(late);
      expectError(await bench.run("select nope", accept), 400, "query_failed");
      const executionId = randomUUID();
      const query = "select i, i * 7 as wide from range(200000000) t(i)";
      await bench.stream(query, accept, 500_000, { executionId });
      const outcome = async () =>
        (await bench.person.api.get(`${bench.person.home}/executions/${executionId}`)).json.data.status;
      await expect.poll(outcome, { timeout: 6000 }).toBe("cancelled");
    });
  }
});

test.describe("every stream", () => {
  for (const accept of ["application/x-ndjson", "text/csv"]) {
    test(`${accept}: has the whole result beyond JSON's limits, and its first bytes before its last row`, async ({
      bench,
    }) => {
      const { status, whole, bytes, tail } = await bench.stream("select i from range(200000) t(i)", accept);
      expect([status, whole]).toEqual([200, true]);
      expect(bytes).toBeGreaterThan(1_000_000);
      expect(tail).toMatch(/199999\}?\r?\n$/);
    });

    test(`${accept}: obeys limit`, async ({ bench }) => {
      const { text } = await bench.run("select i from range(5000) t(i)", accept, { limit: 7 });
      expect(text).toMatch(/\b6\}?\r?\n$/);
      expect(text).not.toMatch(/\b7\}?\r?\n/);
    });

    test(`${accept}: breaks the connection on a failure after the first byte, so that a partial result never looks whole`, async ({
      bench,
    }) => {
      const { status, whole, bytes, tail } = await bench.stream(FAILS_LATE, accept);
      expect(status).toBe(200);
      expect(bytes).toBeGreaterThan(0);
      expect(whole).toBe(false);
      expect(tail).not.toContain("too late");
    });

    test(`${accept}: returns an ordinary error on a failure before the first byte`, async ({ bench }) => {
      const failed = await bench.run("select nope", accept);
      expectError(failed, 400, "query_failed");
      expect(failed.headers["x-execution-id"]).toBeTruthy();
      expectError(await bench.run("attach 'x'", accept), 400, "not_allowed");
      expectError(
        await bench.run("select count(*) from range(100000000) a, range(100000) b where a.range < b.range", accept, {
          timeoutMs: 500,
        }),
        504,
        "timeout",
      );
    });

    test(`${accept}: T53 stops the query of a client that leaves`, async ({ bench }) => {
      const executionId = randomUUID();
      const query = "select i, repeat('x', 200) as wide from range(200000000) t(i)";
      await bench.stream(query, accept, 500_000, { executionId });
      const outcome = async () => {
        const { json } = await bench.person.api.get(`${bench.person.home}/executions?limit=200`);
        return json.data.items.find((item: { executionId: string }) => item.executionId === executionId)?.status;
      };
      await expect.poll(outcome, { timeout: 6000 }).toBe("cancelled");
    });

    test(`${accept}: applies timeoutMs to the end of the stream`, async ({ bench }) => {
      const query = "select i, repeat('x', 500) as wide from range(2000000000) t(i)";
      const { whole } = await bench.stream(query, accept, undefined, { timeoutMs: 1500 });
      expect(whole).toBe(false);
    });
  }

  test("reads Accept by HTTP's rules: case, parameters, preferences and lists", async ({ bench }) => {
    for (const [accept, type] of [
      ["Text/CSV", "text/csv"],
      ["text/csv; charset=utf-8", "text/csv"],
      ["application/json, text/csv;q=0.5", "application/json"],
      ["text/csv;q=0.2, application/x-ndjson;q=0.9", "application/x-ndjson"],
      ["*/*", "application/json"],
      ["text/csv;q=0, application/json", "application/json"],
      ["", "application/json"],
    ]) {
      const answer = await bench.run("select 1 as a", accept ?? "");
      expect([accept, answer.headers["content-type"]]).toEqual([accept, expect.stringContaining(type ?? "")]);
    }
  });

  test("slows the query down for a slow reader, without filling the server", async ({ reader, bench }) => {
    const { person, id } = bench;
    const outgoing = request({
      host: person.api.base.hostname,
      port: person.api.base.port,
      method: "POST",
      path: `${person.home}/databases/${id}/execute`,
      headers: {
        cookie: `auth_session=${person.session}`,
        "content-type": "application/json",
        accept: "application/x-ndjson",
      },
    });
    const executionId = randomUUID();
    const started = new Promise<void>((resolve, reject) => {
      outgoing.on("response", (incoming) => {
        incoming.on("error", () => {});
        incoming.once("readable", () => resolve());
      });
      outgoing.on("error", reject);
    });
    outgoing.end(JSON.stringify({ executionId, query: "select repeat('y', 10000) as y from range(100000000)" }));
    await started;
    // From here on nothing is read; other clients are still served.
    for (let n = 0; n < 5; n++) {
      const answer = await reader.api.post(`${reader.home}/databases/${await sampleOf(reader)}/execute`, {
        query: "select 1",
      });
      expect(answer.status).toBe(200);
    }
    outgoing.destroy();
    await expect
      .poll(async () => {
        const { json } = await person.api.get(`${person.home}/executions?limit=200`);
        return json.data.items.find((item: { executionId: string }) => item.executionId === executionId)?.status;
      })
      .toBe("cancelled");
  });
});
