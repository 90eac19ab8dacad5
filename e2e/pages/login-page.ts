import type { Locator, Page } from "@playwright/test";

export class LoginPage {
  readonly email: Locator;
  readonly password: Locator;
  readonly submit: Locator;
  readonly failure: Locator;

  constructor(readonly page: Page) {
    const form = page.getByRole("form", { name: "Sign in" });
    this.email = form.getByLabel("Email");
    this.password = form.getByRole("textbox", { name: "Password" });
    this.submit = form.getByRole("button", { name: "Sign in" });
    this.failure = form.getByRole("alert");
  }

  async open(query = ""): Promise<void> {
    await this.page.goto(`/login${query}`);
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.email.fill(email);
    await this.password.fill(password);
    await this.submit.click();
  }
}
