import { readdirSync } from "node:fs";
import type { BrowserContext, ConsoleMessage, Page } from "@playwright/test";
import { appBench } from "./apps.fixtures";
import { saveOver, shownId } from "./consoles.fixtures";
import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, SAID_ANYWAY, test } from "./fixtures";
import { flowBench } from "./flows.fixtures";
import { pushFiles } from "./git.fixtures";
import { metricModel } from "./metrics.fixtures";
import { runToEnd } from "./run.fixtures";
import { invite, settings, workspaceIdOf } from "./settings.fixtures";

// The trace recorder takes snapshots with a script in every frame, and the mail's frame blocks scripts
// (outbox.spec.ts).
test.use({ isLoadedAhead: true, trace: { mode: "retain-on-failure", snapshots: false } });

/** Console messages and policy violations of pages, and the visited addresses. */
type Watch = { complaints: string[]; visited: Set<string> };

/** Returns whether a console hides the message by default: form advice, and the hot-reload client of a preview. */
const isVerbose = (message: ConsoleMessage) => ["verbose", "debug"].includes(message.type());

/** Collects every policy violation and console message of a page, from the start. */
async function watch(context: BrowserContext): Promise<Watch> {
  const seen: Watch = { complaints: [], visited: new Set() };
  await context.exposeFunction("reportViolation", (text: string) => seen.complaints.push(text));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
      const report = (window as unknown as { reportViolation?: (text: string) => void }).reportViolation;
      report?.(`${location.pathname}: ${effectiveDirective} ${blockedURI} ${sourceFile}:${lineNumber}`);
    });
  });
  context.on("weberror", (error) => seen.complaints.push(String(error.error())));
  context.on("console", (message) => {
    // Some of these pages are about error statuses.
    if (SAID_ANYWAY.test(message.text()) || isVerbose(message)) return;
    seen.complaints.push(`${message.page()?.url()}: ${message.type()} ${message.text()}`);
  });
  // Some pages only redirect, and their address is never shown.
  context.on("request", (request) => {
    if (request.isNavigationRequest()) seen.visited.add(new URL(request.url()).pathname);
  });
  context.on("page", (page) => {
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) seen.visited.add(new URL(frame.url()).pathname);
    });
  });
  return seen;
}

/** Returns the addresses of the product's pages as patterns: `/w/[^/]+/settings/members`. */
function pagePatterns(): string[] {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("page.tsx"));
  return files.map((file) => {
    const parts = file.split("/").slice(0, -1);
    const path = parts.filter((part) => !part.startsWith("(")).map((part) => part.replace(/^\[.*\]$/, "[^/]+"));
    return `^/${path.join("/")}$`;
  });
}

const quiet = (page: Page) => page.waitForLoadState("networkidle");

test("breaks no security policy and logs nothing on any page (T106)", { tag: "@long" }, async ({ browser }) => {
  // About forty pages, each loaded until the network is idle.
  test.setTimeout(300_000);
  const context = await browser.newContext();
  const seen = await watch(context);
  const page = await context.newPage();
  const email = `policy-${Date.now()}@example.com`;
  const password = "seven herons by the mill";
  const open = async (path: string) => {
    await page.goto(path);
    await expect(page.getByRole("heading").first()).toBeVisible();
    await quiet(page);
  };

  for (const path of ["/login", "/login?error=Configuration", "/forgot", "/reset/nothing", "/invites/nothing"])
    await open(path);
  await open("/nothing/at/all");
  await open("/register");
  await page.getByLabel("Name").fill("Ines Okafor");
  await page.getByLabel("Email").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();

  // A console: run, chart, rows as JSON, plan, history.
  await page.getByRole("textbox", { name: / query$/ }).waitFor();
  const slug = /\/w\/([^/]+)/.exec(page.url())?.[1] ?? "";
  const strip = page.getByRole("group", { name: "Run", exact: true });
  await strip.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("grid", { name: "Result" }).getByRole("gridcell").first()).toBeVisible();
  await page.getByRole("radio", { name: "Chart" }).click();
  await expect(page.locator(".chart-host svg")).toBeAttached();
  await page.getByRole("radio", { name: "JSON", exact: true }).click();
  await expect(page.getByRole("textbox", { name: "Rows as JSON" })).toBeVisible();
  await page.getByRole("textbox", { name: / query$/ }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("select nothing from nowhere");
  await strip.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText(/nowhere does not exist/).first()).toBeVisible();
  const consoleId = shownId(page);
  await saveOver(page.request, consoleId, "select 1 as one");
  await open(`/w/${slug}/consoles/${consoleId}/history`);

  // Its schedule with the list of zones, a run with its result, and the activity.
  const runId = await runToEnd(page.request, consoleId);
  await open(`/w/${slug}/consoles/${consoleId}/schedule?run=${runId}`);
  await expect(page.getByRole("region", { name: "Result preview" })).toBeVisible();
  await page.getByRole("radio", { name: "Weekly" }).click();
  await page.getByRole("combobox", { name: "Time zone", exact: true }).fill("vienna");
  await expect(page.getByRole("option", { name: "Europe/Vienna" })).toBeVisible();
  await open(`/w/${slug}/activity`);
  await expect(page.getByRole("table", { name: "Activity" })).toBeVisible();
  await page.goto(`/w/${slug}`);
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");

  // The agent: an answer with a query, and the list of chats.
  await page.goto(`/w/${slug}`);
  const field = page.getByRole("textbox", { name: "Message the agent" });
  await field.fill("How many orders are there?");
  await page.keyboard.press("Enter");
  const agent = page.getByRole("complementary", { name: "Agent" });
  await expect(agent.getByRole("button", { name: "Helpful", exact: true })).toBeVisible();
  await agent.getByRole("button", { name: "Chats", exact: true }).click();
  await expect(agent.getByRole("searchbox", { name: "Search chats" })).toBeVisible();
  await page.keyboard.press("ControlOrMeta+j");
  await expect(agent).toHaveCount(0);

  // Connections: the list, the form of each type, and one in detail.
  const wid = await workspaceIdOf(page.request);
  await open(`/w/${slug}/connections`);
  const types = (await (await page.request.get("/api/connectors/types")).json()).data as { type: string }[];
  for (const { type } of types) await open(`/w/${slug}/connections/new?type=${type}`);
  await open(`/w/${slug}/connections/import`);
  const connections = (await (await page.request.get(`/api/workspaces/${wid}/connectors`)).json()).data;
  await open(`/w/${slug}/connections/${connections[0].id}`);
  await open(`/w/${slug}/tables/${connections[0].id}?name=orders`);
  await expect(page.getByRole("grid", { name: "Table rows" })).toBeVisible();

  await open(`/w/${slug}/questions/${connections[0].id}?name=orders`);
  await expect(page.getByRole("grid", { name: "Preview rows" })).toBeVisible();

  // Metrics: the list, and one with its preview.
  const metric = await page.request.put(`/api/workspaces/${wid}/metrics/shop`, { data: { content: metricModel() } });
  expect(metric.status()).toBe(200);
  await open(`/w/${slug}/metrics`);
  await open(`/w/${slug}/metrics/shop`);
  await expect(page.getByRole("region", { name: "Preview" })).toBeVisible();

  // Flows: one with a run, its form with the first rows of its source, and a webhook with its secret.
  const { make, into } = await flowBench(page.request);
  const sync = await make({ trigger: true });
  const destination = { connectionId: into, table: "events", write: "append" };
  const hook = await make({ name: "Events", type: "webhook", source: undefined, destination });
  await open(`/w/${slug}/flows`);
  await open(`/w/${slug}/flows/new`);
  await open(`/w/${slug}/flows/${sync.flow.id}`);
  await open(`/w/${slug}/flows/${sync.flow.id}/runs/${sync.run?.id}`);
  await expect(page.getByRole("log", { name: "Log lines" })).toContainText("Run finished");
  await open(`/w/${slug}/flows/${sync.flow.id}/edit`);
  await expect(page.getByRole("table", { name: "First rows of the source" })).toBeVisible();
  await open(`/w/${slug}/flows/${hook.flow.id}/webhook`);
  await page.getByRole("button", { name: "Create endpoint URL" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create endpoint URL" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();

  // Dashboards: the list, one with each kind of widget, and its editor.
  const bench = await dashboardBench(page.request);
  const board = await bench.make(salesBoard(bench.sample));
  await open(`/w/${slug}/dashboards`);
  await open(`/w/${slug}/dashboards/${board.id}`);
  await expect(page.getByRole("article", { name: "Revenue", exact: true })).toContainText("€100");
  await open(`/w/${slug}/dashboards/${board.id}/edit`);

  // Apps: the list, the workbench with a text, a change and the bindings, and the form for a repository.
  const apps = await appBench(page.request);
  const app = await apps.make("Gift finder");
  await apps.write(app, "src/App.tsx", "export const App = () => <h1>Gifts</h1>;\n");
  await open(`/w/${slug}/apps`);
  await open(`/w/${slug}/apps/${app.slug}/edit?file=src/App.tsx`);
  await expect(page.getByRole("textbox", { name: "Content of src/App.tsx" })).toBeVisible();
  for (const view of ["changes", "versions", "bindings"]) await open(`/w/${slug}/apps/${app.slug}/edit?view=${view}`);
  await open(`/w/${slug}/apps/link`);

  // A dashboard as visitors see it.
  const shared = await page.request.put(`${bench.root}/${board.id}/share`, { data: { enabled: true } });
  await open(new URL((await shared.json()).data.url).pathname);
  await expect(page.getByRole("article", { name: "Revenue", exact: true })).toContainText("€100");

  // The settings, with an entry in each list, and a sent mail.
  const token = await invite(page.request, "mateo@example.com", "member");
  await page.request.post(`/api/workspaces/${wid}/api-keys`, { data: { name: "Nightly export" } });
  const person = { email, password, name: "Ines Okafor", slug };
  const sections = [
    "general",
    "members",
    "api-keys",
    "api-keys/mcp",
    "connected-apps",
    "notifications",
    "agent",
    "outbox",
    "profile",
    "appearance",
    "keyboard",
    "sessions",
  ];
  for (const section of sections) await open(settings(person, section));
  await page.goto(settings(person, "appearance"));
  for (const name of ["Dark", "Light"]) await page.getByRole("radio", { name }).check();
  await page.goto(settings(person, "outbox"));
  await page.getByRole("button", { name: /invited you/ }).click();
  await expect(page.locator("iframe")).toHaveAttribute("srcdoc", /Accept invitation/);
  await expect(page.frameLocator("iframe").getByText("Accept invitation").last()).toBeVisible();
  const { baseURL } = test.info().project.use;
  const workspaceId = await workspaceIdOf(page.request);
  await pushFiles(page.request, workspaceId, baseURL ?? "", { "docs/a.md": "A\n" }, "review/one");
  for (const path of ["reviews", "reviews/one"]) await open(`/w/${slug}/${path}`);
  await page.goto(`/w/${slug}/settings`);
  await open(`/invites/${token}`);
  await open("/new-workspace");
  const client = { client_name: "Editor", redirect_uris: ["https://client.example/back"] };
  const { client_id } = await (await page.request.post("/api/oauth/register", { data: client })).json();
  const proof = { code_challenge: "A".repeat(43), code_challenge_method: "S256" };
  await open(`/oauth/authorize?${new URLSearchParams({ response_type: "code", client_id, ...proof })}`);
  await open("/docs/api");
  await page.goto("/");
  await quiet(page);
  await open(`/w/${slug}-of-somebody-else`);

  expect(seen.complaints).toEqual([]);
  const missed = pagePatterns().filter((pattern) => ![...seen.visited].some((path) => new RegExp(pattern).test(path)));
  expect(missed).toEqual([]);

  // Proves that violations are detected.
  await page.evaluate(() => {
    document.body.append(Object.assign(new Image(), { src: "https://evil.example/leak.png" }));
  });
  await expect.poll(() => seen.complaints.join("\n")).toContain("img-src https://evil.example/leak.png");
  await context.close();
});
