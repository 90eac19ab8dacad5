import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { adoptBuild } from "./build.mjs";
import { freePort } from "./support/free-port.mjs";
import { networkEnvironment } from "./support/network.mjs";
import { ROOT } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/** Documented maximum size of a checkout after a start with the sample. */
const CHECKOUT_BYTES_MAX = 1e9;
/** Time for a first start on a slow connection and a busy machine, in ms. */
const FIRST_START_TIMEOUT_MS = 600_000;
const SECOND_START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/** All available programs besides Node.js and npm. */
const PROGRAMS = ["sh", "env", "cat", "ls", "mkdir", "rm", "cp", "mv", "ln", "dirname", "basename", "uname", "sed"];
/** Programs that could build a package, and so hide a missing prebuilt one. */
const COMPILERS = ["cc", "gcc", "g++", "clang", "make", "python", "python3", "node-gyp"];
/** The rest of the C library, which belongs together; libraries that Node.js loads are found by inspection. */
const C_LIBRARY = ["libdl.so.2", "libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1", "libnss_dns.so.2"];
/** Files for names, certificates and users, as on any machine. */
const SYSTEM_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/passwd", "/etc/ssl"];

/**
 * Runs the README's two commands on a machine with nothing but Node.js and npm, with the last commit in an empty
 * folder: npm run check:bare. A folder with the same sources gets the build, and needs none for its other checks.
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url), { forTests: true });
  const place = mkdtempSync(join(tmpdir(), "millrace-bare-"));
  const started = [];
  try {
    const machine = prepare(place);
    refuse(
      COMPILERS.filter((name) => machine.call(["sh", "-c", `command -v ${name} || true`]).trim() !== ""),
      "is there",
    );

    const port = await freePort();
    const env = { PORT: String(port), HOST: "127.0.0.1" };
    const url = `http://127.0.0.1:${port}`;
    const first = machine.start(["npm", "start"], env);
    started.push(first);
    await isHealthy(first, url, FIRST_START_TIMEOUT_MS);
    report("npm start installed and built", first);
    await registerAndQuery(url, "ana@example.com");
    const bytes = sizeOf(join(place, "checkout"));
    console.log(`The checkout takes ${Math.round(bytes / 1e6)} MB.`);
    if (bytes > CHECKOUT_BYTES_MAX) throw new ScriptError(`Limit: ${CHECKOUT_BYTES_MAX / 1e6} MB.`);

    // While the first server runs, as a developer would. Stops before the suites, which need more than a bare machine.
    const test = machine.start(["npm", "test", "--", "none"], env);
    started.push(test);
    await test.ended;
    if (!test.output().includes('Unknown suite "none".')) throw new ScriptError(test.output());
    report("npm test added its packages", test);
    await registerAndQuery(url, "bo@example.com");
    await stop(first);

    const second = machine.start(["npm", "start"], env);
    started.push(second);
    await isHealthy(second, url, SECOND_START_TIMEOUT_MS);
    report("npm start on what was built", second);
    await stop(second);
    await adoptBuild(join(place, "checkout"));
  } finally {
    await Promise.all(started.map(stop));
    rmSync(place, { recursive: true, force: true });
  }
});

/** Clones the last commit and builds the machine around it. */
function prepare(place) {
  // By its URL, as over a network: a clone of a path would copy objects that no commit refers to, and count them.
  const source = pathToFileURL(ROOT).href;
  execFileSync("git", ["clone", "--quiet", source, join(place, "checkout")], { stdio: "inherit" });
  const checkout = join(place, "checkout");
  const home = join(place, "home");
  mkdirSync(home);
  const hasView = canNarrow();
  if (!hasView) console.log("bubblewrap is not available. Only the PATH is bare; other folders are visible.");
  const environment = {
    ...networkEnvironment(),
    PATH: hasView ? "/usr/local/bin:/bin" : toPathFolder(place),
    HOME: home,
    npm_config_cache: join(home, "npm-cache"),
    npm_config_update_notifier: "false",
  };
  const view = hasView ? toView(place, environment) : [];
  const settings = (env) => Object.entries({ ...environment, ...env }).map(([name, value]) => `${name}=${value}`);
  const toCommand = (command, env) => [...view, "env", "-i", ...settings(env), ...command];
  return {
    call: ([...command]) => {
      const [program, ...args] = toCommand(command, {});
      return execFileSync(program, args, { cwd: checkout, encoding: "utf8" });
    },
    start: (command, env) => start(toCommand(command, env), checkout),
  };
}

/** Returns whether this user may restrict its view of the file system, which some containers do not allow. */
function canNarrow() {
  return spawnSync("bwrap", ["--ro-bind", "/", "/", "true"], { stdio: "ignore" }).status === 0;
}

/** Creates a folder with only the programs. */
function toPathFolder(place) {
  const folder = join(place, "bin");
  mkdirSync(folder);
  for (const name of ["node", "npm", ...PROGRAMS]) symlinkSync(findOutside(name), join(folder, name));
  return folder;
}

/** Creates a root with the programs, their libraries, and the test's folder: no /usr, so no compiler. */
function toView(place, environment) {
  const bound = new Map(SYSTEM_FILES.filter(existsSync).map((file) => [file, file]));
  const node = findOutside("node");
  const npm = dirname(dirname(realpathSync(findOutside("npm"))));
  bound.set("/usr/local/bin/node", realpathSync(node));
  bound.set("/usr/local/lib/node_modules/npm", npm);
  for (const name of PROGRAMS) bound.set(`/bin/${name}`, realpathSync(findOutside(name)));
  for (const program of [...bound.values()].filter((file) => lstatSync(file).isFile())) {
    for (const library of librariesOf(program)) bound.set(library, library);
  }
  const libraries = dirname([...bound.keys()].find((file) => file.endsWith("/libc.so.6")) ?? "/lib/libc.so.6");
  for (const name of C_LIBRARY) {
    const file = join(libraries, name);
    if (existsSync(file)) bound.set(file, file);
  }
  const certificates = environment.NODE_EXTRA_CA_CERTS;
  if (certificates) bound.set(certificates, realpathSync(certificates));
  return [
    ...["bwrap", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...[...bound].flatMap(([path, file]) => ["--ro-bind", file, path]),
    ...["--symlink", "../lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm"],
    ...["--symlink", "/bin/env", "/usr/bin/env", "--bind", place, place],
    ...["--chdir", join(place, "checkout"), "--"],
  ];
}

/** Finds a program of the machine: this project's Node.js is on the PATH of its scripts, and is under test. */
function findOutside(name) {
  const folders = process.env.PATH.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const found = folders.map((folder) => join(folder, name)).find(existsSync);
  if (!found) throw new ScriptError(`${name} is required and not on the PATH.`);
  return found;
}

function librariesOf(program) {
  try {
    const lines = execFileSync("ldd", [program], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return [...lines.matchAll(/(?:=>\s*)?(\/\S+) \(0x/g)].map(([, file]) => file);
  } catch {
    // Not an executable file.
    return [];
  }
}

function start([program, ...args], cwd) {
  const startedAt = performance.now();
  // A separate process group, so that a stop reaches npm's children.
  const child = spawn(program, args, { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
  }
  const ended = once(child, "close");
  ended.catch(() => {});
  return { child, ended, output: () => text, seconds: () => (performance.now() - startedAt) / 1000 };
}

async function isHealthy(process, url, timeoutMs) {
  while (process.child.exitCode === null && process.seconds() * 1000 < timeoutMs) {
    const answer = await fetch(`${url}/api/health`).catch(() => null);
    if (answer?.ok) return;
    await sleep(POLL_MS);
  }
  throw new ScriptError(`The server did not become healthy. Output:\n${process.output()}`);
}

/** Uses the native parts: a password (argon2), the store (SQLite), the sample (DuckDB). */
async function registerAndQuery(url, email) {
  const post = async (path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new ScriptError(`${path} returned ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const registered = await post("/api/auth/register", { email, password: "a short sentence works" });
  const headers = { Cookie: (registered.headers.getSetCookie()[0] ?? "").split(";")[0] };
  const { workspace } = (await registered.json()).data;
  const base = `/api/workspaces/${workspace.id}`;
  const [sample] = (await (await fetch(`${url}${base}/connectors`, { headers })).json()).data;
  const query = "select count(*) as n from orders";
  const answer = await post(`${base}/databases/${sample.id}/execute`, { query }, headers);
  console.log(`Sample query result: ${JSON.stringify((await answer.json()).data.rows)}.`);
}

/** Returns a size as du does: allocated blocks, and a file with two names once. */
function sizeOf(folder, seen = new Set()) {
  const { ino, blocks } = lstatSync(folder);
  if (seen.has(ino)) return 0;
  seen.add(ino);
  const BLOCK_BYTES = 512;
  const inside = lstatSync(folder).isDirectory()
    ? readdirSync(folder).map((name) => sizeOf(join(folder, name), seen))
    : [];
  return inside.reduce((sum, size) => sum + size, blocks * BLOCK_BYTES);
}

async function stop({ child, ended }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const kill = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has just ended.
    }
  };
  kill("SIGTERM");
  const timer = setTimeout(() => kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

function report(what, process) {
  console.log(`${what}: ${process.seconds().toFixed(1)} s`);
}

function refuse(names, why) {
  if (names.length > 0) throw new ScriptError(`The machine is not bare: ${names.join(", ")} ${why}.`);
}
