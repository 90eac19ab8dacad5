import type { Locator, Page } from "@playwright/test";

/** Locators of a result's chart and its settings. */
export class ChartPage {
  readonly picture: Locator;
  readonly marks: Locator;
  readonly crosshair: Locator;
  readonly tip: Locator;
  readonly table: Locator;
  readonly notes: Locator;

  constructor(readonly page: Page) {
    const area = page.locator(".chart-area");
    this.picture = area.getByRole("img");
    this.marks = area.locator("svg.marks .role-mark path");
    this.crosshair = page.getByRole("slider", { name: "Data points" });
    this.tip = page.locator(".chart-tip");
    this.table = page.getByRole("region", { name: "Chart data" });
    this.notes = area.getByRole("status");
  }

  async open(): Promise<void> {
    await this.page.getByRole("radio", { name: "Chart" }).click();
    await this.page.getByRole("combobox", { name: "Chart type" }).waitFor();
  }

  async choose(shelf: string, option: string): Promise<void> {
    await this.page.getByRole("combobox", { name: shelf, exact: true }).click();
    await this.page.getByRole("option", { name: option, exact: true }).click();
  }

  series(name: string): Locator {
    return this.page.getByRole("list", { name: "Series" }).getByRole("button", { name, exact: true });
  }

  /** Saves a picture of the chart. @returns the file's name and bytes */
  async save(format: "PNG" | "SVG"): Promise<{ name: string; path: string }> {
    const saved = this.page.waitForEvent("download");
    await this.page.getByRole("button", { name: "Export image" }).click();
    await this.page.getByRole("menuitem", { name: `Export ${format}` }).click();
    const download = await saved;
    return { name: download.suggestedFilename(), path: await download.path() };
  }
}
