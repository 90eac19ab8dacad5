import { expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { freePort } from "@/test/servers/free-port";
import type { DataSource, Driver } from "../../../data-source";
import { clickhouse } from "../../clickhouse";
import { mysql } from "../../mysql";
import { postgres } from "../../postgres";
import { trino } from "../../trino";

/*
 * Workspaces share the threads that check long statements fairly. No server answers: a checked statement fails by that.
 */

/** More sources and statements than the queues of all workspaces together take. */
const SOURCES = 30;
const STATEMENTS_EACH = 20;
const CHARS = 33 * 1024;

const DRIVERS: Record<string, [Driver, Record<string, unknown>]> = {
  mysql: [mysql, { user: "a", password: "b", database: "c" }],
  postgres: [postgres, { user: "a", password: "b", database: "c" }],
  clickhouse: [clickhouse, { user: "a", password: "b", database: "c" }],
  trino: [trino, { user: "a", catalog: "c", schema: "d" }],
};

async function outcomeOf(source: DataSource, query: string): Promise<string> {
  const options = { readOnly: true, timeoutMs: 60_000, signal: new AbortController().signal };
  try {
    await source.query?.({ query }, options);
    return "ok";
  } catch (error) {
    return error instanceof AppError ? error.kind : String(error);
  }
}

it.each(Object.entries(DRIVERS))(
  "C2 reads a workspace's long %s statement while another one has 30 sources",
  async (_, [driver, own]) => {
    const config = { host: "127.0.0.1", port: await freePort(), ...own };
    const open = (workspaceId: string) =>
      driver.open({ workspaceId, connectionId: "b".repeat(24), config, readOnly: true });
    const crowd = await Promise.all(Array.from({ length: SOURCES }, () => open("a".repeat(24))));
    const other = await open("c".repeat(24));
    // Each text is unique: results about short ones are cached.
    const long = (name: string) => `select '${name}${"x".repeat(CHARS)}'`;
    const crowded = crowd.flatMap((source, at) =>
      Array.from({ length: STATEMENTS_EACH }, (_, nth) => outcomeOf(source, long(`${at}.${nth}`))),
    );
    const [outcome, ...second] = await Promise.all([outcomeOf(other, long("one")), outcomeOf(other, long("two"))]);
    expect([outcome, ...second]).toEqual(["source_unreachable", "source_unreachable"]);
    const outcomes = await Promise.all(crowded);
    // The crowd has a separate queue, which is full.
    expect(new Set(outcomes)).toEqual(new Set(["source_unreachable", "unavailable"]));
    await Promise.all([...crowd, other].map((source) => source.close()));
  },
);
