import { RegisterPage } from "../pages/register-page";
import { expect, newEmail, PASSWORD, test } from "./fixtures";

test("leads from registration to the sample query and its rows in one click", async ({ page, consolePage }) => {
  const register = new RegisterPage(page);
  await register.open();
  await register.name.fill("Ines Okafor");
  await register.email.fill(newEmail());
  await register.password.fill(PASSWORD);
  await register.submit.click();

  await expect(page).toHaveURL(/\/w\/[^/]+\/consoles\/[0-9a-f]{24}$/);
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql"]);
  await expect(consolePage.editor).toContainText("Sample shop");
  await expect(consolePage.editor).toBeFocused();
  const step = page
    .getByRole("region", { name: "Get started" })
    .getByRole("listitem")
    .filter({ hasText: "Run the sample query" });
  await expect(step).toBeVisible();
  await expect(step.getByRole("img", { name: "Done", exact: true })).toHaveCount(0);

  await consolePage.run.click();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "11");
  await expect(consolePage.strip).toContainText("10 rows");
  await expect(consolePage.strip).toContainText(/\d+ ms database, \d+ ms transfer/);
  await expect(step.getByRole("img", { name: "Done", exact: true })).toBeVisible();
});

test("collapses the first steps to a line if the schema needs the room", { tag: "@long" }, async ({
  page,
  consolePage,
  person,
}) => {
  await consolePage.open(person.slug);
  const steps = page.getByRole("region", { name: "Get started" });
  const schema = page.getByRole("tree", { name: "Schema" });
  await expect(steps.getByRole("listitem").first()).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 640 });
  await expect(steps.getByRole("listitem")).toHaveCount(0);
  const rows = (await schema.boundingBox())?.height ?? 0;
  expect(rows).toBeGreaterThan(150);
  await steps.getByRole("button", { name: "Get started", expanded: false }).click();
  await expect(steps.getByRole("listitem").first()).toBeVisible();
  await steps.getByRole("button", { name: "Collapse checklist" }).click();
  await expect(steps.getByRole("listitem")).toHaveCount(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(steps.getByRole("listitem").first()).toBeVisible();
});

test("validates the form at its fields before sending", { tag: "@long" }, async ({ page }) => {
  const register = new RegisterPage(page);
  await register.open();
  await register.email.fill("ines@harrowandpine");
  await register.email.blur();
  await expect(register.form).toContainText("Add the domain ending");
  await register.email.fill("ines@gmial.com");
  await register.form.getByRole("button", { name: "ines@gmail.com" }).click();
  await expect(register.email).toHaveValue("ines@gmail.com");

  await register.password.fill("mill");
  await register.password.blur();
  await expect(register.form).toContainText("Use at least 8 characters (4 more).");
  // The help gives way to the error.
  await expect(register.form).not.toContainText("At least 8 characters.");
  await register.password.fill("Password123");
  await expect(register.form).toContainText("This password is too common.");
  await register.form.getByRole("button", { name: "Show password" }).click();
  await expect(register.password).toHaveAttribute("type", "text");
});

test("reports a known address at its field, with a link to sign in", { tag: "@long" }, async ({ page, person }) => {
  await page.context().clearCookies();
  const register = new RegisterPage(page);
  await register.open();
  await register.email.fill(person.email);
  await register.password.fill(PASSWORD);
  await register.submit.click();
  await expect(register.form).toContainText("This email already has an account.");
  await expect(register.form.getByRole("link", { name: "Sign in" })).toHaveAttribute("href", "/login");
});
