import { expect, it } from "vitest";
import { toSaveWords } from "./save-words";

it("names the request or the outage before the number of changes", () => {
  expect(toSaveWords("saving", 3)).toBe("Saving");
  expect(toSaveWords("waiting", 3)).toBe("Offline. Saves when you reconnect.");
  expect([0, 1, 2].map((count) => toSaveWords("idle", count))).toEqual([
    "No changes",
    "Draft: 1 unsaved change",
    "Draft: 2 unsaved changes",
  ]);
});
