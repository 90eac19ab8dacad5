import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeNow } from "@/lib/features/query/history-writer";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { productOf, throughProduct } from "./product";
import { ALL_SOURCES, startValueSubject, type ValueSubject } from "./subjects";
import type { Depth } from "./ways";

/*
 * The fidelity matrix (docs/develop/correctness.md) through the product: dashboards, app bindings and the agent show
 * each value as the database's own client prints it.
 */

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
let ana: FlowAuthor;
beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
});
afterAll(async () => {
  await closeServerMember("crossfilterTables");
  await closeServerMember("dataSources");
  await writeNow();
  await own.drop();
});

describe.each(ALL_SOURCES)("C9 C10 the fidelity matrix of %s through the product", (name) => {
  let subject: ValueSubject | null = null;
  let connectionId = "";
  beforeAll(async () => {
    subject = await startValueSubject(name, ana.person.workspaceId);
    if (!subject) return;
    connectionId = await ana.connect(subject.driver.type, {
      ...subject.config,
      ...(subject.hasTls && { ssl: "disable" }),
    });
  }, 120_000);
  afterAll(async () => {
    await closeServerMember("dataSources");
    await subject?.stop();
  });

  const check = async (depth: Depth): Promise<string[]> => {
    if (!subject) return [];
    const tables = await subject.makeAll(depth);
    const statement = await subject.wide(tables);
    const { cells, differences } = await throughProduct(
      await productOf(ana.person, connectionId),
      tables,
      statement,
      depth,
    );
    process.stdout.write(
      `fidelity matrix of ${name} through the product, ${depth}: ${cells} cells, ${differences.length} differences\n`,
    );
    return differences;
  };

  test("has 0 differences in a sample", async (context) => {
    if (!subject) return context.skip();
    expect(await check("sample")).toEqual([]);
  });

  test("has 0 differences in total", { tags: ["long"], timeout: 900_000 }, async (context) => {
    if (!subject) return context.skip();
    expect(await check("whole")).toEqual([]);
  });
});
