import type { Page } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";
import { addConsole } from "./consoles.fixtures";
import { expect, test } from "./fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

test("shows a colleague's save in the explorer without a reload, but nothing private", async ({
  browser,
  page,
  person,
  consolePage,
}) => {
  const jun = await join(browser, page, "member");
  await consolePage.open(person.slug);
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql"]);
  const base = `/api/workspaces/${await workspaceIdOf(page.request)}/consoles`;
  const add = (name: string, access: string) => jun.request.post(base, { data: { name, content: "select 1", access } });
  expect((await add("of-jun-alone.sql", "private")).status()).toBe(201);
  expect((await add("of-jun.sql", "workspace")).status()).toBe(201);
  await expect(consolePage.row("of-jun.sql")).toBeVisible();
  await expect(consolePage.row("of-jun-alone.sql")).toHaveCount(0);
});

test("shares one stream between the tabs of a browser, and passes it on when a tab closes", async ({
  context,
  page,
  person,
  consolePage,
}) => {
  const streams: Page[] = [];
  context.on("request", (request) => {
    if (new URL(request.url()).pathname.endsWith("/events")) streams.push(request.frame().page());
  });
  await consolePage.open(person.slug);
  await expect.poll(() => streams).toEqual([page]);
  const second = await context.newPage();
  const inSecond = new ConsolePage(second);
  await inSecond.open(person.slug);
  await expect(inSecond.tabs).not.toHaveCount(0);
  await addConsole(page.request, { name: "told-to-both.sql", content: "select 1" });
  await expect(consolePage.row("told-to-both.sql")).toBeVisible();
  await expect(inSecond.row("told-to-both.sql")).toBeVisible();
  expect(streams).toEqual([page]);
  await page.close();
  await expect.poll(() => streams).toEqual([page, second]);
  await addConsole(second.request, { name: "told-to-the-second.sql", content: "select 1" });
  await expect(inSecond.row("told-to-the-second.sql")).toBeVisible();
});
