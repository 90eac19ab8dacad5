import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startReceiver } from "../../test/fixtures/notifications/receiver";
import { freePort } from "../../test/servers/free-port";
import { becomesHealthy, startServer } from "../../test/servers/millrace";
import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, expectAccessible, newEmail, PASSWORD, test } from "./fixtures";
import { addRunnable, runToEnd } from "./run.fixtures";

const SIGNATURE = "KODuebWbDGYFr0z0eu6Rj8aUKz7108W3wrNJZxFE5A";

test("creates a rule and a snapshot for Microsoft Teams, which receives their cards", { tag: "@long" }, async ({
  browser,
}) => {
  test.setTimeout(240_000);
  const dataDir = await mkdtemp(join(tmpdir(), "millrace-teams-"));
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  // The stand-in of Teams is on this machine, which other servers refuse to call.
  const env = { DATA_DIR: dataDir, SAMPLE_DATA: "on", ALLOW_PRIVATE_NETWORK: "all", RATE_LIMIT_SCALE: "1000" };
  const teams = await startReceiver((_, response) => void response.writeHead(202).end());
  const address = `${teams.url}/workflows/a1/triggers/manual/paths/invoke?api-version=1&sig=${SIGNATURE}`;
  const server = await startServer(env, port);
  try {
    await becomesHealthy(server);
    const context = await browser.newContext({ baseURL: origin });
    const page = await context.newPage();
    const { request } = context;
    const account = { email: newEmail(), password: PASSWORD, name: "Ines Okafor" };
    const registered = await request.post("/api/auth/register", { data: account });
    const { slug } = (await registered.json()).data.workspace;
    const { id } = await addRunnable(request, "told.sql", "select * from nowhere");

    await page.goto(`/w/${slug}/settings/notifications?rule=new`);
    const form = page.getByRole("form", { name: "New rule" });
    await form.getByRole("combobox", { name: "Resource", exact: true }).click();
    await page.getByRole("option", { name: "told.sql" }).click();
    await form.getByRole("radio", { name: "Teams" }).click();
    await page.getByRole("button", { name: "Add rule" }).click();
    await expect(form.getByText("Enter the receiver's URL.")).toBeVisible();
    await form.getByRole("textbox", { name: "Workflow webhook URL" }).fill(address);
    await form.getByRole("textbox", { name: "Name", exact: true }).fill("Finance");
    await page.getByRole("button", { name: "Add rule" }).click();
    const panel = page.getByRole("complementary", { name: "Finance" });
    await expect(panel.getByText(`Saved: ${new URL(teams.url).host}.`)).toBeVisible();
    await expectAccessible(page);
    await panel.getByRole("button", { name: "Send test" }).click();
    await expect(panel.getByRole("status")).toContainText("Accepted with 202");
    const runId = await runToEnd(request, id);
    const row = page.getByRole("table", { name: "Deliveries" }).getByRole("row", { name: /Finance/ });
    await expect(row.getByText("Sent")).toBeVisible({ timeout: 30_000 });
    const [tried, told] = teams.hits.map(({ raw }) => JSON.parse(raw.toString()));
    expect([tried.summary, told.summary]).toEqual(["✗ Test: told.sql failed", "✗ told.sql failed"]);
    const [{ contentType, content }] = told.attachments;
    expect([contentType, content.type]).toEqual(["application/vnd.microsoft.card.adaptive", "AdaptiveCard"]);
    expect(content.actions[0].url).toContain(runId);
    await page.reload();
    await expect(row).toBeVisible();
    expect(await page.content()).not.toContain(SIGNATURE);

    const { make, sample } = await dashboardBench(request);
    const board = await make(salesBoard(sample));
    await page.goto(`/w/${slug}/dashboards/${board.id}`);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog");
    const fresh = dialog.getByRole("form", { name: "New snapshot" });
    await fresh.getByRole("radio", { name: "Teams" }).click();
    await fresh.getByRole("textbox", { name: "Workflow webhook URL" }).fill(address);
    await fresh.getByRole("textbox", { name: "Name", exact: true }).fill("Board room");
    await fresh.getByRole("button", { name: "Create snapshot" }).click();
    const item = dialog.getByRole("listitem").filter({ hasText: "Board room" });
    await item.getByRole("button", { name: /^Send to/ }).click();
    await expect(item).toContainText("Sent", { timeout: 60_000 });
    const card = JSON.parse(teams.hits.at(-1)?.raw.toString() ?? "{}").attachments[0].content;
    expect(card.actions[0]).toMatchObject({ title: "Open dashboard", url: expect.stringContaining(board.id) });
  } finally {
    // The browser is the next test's too.
    for (const context of browser.contexts()) await context.close();
    server.process.kill("SIGTERM");
    await server.ended;
    await teams.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});
