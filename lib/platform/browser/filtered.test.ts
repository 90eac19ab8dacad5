import { expect, it } from "vitest";
import { toFiltered } from "@/lib/platform/browser/filtered";

const queryOf = (filters: unknown, more: Record<string, string> = {}) =>
  new URLSearchParams({ timezone: "UTC", filters: JSON.stringify(filters), ...more });

it("C37 sends short filters in the URL", () => {
  const query = queryOf({ region: ["north"] });
  expect(toFiltered("/data", query)).toEqual({ url: `/data?${query}`, method: "GET" });
});

it("C37 sends long filters in a body, with the other parameters of the URL", () => {
  const filters = { region: Array.from({ length: 200 }, (_, index) => `${index}${"λ".repeat(300)}`) };
  expect(toFiltered("/data", queryOf(filters, { widget: "w", rows: "true", zoom: "true" }))).toEqual({
    url: "/data",
    method: "POST",
    body: { timezone: "UTC", widget: "w", rows: true, zoom: true, filters },
  });
});

it("C37 requests no rows if none are wanted", () => {
  const request = toFiltered("/data", queryOf({ region: ["x".repeat(5000)] }));
  expect(request).toMatchObject({ method: "POST", body: { filters: { region: ["x".repeat(5000)] } } });
  expect(request).not.toHaveProperty("body.rows");
});
