import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { KIND_EDITORS } from "@/components/dashboards/kinds/editors";
import { KIND_VIEWS } from "@/components/dashboards/kinds/registry";
import { kindOfLook, LOOKS, startLook } from "@/lib/features/dashboards/browser/edit/looks";
import { KINDS } from "@/lib/features/dashboards/kinds/registry";
import { traitsOf, WIDGET_KINDS } from "@/lib/features/dashboards/kinds/traits";

const root = new URL("../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

describe("the registries of widget kinds", () => {
  it("have the same kinds, each in a folder of its name", () => {
    const kinds = [...WIDGET_KINDS].sort();
    for (const registry of [KINDS, KIND_VIEWS, KIND_EDITORS]) expect(Object.keys(registry).sort()).toEqual(kinds);
    for (const base of ["lib/features/dashboards/kinds", "components/dashboards/kinds"]) {
      const folders = globSync(`${base}/*/`, { cwd: fileURLToPath(root) }).map((path) => path.split("/").at(-1));
      expect(folders.sort()).toEqual(kinds);
    }
  });

  it.each(WIDGET_KINDS)("agree on the data of %s", (kind) => {
    const { readsData, looks } = traitsOf(kind);
    expect(KINDS[kind].data !== null).toBe(readsData);
    expect(KIND_VIEWS[kind].Body !== undefined).toBe(readsData);
    expect(KIND_EDITORS[kind].Shelves !== undefined).toBe(readsData);
    expect(Object.keys(KIND_EDITORS[kind].icons).sort()).toEqual(Object.keys(looks).sort());
    expect(existsSync(new URL(`lib/features/dashboards/kinds/${kind}/index.ts`, root))).toBe(true);
  });

  it("have each look once, with a new specification that the server accepts", () => {
    expect(new Set(LOOKS).size).toBe(LOOKS.length);
    for (const look of LOOKS) {
      const { kind, spec } = startLook(look);
      expect(kindOfLook(look)).toBe(kind);
      expect(KINDS[kind].spec.safeParse(spec).error).toBeUndefined();
    }
  });
});

/** Lines outside the kinds' folders that name a kind for a reason. */
const NAMED: Readonly<Record<string, string>> = {
  "lib/features/dashboards/kinds/traits.ts": "the registry",
  "lib/features/dashboards/kinds/registry.ts": "the registry",
  "components/dashboards/kinds/registry.ts": "the registry",
  "components/dashboards/kinds/editors.ts": "the registry",
  "lib/features/connections/sample/dashboard.ts": "content of the sample dashboard",
  "lib/features/results/browser/result-worker.ts": "a task of the worker",
};

it("names a kind in the kinds' folders only", () => {
  const names = WIDGET_KINDS.join("|");
  const folders = "{app,components,emails,inngest,lib}/**/*.{ts,tsx}";
  const files = globSync(folders, { cwd: fileURLToPath(root) }).filter(
    (file) =>
      !file.includes(".test.") &&
      !/^(lib\/features|components)\/dashboards\/kinds\/[^/]+\//.test(file) &&
      // Charts of consoles have separate kinds, one of which is a figure.
      !/^(lib\/base|components)\/charts?\//.test(file),
  );
  // Everywhere: comparisons and literals of a widget's kind. In dashboards: the names alone, too.
  const branch = /\b[wW]idget\.kind\s*[!=]==?|\bkind:\s*"(?:kpi|pivot)"|case "(?:kpi|pivot)"/;
  const own = new RegExp(`\\bkind\\s*(?:[!=]==?|:)\\s*"(?:${names})"|case "(?:${names})":|^\\s*kpi: |"kpi"`, "m");
  const naming = files.filter((file) => {
    const text = read(file);
    return branch.test(text) || (/(^|\/)dashboards\//.test(file) && own.test(text));
  });
  expect(naming.filter((file) => !(file in NAMED))).toEqual([]);
});
