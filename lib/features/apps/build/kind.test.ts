import { expect, it } from "vitest";
import { isServed, kindOf } from "./kind";

it("pages, styles, scripts and pictures are served as they are", () => {
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
])("%s asks for a build", (path) => {
  expect(kindOf(["index.html", path])).toBe("built");
});

it("what lies beside the bindings asks for nothing, and is not served", () => {
  expect(kindOf(["index.html", "bindings/orders.sql", "bindings/types.ts"])).toBe("static");
  expect(kindOf(["data/package.json"])).toBe("static");
  expect(isServed("bindings/orders.sql")).toBe(false);
  expect(isServed("bindings.html")).toBe(true);
});
