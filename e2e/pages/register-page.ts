import type { Locator, Page } from "@playwright/test";

export class RegisterPage {
  readonly name: Locator;
  readonly email: Locator;
  readonly password: Locator;
  readonly submit: Locator;
  readonly form: Locator;

  constructor(readonly page: Page) {
    this.form = page.getByRole("form", { name: "Create account" });
    this.name = this.form.getByLabel("Name");
    this.email = this.form.getByLabel("Email");
    this.password = this.form.getByRole("textbox", { name: "Password" });
    this.submit = this.form.getByRole("button", { name: "Create account" });
  }

  async open(): Promise<void> {
    await this.page.goto("/register");
  }
}
