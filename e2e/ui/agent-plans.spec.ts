import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { type ModelServer, startModelServer } from "../../test/fixtures/agent/model-server";
import { freePort } from "../../test/servers/free-port";
import { addConsole } from "./consoles.fixtures";
import { test as base, expect, expectAccessible } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

/*
 * Plans end to end: a separate server calls a model that proposes them. No request and no response of the page is
 * stubbed.
 */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The other tests' server has built the tree already. */
const START_TIMEOUT_MS = 60_000;

type Own = { url: string; model: ModelServer };

const test = base.extend<object, { own: Own }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
    async ({}, use) => {
      const model = await startModelServer();
      const dataDir = await mkdtemp(join(tmpdir(), "millrace-plans-"));
      const port = await freePort();
      const server = spawn(process.execPath, [join(ROOT, "scripts/start.mjs")], {
        cwd: ROOT,
        stdio: "ignore",
        env: {
          ...process.env,
          PORT: String(port),
          DATA_DIR: dataDir,
          MONGODB_URI: "",
          RATE_LIMIT_SCALE: "1000",
          OPENAI_COMPATIBLE_BASE_URL: model.url,
          DEFAULT_MODEL: "compatible/scripted",
        },
      });
      const ended = new Promise((resolve) => server.once("exit", resolve));
      const url = `http://localhost:${port}`;
      try {
        const isUp = () =>
          fetch(`${url}/api/health`).then(
            ({ ok }) => ok,
            () => false,
          );
        await expect.poll(isUp, { timeout: START_TIMEOUT_MS, intervals: [200] }).toBe(true);
        await use({ url, model });
      } finally {
        server.kill("SIGTERM");
        await ended;
        await model.close();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: ({ own }, use) => use(own.url),
});

// One server and one model, with a script for each test.
test.describe.configure({ mode: "serial" });

const panel = (page: Page) => page.getByRole("complementary", { name: "Agent" });
const field = (page: Page) => page.getByRole("textbox", { name: "Message the agent" });
const button = (page: Page, name: string) => panel(page).getByRole("button", { name, exact: true });
const said = (page: Page, text: string) => panel(page).getByText(text);

const PLAN = { planMarkdown: "1. Save the console **orders**", grants: ["console-write", "query-write"] };
const SAVE = { tool: "save_console", input: { name: "orders", content: "select count(*) from orders" } };

async function ask(page: Page, slug: string, text: string): Promise<void> {
  await page.goto(`/w/${slug}`);
  await field(page).fill(text);
  await page.keyboard.press("Enter");
}

/** Returns the server's copies of the console that the agent saves. */
async function savedConsoles(page: Page): Promise<string[]> {
  const me = await (await page.request.get("/api/auth/me")).json();
  const list = await (await page.request.get(`/api/workspaces/${me.data.workspaces[0].id}/consoles`)).json();
  return JSON.stringify(list).match(/"name":"orders"/g) ?? [];
}

test("lets the agent write after approval, for the same answer only", async ({ page, person, own }) => {
  own.model.say([{ tool: "propose_plan", input: PLAN }], [SAVE], [{ text: "It is saved." }]);
  await ask(page, person.slug, "Save it");
  await expect(said(page, "Plan awaiting approval")).toBeVisible();
  expect(await savedConsoles(page)).toHaveLength(0);
  // The model may answer before the page has rendered its schema.
  await expect(page.getByRole("treeitem", { name: /^products/ })).toBeVisible();
  await expectAccessible(page);
  await panel(page)
    .getByRole("checkbox", { name: /query-write/ })
    .uncheck();
  await button(page, "Approve plan").click();
  await expect(said(page, "Plan approved")).toBeVisible();
  await expect(said(page, "Allowed: console-write")).toBeVisible();
  await expect(said(page, "It is saved.")).toBeVisible();
  expect(await savedConsoles(page)).toHaveLength(1);
  own.model.say([{ ...SAVE, input: { ...SAVE.input, content: "select 2" } }], [{ text: "I may not." }]);
  await field(page).fill("Once more");
  await page.keyboard.press("Enter");
  await expect(said(page, "I may not.")).toBeVisible();
  expect(await savedConsoles(page)).toHaveLength(1);
});

test("C25 shows the objects that a plan's grants apply to", async ({ page, person, own }) => {
  const base = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const [{ id: connectionId, name }] = (await (await page.request.get(`${base}/connectors`)).json()).data;
  const { id: consoleId } = await addConsole(page.request, {
    name: "orders.sql",
    content: "select 1",
    access: "workspace",
  });
  const targets = [consoleId, connectionId, "f".repeat(24)];
  const folder = await page.request.post(`${base}/consoles/folders`, { data: { name: "drafts" } });
  const effects = [
    { effect: "delete", kind: "console_folder", id: (await folder.json()).data.id, recursive: true },
    { effect: "access", kind: "app", id: null, access: "workspace" },
  ];
  own.model.say([{ tool: "propose_plan", input: { ...PLAN, targets, effects } }], [{ text: "I go on." }]);
  await ask(page, person.slug, "Change it");
  await expect(panel(page).getByRole("list", { name: "Effects" }).getByRole("listitem")).toHaveText([
    "Delete folder “drafts” and everything in it.",
    "Make the new app visible to everyone in the workspace.",
  ]);
  const list = panel(page).getByRole("list", { name: "Targets" });
  const shown = [/^orders\.sql console$/, new RegExp(`^${name} connection$`), /^f{24} not found$/];
  await expect(list.getByRole("listitem")).toHaveText(shown, { timeout: 30_000 });
  await expect(list.getByRole("link", { name: "orders.sql" })).toHaveAttribute(
    "href",
    `/w/${person.slug}/consoles/${consoleId}`,
  );
  await expectAccessible(page);
  await page.reload();
  await expect(list.getByRole("listitem")).toHaveText(shown, { timeout: 30_000 });
  await button(page, "Approve plan").click();
  await expect(said(page, "Plan approved")).toBeVisible();
  await expect(list.getByRole("listitem")).toHaveText(shown, { timeout: 30_000 });

  own.model.say([{ tool: "propose_plan", input: PLAN }], [{ text: "I go on." }]);
  await field(page).fill("Change it again");
  await page.keyboard.press("Enter");
  await expect(said(page, "Targets: new files only.")).toBeVisible();
});

test("shows the dashboard that a plan saves, from its data", { tag: "@long" }, async ({ page, person, own }) => {
  const base = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const [{ id: connectionId }] = (await (await page.request.get(`${base}/connectors`)).json()).data;
  const table = (title: string, query: string) => ({ kind: "table", title, source: { connectionId, query } });
  const planOf = (dashboard: object) => ({
    tool: "propose_plan",
    input: { planMarkdown: "1. Create the dashboard", grants: ["dashboard-write"], dashboard },
  });
  const titles = async () => {
    const list = await (await page.request.get(`${base}/dashboards`)).json();
    return list.data.map(({ title }: { title: string }) => title);
  };
  const good = { title: "Products", widgets: [table("Cheapest", "select 'mug' as product, 3 as price")] };
  const { id: folderId } = (
    await (
      await page.request.post(`${base}/dashboards/folders`, { data: { name: "team", access: "workspace" } })
    ).json()
  ).data;
  const { id: consoleId } = await addConsole(page.request, { name: "salaries", content: "select 1" });
  const shared = { ...good, folderId, datasets: [{ id: "d", name: "Salaries", source: { consoleId } }] };
  const bad = { ...good, widgets: [...good.widgets, table("Broken", "select nothing from nowhere")] };
  own.model.say([planOf(bad)], [{ text: "I changed it." }]);
  await ask(page, person.slug, "Build a dashboard");
  const preview = panel(page).getByRole("region", { name: "Preview" });
  await expect(preview).toContainText("1 of 2 widgets failed", { timeout: 30_000 });
  await expect(preview.getByRole("alert")).toContainText("Broken");
  await expect(preview).toContainText("Saved at the top level. Private.");
  await expect(button(page, "Approve plan")).toBeDisabled();
  await button(page, "Request changes").click();
  await panel(page).getByRole("textbox", { name: "Requested changes" }).fill("Remove Broken");
  await button(page, "Send request").click();
  await expect(said(page, "I changed it.")).toBeVisible();

  own.model.say([planOf(shared)], [{ tool: "save_dashboard", input: shared }], [{ text: "It is saved." }]);
  await field(page).fill("Again");
  await page.keyboard.press("Enter");
  await expect(preview).toContainText("1 of 1 widget rendered", { timeout: 30_000 });
  await expect(preview).toContainText("mug");
  await expect(preview).toContainText("Saved in team. Visible to everyone in the workspace.");
  await expect(preview).toContainText("will see data of private consoles: salaries.");
  await expectAccessible(page);
  await button(page, "Enlarge preview").click();
  const large = page.getByRole("dialog", { name: "Products" });
  await expect(large.getByText("mug")).toBeVisible();
  await page.keyboard.press("Escape");
  expect(await titles()).not.toContain("Products");
  await button(page, "Approve plan").click();
  await expect(said(page, "It is saved.")).toBeVisible();
  expect(await titles()).toContain("Products");
});

test("reports a change request to the model, and grants nothing after a cancellation", { tag: "@long" }, async ({
  page,
  person,
  own,
}) => {
  own.model.say(
    [{ tool: "propose_plan", input: PLAN }],
    [{ tool: "propose_plan", input: { ...PLAN, planMarkdown: "1. Call it bookings" } }],
    [SAVE],
    [{ text: "Then I leave it." }],
  );
  await ask(page, person.slug, "Save it");
  await button(page, "Request changes").click();
  await panel(page).getByRole("textbox", { name: "Requested changes" }).fill("Call it bookings");
  await button(page, "Send request").click();
  await expect(said(page, "Changes requested")).toBeVisible();
  await expect(said(page, "Call it bookings").last()).toBeVisible();
  expect(JSON.stringify(own.model.calls.at(-1)?.messages)).toContain("changes_requested");
  await button(page, "Cancel").click();
  await expect(said(page, "Plan cancelled")).toBeVisible();
  await expect(said(page, "Then I leave it.")).toBeVisible();
  expect(await savedConsoles(page)).toHaveLength(0);
});

test("keeps a waiting plan over a reload, for the next turn", { tag: "@long" }, async ({ page, person, own }) => {
  own.model.say([{ tool: "propose_plan", input: PLAN }], [SAVE], [{ text: "It is saved." }]);
  await ask(page, person.slug, "Save it");
  await expect(said(page, "Plan awaiting approval")).toBeVisible();
  await page.reload();
  await expect(said(page, "Plan awaiting approval")).toBeVisible();
  // The turn ended with its page.
  await expect(said(page, "Answer stopped.")).toBeVisible({ timeout: 30_000 });
  await button(page, "Approve plan").click();
  await expect(said(page, "Plan approved")).toBeVisible();
  expect(await savedConsoles(page)).toHaveLength(0);
  own.model.say([SAVE], [{ text: "It is saved." }]);
  await button(page, "Continue plan").click();
  await expect(said(page, "It is saved.")).toBeVisible();
  expect(await savedConsoles(page)).toHaveLength(1);
});

test("decides on a plan in a second tab while the first waits", { tag: "@long" }, async ({
  page,
  context,
  person,
  own,
}) => {
  own.model.say([{ tool: "propose_plan", input: PLAN }], [SAVE], [{ text: "It is saved." }]);
  await ask(page, person.slug, "Save it");
  await expect(said(page, "Plan awaiting approval")).toBeVisible();
  const second = await context.newPage();
  await second.goto(page.url());
  await expect(said(second, "Plan awaiting approval")).toBeVisible();
  await expect(said(second, "Answering in another session.")).toBeVisible();
  await button(second, "Approve plan").click();
  await expect(said(second, "Plan approved")).toBeVisible();
  await expect(button(second, "Continue plan")).toHaveCount(0);
  await expect(said(page, "Plan approved")).toBeVisible();
  await expect(said(page, "It is saved.")).toBeVisible();
  await expect(said(second, "It is saved.")).toBeVisible({ timeout: 30_000 });
  await expect(said(second, "Answering in another session.")).toHaveCount(0);
  expect(await savedConsoles(page)).toHaveLength(1);
});

test("uses the selected agent and model, also after a reload", {
  tag: "@long",
}, async ({ page, person, own }) => {
  own.model.script = () => [{ text: "I am here." }];
  await ask(page, person.slug, "Hello");
  await expect(said(page, "I am here.")).toBeVisible();
  const told = () => own.model.calls.at(-1);
  const tools = () => told()?.tools?.map((tool) => tool.function.name) ?? [];
  expect([told()?.model, tools().includes("create_flow")]).toEqual(["scripted", false]);
  await panel(page).getByRole("button", { name: "Mode: Console" }).click();
  await page.getByRole("menuitemradio", { name: "Flow" }).click();
  await panel(page)
    .getByRole("button", { name: /^Model: scripted/ })
    .click();
  await page.getByRole("menuitemradio", { name: /^other/ }).click();
  for (const text of ["Who are you?", "And now?"]) {
    const calls = own.model.calls.length;
    await field(page).fill(text);
    await page.keyboard.press("Enter");
    await expect.poll(() => own.model.calls.length).toBe(calls + 1);
    expect([text, told()?.model, tools().includes("create_flow")]).toEqual([text, "other", true]);
    await expect(panel(page).getByRole("log")).toHaveAttribute("aria-busy", "false");
    await page.reload();
    await expect(panel(page).getByRole("button", { name: "Mode: Flow" })).toBeVisible();
  }
});
