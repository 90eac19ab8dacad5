import type { Locator, Page } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";
import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";
import { flowBench } from "./flows.fixtures";
import { settings } from "./settings.fixtures";

const PROBLEM = "The server does not accept this value.";
const MESSAGE = "The server rejected the request.";

type Form = {
  /** Opens the form and fills it in. @returns a field that keeps its text */
  open: (page: Page, person: Person) => Promise<Locator>;
  url: string;
  /** Path of the field in the request. */
  path: string;
};

const FORMS: Record<string, Form> = {
  "the agent's instructions": {
    open: async (page, person) => {
      await page.goto(settings(person, "agent"));
      const field = page.getByRole("textbox", { name: "Workspace instructions" });
      await field.fill("Weeks start on Monday.");
      return field;
    },
    url: "**/agent/instructions",
    path: "text",
  },
  "a flow": {
    open: async (page, person) => {
      await flowBench(page.request);
      await page.goto(`/w/${person.slug}/flows/new`);
      await page.getByRole("radio", { name: "Webhook" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Scans");
      await page.getByRole("region", { name: "Destination" }).getByRole("combobox", { name: "Connection" }).click();
      await page.getByRole("option", { name: /^warehouse/ }).click();
      const field = page.getByRole("textbox", { name: "Table" });
      await field.fill("scans");
      return field;
    },
    url: "**/flows",
    path: "destination.table",
  },
  "a connection": {
    open: async (page, person) => {
      await page.goto(`/w/${person.slug}/connections/new?type=postgres`);
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Shop");
      await page.getByRole("textbox", { name: "Host" }).fill("db.example.com");
      return page.getByRole("textbox", { name: "Host" });
    },
    url: "**/connectors",
    path: "config.host",
  },
  "a snapshot": {
    open: async (page, person) => {
      const { make, sample } = await dashboardBench(page.request);
      const { id } = await make(salesBoard(sample));
      await page.goto(`/w/${person.slug}/dashboards/${id}`);
      await page.getByRole("button", { name: "Share", exact: true }).click();
      const field = page.getByRole("textbox", { name: "Recipients", exact: true });
      await field.fill("board@example.com");
      return field;
    },
    url: "**/snapshots",
    path: "recipients.0",
  },
  "a new console": {
    open: async (page, person) => {
      const consolePage = new ConsolePage(page);
      await page.goto(`/w/${person.slug}`);
      await consolePage.create();
      await consolePage.write("select 6");
      await page.keyboard.press("ControlOrMeta+s");
      const field = page.getByRole("dialog", { name: "Save console" }).getByRole("textbox", { name: "Name" });
      await field.fill("board.sql");
      return field;
    },
    url: "**/consoles",
    path: "name",
  },
};

for (const [name, { open, url, path }] of Object.entries(FORMS)) {
  test(`sends ${name} once, and shows a rejection at its field without losing the text`, async ({ page, person }) => {
    const field = await open(page, person);
    const text = await field.inputValue();
    let sent = 0;
    await page.route(url, (route) => {
      if (route.request().method() === "GET") return route.fallback();
      sent += 1;
      const details = sent === 1 ? [{ path, message: PROBLEM }] : undefined;
      const json = { success: false, code: "invalid_request", error: MESSAGE, details };
      return route.fulfill({ status: 400, json });
    });
    // Enter and a click at once, before the button is rendered as disabled.
    const submitTwice = () =>
      field.evaluate((input: HTMLInputElement) => {
        input.form?.requestSubmit();
        input.form?.requestSubmit();
      });
    await submitTwice();
    await expect(field).toHaveAccessibleDescription(new RegExp(PROBLEM));
    await expect(field).toBeFocused();
    await expect(field).toHaveValue(text);
    expect(sent).toBe(1);
    await expect(page.getByRole("alert").filter({ hasText: MESSAGE })).toHaveCount(0);
    await expectAccessible(page);

    await submitTwice();
    await expect(page.getByRole("alert").filter({ hasText: MESSAGE })).toBeInViewport();
    await expect(field).not.toHaveAccessibleDescription(new RegExp(PROBLEM));
    await expect(field).toHaveValue(text);
    expect(sent).toBe(2);
  });
}

test("reports the failure of a form that was closed while it was sent", { tag: "@long" }, async ({ page, person }) => {
  const form = FORMS["a new console"];
  const field = await form?.open(page, person);
  let fail = () => {};
  const isClosed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route("**/consoles", async (route) => {
    if (route.request().method() === "GET") return route.fallback();
    await isClosed;
    await route.fulfill({ status: 400, json: { success: false, code: "invalid_request", error: MESSAGE } });
  });
  await field?.press("Enter");
  await expect(page.getByRole("button", { name: "Saving" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  fail();
  await expect(page.getByText(`Couldn't save. ${MESSAGE}`)).toBeVisible();
});
