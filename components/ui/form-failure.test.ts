import { describe, expect, it } from "vitest";
import { placeFailure } from "@/components/ui/form-failure";
import { ApiError } from "@/lib/platform/browser/request";

type Fields = { name: string; sites: string[] };

function place(error: unknown, fieldOf?: (path: string) => "name" | "sites" | null) {
  const placed: Record<string, string> = {};
  const message = placeFailure<Fields>(error, ["name", "sites"], (field, problem) => { placed[field] = problem.message; }, fieldOf); // biome-ignore format: one look
  return { message, placed };
}
const refused = (...details: { path: string; message: string }[]) =>
  new ApiError(400, "invalid_request", "Check the fields.", details);

describe("placeFailure", () => {
  it("shows problems at their fields, those of a part at the whole, and the first of several", () => {
    const error = refused(
      { path: "name", message: "Name is required." },
      { path: "name", message: "Another." },
      { path: "sites.1", message: "Invalid site." },
    );
    expect(place(error)).toEqual({ message: null, placed: { name: "Name is required.", sites: "Invalid site." } });
  });

  it("also shows the message above if a problem has no field", () => {
    const error = refused({ path: "name", message: "Too long." }, { path: "names", message: "Unknown." });
    expect(place(error)).toEqual({ message: "Check the fields.", placed: { name: "Too long." } });
  });

  it("finds fields of other names by the form's own map", () => {
    const error = refused({ path: "title", message: "Too long." });
    expect(place(error, (path) => (path === "title" ? "name" : null))).toEqual({
      message: null,
      placed: { name: "Too long." },
    });
  });

  it("says when to try again after too many requests", () => {
    expect(place(new ApiError(429, "rate_limited", "Too many requests.", undefined, 30)).message).toBe(
      "Too many requests. Try again in 30 seconds.",
    );
  });

  it("does not show the message of a fault in the browser", () => {
    expect(place(new TypeError("x is undefined")).message).toMatch(/^Something went wrong in the browser/);
  });
});
