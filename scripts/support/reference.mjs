import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { becomesHealthy, startServer } from "../../test/servers/millrace.ts";
import { holdClients } from "./clients.mjs";
import { inRoot } from "./paths.mjs";
import { addCounts, countJunit } from "./report.ts";

/** Pinned version: another one would change the meaning of the checks. */
const VERSION = "4.32.5";
/** Number of processes that share the reference, per kind of caller. */
const SHARDS = { session: 2, key: 2 };
/** Generated requests per operation and kind of caller: a key takes the same requests through another door. */
const EXAMPLES = { session: 10, key: 2 };
/** As above, for a run that sends every form, too. */
const EXAMPLES_WHOLE = 10;
/**
 * Time limit in ms, which ends a run that hangs. `npm test -- reference-long` sends every form that a request may not
 * have: minutes on an idle machine, more than twenty on a busy one.
 */
const RUN_TIMEOUT_MS = 90 * 60_000;
const HOOKS = inRoot("test", "reference");
const REPORTS = inRoot("test-results");

/**
 * Operations that cannot succeed here, with the reasons. All others must succeed at least once: else they were not
 * tested.
 */
const NEVER_SERVED = {
  "GET /api/auth/callback/{provider}": "no provider is set up",
  "GET /api/auth/csrf": "no provider is set up",
  "GET /api/instance": "only the first account can, and others register before",
  "POST /api/auth/signin/{provider}": "no provider is set up",
  "POST /api/auth/password/reset": "its token is in a mail",
  "GET /api/share/{token}/og-image": "a dashboard has no picture, nor has an app without a thumbnail",
  "GET /api/repohost/callback": "no repository host is set up",
  "GET /api/workspaces/{workspaceId}/apps-v2/repohost-sync-url": "no repository host is set up",
  "POST /api/workspaces/{workspaceId}/apps-v2/link": "no repository host is set up",
  "POST /api/workspaces/{workspaceId}/apps-v2/link/sync": "no repository host is set up",
  "DELETE /api/workspaces/{workspaceId}/apps-v2/link": "no repository host is set up",
  "GET /api/snapshots/{token}": "its token is only in a message",
  "GET /api/apps/dev/{capability}/{path}": "requires a running preview",
  "POST /api/apps/dev/{capability}/{path}": "requires a running preview",
  "GET /api/inngest": "only for the signed job runner",
  "POST /api/inngest": "only for the signed job runner",
  "PUT /api/inngest": "only for the signed job runner",
  "POST /api/agent/plan-decision": "requires a waiting plan",
  "GET /api/workspaces/{workspaceId}/chats/{chatId}/results/{resultId}": "requires a result with rows",
  "PUT /api/workspaces/{workspaceId}/chats/{chatId}/messages/{messageId}/feedback": "requires an answer",
  "POST /api/workspaces/{workspaceId}/executions/{executionId}/cancel": "requires a running query",
  "GET /api/workspaces/{workspaceId}/notification-rules/deliveries/{deliveryId}": "requires a finished run",
  "POST /api/workspaces/{workspaceId}/notification-rules/deliveries/{deliveryId}/resend": "requires a failed one",
};

/** Returns a reason to skip the suite, or null. */
export function lackOfSchemathesis() {
  const advice = `Install it with: pip install schemathesis==${VERSION}`;
  try {
    const found = execFileSync("schemathesis", ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (found.trim().endsWith(` ${VERSION}`)) return null;
    return `schemathesis ${VERSION} is required. ${advice}`;
  } catch {
    return `schemathesis is not installed. ${advice}`;
  }
}

/**
 * Tests the API reference against a new server: with a session, and with a key.
 * @param hasSchemathesis false leaves its requests out: linters and generated clients still run
 * @param isWhole whether each form that the reference rules out is sent too, beside a few generated requests per
 * operation
 * @returns the counts of operations, each of them a test for each of its callers
 */
export async function holdReference({ isWhole, hasSchemathesis }) {
  const folder = mkdtempSync(join(tmpdir(), "millrace-reference-"));
  const settings = {
    DATA_DIR: join(folder, "data"),
    SAMPLE_DATA: "on",
    RATE_LIMIT_SCALE: "1000000",
    JOB_RETRY_FAST: "1",
  };
  const server = await startServer(settings);
  try {
    await becomesHealthy(server);
    mkdirSync(REPORTS, { recursive: true });
    // The tools are downloaded first, which leaves the processors to the requests.
    const clients = holdClients(server.url, folder, { isWhole });
    if (!hasSchemathesis) return await clients;
    const parts = [
      ...Object.entries(SHARDS).flatMap(([credential, count]) =>
        Array.from({ length: count }, (_, index) => ({ credential, shard: `${index + 1}/${count}` })),
      ),
    ];
    const [counts, ...results] = await Promise.all([
      clients,
      ...parts.map((part) => runPart({ ...part, isWhole }, server.url, folder)),
    ]);
    const unserved = unservedOf(results.map(({ seen }) => seen));
    for (const label of unserved) console.error(`${label} never succeeded, so the harness tests nothing behind it.`);
    return addCounts([
      counts,
      ...results.map(({ counts }) => counts),
      { passed: 0, failed: unserved.length, skipped: 0 },
    ]);
  } finally {
    server.process.kill("SIGTERM");
    await server.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runPart({ credential, shard, isWhole }, url, folder) {
  const name = `reference-${credential}-${shard.replace("/", "-of-")}`;
  const report = join(REPORTS, `${name}.xml`);
  const seenFile = join(folder, `${name}.json`);
  rmSync(report, { force: true });
  const args = ["--config-file", join(HOOKS, "schemathesis.toml"), "run", `${url}/api/openapi.json`, "--url", url];
  args.push("--continue-on-failure", "--no-color", "--report", "junit", "--report-junit-path", report);
  args.push("--max-examples", String(isWhole ? EXAMPLES_WHOLE : EXAMPLES[credential]));
  // With a key some operations are left out, which Allow rightly names.
  if (credential === "key") args.push("--exclude-checks", "allow_header_conformance");
  // The required form of a request is the same for every caller: it is checked with a session.
  const hasForms = isWhole && credential === "session";
  args.push("--phases", hasForms ? "examples,coverage,fuzzing" : "examples,fuzzing");
  const env = {
    ...process.env,
    PYTHONPATH: HOOKS,
    PYTHONDONTWRITEBYTECODE: "1",
    REFERENCE_URL: url,
    REFERENCE_CREDENTIAL: credential,
    REFERENCE_SHARD: shard,
    REFERENCE_SEEN: seenFile,
  };
  const { code, output } = await finish(
    spawn("schemathesis", args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }),
  );
  const counts = countJunit(read(report), code);
  if (counts.failed > 0) console.error(`\n== ${name}\n${output}`);
  return { counts, seen: JSON.parse(read(seenFile) || "{}") };
}

function finish(child) {
  return new Promise((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    const timer = setTimeout(() => child.kill("SIGTERM"), RUN_TIMEOUT_MS);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

function unservedOf(seen) {
  const statuses = new Map();
  for (const [label, found] of seen.flatMap(Object.entries))
    statuses.set(label, [...(statuses.get(label) ?? []), ...found]);
  const isServed = (found) => found.some((status) => status < 400);
  return [...statuses].flatMap(([label, found]) => (label in NEVER_SERVED || isServed(found) ? [] : [label]));
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
