import { expect, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

test("splits a MongoDB console by its shell's statements", async ({ page, person, consolePage }) => {
  const home = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  // The server is never contacted: this test checks the browser's request.
  const config = { connectionString: "mongodb://mongo.nowhere.invalid/shop" };
  const made = await page.request.post(`${home}/connectors`, { data: { name: "catalogue", type: "mongodb", config } });
  expect(made.status(), await made.text()).toBe(201);
  const connectionId = (await made.json()).data.id;
  const content =
    'db.a.find({x: ";"})\ndb.b.find()\n  .sort({n: 1})\n// the last; one\ndb.c.find({s: /;/}); db.d.find()';
  const saved = await page.request.post(`${home}/consoles`, {
    data: { name: "low-stock.mongodb", content, connectionId, access: "workspace", language: "mongodb" },
  });
  expect(saved.status(), await saved.text()).toBe(201);
  const asked: string[] = [];
  await page.route(/\/execute$/, (route) => {
    const body = route.request().postDataJSON();
    asked.push(body.content);
    const data = {
      executionId: "x",
      rows: [],
      fields: [],
      rowCount: 0,
      moreResults: [],
      durationMs: 1,
      hasMore: false,
    };
    return route.fulfill({ json: { success: true, data } });
  });
  await page.goto(`/w/${person.slug}/consoles/${(await saved.json()).data.id}`);
  await consolePage.editor.click();
  const bar = page.locator(".cm-lineNumbers .cm-statement");
  const run = async (keys: string[], query: string, lines: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    await expect(bar).toHaveText(lines);
    asked.length = 0;
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect.poll(() => asked).toEqual([query]);
    await expect(consolePage.run).toBeVisible();
  };
  await run(["ControlOrMeta+Home"], 'db.a.find({x: ";"})', ["1"]);
  await run(["ArrowDown"], "db.b.find()\n  .sort({n: 1})", ["2", "3"]);
  await run(["ArrowDown", "ArrowDown"], "db.c.find({s: /;/})", ["5"]);
  await run(["ControlOrMeta+End"], "db.d.find()", ["5"]);
  asked.length = 0;
  await page.keyboard.press("ControlOrMeta+Shift+Enter");
  await expect
    .poll(() => asked)
    .toEqual(['db.a.find({x: ";"})', "db.b.find()\n  .sort({n: 1})", "db.c.find({s: /;/})", "db.d.find()"]);
  // A line becomes a comment in the shell's syntax, and no SQL keyword is offered.
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.press("ControlOrMeta+/");
  await expect(consolePage.editor).toContainText('// db.a.find({x: ";"})');
});
