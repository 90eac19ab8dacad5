import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const PLACE = "/v1/statement/executing";
const TRANSACTION = "2f3a1c00-0000-4000-8000-000000000001";

type Column = [name: string, type: string];
/** A table of typed values: its columns with Trino's types, and pages of rows in the protocol's JSON. */
export type TrinoTable = { columns: Column[]; pages: unknown[][][] };

const LIED: TrinoTable = {
  columns: [
    ["a", "bigint"],
    ["b", "varchar(20)"],
    ["c", "timestamp(3)"],
    ["d", "decimal(20,4)"],
    ["e", "array(integer)"],
  ],
  pages: [
    [
      [1, "one", null, "12.5000", [1, null, 3]],
      ["9007199254740993", "two", "2026-01-01 00:00:00.000", null, []],
    ],
    [[3, null, null, "-0.0001", null]],
  ],
};

/**
 * Starts a small stand-in for Trino's REST protocol, for machines without a cluster: it starts and ends transactions,
 * and returns results in several pages. It knows the statements that tests send, and none with values.
 * @param tables read by their names, whole and in their order
 */
export async function startTrinoStandIn(
  tables: ReadonlyMap<string, TrinoTable> = new Map(),
): Promise<{ port: number; stop(): Promise<void> }> {
  let port = 0;
  /** Remaining pages, by their path. */
  const left = new Map<string, object>();
  let statements = 0;
  const say = (response: ServerResponse, page: object, headers: Record<string, string> = {}) =>
    response.writeHead(200, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(page));
  const server = createServer(async (request, response) => {
    let sql = "";
    for await (const chunk of request.setEncoding("utf8")) sql += chunk;
    const path = request.url ?? "";
    if (request.method === "DELETE") {
      left.delete(path);
      response.writeHead(204).end();
    } else if (request.method === "GET") {
      const page = left.get(path);
      left.delete(path);
      if (page) say(response, page);
      else response.writeHead(404).end();
    } else {
      statements += 1;
      const id = `20260101_000000_${String(statements).padStart(5, "0")}_stand`;
      const [first, ...rest] = pagesOf(sql, { id, port, tables });
      for (const { at, page } of rest) left.set(at, page);
      const isBegin = sql.startsWith("START TRANSACTION");
      say(response, first?.page ?? {}, isBegin ? { "X-Trino-Started-Transaction-Id": TRANSACTION } : {});
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  return {
    port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

type Facts = { id: string; port: number; tables: ReadonlyMap<string, TrinoTable> };

function pagesOf(sql: string, { id, port, tables }: Facts): { at: string; page: object }[] {
  const base = { id, infoUri: `http://127.0.0.1:${port}/ui/query.html?${id}`, stats: { state: "RUNNING" } };
  const at = (turn: number) => `${PLACE}/${id}/slug/${turn}`;
  const uri = (turn: number) => `http://127.0.0.1:${port}${at(turn)}`;
  if (/\bnowhere\b/.test(sql)) {
    const error = {
      message: `line 1:${sql.indexOf("nowhere") + 1}: Column 'nowhere' cannot be resolved`,
      errorCode: 47,
      errorName: "COLUMN_NOT_FOUND",
      errorType: "USER_ERROR",
      errorLocation: { lineNumber: 1, columnNumber: sql.indexOf("nowhere") + 1 },
    };
    return [
      { at: "", page: { ...base, nextUri: uri(1) } },
      { at: at(1), page: { ...base, error } },
    ];
  }
  const { columns, pages } = tableIn(sql, tables) ?? answerOf(sql);
  const described = columns.map(([name, type]) => ({ name, type, typeSignature: signatureOf(type) }));
  return [
    { at: "", page: { ...base, nextUri: uri(1) } },
    ...pages.map((data, index) => ({
      at: at(index + 1),
      page: { ...base, columns: described, data, nextUri: uri(index + 2) },
    })),
    { at: at(pages.length + 1), page: { ...base, ...(columns.length > 0 && { columns: described }) } },
  ];
}

/** Returns the table of a statement, without rows if it only asks for the columns. */
function tableIn(sql: string, tables: ReadonlyMap<string, TrinoTable>): TrinoTable | null {
  const name = sql.match(/\w+/g)?.find((word) => tables.has(word));
  const table = name === undefined ? undefined : tables.get(name);
  if (!table) return null;
  return /\blimit 0\b/i.test(sql) ? { ...table, pages: [] } : table;
}

function answerOf(sql: string): TrinoTable {
  const words = (...names: string[]) => names.map((name): Column => [name, "varchar"]);
  if (/version\(\)/.test(sql)) return { columns: [["_col0", "varchar"]], pages: [[["476"]]] };
  if (/\.schemata\b/.test(sql)) return { columns: words("schema_name"), pages: [[["shop"]]] };
  if (/information_schema\.tables/.test(sql)) {
    return { columns: words("table_schema", "table_name", "table_type"), pages: [[["shop", "lied", "BASE TABLE"]]] };
  }
  if (/information_schema\.columns/.test(sql)) {
    return {
      columns: words("table_schema", "table_name", "column_name", "data_type", "is_nullable"),
      pages: [LIED.columns.map(([name, type]) => ["shop", "lied", name, type, "YES"])],
    };
  }
  return /\blied\b/.test(sql) ? LIED : { columns: [], pages: [] };
}

/** Returns the protocol's structure of a type. */
function signatureOf(type: string): object {
  // `timestamp(6) with time zone` has its digits in the middle.
  const [, head = type, inside, tail = ""] = /^([\w ]+?)(?:\((.*)\))?( with time zone)?$/.exec(type) ?? [];
  const rawType = `${head}${tail}`;
  if (inside === undefined) return { rawType, arguments: [] };
  const items = itemsOf(inside);
  if (rawType === "array" || rawType === "map") {
    return { rawType, arguments: items.map((item) => ({ kind: "TYPE", value: signatureOf(item) })) };
  }
  if (rawType === "row") return { rawType, arguments: items.map(rowField) };
  return { rawType, arguments: items.map((value) => ({ kind: "LONG", value: Number(value) })) };
}

/** Returns a field of a row, `name type`. */
function rowField(item: string): object {
  const space = item.indexOf(" ");
  const value = { fieldName: { name: item.slice(0, space) }, typeSignature: signatureOf(item.slice(space + 1)) };
  return { kind: "NAMED_TYPE", value };
}

/** Splits the arguments of a type at the commas outside of brackets. */
function itemsOf(inside: string): string[] {
  let depth = 0;
  const items = [""];
  for (const char of inside) {
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (char === "," && depth === 0) items.push("");
    else items[items.length - 1] += char;
  }
  return items.map((item) => item.trim());
}
