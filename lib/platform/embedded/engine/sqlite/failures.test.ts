import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { toSqliteFailure } from "./failures.ts";

it("says how to end the wait for another writer", () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-locked-"));
  const [writer, other] = [0, 1].map(() => new DatabaseSync(join(folder, "a.sqlite"), { timeout: 0 }));
  try {
    writer?.exec("create table a (b); begin immediate; insert into a values (1)");
    const query = "insert into a values (2)";
    let failure: unknown;
    try {
      other?.exec(query);
    } catch (error) {
      failure = toSqliteFailure(error, query);
    }
    const message = "Another transaction is writing to this file. Commit or roll it back, or try again in a moment.";
    expect(failure).toEqual({ kind: "unavailable", message });
  } finally {
    writer?.close();
    other?.close();
    rmSync(folder, { recursive: true });
  }
});
