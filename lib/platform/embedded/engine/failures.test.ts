import { expect, it } from "vitest";
import { toFailure } from "./failures.ts";

const duckdbError = (parts: Record<string, string>) => new Error(`Binder Error: ${JSON.stringify(parts)}`);

it("converts a byte position to characters, with line and column", () => {
  const query = "select 'é',\n  nam";
  const failure = toFailure(
    duckdbError({ exception_type: "Binder", exception_message: "no nam", position: "15" }),
    query,
  );
  // 15 bytes are 14 characters, because é has two bytes. The word is the third on its line.
  expect(failure.details).toEqual({ position: 15, line: 2, column: 3 });
});

it("lists suggested names unquoted, the best first", () => {
  const message = 'Table "p" has no column "nme"\n\nCandidate bindings: : "name", "a ""b"""';
  const failure = toFailure(duckdbError({ exception_type: "Binder", exception_message: message }), "");
  expect(failure.details).toEqual({ candidates: ["name", 'a "b"'] });
});

it("splits several suggested tables within one pair of quotes, without system tables", () => {
  const suggest = (names: string) =>
    toFailure(
      duckdbError({
        exception_type: "Catalog",
        exception_message: `Table with name order does not exist!\nDid you mean "${names}"?`,
      }),
      "",
    );
  expect(suggest("orders or pg_operator or order_items")).toMatchObject({
    message: 'Table with name order does not exist!\nDid you mean "orders" or "order_items"?',
    details: { candidates: ["orders", "order_items"] },
  });
  expect(suggest("pg_catalog.pg_class or sqlite_master")).toEqual({
    kind: "query_failed",
    message: "Table with name order does not exist!",
  });
});

it("maps a blocked file to not_allowed and a blocked write to read_only", () => {
  const permission = { exception_type: "Permission", exception_message: "file system operations are disabled" };
  expect(toFailure(duckdbError(permission), "").kind).toBe("not_allowed");
  const write = {
    exception_type: "TransactionContext",
    exception_message: 'Cannot write to database "x" - transaction is launched in read-only mode',
  };
  expect(toFailure(duckdbError(write), "").kind).toBe("read_only");
});

it("keeps the text of an unknown error and drops its stack", () => {
  const failure = toFailure(new Error("IO Error: broken\n\nStack Trace:\n\nat 0x1"), "");
  expect(failure).toEqual({ kind: "query_failed", message: "IO Error: broken" });
});
