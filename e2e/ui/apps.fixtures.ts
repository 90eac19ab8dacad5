import type { APIRequestContext, Page } from "@playwright/test";
import { expect } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

export type MadeApp = { id: string; slug: string; title: string };

/** Creates and changes apps of a workspace through the API. */
export async function appBench(request: APIRequestContext) {
  const wid = await workspaceIdOf(request);
  const root = `/api/workspaces/${wid}/apps`;
  const fileOf = (app: MadeApp, path: string) => `${root}/${app.id}/files?${new URLSearchParams({ path })}`;
  const write = async (app: MadeApp, path: string, content: string | Buffer) => {
    const answer = await request.put(fileOf(app, path), {
      data: Buffer.from(content),
      headers: { "content-type": "application/octet-stream" },
    });
    expect(answer.status(), await answer.text()).toBe(200);
  };
  return {
    wid,
    root,
    make: async (title: string, more: object = {}): Promise<MadeApp> => {
      const answer = await request.post(root, { data: { title, ...more } });
      expect(answer.status(), await answer.text()).toBe(201);
      return (await answer.json()).data;
    },
    write,
    commit: async (app: MadeApp, message: string): Promise<string> => {
      const answer = await request.post(`${root}/${app.id}/commit`, { data: { message } });
      expect(answer.status(), await answer.text()).toBe(200);
      return (await answer.json()).data.sha;
    },
    read: async (app: MadeApp, path: string): Promise<string | null> => {
      const answer = await request.get(fileOf(app, path));
      if (answer.status() === 404) return null;
      expect(answer.status(), await answer.text()).toBe(200);
      return (await answer.json()).data.content;
    },
  };
}

/** Locators of the app workbench. */
export function benchOf(page: Page) {
  const tree = page.getByRole("tree", { name: "Files" });
  return {
    tree,
    row: (name: string | RegExp) => tree.getByRole("treeitem", { name }),
    editor: (path: string) => page.getByRole("textbox", { name: `Content of ${path}` }),
    saved: page.getByRole("status", { name: "Save status" }),
    tab: (name: string) => page.getByRole("tablist", { name: "Open files" }).getByRole("tab", { name }),
    choose: async (row: string | RegExp, item: string) => {
      await tree.getByRole("treeitem", { name: row }).click({ button: "right" });
      await page.getByRole("menuitem", { name: item }).click();
    },
    /** Types a name into a field. */
    name: async (label: string, text: string) => {
      await page.getByRole("textbox", { name: label }).fill(text);
      await page.keyboard.press("Enter");
    },
    /** Replaces the whole text. */
    type: async (path: string, text: string) => {
      await page.getByRole("textbox", { name: `Content of ${path}` }).click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(text);
    },
  };
}
