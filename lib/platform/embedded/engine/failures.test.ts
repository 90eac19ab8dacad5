import { expect, it } from "vitest";
import { toFailure } from "./failures.ts";

const duckdbError = (parts: Record<string, string>) => new Error(`Binder Error: ${JSON.stringify(parts)}`);

it("a position in bytes becomes a position in characters, with line and column", () => {
  const query = "select 'é',\n  nam";
  const failure = toFailure(
    duckdbError({ exception_type: "Binder", exception_message: "no nam", position: "15" }),
    query,
  );
  // 15 bytes are 14 characters, because é has two bytes. The word is the third on its line.
  expect(failure.details).toEqual({ position: 15, line: 2, column: 3 });
});

it("suggested names are listed, quotes resolved, the best first", () => {
  const message = 'Table "p" has no column "nme"\n\nCandidate bindings: : "name", "a ""b"""';
  const failure = toFailure(duckdbError({ exception_type: "Binder", exception_message: message }), "");
  expect(failure.details).toEqual({ candidates: ["name", 'a "b"'] });
});

it("several suggested tables in one pair of quotes are several names, those of the system none", () => {
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

it("a refused file is not allowed, a refused write is read-only", () => {
  const permission = { exception_type: "Permission", exception_message: "file system operations are disabled" };
  expect(toFailure(duckdbError(permission), "").kind).toBe("not_allowed");
  const write = {
    exception_type: "TransactionContext",
    exception_message: 'Cannot write to database "x" - transaction is launched in read-only mode',
  };
  expect(toFailure(duckdbError(write), "").kind).toBe("read_only");
});

it("an error in no known form keeps its words and loses its stack", () => {
  const failure = toFailure(new Error("IO Error: broken\n\nStack Trace:\n\nat 0x1"), "");
  expect(failure).toEqual({ kind: "query_failed", message: "IO Error: broken" });
});
