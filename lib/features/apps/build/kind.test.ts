import { expect, it } from "vitest";
import { isServed, kindOf } from "./kind";

it("serves pages, styles, scripts and images unchanged", () => {
  expect(kindOf([])).toBe("static");
  expect(kindOf(["index.html", "style.css", "js/main.js", "js/more.mjs", "thumbnail.png", "data/rows.json"])).toBe(
    "static",
  );
});

it.each([
  "main.ts",
  "src/App.tsx",
  "src/old.jsx",
  "src/OLD.TSX",
  "src/worker.mts",
  "styles/main.scss",
  "package.json",
  "tsconfig.json",
  "vite.config.js",
])("%s requires a build", (path) => {
  expect(kindOf(["index.html", path])).toBe("built");
});

it("files beside the bindings require nothing, and are not served", () => {
  expect(kindOf(["index.html", "bindings/orders.sql", "bindings/types.ts"])).toBe("static");
  expect(kindOf(["data/package.json"])).toBe("static");
  expect(isServed("bindings/orders.sql")).toBe(false);
  expect(isServed("bindings.html")).toBe(true);
});
