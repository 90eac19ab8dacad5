import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

test("schedules, sends, disables and deletes a snapshot in the share dialog", async ({ page, person }) => {
  const { make, sample, root } = await dashboardBench(page.request);
  const { id } = await make(salesBoard(sample));
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const form = dialog.getByRole("form", { name: "New snapshot" });
  await form.getByRole("textbox", { name: "Recipients", exact: true }).fill("nobody");
  await form.getByRole("button", { name: "Create snapshot" }).click();
  await expect(form.getByText("Add an @, as in ana@example.com.")).toBeVisible();
  await form.getByRole("textbox", { name: "Recipients", exact: true }).fill("board@example.com, shop@example.com");
  await form.getByRole("radio", { name: "Dark" }).click();
  await form.getByRole("checkbox", { name: "Attach PDF" }).check();
  await form.getByRole("button", { name: "Create snapshot" }).click();
  const row = dialog.getByRole("listitem").filter({ hasText: "board@example.com, shop@example.com" });
  await expect(row).toContainText("Every Monday at 08:00");
  await expect(row).toContainText("dark, with PDF");
  await expectAccessible(page);
  await row.getByRole("button", { name: /^Send to/ }).click();
  // A job renders it, and without a mail service it is stored in the outbox.
  await expect(row).toContainText("Sent", { timeout: 60_000 });
  const outbox = await page.request.get(root.replace(/dashboards$/, "outbox"));
  const [mail] = (await outbox.json()).data.items;
  expect(mail.to).toEqual(["board@example.com", "shop@example.com"]);
  await row.getByRole("switch").click();
  await expect(row.getByRole("button", { name: /^Send to/ })).toBeDisabled();
  await row.getByRole("button", { name: /^Delete/ }).click();
  await expect(row).toHaveCount(0);

  await form.getByRole("radio", { name: "Webhook" }).click();
  await form.getByRole("textbox", { name: "URL", exact: true }).fill("https://hooks.example.com/in");
  await form.getByRole("button", { name: "Create snapshot" }).click();
  await expect(dialog.getByRole("textbox", { name: "Secret" })).toHaveValue(/^whsec_[0-9a-f]{64}$/);
  await expectAccessible(page);
});
