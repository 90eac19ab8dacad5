import { appBench, benchOf } from "./apps.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

// Each test starts dev servers and builds in sandboxes.
test.describe.configure({ timeout: 180_000 });

test("previews an app, updates it while typing, and shows its output", async ({ page, person }) => {
  const { make, write } = await appBench(page.request);
  const app = await make("Counter");
  await write(
    app,
    "index.html",
    '<!doctype html><html lang="en"><head><title>Counter</title></head><body><div id="root"></div><script type="module" src="./main.tsx"></script></body></html>',
  );
  await write(
    app,
    "main.tsx",
    'import { createRoot } from "react-dom/client";\nimport { Counter } from "./counter";\ncreateRoot(document.getElementById("root")!).render(<Counter />);\n',
  );
  const counter = (title: string) =>
    `import { useState } from "react";\nexport function Counter() {\n  const [n, setN] = useState(0);\n  return <><h1>${title}</h1><button onClick={() => { console.log("pressed", n + 1); setN(n + 1); }}>Pressed {n}</button></>;\n}\n`;
  await write(app, "counter.tsx", counter("First words"));
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?file=counter.tsx`);
  const preview = page.getByRole("region", { name: "Preview" });
  const frame = preview.frameLocator("iframe");
  await expect(frame.getByRole("heading", { name: "First words" })).toBeVisible({ timeout: 30_000 });
  await frame.getByRole("button", { name: "Pressed 0" }).click();
  await expect(frame.getByRole("button", { name: "Pressed 1" })).toBeVisible();
  const output = page.getByRole("log", { name: "App output" });
  await expect(output).toContainText("pressed 1");
  await expectAccessible(page);

  // Its state survives a change of the code.
  await benchOf(page).type("counter.tsx", counter("Second words"));
  await expect(frame.getByRole("heading", { name: "Second words" })).toBeVisible({ timeout: 30_000 });
  await expect(frame.getByRole("button", { name: "Pressed 1" })).toBeVisible();

  await preview.getByRole("button", { name: "Stop preview" }).click();
  await expect(preview.getByRole("heading", { name: "Preview stopped" })).toBeVisible();
  await preview.getByRole("button", { name: "Start preview" }).click();
  await expect(frame.getByRole("heading", { name: "Second words" })).toBeVisible({ timeout: 30_000 });
});

test("previews a new app with its rows, and publishes it for others", async ({ page, person }) => {
  const { make } = await appBench(page.request);
  const app = await make("Sales", { template: "metrics" });
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit`);
  const frame = page.getByRole("region", { name: "Preview" }).frameLocator("iframe");
  await expect(frame.locator("body")).toContainText(/€[1-9]/, { timeout: 40_000 });
  await expect(frame.getByRole("alert")).toHaveCount(0);
  // A later request uses the address that the page passed to the app.
  await frame.getByLabel("Region").selectOption({ index: 1 });
  await expect(page).toHaveURL(/region=/);
  await expect(frame.locator("[aria-busy=true]")).toHaveCount(0);
  await expect(frame.getByRole("alert")).toHaveCount(0);
  await page.getByRole("button", { name: "Publish" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Publish/ }).click();
  await page.goto(`/w/${person.slug}/apps/${app.slug}`);
  const published = page.frameLocator("iframe");
  await expect(published.locator("body")).toContainText(/€[1-9]/, { timeout: 40_000 });
  await expect(published.getByRole("alert")).toHaveCount(0);
  await expectAccessible(page);
});

test.describe("an app with compile errors", () => {
  // The frame's console shows the builder's messages too.
  test.use({ isLoud: true });

  test("marks each error in its file until it is fixed", { tag: "@long" }, async ({ page, person }) => {
    const { make, write } = await appBench(page.request);
    const app = await make("Broken");
    await write(
      app,
      "index.html",
      '<!doctype html><html lang="en"><head><title>Broken</title></head><body><main><h1>Broken</h1><p id="root"></p></main><script type="module" src="./main.ts"></script></body></html>',
    );
    await write(
      app,
      "main.ts",
      'import { words } from "./words";\ndocument.getElementById("root")!.textContent = words;\n',
    );
    await write(app, "words.ts", "export const words =\n  ;;(\n");
    await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?file=words.ts`);
    const bench = benchOf(page);
    const preview = page.getByRole("region", { name: "Preview" });
    const frame = preview.frameLocator("iframe");
    const mark = page.locator(".cm-lintRange-error");
    await expect(bench.row(/words\.ts/)).toContainText("error", { timeout: 30_000 });
    await expect(mark.first()).toBeVisible();
    await mark.first().hover();
    await expect(page.locator(".cm-tooltip-lint")).toContainText("Unexpected token");
    await expect(preview.getByRole("status")).toHaveText("Compile error in words.ts. The preview may be out of date.");
    await expectAccessible(page);
    // The list of problems links to their positions.
    await bench.row(/main\.ts/).click();
    await page.getByRole("list", { name: "Compile errors" }).getByRole("button", { name: "words.ts:2" }).click();
    await expect(bench.editor("words.ts")).toBeFocused();
    // Other files are unchanged.
    await expect(bench.row(/main\.ts/)).not.toContainText("error");
    await bench.type("words.ts", 'export const words = "Well again";\n');
    await expect(frame.getByText("Well again")).toBeVisible({ timeout: 30_000 });
    await expect(mark).toHaveCount(0);
    await expect(preview).not.toContainText("Compile error");
    await expect(bench.row(/words\.ts/)).not.toContainText("error");
    // Without the preview, no build can report that the error is fixed.
    await bench.type("words.ts", "export const words = (");
    await expect(mark.first()).toBeVisible({ timeout: 30_000 });
    await page.getByRole("button", { name: "Stop preview" }).click();
    await expect(mark).toHaveCount(0);
  });
});
