import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = new URL("../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");
const exists = (file: string) => existsSync(new URL(file, root));
const find = (pattern: string) => globSync(pattern, { cwd: fileURLToPath(root) }).sort();
const PAGES = find("{*.md,docs/**/*.md}");
const SCRIPTS: Record<string, string> = JSON.parse(read("package.json")).scripts;
/** Prefixes of repository paths in pages. */
const PATH =
  /(?<![\w./-])(?:app|components|deploy|docs|e2e|emails|inngest|lib|scripts|templates|test)\/[\w@./[\]()<>-]+/g;

/** Files of examples, and an event whose name resembles a path. */
const EXAMPLES: ReadonlySet<string> = new Set(["inngest/functions/send-report.ts", "inngest/function.finished"]);
const CELL_WORDS_MAX = 80;

/** Returns the paths that a text names, without punctuation behind them. Patterns and placeholders are left out. */
function pathsIn(text: string): string[] {
  const found = text.match(PATH) ?? [];
  return found
    .map((path) => path.replace(/\]\(.*$/, "").replace(/[.,:;)]+$/, ""))
    .filter((path) => !/[<>]|\.\.\./.test(path));
}

/** Returns the slugs of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(PAGES)("%s", (page) => {
  const text = read(page);

  it("links to files and headings that exist", () => {
    const missing = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^(https?|mailto):/.test(target))
      .filter((target) => {
        const [file = "", anchor] = target.split("#");
        const to = file === "" ? page : posix.join(posix.dirname(page), file);
        if (!exists(to)) return true;
        return anchor !== undefined && !anchorsOf(read(to)).includes(anchor);
      });
    expect(missing).toEqual([]);
  });

  it("names files that exist", () => {
    expect(pathsIn(text).filter((path) => !exists(path) && !EXAMPLES.has(path))).toEqual([]);
  });

  it("has no table cell above 80 words", () => {
    const cells = text.split("\n").flatMap((line) => (line.startsWith("|") ? line.split(/(?<!\\)\|/) : []));
    expect(cells.filter((cell) => cell.trim().split(/\s+/).length > CELL_WORDS_MAX)).toEqual([]);
  });

  it("names scripts of package.json only", () => {
    const named = [...text.matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name = ""]) => name);
    // Written for the author of an app: the scripts of the app's package.json.
    const ofApps = page === "docs/user/writing-apps.md" ? ["check"] : [];
    expect(named.filter((name) => !(name in SCRIPTS) && !ofApps.includes(name))).toEqual([]);
  });
});

it("lists the features in architecture.md in their declared order", () => {
  const listed = [...read("docs/develop/architecture.md").matchAll(/^\d+\. `([\w-]+)`$/gm)].map(([, name]) => name);
  const [, declared = ""] = /export const FEATURES = \[([^\]]+)\]/.exec(read(".dependency-cruiser.mjs")) ?? [];
  expect(listed).toEqual([...declared.matchAll(/"([\w-]+)"/g)].map(([, name]) => name));
});

it("cites pages of docs/ that exist in code comments", () => {
  const code = find("{app,components,inngest,lib,scripts,test}/**/*.{ts,tsx,mjs,css}").map(read).join("\n");
  const comments = code.match(/^\s*(?:\/\*\*?|\*|\/\/).*$/gm)?.join("\n") ?? "";
  const cited = new Set(comments.match(/\bdocs\/[a-z/-]+\.md/g));
  expect(cited.size).toBeGreaterThan(5);
  expect([...cited].filter((path) => !exists(path))).toEqual([]);
});

/** Returns the section of CONTRIBUTING.md with this heading. */
function recipeOf(name: string): string {
  const parts = read("CONTRIBUTING.md").split(/^### /m);
  return parts.find((part) => part.startsWith(`${name}\n`)) ?? "";
}

/** Files of each recipe, with the declaration to which a new part is added. */
const REGISTRIES: Readonly<Record<string, readonly (readonly [file: string, declaration: string])[]>> = {
  "A route": [
    ["lib/platform/api/route.ts", "export type RouteDeclaration"],
    ["lib/platform/access/rules.ts", "export const member"],
    ["test/access-matrix.int.test.ts", "const DOMAINS"],
    ["e2e/api/documented-routes.ts", "export const CONTRACT_ROUTES"],
    ["scripts/routes.mjs", "export function generateRoutes"],
  ],
  "A driver": [
    ["lib/features/connections/data-source.ts", "export interface Driver"],
    ["lib/features/connections/drivers/registry.ts", "export const drivers"],
    ["test/conformance/drivers/subjects.ts", "const START"],
    ["lib/features/connections/drivers/shared/statements/checks.ts", "export type Checks"],
    ["lib/base/sql/dialects/registry.ts", "export const DIALECTS"],
    ["lib/base/sql/dialects/dialect.ts", "export interface Dialect"],
    ["lib/base/sql/dialects/shared.ts", "export const COMMON"],
    ["lib/base/explain/plan.ts", "export const PLAN_FORMS"],
    ["lib/base/explain/read-plan.ts", "const READERS"],
  ],
  "A notification channel": [
    ["lib/features/notifications/channels/channel.ts", "export type Channel"],
    ["lib/features/notifications/channels/registry.ts", "export const CHANNELS"],
    ["components/notifications/channels/channel-view.ts", "export type ChannelView"],
    ["components/notifications/channels/registry.ts", "const VIEWS"],
  ],
  "A widget kind": [
    ["lib/features/dashboards/kinds/kind-traits.ts", "export interface KindTraits"],
    ["lib/features/dashboards/kinds/traits.ts", "export const KIND_TRAITS"],
    ["lib/features/dashboards/kinds/kind.ts", "export type Kind ="],
    ["lib/features/dashboards/kinds/registry.ts", "export const KINDS"],
    ["components/dashboards/kinds/kind-view.ts", "export type KindView"],
    ["components/dashboards/kinds/registry.ts", "export const KIND_VIEWS"],
    ["components/dashboards/kinds/kind-editor.ts", "export type KindEditor"],
    ["components/dashboards/kinds/editors.ts", "export const KIND_EDITORS"],
  ],
  "An agent tool": [
    ["lib/features/agent/tools/tool.ts", "export function defineTool"],
    ["lib/features/agent/tools/registry.ts", "export const TOOLS"],
    ["lib/features/agent/turn.ts", "toolsOf("],
    ["lib/features/agent/mcp/server.ts", "TOOLS"],
  ],
};

describe.each(Object.entries(REGISTRIES))("the recipe of CONTRIBUTING.md for %s", (name, registries) => {
  const recipe = recipeOf(name);

  it.each(registries)("names %s, which contains %s", (file, declaration) => {
    expect(recipe).toContain(`\`${file}\``);
    expect(read(file)).toContain(declaration);
  });
});
