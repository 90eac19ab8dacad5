import type { OutgoingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect, NO_SUCH_ID, newConnection, test } from "./fixtures";

/** Headers that differ between responses, or that describe the transfer. */
const OF_ONE_ANSWER = new Set([
  "date",
  "x-request-id",
  "x-execution-id",
  "vary",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
]);
const JSON_TYPE = { "content-type": "application/json" };

/*
 * Small queries are answered before the framework. The same address with a trailing slash goes through the framework:
 * the tests compare both.
 */
test.describe("a query answered before the framework", () => {
  test("returns the same response as the framework, for any caller and request", async ({
    reader,
    stranger,
    anyone,
  }) => {
    const id = await newConnection(reader);
    const path = `${reader.home}/databases/${id}/execute`;
    const query = "select 1 as a, 'x' as b";
    const body = JSON.stringify({ query });
    const requests: Record<
      string,
      { api?: typeof anyone; path?: string; body: string; headers?: OutgoingHttpHeaders }
    > = {
      good: { body },
      "with a question mark": { path: `${path}?x=%41&y`, body },
      "by /api/execute": {
        path: "/api/execute",
        body: JSON.stringify({ query, connectionId: id, workspaceId: reader.workspaceId }),
      },
      rows: { body, headers: { accept: "application/x-ndjson" } },
      csv: { body, headers: { accept: "text/csv" } },
      "what fails": { body: JSON.stringify({ query: "select no_such_column" }) },
      "what fails in a stream": {
        body: JSON.stringify({ query: "select no_such_column" }),
        headers: { accept: "text/csv" },
      },
      "no query": { body: "{}" },
      "no JSON": { body: "{" },
      "no body": { body: "" },
      "another type": { body, headers: { "content-type": "text/plain" } },
      "a compressed body": { body, headers: { "content-encoding": "gzip" } },
      "too large a body": { body: JSON.stringify({ query: "x".repeat(1024 * 1024) }) },
      nobody: { api: anyone, body },
      "somebody else": { api: stranger.api, body },
      "another site": { body, headers: { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" } },
      "a bad key": { api: anyone, body, headers: { authorization: "Bearer mr_nothing" } },
      "no such connection": { path: `${reader.home}/databases/${NO_SUCH_ID}/execute`, body },
      "no id": { path: `${reader.home}/databases/nothing/execute`, body },
      "an id in capitals": { path: `${reader.home}/databases/${id.toUpperCase()}/execute`, body },
      "no such console": { path: `${reader.home}/consoles/${NO_SUCH_ID}/execute`, body: "{}" },
    };
    for (const [name, { api = reader.api, path: address = path, body: text, headers = {} }] of Object.entries(
      requests,
    )) {
      const [plain = "", rest] = address.split("?");
      const framework = `${plain}/${rest === undefined ? "" : `?${rest}`}`;
      const answers = [];
      for (const each of [address, framework]) {
        const answer = await api.send("POST", each, { body: text, headers: { ...JSON_TYPE, ...headers } });
        answers.push({
          status: answer.status,
          text: answer.text.replace(/"(executionId|durationMs|databaseMs)":("[^"]*"|[\d.]+)/g, '"$1":0'),
          headers: Object.fromEntries(
            Object.entries(answer.headers).filter(([header]) => !OF_ONE_ANSWER.has(header.toLowerCase())),
          ),
        });
      }
      expect(answers[0], name).toEqual(answers[1]);
    }
  });

  test("compresses a large response if the client accepts gzip", async ({ reader }) => {
    const path = `${reader.home}/databases/${await newConnection(reader)}/execute`;
    const ask = async (rows: number, encoding?: string) =>
      reader.api.post(
        path,
        { query: `select i, 'name ' || i as name from range(${rows}) t(i)`, limit: rows },
        { headers: encoding === undefined ? {} : { "accept-encoding": encoding } },
      );
    const plain = await ask(5000);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers["content-length"]).toBe(String(plain.bytes.length));
    expect(plain.headers.vary).toBe("Accept-Encoding");
    for (const encoding of ["gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1"]) {
      const packed = await ask(5000, encoding);
      expect(packed.headers["content-encoding"], encoding).toBe("gzip");
      expect(packed.headers.vary).toBe("Accept-Encoding");
      expect(JSON.parse(gunzipSync(packed.bytes).toString()).data.rows).toEqual(plain.json.data.rows);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
    }
    for (const encoding of ["identity", "gzip;q=0", "deflate"]) {
      expect((await ask(5000, encoding)).headers["content-encoding"], encoding).toBeUndefined();
    }
    expect((await ask(10, "gzip")).headers["content-encoding"]).toBeUndefined();
  });
});
