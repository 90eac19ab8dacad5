import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inRoot } from "./paths.mjs";
import { capture } from "./run.mjs";

/**
 * Tools that read the API reference as its users do: two linters and two client generators. They are downloaded for the
 * run, at these versions, since they have some hundred dependencies that nothing else needs.
 */
const PACKAGES = [
  "@stoplight/spectral-cli@6.16.3",
  "@redocly/cli@2.77.0",
  "openapi-typescript@7.13.0",
  // The version that openapi-typescript requires.
  "typescript@5.9.3",
];
const PYTHON_PACKAGE = "openapi-python-client==0.29.1";
const RULES = inRoot("test", "reference");
/** Types that a generated client leaves to its user: pictures, Arrow and plain text. */
const UNSUPPORTED = /Unsupported content.type/;

/**
 * Lints the reference of a running server and generates clients from it. @returns a test for each tool; those that
 * cannot be downloaded here are skipped
 * @param {{ isWhole: boolean }} options whether a Python client is generated, too, which takes as long as the others
 */
export async function holdClients(url, folder, { isWhole }) {
  const place = join(folder, "clients");
  mkdirSync(place, { recursive: true });
  const document = join(place, "openapi.json");
  const text = await (await fetch(`${url}/api/openapi.json`)).text();
  // Linters report a localhost address as a forgotten example.
  writeFileSync(
    document,
    text.replaceAll(url, "https://data.example.net").replaceAll(/http:\/\/localhost:\d+/g, "https://data.example.net"),
  );
  writeFileSync(join(place, "package.json"), '{"private":true}');
  const outcomes = [];
  const installed = await capture("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...PACKAGES], {
    cwd: place,
  });
  const bin = (name) => join(place, "node_modules", ".bin", name);
  const run = async (name, tool, args, isFine = ({ code }) => code === 0) => {
    const result = await capture(tool, args, { cwd: place });
    const passed = isFine(result);
    console.log(`${name}: ${passed ? "ok" : result.output.trimEnd()}`);
    outcomes.push(passed ? "passed" : "failed");
  };
  if (installed.code === 0) {
    await run("spectral", bin("spectral"), [
      "lint",
      document,
      "--ruleset",
      join(RULES, "spectral.yaml"),
      "--fail-severity",
      "hint",
    ]);
    const isClean = ({ code, output }) => code === 0 && !/You have \d+ warning/.test(output);
    await run(
      "redocly",
      bin("redocly"),
      ["lint", document, "--config", join(RULES, "redocly.yaml"), "--format", "stylish"],
      isClean,
    );
    await run("openapi-typescript", bin("openapi-typescript"), [document, "-o", join(place, "client.ts")]);
    writeFileSync(join(place, "use.ts"), USE);
    await run("a TypeScript client", bin("tsc"), ["--noEmit", "--strict", "--skipLibCheck", join(place, "use.ts")]);
  } else {
    console.log(
      `Skipped the linters of the reference because they can't be downloaded:\n${installed.output.trimEnd()}`,
    );
    outcomes.push("skipped", "skipped", "skipped", "skipped");
  }
  if (isWhole) await holdPythonClient(place, document, run, outcomes);
  const count = (outcome) => outcomes.filter((each) => each === outcome).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

async function holdPythonClient(place, document, run, outcomes) {
  const python = join(place, "python", "bin");
  const hasPython =
    (await capture("python3", ["-m", "venv", join(place, "python")]).catch(() => ({ code: 1 }))).code === 0 &&
    (await capture(join(python, "pip"), ["install", "--quiet", PYTHON_PACKAGE])).code === 0;
  if (hasPython) {
    const output = join(place, "client-python");
    const args = ["generate", "--path", document, "--output-path", output, "--meta", "none"];
    const isWhole = ({ code, output: said }) =>
      code === 0 &&
      said
        .split(/^WARNING|^Unable/m)
        .slice(1)
        .every((part) => UNSUPPORTED.test(part));
    await run("openapi-python-client", join(python, "openapi-python-client"), args, isWhole);
    await run("a Python client", join(python, "python"), ["-m", "compileall", "-q", output]);
  } else {
    console.log("Skipped openapi-python-client because it can't be downloaded.");
    outcomes.push("skipped", "skipped");
  }
}

/** Code of a client: the names of the reference are types, with typed fields. */
const USE = `
import type { components, paths } from "./client";
type Connection = components["schemas"]["Connection"];
type Run = components["schemas"]["Run"];
export const nameOf = ({ name, type }: Connection): string => name + type;
export const isOver = ({ status }: Run): boolean => status === "success";
type Execute = paths["/api/workspaces/{workspaceId}/databases/{connectionId}/execute"]["post"];
type Rows = Execute["responses"][200]["content"]["application/json"]["data"]["rows"];
export const countOf = (rows: Rows): number => rows.length;
`;
