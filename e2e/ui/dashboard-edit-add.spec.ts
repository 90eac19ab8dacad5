import { addConsole } from "./consoles.fixtures";
import { addDashboard, readDashboard, sampleConnection } from "./dashboard.fixtures";
import { expect, expectAccessible, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

const SALES = "select region, amount from (values ('north', 10), ('south', 32)) t(region, amount)";

test("adds a console's chart to a new dashboard, computed over all rows", async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  await consolePage.write(SALES);
  await consolePage.run.click();
  await page.getByRole("radio", { name: "Chart" }).click();
  await page.getByRole("button", { name: "Add to dashboard" }).click();
  const dialog = page.getByRole("dialog", { name: "Add to dashboard" });
  await dialog.getByRole("textbox", { name: "Title", exact: true }).fill("From a console");
  await dialog.getByRole("textbox", { name: "Widget title" }).fill("By region");
  await expect(dialog.getByRole("radio", { name: "Chart" })).toBeChecked();
  // It was never saved: there is no console to link.
  await expect(dialog.getByRole("radio", { name: "Linked console" })).toHaveCount(0);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog).toBeHidden();
  const base = `/api/workspaces/${await workspaceIdOf(page.request)}/dashboards`;
  const all: { id: string; title: string }[] = (await (await page.request.get(base)).json()).data;
  const made = all.find(({ title }) => title === "From a console") ?? { id: "" };
  expect(made).toMatchObject({ access: "private" });
  const { widgets } = await readDashboard(page.request, made.id);
  expect(widgets).toMatchObject([
    { kind: "chart", title: "By region", source: { query: SALES }, spec: { dimensions: ["region"], measures: [{ field: "amount", op: "sum" }], mark: "bar" } },
  ]); // biome-ignore format: one look
  const { data } = await (await page.request.get(`${base}/${made.id}/data`)).json();
  expect(data.widgets[0].rows).toEqual([
    { region: "north", sum_amount: expect.anything() },
    { region: "south", sum_amount: expect.anything() },
  ]);
});

test("adds a saved console to an existing dashboard, which follows it", async ({ page, person }) => {
  const connectionId = await sampleConnection(page.request);
  const saved = await addConsole(page.request, { name: "Regions.sql", content: SALES, ...{ connectionId } });
  const dashboard = await addDashboard(page.request, { title: "Shop pulse", widgets: [{ kind: "text", title: "Top", layout: { x: 0, y: 0, w: 12, h: 2 } }] }); // biome-ignore format: one look
  await page.goto(`/w/${person.slug}/consoles/${saved.id}`);
  await page.getByRole("button", { name: /^Run/ }).first().click();
  await page.getByRole("button", { name: "Add to dashboard" }).click();
  const dialog = page.getByRole("dialog", { name: "Add to dashboard" });
  await dialog.getByRole("combobox", { name: "Dashboard" }).click();
  await page.getByRole("option", { name: "Shop pulse" }).click();
  await expect(dialog.getByRole("radio", { name: "Linked console" })).toBeChecked();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog).toBeHidden();
  const { widgets, version } = await readDashboard(page.request, dashboard.id);
  expect(version).toBe(2);
  expect(widgets).toMatchObject([
    { title: "Top" },
    { kind: "table", title: "Regions", source: { consoleId: saved.id }, layout: { x: 0, y: 2 } },
  ]);
});
