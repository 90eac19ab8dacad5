import { spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes, verify } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { git } from "@/lib/features/repository/testing/git-command";
import { type LocalServer, readText, startLocalServer } from "@/test/security/local-server";

const APP_ID = "4711";

export type HostPerson = { login: string; installations: number[] };
type Repository = {
  number: number;
  owner: string;
  name: string;
  installationId: number;
  /** What people may do there. */
  permissions: Record<string, "admin" | "write" | "read" | "none">;
  /** Its bare folder. */
  dir: string;
};

export type HostStandIn = {
  settings: Record<string, string>;
  /** A new empty repository. @returns its bare folder */
  create: (
    owner: string,
    name: string,
    installationId: number,
    permissions: Repository["permissions"],
  ) => Promise<Repository>;
  /** What a person does at the host: reads where they were led to, and agrees. @returns the way back */
  agree: (authorizeUrl: string, person: HostPerson) => string;
  /** Requests that did not follow the rules, in words. */
  complaints: string[];
  /** Answers of git that break off, as of a host that fails in the middle. */
  failing: { receivePack: boolean };
  close: () => Promise<void>;
};

/** A repository host: the part of its API that links need, and git's own server behind its addresses. */
export async function startHostStandIn(dir: string): Promise<HostStandIn> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const clientSecret = randomBytes(20).toString("hex");
  const repositories: Repository[] = [];
  const codes = new Map<string, HostPerson>();
  const people = new Map<string, HostPerson>();
  const tokens = new Map<string, number>();
  const complaints: string[] = [];
  const failing = { receivePack: false };

  const isApp = (authorization = "") => {
    const [head = "", body = "", signature = ""] = authorization.replace(/^Bearer /, "").split(".");
    const isSigned = verify("sha256", Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, "base64url"));
    if (!isSigned) return false;
    const { iss, iat, exp } = JSON.parse(Buffer.from(body, "base64url").toString());
    const now = Date.now() / 1000;
    const isRight = iss === APP_ID && iat <= now && exp > now && exp - iat <= 600;
    if (!isRight) complaints.push("a signed claim is not as the host takes it");
    return isRight;
  };
  const named = (owner: string, name: string) =>
    repositories.find((each) => each.owner === owner && each.name === name);
  const told = ({ number, owner, name }: Repository) => ({ id: number, name, owner: { login: owner } });

  type Answer = [status: number, body: unknown];
  async function api(request: IncomingMessage, url: URL): Promise<Answer> {
    const path = url.pathname.replace(/^\/api\/v3/, "");
    const authorization = request.headers.authorization ?? "";
    const missing: Answer = [404, { message: "Not Found" }];
    const parts = path.split("/").slice(1).map(decodeURIComponent);
    if (path === "/login/oauth/access_token") {
      const form = JSON.parse(await readText(request));
      const person = codes.get(form.code);
      codes.delete(form.code);
      if (!person || form.client_secret !== clientSecret) return [200, { error: "bad_verification_code" }];
      const token = `ghu_${randomBytes(12).toString("hex")}`;
      people.set(token, person);
      return [200, { access_token: token, token_type: "bearer" }];
    }
    const token = authorization.replace(/^Bearer /, "");
    const person = people.get(token);
    if (path === "/user") return person ? [200, { login: person.login }] : [401, {}];
    if (path === "/user/installations") {
      if (!person) return [401, {}];
      const installations = person.installations.map((id) => ({ id, account: { login: `account-${id}` } }));
      return [200, { total_count: installations.length, installations }];
    }
    if (parts[0] === "app" && parts[1] === "installations" && parts[3] === "access_tokens") {
      if (!isApp(authorization)) return [401, {}];
      const id = Number(parts[2]);
      if (!repositories.some(({ installationId }) => installationId === id)) return missing;
      const made = `ghs_${randomBytes(12).toString("hex")}`;
      tokens.set(made, id);
      return [201, { token: made }];
    }
    if (parts[0] === "repos" && parts[3] === "installation") {
      if (!isApp(authorization)) return [401, {}];
      const found = named(parts[1] ?? "", parts[2] ?? "");
      return found ? [200, { id: found.installationId }] : missing;
    }
    const reached = (found: Repository | undefined) =>
      found && tokens.get(token) === found.installationId ? found : undefined;
    if (parts[0] === "repositories") {
      const found = reached(repositories.find(({ number }) => number === Number(parts[1])));
      return found ? [200, told(found)] : missing;
    }
    const found = reached(named(parts[1] ?? "", parts[2] ?? ""));
    if (parts[0] !== "repos" || !found) return missing;
    if (parts[3] === "collaborators") return [200, { permission: found.permissions[parts[4] ?? ""] ?? "none" }];
    return [200, told(found)];
  }

  async function serveGit(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const [, owner = "", file = "", ...rest] = url.pathname.split("/");
    const found = named(owner, file.replace(/\.git$/, ""));
    const [, password = ""] = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /, ""), "base64")
      .toString()
      .split(":");
    if (!found || tokens.get(password) !== found.installationId) {
      response.writeHead(404).end();
      return;
    }
    const child = spawn("git", ["http-backend"], {
      env: {
        NODE_ENV: "test",
        PATH: process.env.PATH ?? "",
        GIT_PROJECT_ROOT: dir,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: `/${found.number}.git/${rest.join("/")}`,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? "GET",
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        CONTENT_LENGTH: request.headers["content-length"] ?? "",
        REMOTE_USER: "x-access-token",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    request.pipe(child.stdin);
    const parts: Buffer[] = [];
    for await (const part of child.stdout) parts.push(part as Buffer);
    const all = Buffer.concat(parts);
    const end = all.indexOf("\r\n\r\n");
    const headers = Object.fromEntries(
      all
        .toString("latin1", 0, end)
        .split("\r\n")
        .map((line) => line.split(": ", 2) as [string, string]),
    );
    if (failing.receivePack && rest.join("/") === "git-receive-pack") {
      // Taken, and nobody hears of it.
      request.socket.destroy();
      return;
    }
    const { Status = "200", ...others } = headers;
    response.writeHead(Number.parseInt(Status, 10), others).end(all.subarray(end + 4));
  }

  const server: LocalServer = await startLocalServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (!/^\/(?:api\/v3|login)\//.test(url.pathname)) {
      void serveGit(request, response, url);
      return;
    }
    void api(request, url).then(([status, body]) => {
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
  });

  return {
    settings: {
      GITHUB_APP_ID: APP_ID,
      GITHUB_APP_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      GITHUB_CLIENT_ID: "Iv1.0123456789abcdef",
      GITHUB_CLIENT_SECRET: clientSecret,
      GITHUB_WEBHOOK_SECRET: "a secret of messages",
      GITHUB_API_URL: `${server.url}/api/v3`,
    },
    create: async (owner, name, installationId, permissions) => {
      const number = 1000 + repositories.length;
      const bare = join(dir, `${number}.git`);
      await git(dir, "init", "--quiet", "--bare", "--initial-branch=main", bare);
      // As the host has it.
      await git(bare, "config", "uploadpack.allowFilter", "true");
      await git(bare, "config", "receive.fsckObjects", "true");
      const made = { number, owner, name, installationId, permissions, dir: bare };
      repositories.push(made);
      return made;
    },
    agree: (authorizeUrl, person) => {
      const url = new URL(authorizeUrl);
      if (url.origin + url.pathname !== `${server.url}/login/oauth/authorize`)
        throw new Error(`Not ours: ${authorizeUrl}`);
      const code = randomBytes(10).toString("hex");
      codes.set(code, person);
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      return back.href;
    },
    complaints,
    failing,
    close: server.close,
  };
}
