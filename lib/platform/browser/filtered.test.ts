import { expect, it } from "vitest";
import { toFiltered } from "@/lib/platform/browser/filtered";

const queryOf = (filters: unknown, more: Record<string, string> = {}) =>
  new URLSearchParams({ timezone: "UTC", filters: JSON.stringify(filters), ...more });

it("C37 asks with short filters by the address", () => {
  const query = queryOf({ region: ["north"] });
  expect(toFiltered("/data", query)).toEqual({ url: `/data?${query}`, method: "GET" });
});

it("C37 asks with long filters by a body, with everything else that the address had", () => {
  const filters = { region: Array.from({ length: 200 }, (_, index) => `${index}${"λ".repeat(300)}`) };
  expect(toFiltered("/data", queryOf(filters, { widget: "w", rows: "true" }))).toEqual({
    url: "/data",
    method: "POST",
    body: { timezone: "UTC", widget: "w", rows: true, filters },
  });
});

it("C37 sends no rows where none are asked for", () => {
  const request = toFiltered("/data", queryOf({ region: ["x".repeat(5000)] }));
  expect(request).toMatchObject({ method: "POST", body: { filters: { region: ["x".repeat(5000)] } } });
  expect(request).not.toHaveProperty("body.rows");
});
