import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readFunctions } from "./support/functions";

test("bundles a function's code, trace and the framework's server, each file once, without links", () => {
  const root = mkdtempSync(join(tmpdir(), "functions-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write("node_modules/pg/index.js", "12345");
  write("node_modules/next/index.js", "1234567");
  symlinkSync("pg", join(root, "node_modules/postgres"));
  write(".next/next-server.js.nft.json", JSON.stringify({ files: ["../node_modules/next/index.js"] }));
  write(".next/server/app/api/a/route.js", "123");
  write(
    ".next/server/app/api/a/route.js.nft.json",
    JSON.stringify({
      files: [
        "../../../../../node_modules/pg/index.js",
        "../../../../../node_modules/postgres",
        "../../../../../node_modules/next/index.js",
      ],
    }),
  );
  write(".next/server/app/page.js", "1");
  write(".next/server/app/page.js.nft.json", JSON.stringify({ files: [] }));
  const functions = readFunctions(join(root, ".next"), root);
  expect(functions.map(({ name, bytes }) => [name, bytes])).toEqual([
    ["app/api/a/route", 3 + 5 + 7],
    ["app/page", 1 + 7],
  ]);
  expect(functions[0]?.files).toContain("node_modules/pg/index.js");
});
