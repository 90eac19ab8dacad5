import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type StandInRequest = { sql: string; settings: URLSearchParams; user: string; password: string };
export type StandIn = {
  port: number;
  /** All received statements, in order. */
  requests: StandInRequest[];
  stop(): Promise<void>;
};

const TABLE_FUNCTIONS = [
  ...[
    "numbers",
    "values",
    "url",
    "s3",
    "gcs",
    "oss",
    "cosn",
    "hdfs",
    "hive",
    "azureBlobStorage",
    "remote",
    "remoteSecure",
  ],
  ...[
    "cluster",
    "clusterAllReplicas",
    "mysql",
    "postgresql",
    "mongodb",
    "redis",
    "sqlite",
    "odbc",
    "jdbc",
    "executable",
  ],
  ...["input", "iceberg", "icebergS3", "icebergCluster", "deltaLake", "deltaLakeCluster", "hudi", "paimon", "ytsaurus"],
  ...["arrowFlight", "s3Cluster", "urlCluster", "fileCluster", "hdfsCluster", "azureBlobStorageCluster", "file"],
];
const USER = "reader";
const PASSWORD = "marker-Pa55word-of-the-test";

/** Functions that the server lists: enough refused ones, and one created by its own users. */
const FUNCTIONS = [
  ...["repeat", "sleep", "throwIf", "version", "file", "newInThisVersion", "arrayMap"].map((name) => [name, "System"]),
  ...["mine", "secondOfMine"].map((name) => [name, "SQLUserDefined"]),
  ...["runsAProgram"].map((name) => [name, "ExecutableUserDefined"]),
  ...TABLE_FUNCTIONS.map((name) => [name, "table"]),
];

/**
 * Starts a small stand-in for ClickHouse's HTTP interface, for machines without a server. It signs in by headers, takes
 * settings and parameters from the URL, names the query in its response, and reports errors by status, header and text.
 * It streams rows in the requested format, and ends a running query on KILL QUERY. It knows the statements that tests
 * send.
 */
export async function startClickHouseStandIn(): Promise<StandIn & { user: string; password: string }> {
  const requests: StandInRequest[] = [];
  const running = new Map<string, () => void>();
  const server = createServer(async (request, response) => {
    let sql = "";
    for await (const chunk of request.setEncoding("utf8")) sql += chunk;
    const settings = new URL(request.url ?? "/", "http://stand-in").searchParams;
    const user = header(request, "x-clickhouse-user");
    const password = header(request, "x-clickhouse-key");
    requests.push({ sql, settings, user, password });
    response.setHeader("X-ClickHouse-Query-Id", settings.get("query_id") ?? "");
    response.setHeader("X-ClickHouse-Format", settings.get("default_format") ?? "");
    if (user !== USER || password !== PASSWORD) {
      fail(response, 516, `${user}: Authentication failed: password is incorrect, or there is no user with such name.`);
      return;
    }
    answer(sql, settings, response, running);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    user: USER,
    password: PASSWORD,
    requests,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answer(
  sql: string,
  settings: URLSearchParams,
  response: ServerResponse,
  running: Map<string, () => void>,
): void {
  if (sql.startsWith("KILL QUERY")) {
    running.get(settings.get("param_id") ?? "")?.();
    rows(response, ["kill_status"], ["String"], [["waiting"]]);
  } else if (sql.includes("FROM system.functions")) {
    rows(response, ["name", "kind"], ["String", "String"], FUNCTIONS);
  } else if (/^insert/i.test(sql) && settings.get("readonly") === "1") {
    fail(response, 164, "Cannot execute query in readonly mode.");
  } else if (/^insert/i.test(sql)) response.end();
  else if (/\bnowhere\b/.test(sql)) fail(response, 47, "Unknown expression identifier `nowhere`.");
  else if (/\bfrm\b/.test(sql)) {
    fail(
      response,
      62,
      `Syntax error: failed at position ${Buffer.byteLength(sql.slice(0, sql.indexOf("frm"))) + 1} (frm): frm.`,
    );
  } else if (/sleep/.test(sql)) {
    const id = settings.get("query_id") ?? "";
    const end = () => {
      running.delete(id);
      fail(response, 394, "Query was cancelled.");
    };
    running.set(id, end);
  } else if (/numbers/.test(sql)) endless(response, /throwIf/.test(sql) ? 3000 : Number.POSITIVE_INFINITY);
  else if (/repeat/.test(sql))
    rows(
      response,
      ["n", "cell"],
      ["UInt8", "String"],
      [[1, "x".repeat(Number(/repeat\('x', (\d+)\)/.exec(sql)?.[1]))]],
    );
  else if (/\{v:String\}/.test(sql))
    rows(response, ["v"], ["String"], [[fromTabSeparated(settings.get("param_v") ?? "")]]);
  else if (/version\(\)/.test(sql)) rows(response, ["version()"], ["String"], [["26.9.2.1"]]);
  else rows(response, ["1"], ["UInt8"], [[1]]);
}

function rows(response: ServerResponse, names: string[], types: string[], lines: unknown[][]): void {
  response.end([names, types, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** Streams rows until the reader disconnects; an error in the middle is written in place of the next row. */
function endless(response: ServerResponse, failsAt: number): void {
  response.write('["number"]\n["UInt64"]\n');
  let next = 0;
  const more = () => {
    while (!response.destroyed) {
      if (next >= failsAt) {
        response.end(
          "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)\n",
        );
        return;
      }
      const line = `[${next}]\n`;
      next += 1;
      if (!response.write(line)) return;
    }
  };
  response.on("drain", more);
  more();
}

function fail(response: ServerResponse, code: number, message: string): void {
  response.statusCode = code === 516 ? 403 : 500;
  response.setHeader("X-ClickHouse-Exception-Code", String(code));
  response.end(`Code: ${code}. DB::Exception: ${message} (version 26.9.2.1 (official build))\n`);
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === "string" ? value : "";
}

/** Decodes the format TabSeparated, in which parameters arrive. */
function fromTabSeparated(text: string): string {
  const meanings: Record<string, string> = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f", "0": "\0" };
  return text.replace(/\\(.)/gs, (_, char: string) => meanings[char] ?? char);
}
