import { ObjectId } from "mongodb";
import { expect, it } from "vitest";
import { SAMPLE_APP, toFiles } from "@/test/fixtures/apps/sandbox/sample-app";
import { projectFiles } from "../types/project";
import { getSandbox } from ".";
import type { BuildResult } from "./sandbox";

const MORE = "src/more.ts";

function build(files: Record<string, string | Buffer>, signal = new AbortController().signal): Promise<BuildResult> {
  const nobody = { workspaceId: new ObjectId(), appId: new ObjectId() };
  return getSandbox().build({ ...nobody, files: toFiles(files), onLog: () => {}, signal });
}

/** Builds the sample with an additional module that the app imports. */
function buildWith(code: string, files: Record<string, string | Buffer> = {}): Promise<BuildResult> {
  const main = `import "./more";\n${SAMPLE_APP["src/main.tsx"]}`;
  return build({ ...SAMPLE_APP, "src/main.tsx": main, [MORE]: code, ...files });
}

it("builds an app to one page, one script and one style, with relative hashed names", async () => {
  const first = await build({ ...SAMPLE_APP, "public/logo.svg": "<svg/>", "bindings/orders.sql": "select 1" });
  if (!first.ok) throw new Error(first.log);
  const paths = [...first.files.keys()].sort();
  expect(paths).toEqual([
    expect.stringMatching(/^assets\/index-[\w-]{8}\.js$/),
    expect.stringMatching(/^assets\/style-[\w-]{8}\.css$/),
    "index.html",
    "logo.svg",
  ]);
  const page = first.files.get("index.html")?.toString() ?? "";
  expect(page).toContain(`src="./${paths[0]}"`);
  expect(page).toContain(`href="./${paths[1]}"`);
  expect(first.files.get(paths[1] ?? "")?.toString()).toContain("#639");
  expect(first.log).toContain("built in");
  const second = await build(SAMPLE_APP);
  expect(second.ok && second.files.get(paths[0] ?? "")).toEqual(first.files.get(paths[0] ?? ""));
});

it("ignores editor files in a build", { tags: ["long"] }, async () => {
  const [bare, known] = [
    await build(SAMPLE_APP),
    await build({ ...SAMPLE_APP, ...Object.fromEntries(projectFiles()) }),
  ];
  if (!bare.ok || !known.ok) throw new Error(known.log);
  expect(known.files).toEqual(bare.files);
  expect(known.log).not.toContain("warn");
});

it("inlines lazy code: no chunk is fetched after a token's expiry", async () => {
  const built = await buildWith('void import("./late").then(({ late }) => console.log(late));', {
    "src/late.ts": 'export const late = "it is late";',
  });
  if (!built.ok) throw new Error(built.log);
  const scripts = [...built.files].filter(([path]) => path.endsWith(".js"));
  expect(scripts).toHaveLength(1);
  expect(scripts[0]?.[1].toString()).toContain("it is late");
});

it("imports all included packages and no others, with the position of an error", { tags: ["long"] }, async () => {
  const carried = await buildWith(
    'import embed from "vega-embed"; import { theme } from "@millrace/app"; import { createPortal } from "react-dom"; console.log(embed, theme, createPortal);',
  );
  expect(carried.ok).toBe(true);
  const other = await buildWith(
    '// import "lodash" is what one would write\n\n  import { map } from "lodash/fp";\nmap();',
  );
  expect(other).toMatchObject({
    ok: false,
    problems: [
      {
        path: MORE,
        line: 3,
        column: 23,
        message: expect.stringContaining("react, react-dom, vega-embed and @millrace/app"),
      },
    ],
  });
});

it.each([
  ["const x = (;", MORE, 1, "Unexpected token"],
  ['import "./nothing-there";', MORE, 1, "not found"],
  ['import data from "./data.json"; console.log(data);', "src/data.json", 2, "JSON"],
  ['import "./bad.css";', "src/bad.css", 2, "Unexpected"],
])("reports a build problem with its position: %s", async (code, path, line, words) => {
  const built = await buildWith(code, { "src/data.json": '{\n"a" 1 }', "src/bad.css": "a {\n  color: }}" });
  if (built.ok) throw new Error("It was built.");
  expect(built.problems[0]).toMatchObject({ path, line });
  expect(built.problems[0]?.message).toContain(words);
  expect(built.log).toContain(built.problems[0]?.message);
});

it("reports that an app needs a page", async () => {
  expect(await build({ "src/main.ts": "" })).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringContaining("index.html") }],
  });
});
