import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { filesIn } from "./app-files.ts";
import { commonConfig, ignoredFiles } from "./config.ts";
import { APP_FOLDER } from "./places.ts";
import { toProblems } from "./problems.ts";
import type { Problem } from "./wire.ts";

/** Maximum reported problems. */
const PROBLEMS_MAX = 50;

export type Built =
  | { ok: true; files: AsyncIterable<{ path: string; content: Buffer }> }
  | { ok: false; problems: Problem[] };

/** Builds the app in the app folder. */
export async function buildApp(paths: readonly string[], onLog: (line: string) => void): Promise<Built> {
  for (const line of ignoredFiles(paths)) onLog(line);
  if (!existsSync(join(APP_FOLDER, "index.html"))) {
    return failed({ path: null, message: "index.html is missing." });
  }
  try {
    const output = await build({
      ...commonConfig({ mode: "production", base: "./", carriedUrl: null, onLog }),
      build: {
        write: false,
        target: "es2022",
        // One file for all code and one for all styles: a page that stays open for a day must not request a part after
        // its token has expired.
        cssCodeSplit: false,
        modulePreload: false,
        reportCompressedSize: false,
        rolldownOptions: { input: join(APP_FOLDER, "index.html"), output: { codeSplitting: false } },
      },
    });
    if (!("output" in output)) throw new Error("The builder returned more than one output.");
    const made = output.output.map((item) => ({
      path: item.fileName,
      content: Buffer.from(item.type === "chunk" ? item.code : item.source),
    }));
    return { ok: true, files: withPublic(made) };
  } catch (error) {
    const problems = toProblems(error).slice(0, PROBLEMS_MAX);
    for (const { path, line, column, message } of problems) {
      onLog(
        [path, line, column].filter((each) => each !== null).join(":") + (path === null ? message : `: ${message}`),
      );
    }
    return { ok: false, problems };
  }
}

/** Adds the files of `public`, which are served unchanged. Built files take precedence. */
async function* withPublic(made: readonly { path: string; content: Buffer }[]) {
  yield* made;
  const taken = new Set(made.map(({ path }) => path));
  for await (const file of filesIn(join(APP_FOLDER, "public"))) if (!taken.has(file.path)) yield file;
}

function failed(problem: Pick<Problem, "path" | "message">): Built {
  return { ok: false, problems: [{ line: null, column: null, ...problem }] };
}
