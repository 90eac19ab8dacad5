import { expect, it } from "vitest";
import { refuseDotNames, send } from "./request";

it.each(["..", ".", "%2e%2e", ".%2E/table", "..?now=1"])(
  "sends no request whose address has the name %s",
  async (name) => {
    // A browser would send it to the workspace itself.
    await expect(send("DELETE", `/api/workspaces/1/imported-tables/${name}`)).rejects.toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  },
);

it.each(["a..b", "...", "%252e", "x?q=/../a", ".x"])("sends other names with dots, such as %s", (name) => {
  expect(() => refuseDotNames(`/api/workspaces/1/imported-tables/${name}`)).not.toThrow();
});
