import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Registry, startRegistry } from "@/test/fixtures/apps/sandbox/registry";
import { SAMPLE_APP, toFiles } from "@/test/fixtures/apps/sandbox/sample-app";
import { getSandbox } from "..";
import type { AppFiles, BuildResult, Session } from "../sandbox";

// Settings are read once; each test sets them.
const settings = vi.hoisted(() => ({ registry: undefined as string | undefined }));
vi.mock("@/lib/platform/env", async (original) => {
  const real = await original<typeof import("@/lib/platform/env")>();
  return { ...real, env: () => ({ ...real.env(), APP_REGISTRY_URL: settings.registry }) };
});

let registry: Registry;
let packages: Record<string, object>;
beforeAll(async () => {
  registry = await startRegistry();
  const esm = { type: "module", exports: "./index.js", scripts: { postinstall: "touch /app/ran" } };
  packages = {
    "node_modules/@shop/money": {
      ...registry.add("@shop/money", "1.2.0", {
        "package.json": JSON.stringify({ ...esm, name: "@shop/money" }),
        "index.js": 'import { pad } from "padder"; export const money = (n) => pad(n) + " of money";',
        "index.d.ts": "export const money: (n: number) => string;",
      }),
      resolved: "http://127.0.0.1:9/elsewhere.tgz",
      dependencies: { padder: "^2.0.0" },
    },
    "node_modules/@shop/money/node_modules/padder": registry.add("padder", "2.0.1", {
      "package.json": JSON.stringify({ ...esm, name: "padder" }),
      "index.js": 'export const pad = (n) => String(n).padStart(9, "_");',
    }),
    // A CommonJS package that imports React, which has to be the app's React.
    "node_modules/old-hook": {
      ...registry.add("old-hook", "3.0.0", {
        "package.json": JSON.stringify({ name: "old-hook", version: "3.0.0" }),
        "index.js": 'const React = require("react"); exports.useOld = () => React.useState("from the old hook")[0];',
      }),
      peerDependencies: { react: "*" },
    },
    "node_modules/for-one-system": { version: "1.0.0", integrity: "none", os: ["aix"] },
  };
});
beforeEach(() => {
  settings.registry = registry.url;
  registry.asked.length = 0;
});
afterAll(() => registry.close());

const WANTED = { "@shop/money": "^1.0.0", "old-hook": "3", react: "^19" };
const APP = "src/app.tsx";
const CODE = `import { useOld } from "old-hook"; import { money } from "@shop/money";
export function App() { return <p>{money(5)} {useOld()}</p>; }`;
const toJson = (value: object) => JSON.stringify(value);
const project = (dependencies: object = WANTED, lock: object | null = packages, own = dependencies) => ({
  ...SAMPLE_APP,
  [APP]: CODE,
  "package.json": toJson({ dependencies }),
  ...(lock && {
    "package-lock.json": toJson({ lockfileVersion: 3, packages: { "": { dependencies: own }, ...lock } }),
  }),
});
const nobody = { workspaceId: new ObjectId(), appId: new ObjectId() };
const build = (files: Record<string, string>): Promise<BuildResult> =>
  getSandbox().build({ ...nobody, files: toFiles(files), onLog: () => {}, signal: new AbortController().signal });
const problemsOf = async (files: Record<string, string>) => {
  const built = await build(files);
  if (built.ok) throw new Error("It was built.");
  return built.problems;
};

describe("packages of a registry", () => {
  it("are built as locked, for every importer, with one React, running nothing (T91)", async () => {
    const [built, plain] = [await build(project()), await build(SAMPLE_APP)];
    if (!built.ok || !plain.ok) throw new Error(built.log + plain.log);
    const scriptOf = (files: AppFiles) => [...files].find(([path]) => path.endsWith(".js"))?.[1].toString() ?? "";
    const script = scriptOf(built.files);
    for (const words of ["of money", "padStart(9", "from the old hook"]) expect(script).toContain(words);
    const reacts = (code: string) => code.match(/react\.transitional\.element/g)?.length;
    expect(reacts(script)).toBe(reacts(scriptOf(plain.files)));
    expect([...built.files.keys()].filter((path) => path.includes("node_modules") || path === "ran")).toEqual([]);
    expect(registry.asked.sort()).toEqual([
      "/npm/@shop/money/-/money-1.2.0.tgz",
      "/npm/old-hook/-/old-hook-3.0.0.tgz",
      "/npm/padder/-/padder-2.0.1.tgz",
    ]);
    const again = await build(project());
    expect(again.ok && again.files).toEqual(built.files);
  });

  it("are previewed as browser modules, and not listed as files of the app", async () => {
    const userId = new ObjectId();
    const session: Session = await getSandbox().start({ ...nobody, userId, files: toFiles(project()) });
    try {
      const get = async (path: string) =>
        (await session.request({ method: "GET", path, headers: new Headers() })).text();
      const app = await get(`${session.base}${APP}`);
      const [hook = ""] = /[^"]*old-hook[^"]*/.exec(app) ?? [];
      const [money = ""] = /[^"]*money[^"]*\.js[^"]*/.exec(app) ?? [];
      expect(hook).toContain(session.base);
      const code = await get(hook);
      expect(code).toContain("from the old hook");
      expect(code).toContain("__carried/react.js");
      expect(code).not.toContain("transitional.element");
      expect(await get(money)).toContain("of money");
      expect([...(await session.readFiles()).keys()].sort()).toEqual(Object.keys(project()).sort());
    } finally {
      await session.stop();
    }
  });

  it("are not fetched for apps with included ones only; a missing one is reported with instructions", async () => {
    expect((await build({ ...project({ react: "^19" }, null), [APP]: SAMPLE_APP[APP] })).ok).toBe(true);
    expect(registry.asked).toEqual([]);
    expect(await problemsOf(project({ react: "^19" }, null))).toEqual([
      { path: APP, line: 1, column: 24, message: expect.stringContaining("“old-hook” is not installed") },
    ]);
  });

  it("are unavailable without a registry", async () => {
    settings.registry = undefined;
    expect((await problemsOf(project()))[0]?.message).toContain("react, react-dom, vega-embed and @millrace/app");
    expect(registry.asked).toEqual([]);
  });

  const one = (entry: object) => project({ one: "1" }, { "node_modules/one": entry });
  const packed = (files: Parameters<Registry["add"]>[2]) => registry.add("one", "1.0.0", files);
  it.each<[string, () => Record<string, string>, path: string, words: string]>([
    ["no lock file", () => project(WANTED, null), "package.json", "package-lock.json is missing"],
    [
      "a lock file of other wishes",
      () => project(WANTED, packages, { react: "1" }),
      "package-lock.json",
      "does not match",
    ],
    ["a lock file that lacks one", () => project({ two: "1" }, {}), "package-lock.json", "“two” is missing"],
    [
      "a lock file of no form",
      () => ({ ...project(), "package-lock.json": "[" }),
      "package-lock.json",
      "Invalid lockfile",
    ],
    ["no sum of the content", () => one({ version: "1.0.0" }), "package-lock.json", "not a registry package"],
    ["a link", () => one({ link: true, resolved: "../other" }), "package-lock.json", "not a registry package"],
    [
      "a version that leads elsewhere",
      () => one({ ...packed({}), version: "1.0.0/../../../secret" }),
      "package-lock.json",
      "not a registry package",
    ],
    [
      "a name that leads elsewhere",
      () => one({ ...packed({}), name: "../../secret" }),
      "package-lock.json",
      "not a registry package",
    ],
    [
      "another content",
      () => one({ version: "1.0.0", integrity: `sha512-${"A".repeat(86)}==` }),
      "package-lock.json",
      "Checksum mismatch",
    ],
    [
      "one that is not there",
      () => one({ version: "9.9.9", integrity: `sha512-${"A".repeat(86)}==` }),
      "package-lock.json",
      "returned 404",
    ],
    [
      "one that unfolds to more than fits",
      () => one(packed({ "big.js": " ".repeat(101 * 1024 * 1024) })),
      "package-lock.json",
      "too large",
    ],
  ])("are rejected with a message: %s", async (_, files, path, words) => {
    packed({ "index.js": "" });
    expect(await problemsOf(files())).toMatchObject([{ path, message: expect.stringContaining(words) }]);
  });

  it("never leave their folder, whatever their archive says (T91)", async () => {
    const entry = packed([
      { path: "package/../../../app/src/more.ts", content: "" },
      { path: "/app/src/more.ts", content: "" },
      { path: "package/link.js", type: "2", content: "" },
      { path: "package/package.json", content: '{"name":"one","main":"index.js"}' },
      { path: "package/index.js", content: "module.exports = 1;" },
    ]);
    const more = { [APP]: 'import "one"; import "./more"; export const App = () => null;' };
    expect(await problemsOf({ ...one(entry), ...more })).toMatchObject([
      { path: APP, message: "File “./more” not found." },
    ]);
  });

  it("time out with a registry that does not answer", async () => {
    settings.registry = "http://127.0.0.1:9";
    await expect(build(project())).rejects.toMatchObject({ kind: "unavailable" });
    const start = getSandbox().start({ ...nobody, userId: new ObjectId(), files: toFiles(project()) });
    await expect(start).rejects.toMatchObject({ kind: "unavailable" });
  });
});
