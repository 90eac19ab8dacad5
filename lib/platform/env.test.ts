import { readFileSync } from "node:fs";
import { parseEnv as parseDotenv } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  EnvError,
  EXAMPLE_AUTH_SECRET,
  env,
  forgetEnv,
  PLATFORM_NAMES,
  parseEnv,
  parseKeyRing,
  SETTING_NAMES,
} from "@/lib/platform/env";

afterEach(() => {
  vi.unstubAllEnvs();
  forgetEnv();
});

const example = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
const secret = "s".repeat(32);
const key = Buffer.alloc(32, 7).toString("base64");
const shared = { MONGODB_URI: "mongodb://db.example/millrace", AUTH_SECRET: secret, ENCRYPTION_KEYS: `k1:${key}` };

function problemsOf(source: Record<string, string>): readonly string[] {
  try {
    parseEnv(source);
  } catch (error) {
    if (error instanceof EnvError) return error.problems;
    throw error;
  }
  return [];
}

describe(".env.example", () => {
  const values = parseDotenv(example);

  test("names every setting and no other", () => {
    expect(Object.keys(values).sort()).toEqual([...SETTING_NAMES].sort());
  });

  test("shows the defaults", () => {
    const { AUTH_SECRET, ...rest } = values;
    expect(AUTH_SECRET).toBe(EXAMPLE_AUTH_SECRET);
    expect(parseEnv(rest as Record<string, string>)).toEqual(parseEnv({}));
  });

  test("is refused when copied unchanged, naming the secret (T23)", () => {
    expect(problemsOf(values as Record<string, string>)).toEqual([
      expect.stringMatching(/^AUTH_SECRET is still the example/),
    ]);
  });
});

describe("defaults", () => {
  test("treats an empty string as absent", () => {
    expect(parseEnv({ PORT: "", MONGODB_URI: "", ALLOW_PRIVATE_NETWORK: "" })).toEqual(parseEnv({}));
  });

  test("uses the embedded store and allows databases on private addresses without settings", () => {
    expect(parseEnv({})).toMatchObject({
      PORT: 3000,
      DATA_DIR: ".data",
      isVercel: false,
      isEmbeddedStore: true,
      publicUrl: "http://localhost:3000",
      privateNetwork: "databases",
      TRUST_PROXY: 0,
    });
  });

  test("derives links from the port unless PUBLIC_URL is set", () => {
    expect(parseEnv({ PORT: "8080" }).publicUrl).toBe("http://localhost:8080");
    expect(parseEnv({ PORT: "8080", PUBLIC_URL: "https://data.example.com/" }).publicUrl).toBe(
      "https://data.example.com",
    );
  });

  test("forbids private addresses and embedded parts on Vercel", () => {
    const vercel = { ...shared, VERCEL: "1", INNGEST_EVENT_KEY: "e", INNGEST_SIGNING_KEY: "s" };
    expect(parseEnv(vercel)).toMatchObject({
      isVercel: true,
      isEmbeddedStore: false,
      privateNetwork: "none",
    });
    expect(parseEnv({ ...vercel, ALLOW_PRIVATE_NETWORK: "all" }).privateNetwork).toBe("all");
  });

  test("trusts the proxy on Vercel, so that clients have separate addresses (T109)", () => {
    const vercel = { ...shared, VERCEL: "1", INNGEST_EVENT_KEY: "e", INNGEST_SIGNING_KEY: "s" };
    expect(parseEnv(vercel).TRUST_PROXY).toBe(1);
    expect(parseEnv({ ...vercel, TRUST_PROXY: "2" }).TRUST_PROXY).toBe(2);
  });
});

describe("invalid settings", () => {
  test.each([
    ["PORT", "70000"],
    ["PORT", "80a"],
    ["PUBLIC_URL", "data.example.com"],
    ["PUBLIC_URL", "https://example.com/data"],
    ["MONGODB_URI", "postgres://x"],
    ["STORE_DURABILITY", "none"],
    ["AUTH_SECRET", "short"],
    ["ENCRYPTION_KEYS", "k1:abcd"],
    ["ALLOW_PRIVATE_NETWORK", "yes"],
    ["RATE_LIMIT_SCALE", "0"],
    ["RATE_LIMIT_SCALE", "fast"],
    ["JOB_RETRY_FAST", "maybe"],
    ["TRUST_PROXY", "-1"],
    ["SAMPLE_DATA", "no"],
    ["BLOB_STORE_URL", "/srv/files"],
  ])("%s=%s is refused by name and without its value", (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
    if (name === "AUTH_SECRET" || name === "ENCRYPTION_KEYS") expect(problems[0]).not.toContain(value);
  });

  test.each([...SETTING_NAMES, ...PLATFORM_NAMES])("the problems of %s are sentences after its name", (name) => {
    for (const value of ["?", "-1", "9".repeat(400)]) {
      for (const problem of problemsOf({ [name]: value })) {
        expect(problem).toMatch(/^[A-Z_]+ [a-z]/);
      }
    }
  });

  test("names the environments that NODE_ENV takes", () => {
    expect(problemsOf({ NODE_ENV: "staging" })).toEqual(["NODE_ENV must be development, production or test"]);
  });

  test("reports every problem at once", () => {
    expect(problemsOf({ PORT: "0", SAMPLE_DATA: "no" })).toHaveLength(2);
  });

  test("requires both secrets with an external store, for every NODE_ENV", () => {
    for (const NODE_ENV of ["production", "development", "test"]) {
      const problems = problemsOf({ NODE_ENV, MONGODB_URI: shared.MONGODB_URI });
      expect(problems.map((problem) => problem.split(" ")[0])).toEqual(["AUTH_SECRET", "ENCRYPTION_KEYS"]);
    }
    expect(parseEnv(shared).isEmbeddedStore).toBe(false);
  });

  test("requires the store, both secrets and the job runner's keys on Vercel", () => {
    expect(problemsOf({ VERCEL: "1" }).map((problem) => problem.split(" ")[0])).toEqual([
      "MONGODB_URI",
      "AUTH_SECRET",
      "ENCRYPTION_KEYS",
      "INNGEST_EVENT_KEY",
      "INNGEST_SIGNING_KEY",
    ]);
  });

  test("requires the signing key of a job runner", () => {
    expect(
      problemsOf({ INNGEST_BASE_URL: "http://jobs.example:8288" }).map((problem) => problem.split(" ")[0]),
    ).toEqual(["INNGEST_EVENT_KEY", "INNGEST_SIGNING_KEY"]);
  });

  test("refuses the job runner's dev mode in production only (T102)", () => {
    expect(problemsOf({ NODE_ENV: "production", INNGEST_DEV: "1" })[0]).toMatch(/^INNGEST_DEV /);
    expect(problemsOf({ NODE_ENV: "production", INNGEST_DEV: "0" })).toEqual([]);
    expect(problemsOf({ NODE_ENV: "development", INNGEST_DEV: "1" })).toEqual([]);
  });
});

describe("the key ring", () => {
  test("keeps the order, newest first", () => {
    const other = Buffer.alloc(32, 9).toString("base64");
    expect(parseKeyRing(`k2:${other}, k1:${key}`).map((entry) => entry.id)).toEqual(["k2", "k1"]);
    expect(parseKeyRing(`k1:${key}`)[0]?.key).toEqual(Buffer.alloc(32, 7));
  });

  test.each([
    ["no id", key],
    ["an id with other characters", `k 1:${key}`],
    ["a key of 31 bytes", `k1:${Buffer.alloc(31).toString("base64")}`],
    ["a key that is not base64", `k1:${"!".repeat(44)}`],
    ["one id twice", `k1:${key},k1:${key}`],
    ["a blank entry", `k1:${key},`],
  ])("refuses %s", (_, text) => {
    expect(() => parseKeyRing(text)).toThrow();
  });
});

test("a build ignores the settings and the platform of its machine", () => {
  vi.stubEnv("VERCEL", "1");
  vi.stubEnv("SIGN_UP", "closed");
  vi.stubEnv("NEXT_PHASE", "phase-production-build");
  forgetEnv();
  expect(env()).toEqual(parseEnv({}));
});
