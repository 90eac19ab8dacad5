import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./support/free-port.mjs";
import { networkEnvironment } from "./support/network.mjs";
import { inRoot, ROOT } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
const RELEASE = "bookworm";
/** Files that a container gets from its host. */
const HOST_FILES = ["/etc/resolv.conf", "/etc/hosts"];

/**
 * Tests deploy/Dockerfile without Docker: its steps run in bare Debian roots, then its command as its user, until its
 * health check passes. Requires root, debootstrap and bubblewrap; takes some minutes: npm run check:image
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url), { forTests: true });
  for (const name of ["debootstrap", "bwrap"]) {
    if (spawnSync(name, ["--version"]).error) throw new ScriptError(`${name} is required. Install it with apt-get.`);
  }
  if (process.getuid() !== 0) throw new ScriptError("Only root can create a Debian root.");
  const place = mkdtempSync(join(tmpdir(), "millrace-image-"));
  try {
    makeBase(join(place, "base"));
    const image = buildImage(place, readInstructions(readFileSync(inRoot("deploy", "Dockerfile"), "utf8")));
    await tryOut(image);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

/** Creates a bare Debian, as in the image of that name. */
function makeBase(folder) {
  console.log(`Creating a bare Debian ${RELEASE} ...`);
  const args = ["--variant=minbase", RELEASE, folder, findMirror()];
  const { status, stdout } = spawnSync("debootstrap", args, { encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0) throw new ScriptError(`debootstrap failed:\n${stdout.split("\n").slice(-20).join("\n")}`);
}

/** Returns the mirror that this machine uses for Debian's packages. */
function findMirror() {
  const folder = "/etc/apt/sources.list.d";
  const files = ["/etc/apt/sources.list", ...readdirSync(folder).map((name) => join(folder, name))].filter(existsSync);
  const text = files.map((file) => readFileSync(file, "utf8")).join("\n\n");
  const stanza = text.split(/\n\n+/).find((part) => new RegExp(`^Suites:.*\\b${RELEASE}\\b`, "m").test(part));
  const found =
    /^URIs:\s*(\S+)/m.exec(stanza ?? "") ?? new RegExp(`^deb (?:\\[.*?\\] )?(\\S+) ${RELEASE} main`, "m").exec(text);
  return found?.[1] ?? "http://deb.debian.org/debian";
}

/** Returns one entry per instruction: its name and its arguments. A trailing backslash continues a line. */
function readInstructions(text) {
  return text
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, rest };
    });
}

/** Executes the instructions. @returns the last stage, which is the image */
function buildImage(place, instructions) {
  const stages = [];
  for (const { name, rest } of instructions) {
    const stage = stages.at(-1);
    switch (name) {
      case "FROM": {
        const [, alias = "final"] = /^debian:bookworm-slim(?: AS (\w+))?$/.exec(rest) ?? [];
        const root = join(place, alias);
        execFileSync("cp", ["-a", "--reflink=auto", join(place, "base"), root]);
        stages.push({ alias, root, workdir: "/", env: {}, user: "root", settings: {} });
        break;
      }
      case "RUN": {
        console.log(`RUN ${rest}`);
        const [program, ...args] = inside(stage, ["sh", "-c", rest]);
        const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1e8 });
        if (status !== 0) throw new ScriptError(`${stdout}${stderr}\nFailed: RUN ${rest}`);
        break;
      }
      case "COPY":
        copy(stage, stages, rest.split(" "));
        break;
      case "ENV":
        stage.env[rest.split("=", 1)[0]] = rest.slice(rest.indexOf("=") + 1);
        break;
      case "WORKDIR":
        stage.workdir = rest;
        mkdirSync(join(stage.root, rest), { recursive: true });
        break;
      case "USER":
        stage.user = rest;
        break;
      case "CMD":
      case "HEALTHCHECK":
        stage.settings[name] = rest;
        break;
      case "VOLUME":
      case "EXPOSE":
      case "STOPSIGNAL":
        break;
      default:
        throw new ScriptError(`deploy/Dockerfile has an unsupported instruction: ${name} ${rest}`);
    }
  }
  return stages.at(-1);
}

/**
 * Runs COPY. `COPY . .` copies the files that git tracks, which matches the ignore list; `COPY --from=x a b` a whole
 * folder.
 */
function copy(stage, stages, words) {
  const [, from] = /^--from=(\w+)$/.exec(words[0]) ?? [];
  if (from) {
    const source = stages.find(({ alias }) => alias === from);
    execFileSync("cp", ["-a", "--reflink=auto", join(source.root, words[1]), join(stage.root, words[2])]);
    return;
  }
  if (words.join(" ") !== ". .") throw new ScriptError(`Unsupported COPY: ${words.join(" ")}`);
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  for (const file of files.toString().split("\0").filter(Boolean)) {
    const source = inRoot(file);
    if (existsSync(source)) cpSync(source, join(stage.root, stage.workdir, file));
  }
}

/**
 * Returns the command that runs another one inside of a stage: its root, its user, its environment, the network of this
 * machine.
 */
function inside({ root, workdir, env, user }, command) {
  const network = networkEnvironment();
  const certificates = network.NODE_EXTRA_CA_CERTS;
  if (certificates) {
    // Certificates of an intercepting network belong to this machine, not to the image.
    mkdirSync(join(root, "run", "network"), { recursive: true });
    writeFileSync(join(root, "run", "network", "certificates.pem"), readFileSync(resolve(certificates)));
    network.NODE_EXTRA_CA_CERTS = "/run/network/certificates.pem";
  }
  const environment = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/root",
    ...network,
    ...env,
  };
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const asUser =
    user === "root" ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--no-new-privs"];
  return [
    ...["bwrap", "--die-with-parent", "--unshare-pid", "--cap-add", "ALL", "--bind", root, "/"],
    ...["--proc", "/proc", "--dev", "/dev", "--chdir", workdir],
    ...HOST_FILES.flatMap((file) => ["--ro-bind", file, file]),
    ...["env", "-i", ...settings, ...asUser, ...command],
  ];
}

async function tryOut(image) {
  const port = await freePort();
  const stage = { ...image, env: { ...image.env, PORT: String(port), HOST: "127.0.0.1" } };
  const size = execFileSync("du", ["-sm", image.root], { encoding: "utf8" }).split("\t")[0];
  console.log(`The image has ${size} MB. Starting it ...`);
  const [program, ...args] = inside(stage, JSON.parse(image.settings.CMD));
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (part) => {
      output += part;
    });
  }
  const ended = once(server, "close");
  const fail = (what) => {
    throw new ScriptError(`${what} Output:\n${output}`);
  };
  try {
    const until = performance.now() + READY_TIMEOUT_MS;
    while (!isHealthy(stage)) {
      if (server.exitCode !== null || performance.now() > until) fail("The server did not become healthy.");
      await sleep(POLL_MS);
    }
    const answer = await fetch(`http://127.0.0.1:${port}/api/auth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "ana@example.com", password: "a short sentence works" }),
    });
    if (answer.status !== 201) fail(`Registration returned ${answer.status}.`);
    const owner = execFileSync("stat", ["-c", "%u", join(image.root, "data", "secrets.json")], { encoding: "utf8" });
    console.log(`The image is healthy and accepts a registration. Its data belong to user ${owner.trim()}.`);
  } finally {
    await stop(server, ended);
  }
}

/** Runs the image's health check. */
function isHealthy(stage) {
  const command = stage.settings.HEALTHCHECK.replace(/^.*?CMD /, "");
  const [program, ...args] = inside(stage, ["sh", "-c", command]);
  return spawnSync(program, args).status === 0;
}

/** Stops as Docker does: signals the command, which is the only child of the sandbox's first process. */
async function stop(server, ended) {
  if (server.exitCode !== null) return;
  const timer = setTimeout(() => server.kill("SIGKILL"), STOP_TIMEOUT_MS);
  const { childrenOf } = await import("../test/servers/millrace.ts");
  const [first] = childrenOf(server.pid);
  const [command] = childrenOf(first);
  if (command) process.kill(command, "SIGTERM");
  else server.kill("SIGTERM");
  const [code] = await ended;
  clearTimeout(timer);
  console.log(`On SIGTERM it exited with ${code}.`);
}
