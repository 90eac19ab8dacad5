import Database from "better-sqlite3";
import { expect, test } from "../ui/fixtures";
import { workspaceIdOf } from "../ui/settings.fixtures";

const TABLES = 2000;
const nameOf = (n: number) => `events_${String(n).padStart(4, "0")}`;

/** Returns the bytes of a database with two thousand tables. */
function archive(): Buffer {
  const database = new Database(":memory:");
  for (let n = 0; n < TABLES; n += 1) {
    database.exec(`create table ${nameOf(n)} (id integer primary key, happened_${n} text)`);
  }
  const bytes = database.serialize();
  database.close();
  return bytes;
}

test("loads two thousand tables on open, draws visible ones, and finds them by part of a name", async ({
  page,
  person,
  consolePage,
}) => {
  const wid = await workspaceIdOf(page.request);
  const uploaded = await page.request.post(`/api/workspaces/${wid}/files?name=archive.sqlite`, {
    headers: { "Content-Type": "application/octet-stream" },
    data: archive(),
  });
  expect(uploaded.status()).toBe(201);
  const made = await page.request.post(`/api/workspaces/${wid}/connectors`, {
    data: { name: "archive", type: "sqlite", config: { file: "archive.sqlite" } },
  });
  const { id } = (await made.json()).data;
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/entities")) asked.push(request.url());
  });
  await consolePage.open(person.slug);
  const connection = consolePage.schema.filter({ hasText: "archive" });
  await expect(connection).toBeVisible();
  expect(asked.filter((url) => url.includes(id))).toEqual([]);

  await connection.click();
  await expect(consolePage.schema.filter({ hasText: nameOf(0) })).toBeVisible();
  expect(asked.filter((url) => url.includes(id))).toHaveLength(1);
  expect(await consolePage.schema.count()).toBeLessThan(120);

  await page.getByRole("button", { name: "Search tables and columns" }).click();
  const search = page.getByRole("textbox", { name: "Search tables and columns" });
  await search.fill("ts_1987");
  await expect(consolePage.schema.filter({ hasText: nameOf(1987) })).toBeVisible();
  await expect(consolePage.schema.filter({ hasText: nameOf(1) })).toHaveCount(0);
  await search.fill("happened_1203");
  await expect(consolePage.schema.filter({ hasText: nameOf(1203) })).toBeVisible();
  // Searching sends no requests.
  expect(asked.filter((url) => url.includes(id))).toHaveLength(1);

  await search.fill("");
  await page.getByRole("tree", { name: "Schema" }).focus();
  await page.keyboard.press("End");
  await expect(consolePage.schema.filter({ hasText: nameOf(TABLES - 1) })).toBeInViewport();
});
