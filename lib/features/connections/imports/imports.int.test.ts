import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import { writeXlsx } from "hucre/xlsx";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { splitCases } from "@/test/cases";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { captureLog } from "@/test/security/log-lines";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import { workspaceFolder } from "../files/folders";
import type { ImportedTable, ImportPreview, ImportProblem } from "./schema";
import { sweepImports } from "./service";

const { drop } = takeOwnDatabase();
afterAll(drop);

let owner: Person;
let home: string;

beforeAll(async () => {
  owner = await seedPerson();
  home = `/api/workspaces/${owner.workspaceId}`;
});

const send = (method: string, path: string, body?: unknown, cookie = owner.cookie) =>
  call(method, `${home}${path}`, { cookie, body });

async function upload(name: string, content: string | Uint8Array): Promise<string> {
  const rawBody = typeof content === "string" ? content : Buffer.from(content);
  const answer = await call("POST", `${home}/imports?name=${name}`, { cookie: owner.cookie, rawBody });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data.id;
}

async function preview(id: string, settings: object = {}): Promise<ImportPreview> {
  const answer = await send("POST", `/imports/${id}/preview`, { settings });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

async function previewOf(content: string | Uint8Array, settings: object = {}, name = "data.csv") {
  return preview(await upload(name, content), settings);
}

async function store(id: string, body: object): Promise<ImportedTable> {
  const answer = await send("POST", `/imports/${id}/table`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

async function rowsOf(connectionId: string, query: string) {
  const answer = await send("POST", `/databases/${connectionId}/execute`, { query });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.rows;
}

const folderOf = (id: string) => join(workspaceFolder(new ObjectId(owner.workspaceId)), ".imports", id);

/** Returns type by column name. */
const typesOf = ({ columns }: ImportPreview) => Object.fromEntries(columns.map(({ name, dbType }) => [name, dbType]));
const linesOf = (problems: ImportProblem[], severity: string) =>
  problems.filter((each) => each.severity === severity).map(({ line, message }) => `${line}: ${message}`);
const refusalOf = async (content: string | Uint8Array, name = "data.csv", settings: object = {}) => {
  const answer = await send("POST", `/imports/${await upload(name, content)}/preview`, { settings });
  expect(answer.status, answer.text).toBe(400);
  return answer.json.details[0].message;
};

const ORDERS = `order_no;sku;placed_on;customer;qty;net;account_no;note
SO-1;004812;02/01/2026;"Alder; ""Sons""";2;1.148,00;90071992547409931;NA
SO-2;017730;02/01/2026;Café;1;86,40;90071992547409940;
SO-3;017730;2026-08-01;Café;n/a;86,40;;x
SO-4;017730;02/01/2026;Café;1;86,40
SO-5;017730;13/01/2026;Café;1;86,40;3;"two
lines"
SO-6;017730;31/01/2026;"Lumen Haus;1;86,40;3;y
SO-7;017730;31/01/2026;Café;1;86,40;3;y
`;

describe("a delimited text", () => {
  test("is detected, and nothing of it changes", async () => {
    const found = await previewOf(ORDERS);
    expect(found.settings).toMatchObject({
      format: "csv",
      delimiter: ";",
      quote: '"',
      encoding: "utf-8",
      header: true,
      decimal: ",",
      dateFormat: "DD/MM/YYYY",
      nullWords: ["", "n/a"],
    });
    expect(typesOf(found)).toEqual({
      order_no: "VARCHAR",
      sku: "VARCHAR",
      placed_on: "DATE",
      customer: "VARCHAR",
      qty: "BIGINT",
      net: "DECIMAL(6,2)",
      account_no: "BIGINT",
      note: "VARCHAR",
    });
    expect(found.preview[0]).toEqual({
      line: 2,
      values: ["SO-1", "004812", "2026-01-02", 'Alder; "Sons"', "2", "1148.00", "90071992547409931", "NA"],
    });
    expect([found.rows, found.rejectedRows]).toEqual([5, 2]);
    expect(linesOf(found.problems, "rejected")).toEqual([
      "5: 6 fields, 8 expected",
      "8: Quote opened and never closed",
    ]);
    expect(linesOf(found.problems, "warning")).toEqual([
      "4: placed_on: a second date form beside DD/MM/YYYY",
      "null: account_no: above 2^53, kept exact",
      "null: sku: kept as text, leading zeros",
    ]);
  });

  test("checks types on all rows: a misfit far below is rejected with its line", async () => {
    const lines = Array.from({ length: 30_000 }, (_, row) => `${row},${row === 25_000 ? "1x" : row}`);
    const found = await previewOf(`id,qty\n${lines.join("\n")}\n`);
    expect(typesOf(found).qty).toBe("BIGINT");
    expect([found.rows, found.rejectedRows]).toEqual([29_999, 1]);
    expect(found.problems).toMatchObject([
      { message: "qty: not a whole number", line: 25_002, lastLine: 25_002, rows: 1, text: "1x" },
    ]);
  });

  test("finds a leading zero and a decimal that only a late row has", { tags: ["long"] }, async () => {
    const lines = Array.from(
      { length: 30_000 },
      (_, row) => `${row === 25_000 ? "007" : row},${row === 25_000 ? "1.5" : row}`,
    );
    const found = await previewOf(`code,qty\n${lines.join("\n")}\n`);
    expect(typesOf(found)).toEqual({ code: "VARCHAR", qty: "DECIMAL(6,1)" });
    expect(found.rejectedRows).toBe(0);
  });

  test("takes corrections of types, names and dates", async () => {
    const id = await upload("codes.csv", "code,day\n007,01/02/2026\n008,03/04/2026\n");
    const first = await preview(id);
    expect(typesOf(first)).toEqual({ code: "VARCHAR", day: "DATE" });
    expect(first.preview[0]?.values).toEqual(["007", "2026-02-01"]);
    expect(first.problems.map(({ message }) => message)).toContain(
      "Dates read as DD/MM/YYYY; every day is also a month",
    );
    const second = await preview(id, {
      dateFormat: "MM/DD/YYYY",
      columns: [{ index: 0, name: "number", type: "integer" }],
    });
    expect(typesOf(second)).toEqual({ number: "BIGINT", day: "DATE" });
    expect(second.preview[0]?.values).toEqual(["7", "2026-01-02"]);
  });

  const ENCODED: [string, Buffer, string][] = [
    ["Windows-1252", Buffer.from("name;v\nCaf\xe9;1,5\n", "latin1"), "windows-1252"],
    ["UTF-16 without a mark", Buffer.from("name;v\nCafé;1,5\n", "utf16le"), "utf-16le"],
    [
      "UTF-16 with a mark",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("name;v\nCafé;1,5\n", "utf16le")]),
      "utf-16le",
    ],
    ["UTF-8 with a mark", Buffer.from("\ufeffname;v\nCafé;1,5\n"), "utf-8"],
    [
      "Windows-1252 far below",
      Buffer.from(`name;v\n${"plain;1,5\n".repeat(40_000)}Caf\xe9;1,5\n`, "latin1"),
      "windows-1252",
    ],
  ];
  for (const { tags, cases } of splitCases(ENCODED, 4))
    test.each(cases)("reads %s", { tags }, async (_, content, encoding) => {
      const found = await previewOf(content);
      expect(found.settings.encoding).toBe(encoding);
      expect(found.columns.map(({ name }) => name)).toEqual(["name", "v"]);
      expect(found.rejectedRows).toBe(0);
      if (found.rows === 1) expect(found.preview[0]?.values).toEqual(["Café", "1.5"]);
    });

  test("names the lines of mixed encodings, NUL bytes, line ends and an open quote", async () => {
    const content = Buffer.concat([
      Buffer.from("a,b\r\n1,x\n2,y\r3,caf"),
      Buffer.from([0xe9]),
      Buffer.from('\n4,café\n5,z\0z\n\n6,q\n7,"q\n'),
    ]);
    const found = await previewOf(content);
    expect(found.preview.map(({ line }) => line)).toEqual([2, 3, 5, 8]);
    expect(linesOf(found.problems, "rejected")).toEqual([
      "4: Not valid UTF-8",
      "6: NUL byte",
      "9: Quote opened and never closed",
    ]);
    expect(linesOf(found.problems, "warning")).toEqual([
      "null: Mixed line ends: 1 CRLF, 7 LF, 1 CR",
      "null: Blank lines, skipped",
      "4: Mixed encodings: UTF-8 and another one",
    ]);
  });

  test("tells a header without rows, empty and repeated names", { tags: ["long"] }, async () => {
    const found = await previewOf("a,b,A,\n");
    expect(found.columns.map(({ name }) => name)).toEqual(["a", "b", "A_2", "column_4"]);
    expect([found.rows, found.preview.length]).toEqual([0, 0]);
    expect(found.problems.map(({ message }) => message)).toEqual([
      "Columns without a name: 4",
      "Column names that occur twice: A",
      "The file has no rows below its header",
    ]);
  });

  test("refuses an empty file and too many columns in words", async () => {
    expect(await refusalOf("")).toBe("The file is empty. Choose another file.");
    const wide = Array.from({ length: 16_000 }, (_, index) => `c${index}`).join(",");
    expect(await refusalOf(wide)).toBe("The file has 16,000 columns. A table can have at most 5,000. Split the file.");
  });

  test("keeps every digit: of a decimal, of a number with an exponent, or as text", async () => {
    const rows = [
      ["1.5", "0.1", "1", "1e5", "1.25", "1e3", "-0.0"],
      ["2", `0.${"1".repeat(39)}`, "9".repeat(40), "6.02214076e23", "1e2", "1e999", "1e-400"],
      [`1.${"0".repeat(30)}1`, "0.2", "2", "0.30000000000000004", "3", "1.23456789012345678", "2"],
    ];
    const found = await previewOf(`d,long,whole,n,mix,far,small\n${rows.map((row) => row.join(",")).join("\n")}\n`);
    expect(typesOf(found)).toEqual({
      d: "DECIMAL(32,31)",
      long: "VARCHAR",
      whole: "VARCHAR",
      n: "DOUBLE",
      mix: "DOUBLE",
      far: "VARCHAR",
      small: "VARCHAR",
    });
    expect(found.rejectedRows).toBe(0);
    expect(found.preview[1]?.values).toEqual([
      `2.${"0".repeat(31)}`,
      rows[1]?.[1],
      rows[1]?.[2],
      "6.02214076e+23",
      "100.0",
      "1e999",
      "1e-400",
    ]);
  });

  test("rejects a number with more digits than its chosen type has", { tags: ["long"] }, async () => {
    const content = `n,d,i\n0.12345678901234567890,${"9".repeat(20)}.${"9".repeat(20)},1\n0.5,1.25,${"9".repeat(20)}\n`;
    const columns = (["number", "decimal", "integer"] as const).map((type, index) => ({ index, type }));
    const found = await previewOf(content, { columns });
    expect([found.rows, found.rejectedRows]).toEqual([0, 2]);
    expect(linesOf(found.problems, "rejected")).toEqual([
      "2: n: not a number, or too many digits",
      "2: d: not a decimal number",
      "3: i: not a whole number",
    ]);
  });

  test("reads an integer column with a far decimal and a far exponent as numbers", { tags: ["long"] }, async () => {
    const lines = Array.from({ length: 25_000 }, (_, row) => (row === 24_000 ? "1e3" : row === 23_000 ? "1.5" : row));
    const found = await previewOf(`n\n${lines.join("\n")}\n`);
    expect([typesOf(found), found.rejectedRows]).toEqual([{ n: "DOUBLE" }, 0]);
  });

  test("takes the null words that it is given, in texts too", async () => {
    const content = 'n,t\n1,x\n-,"-"\n,""\n';
    const valuesOf = (found: ImportPreview) => found.preview.map(({ values }) => values);
    expect(valuesOf(await previewOf(content, { nullWords: ["", "-"] }))).toEqual([
      ["1", "x"],
      [null, null],
      [null, ""],
    ]);
    const texts = [0, 1].map((index) => ({ index, type: "text" as const }));
    expect(valuesOf(await previewOf(content, { nullWords: ["x"], columns: texts }))).toEqual([
      ["1", null],
      ["-", "-"],
      ["", ""],
    ]);
  });

  test("rejects a line that is too long and reads the others", async () => {
    const found = await previewOf(`a,b\n1,${"x".repeat(9 * 1024 * 1024)}\n2,y\n`);
    expect(linesOf(found.problems, "rejected")).toEqual(["2: Line longer than 2 MiB"]);
    expect(found.preview).toEqual([{ line: 3, values: ["2", "y"] }]);
  });
});

describe("other formats", () => {
  test("reads NDJSON with exact numbers and rejects lines that are no objects", async () => {
    const found = await previewOf(
      '{"a":1,"code":"007","big":12345678901234567890123,"in":{"x":1}}\n{"a":2,"on":"2026-01-02"}\nno\n',
      {},
      "data.ndjson",
    );
    expect(typesOf(found)).toEqual({ a: "BIGINT", code: "VARCHAR", big: "DECIMAL(23,0)", in: "JSON", on: "DATE" });
    expect(found.preview[0]?.values).toEqual(["1", "007", "12345678901234567890123", '{"x":1}', null]);
    expect(linesOf(found.problems, "rejected")).toEqual(["3: Not a JSON object"]);
  });

  test("reads JSON keys and numbers as they are", { tags: ["long"] }, async () => {
    const lines = [
      '{"*":1,"":2,"a\\\\":3,"a.b":4,"x":0.12345678901234567890,"in":{"n":12345678901234567890.5},"y":1.50}',
      '{"*":5,"__proto__":6,"x":1e999,"y":2}',
    ];
    const found = await previewOf(lines.join("\n"), { columns: [{ index: 4, type: "text" }] }, "data.ndjson");
    expect(found.columns.map(({ name }) => name)).toEqual(["*", "column_2", "a\\", "a.b", "x", "in", "y", "__proto__"]);
    expect(found.preview.map(({ values }) => values)).toEqual([
      ["1", "2", "3", "4", "0.12345678901234567890", '{"n":12345678901234567890.5}', "1.50", null],
      ["5", null, null, null, "1e999", null, "2.00", "6"],
    ]);
  });

  test("refuses NDJSON with a new key on each line", { tags: ["long"] }, async () => {
    const lines = Array.from({ length: 6000 }, (_, line) => `{"key_${line}":{"${line}":1}}`).join("\n");
    expect(await refusalOf(lines, "keys.ndjson")).toMatch(
      /^The file has 5,001 columns\. A table can have at most 5,000/,
    );
  });

  test("reads an array of JSON, and tells a damaged one", async () => {
    const found = await previewOf('[{"a":1.5},\n{"a":2,"b":true}]', {}, "data.json");
    expect(typesOf(found)).toEqual({ a: "DECIMAL(2,1)", b: "BOOLEAN" });
    expect(await refusalOf('[{"a":1},\n{"a":nul}]', "data.json")).toMatch(/^The file is not valid JSON\./);
  });

  test("reads a sheet of a workbook, with its row numbers", async () => {
    const book = await writeXlsx({
      sheets: [
        { name: "Notes", rows: [["only"]] },
        {
          name: "Orders",
          rows: [
            ["code", "qty"],
            ["007", 2],
            [null, 3.5],
          ],
        },
      ],
    });
    const id = await upload("book.xlsx", book);
    expect((await preview(id)).sheets).toEqual(["Notes", "Orders"]);
    const found = await preview(id, { sheet: "Orders" });
    expect(typesOf(found)).toEqual({ code: "VARCHAR", qty: "DECIMAL(2,1)" });
    expect(found.preview).toEqual([
      { line: 2, values: ["007", "2.0"] },
      { line: 3, values: [null, "3.5"] },
    ]);
  });

  test("refuses a workbook that grows beyond the limit, whatever sizes it states", async () => {
    const bomb = zipOf("xl/sharedStrings.xml", deflateRawSync(Buffer.alloc(300 * 1024 * 1024)));
    expect(await refusalOf(bomb, "bomb.xlsx")).toBe(
      "The workbook is too large once decompressed. Export the sheet as CSV.",
    );
    expect(await refusalOf("PK\x03\x04 no", "bad.xlsx")).toMatch(/not a valid XLSX/);
  });

  test("reads Arrow with its types", async () => {
    const table = tableFromArrays({
      id: new Int32Array([1, 2]),
      big: BigInt64Array.from([9007199254740993n, 2n]),
      name: ["é", "b"],
    });
    const found = await previewOf(tableToIPC(table, "file"), {}, "data.arrow");
    expect(typesOf(found)).toEqual({ id: "BIGINT", big: "BIGINT", name: "VARCHAR" });
    expect(found.preview[0]?.values).toEqual(["1", "9007199254740993", "é"]);
    expect(await refusalOf("ARROW1\0\0 no", "bad.arrow")).toMatch(/not valid Arrow/);
  });

  test("refuses a damaged Parquet file", { tags: ["long"] }, async () => {
    expect(await refusalOf("PAR1 no", "bad.parquet")).toMatch(/not valid Parquet/);
  });
});

describe("an import", () => {
  test("creates the connection and the table, keeps rejected rows, and deletes the upload", async () => {
    const id = await upload("orders.csv", ORDERS);
    const done = await store(id, { table: "orders" });
    expect(done).toMatchObject({ table: "orders", rows: 5, rejectedRows: 2, rejectedTable: "orders_rejected" });
    expect((await send("GET", `/connectors/${done.connectionId}`)).json.data).toMatchObject({
      name: "Files",
      type: "duckdb",
    });
    expect(
      await rowsOf(done.connectionId, "select sku, net, account_no from orders order by order_no limit 1"),
    ).toEqual([{ sku: "004812", net: "1148.00", account_no: "90071992547409931" }]);
    expect(await rowsOf(done.connectionId, "select line, problem from orders_rejected order by line")).toEqual([
      { line: 5, problem: "6 fields, 8 expected" },
      { line: 8, problem: "Quote opened and never closed" },
    ]);
    const entities = (await send("GET", `/connectors/${done.connectionId}/entities`)).json.data;
    expect(entities.map(({ name }: { name: string }) => name)).toEqual(["orders", "orders_rejected"]);
    expect((await send("GET", `/imports/${id}`)).status).toBe(404);
  });

  test("replaces only when asked, appends what fits, and deletes", async () => {
    const first = await store(await upload("t.csv", "id,v\n1,a\n"), { table: "t" });
    const again = await upload("t.csv", "id,v\n2,b\n");
    const conflict = await send("POST", `/imports/${again}/table`, { table: "T" });
    expect([conflict.status, conflict.json.code]).toEqual([409, "conflict"]);
    expect((await store(again, { table: "t", mode: "append" })).rows).toBe(1);
    expect(await rowsOf(first.connectionId, "select id, v from t order by id")).toEqual([
      { id: 1, v: "a" },
      { id: 2, v: "b" },
    ]);
    const other = await upload("t.csv", "id,v\n2.5,b\n");
    const refused = await send("POST", `/imports/${other}/table`, { table: "t", mode: "append" });
    expect([refused.status, refused.json.details[0].message]).toEqual([
      400,
      "Column id is DECIMAL(2,1) in the file and BIGINT in the table. Change its type.",
    ]);
    expect((await store(other, { table: "t", mode: "replace" })).rows).toBe(1);
    expect(await rowsOf(first.connectionId, "select id from t")).toEqual([{ id: "2.5" }]);
    expect((await send("DELETE", "/imported-tables/t")).status).toBe(200);
    expect((await send("DELETE", "/imported-tables/t")).status).toBe(404);
    // Its deletion would have the address of the workspace.
    const parent = await send("POST", `/imports/${await upload("t.csv", "id\n1\n")}/table`, { table: ".." });
    expect([parent.status, parent.json.details?.[0]?.path]).toEqual([400, "table"]);
    const missing = await send("POST", `/imports/${await upload("t.csv", "id\n1\n")}/table`, {
      table: "t",
      mode: "append",
    });
    expect(missing.status).toBe(404);
  });

  test("keeps a table that has the name of the rejected rows", { tags: ["long"] }, async () => {
    const content = "id,v\n1,a\n2\n";
    const { connectionId } = await store(await upload("t.csv", "mine\n1\n"), { table: "kept_rejected" });
    const id = await upload("t.csv", content);
    for (const mode of ["create", "replace", "append"]) {
      if (mode === "append") await store(await upload("t.csv", "id,v\n0,z\n"), { table: "kept" });
      const answer = await send("POST", `/imports/${id}/table`, { table: "kept", mode });
      expect([mode, answer.status]).toEqual([mode, 409]);
    }
    expect(await rowsOf(connectionId, "select mine from kept_rejected")).toEqual([{ mine: 1 }]);
    await store(await upload("t.csv", content), { table: "bad" });
    const again = await upload("t.csv", content);
    await send("DELETE", "/imported-tables/bad");
    expect((await send("POST", `/imports/${again}/table`, { table: "bad" })).status).toBe(409);
    await store(again, { table: "bad", mode: "replace" });
    expect(await rowsOf(connectionId, "select line from bad_rejected")).toEqual([{ line: 3 }]);
  });

  test("reads and imports 5,000 columns with 50 null words", { tags: ["long"], timeout: 600_000 }, async () => {
    const width = 5000;
    const row = (value: (index: number) => string) => Array.from({ length: width }, (_, index) => value(index)).join();
    // Checking the types of so many columns takes a minute.
    const texts = (index: number, value: string, text: string) => (index < 10 ? value : text);
    const content = [
      row((index) => `c${index}`),
      row((index) => texts(index, String(index), "text")),
      row((index) => (index % 2 ? "?" : texts(index, `${index}.5`, "other"))),
      ...Array(9).fill(row((index) => texts(index, "9", "x".repeat(300)))),
    ];
    const id = await upload("wide.csv", `${content.join("\n")}\n`);
    const nullWords = ["", "?", ...Array.from({ length: 48 }, (_, index) => `word ${index} ${"y".repeat(180)}`)];
    const answer = await send("POST", `/imports/${id}/preview`, { settings: { nullWords } });
    expect(answer.status, answer.text.slice(0, 200)).toBe(200);
    const found: ImportPreview = answer.json.data;
    expect([found.columns.length, found.rows, found.preview.length]).toEqual([width, 11, 2]);
    expect(answer.text.length).toBeLessThan(4 * 1024 ** 2);
    const { connectionId, rows } = await store(id, { table: "wide" });
    expect(rows).toBe(11);
    expect(await rowsOf(connectionId, "select c1, c2, c4999 from wide where c2 < 9 order by c2")).toEqual([
      { c1: 1, c2: "2.0", c4999: "text" },
      { c1: null, c2: "2.5", c4999: null },
    ]);
  });

  test("stops at rejected rows when asked, and offers them as CSV", async () => {
    const id = await upload("orders.csv", ORDERS);
    expect((await send("POST", `/imports/${id}/table`, { table: "stopped", rejected: "stop" })).status).toBe(400);
    const csv = await call("GET", `${home}/imports/${id}/rejected-rows`, { cookie: owner.cookie });
    expect(csv.text.split("\n").slice(0, 2)).toEqual([
      "line,problem,text",
      '5,"6 fields, 8 expected","SO-4;017730;02/01/2026;Café;1;86,40"',
    ]);
    expect((await send("DELETE", "/imported-tables/stopped")).status).toBe(404);
  });

  test("streams its progress", async () => {
    const id = await upload("t.csv", "id\n1\n2\n");
    const answer = await callRaw("POST", `${home}/imports/${id}/table`, {
      cookie: owner.cookie,
      headers: { accept: "application/x-ndjson" },
      body: { table: "streamed" },
    });
    const lines = (await answer.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ progress: { stage: "queued", bytes: 0, rows: 0 } });
    expect(lines.at(-2)).toEqual({ progress: { stage: "write", bytes: 0, rows: 2 } });
    expect(lines.at(-1)).toMatchObject({ data: { table: "streamed", rows: 2 } });
  });

  test("streams its failure, and logs it", { tags: ["long"] }, async () => {
    const id = await upload("t.csv", "id\n1\n");
    const captured = captureLog();
    const answer = await callRaw("POST", `${home}/imports/${id}/table`, {
      cookie: owner.cookie,
      headers: { accept: "application/x-ndjson" },
      body: { table: "missing", mode: "append" },
    });
    const last = (await answer.text()).trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toEqual({ error: { code: "not_found", message: "Table not found." } });
    expect(captured.stop().join("")).toContain(`imports/${id}/table","code":"not_found","status":404`);
  });

  test("leaves nothing when its client leaves", async () => {
    const id = await upload("t.csv", `id\n${"1\n".repeat(100_000)}`);
    const left = new AbortController();
    const answer = await callRaw("POST", `${home}/imports/${id}/table`, {
      cookie: owner.cookie,
      headers: { accept: "application/x-ndjson" },
      body: { table: "left" },
      signal: left.signal,
    });
    left.abort();
    await answer.text().catch(() => {});
    // The next request on the upload waits for the end of the one that was cancelled.
    expect((await store(id, { table: "left" })).rows).toBe(100_000);
  });

  test("of two at once into one table, one wins", async () => {
    const ids = await Promise.all(["1", "2"].map((value) => upload("t.csv", `id\n${value}\n`)));
    const answers = await Promise.all(ids.map((id) => send("POST", `/imports/${id}/table`, { table: "race" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("of one upload twice at once runs once", async () => {
    const id = await upload("t.csv", "id\n1\n");
    const body = { table: "twice", mode: "append" };
    await store(await upload("t.csv", "id\n0\n"), { table: "twice" });
    const answers = await Promise.all([1, 2].map(() => send("POST", `/imports/${id}/table`, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    // A client that missed its answer asks again; nothing else can be done with the upload.
    const again = await store(id, body);
    expect(again).toEqual(answers[0]?.json.data);
    expect(await rowsOf(again.connectionId, "select count(*) as n from twice")).toEqual([{ n: 2 }]);
    expect((await send("POST", `/imports/${id}/table`, { ...body, table: "thrice" })).status).toBe(404);
    expect((await send("POST", `/imports/${id}/preview`, {})).status).toBe(404);
    expect((await send("GET", `/imports/${id}`)).status).toBe(404);
    expect(readdirSync(folderOf(id))).toEqual(["upload.json"]);
  });

  test("ends when its upload is deleted, and leaves no files when it is refused", async () => {
    const id = await upload("t.csv", `id\n${"1\n".repeat(400_000)}`);
    const [answer, deleted] = await Promise.all([
      send("POST", `/imports/${id}/table`, { table: "deleted" }),
      send("DELETE", `/imports/${id}`),
    ]);
    expect([deleted.status, answer.status]).toEqual([200, 404]);
    expect(existsSync(folderOf(id))).toBe(false);
    const damaged = await upload("x.parquet", "PAR1 but damaged PAR1");
    expect((await send("POST", `/imports/${damaged}/preview`, {})).status).toBe(400);
    expect(readdirSync(folderOf(damaged)).sort()).toEqual(["source", "upload.json"]);
  });

  test("has a connection for its table before the table", { tags: ["long"] }, async () => {
    const other = await seedPerson();
    const path = `/api/workspaces/${other.workspaceId}`;
    const sent = await call("POST", `${path}/imports?name=t.csv`, { cookie: other.cookie, rawBody: "id\n1\n" });
    const body = { table: "t", mode: "append" };
    const refused = await call("POST", `${path}/imports/${sent.json.data.id}/table`, { cookie: other.cookie, body });
    expect(refused.status).toBe(404);
    const listed = await call("GET", `${path}/connectors`, { cookie: other.cookie });
    expect(listed.text).toContain('"Files"');
  });
});

describe("an upload", () => {
  test("is its uploader's alone", async () => {
    const id = await upload("t.csv", "id\n1\n");
    const colleague = await seedMember(owner.workspaceId, "admin");
    const stranger = await seedPerson();
    expect((await send("GET", `/imports/${id}`, undefined, colleague.cookie)).status).toBe(404);
    const elsewhere = `/api/workspaces/${stranger.workspaceId}/imports/${id}`;
    expect((await call("GET", elsewhere, { cookie: stranger.cookie })).status).toBe(404);
    expect((await send("DELETE", `/imports/${id}`, undefined, colleague.cookie)).status).toBe(404);
    expect((await send("DELETE", `/imports/${id}`)).status).toBe(200);
    expect((await send("DELETE", `/imports/${id}`)).status).toBe(404);
  });

  test("needs a key that may write", async () => {
    const key = await seedKey(owner.workspaceId, owner, "read");
    const answer = await call("POST", `${home}/imports?name=t.csv`, { key, rawBody: "id\n1\n" });
    expect(answer.status).toBe(403);
  });

  test("is refused above the limit, and unknown after a killed server", async () => {
    const headers = { "content-length": String(1024 ** 3 + 1) };
    const answer = await call("POST", `${home}/imports?name=t.csv`, { cookie: owner.cookie, rawBody: "id\n", headers });
    expect(answer.status).toBe(413);
    const left = new ObjectId();
    const folder = join(workspaceFolder(new ObjectId(owner.workspaceId)), ".imports", left.toHexString());
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "source"), "id\n1\n");
    expect((await send("POST", `/imports/${left}/preview`, {})).status).toBe(404);
  });
});

describe("the space of a workspace", () => {
  test("counts the log of changes, and an upload without an announced length", async () => {
    const other = await seedPerson();
    const path = `/api/workspaces/${other.workspaceId}`;
    const folder = workspaceFolder(new ObjectId(other.workspaceId));
    const sendTo = (rawBody: string) => call("POST", `${path}/imports?name=t.csv`, { cookie: other.cookie, rawBody });
    mkdirSync(folder, { recursive: true });
    const fill = (name: string, bytes: number) => {
      writeFileSync(join(folder, name), "");
      truncateSync(join(folder, name), bytes);
    };
    fill("Files.duckdb.wal", 10 * 1024 ** 3 - 20);
    expect((await sendTo("id\n".repeat(10))).status).toBe(507);
    expect((await sendTo("id\n1\n")).status).toBe(201);
    rmSync(join(folder, "Files.duckdb.wal"));
  });

  test("is free again where tables were deleted, and taken by an upload that is arriving", {
    tags: ["long"],
  }, async () => {
    const other = await seedPerson();
    const path = `/api/workspaces/${other.workspaceId}`;
    const folder = workspaceFolder(new ObjectId(other.workspaceId));
    const sendTo = (to: string, options: object) => call("POST", `${path}${to}`, { cookie: other.cookie, ...options });
    const rows = Array.from({ length: 100_000 }, (_, row) => `${row * 7919},${row}`).join("\n");
    for (const table of ["large", "last"]) {
      const sent = await sendTo("/imports?name=t.csv", { rawBody: `a,b\n${rows}\n` });
      expect((await sendTo(`/imports/${sent.json.data.id}/table`, { body: { table } })).status).toBe(200);
    }
    const filler = join(folder, ".imports", new ObjectId().toHexString());
    mkdirSync(filler);
    writeFileSync(join(filler, "source"), "");
    const sizes = ["Files.duckdb", "Files.duckdb.wal"].map((name) =>
      statSync(join(folder, name), { throwIfNoEntry: false }),
    );
    const used = sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
    truncateSync(join(filler, "source"), 10 * 1024 ** 3 - used);
    // More than the one block that the records of imports may leave free.
    const small = "1\n".repeat(150_000);
    expect((await sendTo("/imports?name=t.csv", { rawBody: small })).status).toBe(507);
    expect((await call("DELETE", `${path}/imported-tables/large`, { cookie: other.cookie })).status).toBe(200);
    expect((await sendTo("/imports?name=t.csv", { rawBody: small })).status).toBe(201);
    // Two at once, of which each fits alone.
    truncateSync(join(filler, "source"), 10 * 1024 ** 3 - used - small.length - 150_000);
    const content = "1\n".repeat(400_000);
    const both = await Promise.all([1, 2].map(() => sendTo("/imports?name=t.csv", { rawBody: content })));
    expect(both.map(({ status }) => status)).toContain(507);
  });

  test("frees uploads that are too old", async () => {
    const id = await upload("t.csv", "id\n1\n");
    const kept = await upload("t.csv", "id\n1\n");
    const old = new Date(Date.now() - 25 * 60 * 60_000);
    utimesSync(folderOf(id), old, old);
    await sweepImports(Date.now() + 24 * 60 * 60_000 - 60_000);
    expect([existsSync(folderOf(id)), existsSync(folderOf(kept))]).toEqual([false, true]);
  });
});

/** Returns a ZIP file of one part that claims to have one byte. */
function zipOf(name: string, packed: Buffer): Buffer {
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt32LE(1, 22);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt32LE(1, 24);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length + name.length, 12);
  end.writeUInt32LE(local.length + name.length + packed.length, 16);
  return Buffer.concat([local, Buffer.from(name), packed, entry, Buffer.from(name), end]);
}
