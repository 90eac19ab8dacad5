import { describe, expect, it } from "vitest";
import { ApiError } from "@/lib/platform/browser/request";
import { problemsOf } from "./problems-of";

describe("the server's problems with fields", () => {
  const refused = new ApiError(400, "invalid_request", "Something is wrong.", [
    { path: "title", message: "Too long." },
    { path: "title", message: "Nor may it have lines." },
    { path: "sites.1", message: "No origin." },
    { path: "titles", message: "Of another field." },
  ]);

  it("are the first of each field, including nested ones", () => {
    expect(problemsOf(refused, ["title", "sites", "description"])).toEqual({
      title: "Too long.",
      sites: "No origin.",
    });
  });

  it("are empty for other failures", () => {
    expect(problemsOf(new ApiError(409, "conflict", "It is taken."), ["title"])).toEqual({});
    expect(problemsOf(new Error("broken"), ["title"])).toEqual({});
  });
});
