import type { Locator, Page } from "@playwright/test";

/** Locators of the console: explorer, tabs, editor, run bar and result. */
export class ConsolePage {
  readonly editor: Locator;
  readonly run: Locator;
  readonly cancel: Locator;
  readonly strip: Locator;
  readonly grid: Locator;
  readonly cells: Locator;
  readonly tabs: Locator;
  readonly consoles: Locator;
  readonly schema: Locator;
  readonly newConsole: Locator;
  /** Its label is Saved while there is nothing to save. */
  readonly save: Locator;

  constructor(readonly page: Page) {
    this.editor = page.getByRole("textbox", { name: / query$/ });
    this.strip = page.getByRole("group", { name: "Run", exact: true });
    this.run = this.strip.getByRole("button", { name: "Run", exact: true });
    this.cancel = this.strip.getByRole("button", { name: "Cancel" });
    this.grid = page.getByRole("grid", { name: "Result" });
    this.cells = this.grid.getByRole("gridcell");
    this.tabs = page.getByRole("tablist", { name: "Open consoles" }).getByRole("tab");
    // Excludes the folders, which can be expanded.
    this.consoles = page.getByRole("tree", { name: "Consoles" }).locator('[role="treeitem"]:not([aria-expanded])');
    this.schema = page.getByRole("tree", { name: "Schema" }).getByRole("treeitem");
    this.save = page.getByRole("button", { name: /^(Save|Saved|Saving)$/ });
    this.newConsole = page.getByRole("button", { name: "New console" }).first();
  }

  async open(slug: string): Promise<void> {
    await this.page.goto(`/w/${slug}`);
    await this.editor.waitFor();
  }

  /** Creates a console and waits until its editor has replaced that of the console before. */
  async create(): Promise<void> {
    await this.newConsole.click();
    await this.page.getByRole("main", { name: /^untitled/ }).waitFor();
    await this.editor.waitFor();
  }

  /** Replaces the whole text as a user does: select all, then type. */
  async write(text: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
  }

  /** Saves a new console, which asks for its name and its folder. */
  async saveNew(name?: string): Promise<void> {
    await this.save.click();
    const dialog = this.page.getByRole("dialog", { name: "Save console", exact: true });
    if (name !== undefined) await dialog.getByRole("textbox", { name: "Name" }).fill(name);
    await dialog.getByRole("button", { name: "Save console", exact: true }).click();
  }

  /** Returns a row of the tree of consoles: a folder, a root, or a console. */
  row(name: string): Locator {
    return this.page.getByRole("tree", { name: "Consoles" }).getByRole("treeitem", { name });
  }

  /** Selects from the menu at the end of a row of the tree. */
  async choose(name: string, item: string): Promise<void> {
    await this.row(name).hover();
    await this.page.getByRole("button", { name: `Actions for ${name}` }).click();
    await this.page.getByRole("menuitem", { name: item }).click();
  }

  /** Clicks Undo in a toast; several may be shown at once. */
  async undo(said: string): Promise<void> {
    await this.page.getByRole("listitem").filter({ hasText: said }).getByRole("button", { name: "Undo" }).click();
  }

  /** Returns the cell in a row and a column, both from 1, without the index column. */
  cell(row: number, column: number): Locator {
    return this.grid.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
  }

  async openAccountMenu(): Promise<void> {
    await this.page.getByRole("button", { name: /^Account: / }).click();
  }
}
