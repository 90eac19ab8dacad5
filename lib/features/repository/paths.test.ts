import { describe, expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { collisionKey, parseAddedPath, parseBranch, parseFolder, parsePath, toPortableName } from "./paths";

const code = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error instanceof AppError ? error.kind : error;
  }
  return "accepted";
};

/** T87's corpus: traversal, absolute, encoded and Unicode escapes, and names that git or a file system reserves. */
const REFUSED = [
  "",
  "/",
  "/etc/passwd",
  "a/",
  "a//b",
  ".",
  "..",
  "../a",
  "a/..",
  "a/../../b",
  "a/./b",
  "..\\a",
  "a\\b",
  "C:\\a",
  "a\0b",
  "a\nb",
  "a\tb",
  "a\u001b[31mb",
  "a\u007fb",
  "a\u0085b",
  "a\u2028b",
  "a\u202eb",
  "a\u2066b",
  "\ufeffa",
  "a\ud800b",
  "a\uffffb",
  " a",
  "a ",
  "a/ b",
  "a /b",
  "\u00a0a",
  "a\u3000",
  "a.",
  "a./b",
  "...",
  ".git",
  ".GIT/config",
  "a/.Git/hooks/post-checkout",
  ".g\u200cit/config",
  ".g\u00adit",
  ".\u200dgit",
  "\uff0egit",
  ".\uff47it",
  ".git\u034f",
  "git~1/config",
  "GIT~2",
  ".git::$INDEX_ALLOCATION/config",
  ".git:stream",
  "git:x",
  ".gitmodules",
  ".GitModules",
  "gitmod~1",
  "a/GI7EBA~1",
  ".gitattributes",
  "\u200b",
  "a/\u00ad/b",
  "x".repeat(201),
  "é".repeat(101),
  Array.from({ length: 10 }, () => "y".repeat(150)).join("/"),
];

const KEPT = [
  "a",
  "consoles/Monthly revenue.sql",
  "consoles/größe/été.sql",
  "consoles/月次レポート.sql",
  "apps/shop/.gitignore",
  "apps/shop/.env.example",
  "a/..b/c",
  "a/b..c",
  "digit/legit~x",
  "x".repeat(200),
  "emoji 👩‍💻.sql",
  "quote \"double\" 'single'.sql",
  "%2e%2e%2fa",
];

describe("path policy", () => {
  it.each(REFUSED.map((path) => [JSON.stringify(path.slice(0, 40)), path]))("rejects %s (T87)", (_, path) => {
    expect(code(() => parsePath(path))).toBe("invalid_request");
  });

  it.each(KEPT.map((path) => [path.slice(0, 40), path]))("keeps %s", (_, path) => {
    expect(parsePath(path)).toBe(path);
  });

  it("composes decomposed letters", () => {
    expect(parsePath("caf\u0065\u0301.sql")).toBe("caf\u00e9.sql");
  });

  it("treats the root and a trailing slash as folders", () => {
    expect(parseFolder("")).toBe("");
    expect(parseFolder("a/b/")).toBe("a/b");
    expect(code(() => parseFolder("a/../b"))).toBe("invalid_request");
  });
});

describe("names that some file system treats as one", () => {
  it.each([
    ["case", "Report.sql", "rEPORT.SQL"],
    ["composed and decomposed", "caf\u00e9", "cafe\u0301"],
    ["compatibility forms", "\ufb01le", "file"],
    ["full width", "\uff41", "a"],
    ["sharp s", "straße", "STRASSE"],
    ["both sigmas", "ΟΔΟΣ", "οδος"],
    ["Kelvin sign", "\u212a", "k"],
    ["invisible characters", "a\u200db", "ab"],
  ])("conflict: %s", (_, a, b) => {
    expect(collisionKey(a)).toBe(collisionKey(b));
  });

  it("keeps different names apart", () => {
    expect(collisionKey("résumé")).not.toBe(collisionKey("resume"));
  });
});

describe("C21 names of new files and folders", () => {
  const known =
    (...paths: string[]) =>
    (path: string) =>
      paths.includes(path);
  it.each([
    ["a/b.ts", known()],
    ["nul/a.ts", known("nul")],
    ["a:b/c/d.ts", known("a:b")],
    ["nul/aux.ts", known("nul", "nul/aux.ts")],
    ["a/nul/x.ts", known("a", "a/nul")],
  ])("accepts %s beside existing ones", (path, isKnown) => {
    expect(parseAddedPath(path, isKnown)).toBe(path);
  });

  it.each([
    ["nul/a.ts", known()],
    ["nul/a.ts", known("a/nul", "NUL")],
    ["nul/aux.ts", known("nul")],
    ["a/nul/x.ts", known("a", "nul")],
    ["aux.ts", known("aux")],
    ["a:b/c.ts", known("a")],
    ["a/b?.ts", known("a")],
    ["../a", known("..")],
    ["a//b", known("a", "a/", "a//b")],
  ])("rejects %s", (path, isKnown) => {
    expect(code(() => parseAddedPath(path, isKnown))).toBe("invalid_request");
  });

  it.each([
    ["plain", "plain"],
    ["a:b", "a-b"],
    ['<a> "b"|c?*', "-a- -b--c--"],
    ["aux", "aux_"],
    ["aux.ts", "aux_.ts"],
    ["NUL.tar.gz", "NUL_.tar.gz"],
    ["con .sql", "con_.sql"],
    ["COM1", "COM1_"],
    ["ａｕｘ", "ａｕｘ_"],
    ["console", "console"],
  ])("converts %j to the portable %j", (name, portable) => {
    expect(toPortableName(name)).toBe(portable);
    expect(parseAddedPath(portable, () => false)).toBe(portable);
  });
});

describe("branch names", () => {
  it.each(["main", "user/65f0c1d2e3a4b5c6d7e8f901", "a.b", "release-1.2", "_x", "auxiliary", "review/console", "com"])(
    "accepts %s",
    (name) => {
      expect(parseBranch(name)).toBe(name);
    },
  );

  it.each([
    "",
    "-oProxyCommand=x",
    "--upload-pack=touch",
    "a/-b",
    ".a",
    "a/.b",
    "a..b",
    "a.lock",
    "a.lock/b",
    "a.",
    "a//b",
    "/a",
    "a/",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?b",
    "con",
    "review/aux",
    "NUL/x",
    "a/com1.sql",
    "Lpt9",
    "a@{1}",
    "ä",
    "x".repeat(201),
  ])("rejects %j", (name) => {
    expect(code(() => parseBranch(name))).toBe("invalid_request");
  });
});
