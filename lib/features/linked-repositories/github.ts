import "server-only";
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { safeFetch } from "@/lib/platform/net/safe-fetch";

const PUBLIC_API = "https://api.github.com";
const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
/** The host accepts at most ten minutes, and clocks differ. */
const JWT_SECONDS = 9 * 60;
const CLOCK_SKEW_SECONDS = 60;
const PAGE_ITEMS = 100;
/** Pause after a response of the rate limit that names none, as the host's documentation asks for; and the longest. */
const LIMITED_SECONDS = 60;
const LIMITED_SECONDS_MAX = 60 * 60;
/** Enough for a thousand installations of one user. */
const PAGES_MAX = 10;

export type HostRepository = { number: number; owner: string; repo: string };

/** An open pull request. */
export type HostedPull = {
  number: number;
  url: string;
  title: string;
  headSha: string;
  /** Its branch is in another repository, whose owner may have no access to this one. */
  isFork: boolean;
  /** Name of its author; empty if the account was deleted. */
  login: string;
};
/** The status of a commit, as the host names its fields. */
export type CommitStatus = {
  state: "success" | "failure" | "pending";
  context: string;
  description: string;
  target_url: string;
};
type RepositoryName = Omit<HostRepository, "number">;

const CONTENT_PERMISSIONS = { contents: "write", metadata: "read" };
/** Permissions for checks and comments, which an installation of an older app may lack. */
export const PULL_PERMISSIONS = { metadata: "read", pull_requests: "write", statuses: "write" };
const SHA = /^[0-9a-f]{40}$/;
/** Enough for the comments of the longest discussions. */
const COMMENT_PAGES_MAX = 10;

export type HostSettings = {
  apiUrl: string;
  webUrl: string;
  appId: string;
  privateKey: KeyObject;
  clientId: string;
  clientSecret: string;
};

export function isHostConfigured(): boolean {
  const { GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY, GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET } = env();
  return Boolean(GITHUB_APP_ID && GITHUB_APP_PRIVATE_KEY && GITHUB_CLIENT_ID && GITHUB_CLIENT_SECRET);
}

/** @throws AppError repo_host_not_configured */
export function requireHost(): HostSettings {
  const { GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY, GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, GITHUB_API_URL } = env();
  if (!GITHUB_APP_ID || !GITHUB_APP_PRIVATE_KEY || !GITHUB_CLIENT_ID || !GITHUB_CLIENT_SECRET) {
    throw notConfigured(
      "No repository host is configured. Set GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY, GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET.",
    );
  }
  const apiUrl = GITHUB_API_URL.replace(/\/+$/, "");
  return {
    apiUrl,
    // GitHub Enterprise has its API below its web URL.
    webUrl: apiUrl === PUBLIC_API ? "https://github.com" : apiUrl.replace(/\/api\/v3$/, ""),
    appId: GITHUB_APP_ID,
    privateKey: readKey(GITHUB_APP_PRIVATE_KEY),
    clientId: GITHUB_CLIENT_ID,
    clientSecret: GITHUB_CLIENT_SECRET,
  };
}

/** Returns the URL at which a user allows us to list their installations. */
export function authorizeUrl({ webUrl, clientId }: HostSettings, state: string, redirectUri: string): string {
  const url = new URL(`${webUrl}/login/oauth/authorize`);
  url.searchParams.set("client_id", clientId);
  url.searchParams.set("redirect_uri", redirectUri);
  url.searchParams.set("state", state);
  return url.href;
}

/** Exchanges the code from the host for the user's login and installations. */
export async function readPerson(
  host: HostSettings,
  code: string,
  redirectUri: string,
): Promise<{ login: string; installations: { id: number; account: string }[] }> {
  const { status, json } = await call(`${host.webUrl}/login/oauth/access_token`, {
    method: "POST",
    body: { client_id: host.clientId, client_secret: host.clientSecret, code, redirect_uri: redirectUri },
  });
  const token = textIn(json, "access_token");
  if (status !== 200 || token === null) {
    throw new AppError("invalid_request", "The authorization is invalid. Start again.");
  }
  const authorization = `Bearer ${token}`;
  const user = await expect200(`${host.apiUrl}/user`, authorization);
  const installations: { id: number; account: string }[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const answer = await expect200(
      `${host.apiUrl}/user/installations?per_page=${PAGE_ITEMS}&page=${page}`,
      authorization,
    );
    const items = listIn(answer, "installations");
    for (const item of items) {
      const id = numberIn(item, "id");
      if (id !== null) installations.push({ id, account: textIn(field(item, "account"), "login") ?? "" });
    }
    if (items.length < PAGE_ITEMS) break;
  }
  return { login: textIn(user, "login") ?? "", installations };
}

/** Returns the installation of a repository; null if the app is not installed on it. */
export async function findInstallation(host: HostSettings, owner: string, repo: string): Promise<number | null> {
  const { status, json } = await call(`${host.apiUrl}/repos/${segment(owner)}/${segment(repo)}/installation`, {
    authorization: asApp(host),
  });
  return status === 200 ? numberIn(json, "id") : none(status);
}

/**
 * Returns a token for the repositories of an installation, valid for an hour; null if the installation no longer
 * exists, or lacks one of the permissions.
 */
export async function installationToken(
  host: HostSettings,
  installationId: number,
  permissions: Record<string, string> = CONTENT_PERMISSIONS,
): Promise<string | null> {
  const { status, json } = await call(`${host.apiUrl}/app/installations/${installationId}/access_tokens`, {
    method: "POST",
    authorization: asApp(host),
    body: { permissions },
  });
  return status === 201 ? textIn(json, "token") : none(status);
}

/** Returns a repository; null if the installation cannot reach it. */
export async function findRepository(
  host: HostSettings,
  token: string,
  name: { owner: string; repo: string } | { number: number },
): Promise<HostRepository | null> {
  const path = "number" in name ? `repositories/${name.number}` : `repos/${segment(name.owner)}/${segment(name.repo)}`;
  const { status, json } = await call(`${host.apiUrl}/${path}`, { authorization: `Bearer ${token}` });
  // A renamed repository answers with its new name. The caller that links it reports that.
  if (status !== 200) return none(status === 301 ? 404 : status);
  const number = numberIn(json, "id");
  const owner = textIn(field(json, "owner"), "login");
  const repo = textIn(json, "name");
  if (number === null || owner === null || repo === null) throw unreadable();
  return { number, owner, repo };
}

/** Whether a user may write to a repository, according to the host. */
export async function mayWrite(
  host: HostSettings,
  token: string,
  { owner, repo }: HostRepository,
  login: string,
): Promise<boolean> {
  const path = `repos/${segment(owner)}/${segment(repo)}/collaborators/${segment(login)}/permission`;
  const { status, json } = await call(`${host.apiUrl}/${path}`, { authorization: `Bearer ${token}` });
  if (status !== 200) return none(status) !== null;
  return ["admin", "write", "maintain"].includes(textIn(json, "permission") ?? "");
}

/**
 * Returns how two commits of a repository relate: their merge base, and whether `head` only adds commits to `base`.
 * Null if one is missing, or they have nothing in common.
 */
export async function compareCommits(
  host: HostSettings,
  token: string,
  { owner, repo }: Omit<HostRepository, "number">,
  { base, head }: { base: string; head: string },
): Promise<{ mergeBase: string; isAhead: boolean } | null> {
  // The first page would list all changed files.
  const path = `repos/${segment(owner)}/${segment(repo)}/compare/${base}...${head}?per_page=1&page=2`;
  const { status, json } = await call(`${host.apiUrl}/${path}`, { authorization: `Bearer ${token}` });
  if (status !== 200) return none(status);
  const mergeBase = textIn(field(json, "merge_base_commit"), "sha");
  if (mergeBase === null) throw unreadable();
  return { mergeBase, isAhead: ["ahead", "identical"].includes(textIn(json, "status") ?? "") };
}

/** Returns the newest open pull requests to a branch. */
export async function listPulls(
  host: HostSettings,
  token: string,
  name: RepositoryName,
  branch: string,
  limit: number,
): Promise<HostedPull[]> {
  const query = new URLSearchParams({
    ...{ state: "open", base: branch, sort: "created", direction: "desc", per_page: String(limit) },
  });
  const found = await expect200(`${repositoryUrl(host, name)}/pulls?${query}`, `Bearer ${token}`);
  if (!Array.isArray(found)) throw unreadable();
  return found.map((item: unknown) => {
    const number = numberIn(item, "number");
    const headSha = textIn(field(item, "head"), "sha");
    if (number === null || headSha === null || !SHA.test(headSha)) throw unreadable();
    const repositoryIn = (side: string) => numberIn(field(field(item, side), "repo"), "id");
    return {
      ...{ number, headSha, title: textIn(item, "title") ?? "" },
      url: `${host.webUrl}/${segment(name.owner)}/${segment(name.repo)}/pull/${number}`,
      isFork: repositoryIn("head") === null || repositoryIn("head") !== repositoryIn("base"),
      login: textIn(field(item, "user"), "login") ?? "",
    };
  });
}

/** Sets the status of a commit, unless the host refuses that. */
export async function createStatus(
  host: HostSettings,
  token: string,
  name: RepositoryName,
  sha: string,
  body: CommitStatus,
): Promise<void> {
  const url = `${repositoryUrl(host, name)}/statuses/${sha}`;
  const { status } = await call(url, { method: "POST", authorization: `Bearer ${token}`, body });
  if (status !== 201) none(status);
}

/** Returns the id of the app's own comment on a pull request that starts with a mark; null if there is none. */
export async function findOwnComment(
  host: HostSettings,
  token: string,
  name: RepositoryName,
  number: number,
  mark: string,
): Promise<number | null> {
  for (let page = 1; page <= COMMENT_PAGES_MAX; page++) {
    const url = `${repositoryUrl(host, name)}/issues/${number}/comments?per_page=${PAGE_ITEMS}&page=${page}`;
    const found = await expect200(url, `Bearer ${token}`);
    if (!Array.isArray(found)) throw unreadable();
    const own = found.find((item: unknown) => {
      const appId = numberIn(field(item, "performed_via_github_app"), "id");
      return String(appId) === host.appId && (textIn(item, "body") ?? "").startsWith(mark);
    });
    if (own !== undefined) return numberIn(own, "id");
    if (found.length < PAGE_ITEMS) break;
  }
  return null;
}

/** Adds a comment to a pull request. @returns its id; null if the host refuses comments there */
export async function createComment(
  host: HostSettings,
  token: string,
  name: RepositoryName,
  number: number,
  body: string,
): Promise<number | null> {
  const url = `${repositoryUrl(host, name)}/issues/${number}/comments`;
  const { status, json } = await call(url, { method: "POST", authorization: `Bearer ${token}`, body: { body } });
  return status === 201 ? numberIn(json, "id") : none(status);
}

/** Replaces the text of a comment. @returns false if it was deleted, or the host refuses the change */
export async function updateComment(
  host: HostSettings,
  token: string,
  name: RepositoryName,
  id: number,
  body: string,
): Promise<boolean> {
  const url = `${repositoryUrl(host, name)}/issues/comments/${id}`;
  const { status } = await call(url, { method: "PATCH", authorization: `Bearer ${token}`, body: { body } });
  return status === 200 || none(status) !== null;
}

/**
 * Returns the clone URL of a repository. It is built from the setting, not from a response: the key goes nowhere else.
 */
export function gitAddress({ webUrl }: Pick<HostSettings, "webUrl">, { owner, repo }: Omit<HostRepository, "number">) {
  return `${webUrl}/${segment(owner)}/${segment(repo)}.git`;
}

export function gitAuthorization(token: string): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
}

function notConfigured(message: string): AppError {
  return new AppError("repo_host_not_configured", message);
}

function asApp({ appId, privateKey }: HostSettings, now = Date.now()): string {
  const seconds = Math.floor(now / 1000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iat: seconds - CLOCK_SKEW_SECONDS, exp: seconds + JWT_SECONDS, iss: appId };
  const text = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
  return `Bearer ${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

/** A setting is one line: its line breaks may be written as \n, or all of it as base64. */
function readKey(text: string): KeyObject {
  const pem = text.includes("-----BEGIN") ? text.replaceAll("\\n", "\n") : Buffer.from(text, "base64").toString("utf8");
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw Object.assign(notConfigured("GITHUB_APP_PRIVATE_KEY is not a private key."), { cause });
  }
}

function repositoryUrl({ apiUrl }: HostSettings, { owner, repo }: RepositoryName): string {
  return `${apiUrl}/repos/${segment(owner)}/${segment(repo)}`;
}

type Call = { method?: "GET" | "POST" | "PATCH"; authorization?: string; body?: unknown };

async function call(url: string, { method = "GET", authorization, body }: Call) {
  const answer = await safeFetch(url, {
    purpose: "platform",
    method,
    headers: {
      accept: url.includes("/login/") ? "application/json" : "application/vnd.github+json",
      "user-agent": "Millrace",
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: ANSWER_BYTES_MAX,
  });
  if (answer.isTruncated) throw unreadable();
  let json: unknown = null;
  try {
    json = JSON.parse(answer.body.toString("utf8"));
  } catch {
    // The status decides then.
  }
  refuseLimited(answer.status, answer.headers, json);
  return { status: answer.status, json };
}

/** @throws AppError rate_limited if the host asks for a pause, with its length */
function refuseLimited(status: number, headers: Headers, json: unknown): void {
  const after = headers.get("retry-after");
  const isUsedUp = headers.get("x-ratelimit-remaining") === "0";
  const isSecondary = /secondary rate limit/i.test(textIn(json, "message") ?? "");
  if (status !== 429 && !(status === 403 && (after !== null || isUsedUp || isSecondary))) return;
  const reset = isUsedUp ? Number(headers.get("x-ratelimit-reset")) - Date.now() / 1000 : Number.NaN;
  const seconds = [Number(after ?? Number.NaN), reset].find(Number.isFinite) ?? LIMITED_SECONDS;
  throw rateLimited(Math.min(seconds, LIMITED_SECONDS_MAX));
}

/** Returns the error of a host that asks for a pause. */
export function rateLimited(seconds: number): AppError {
  const retryAfterSeconds = Math.max(Math.ceil(seconds), 1);
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return new AppError("rate_limited", `The repository host limits requests. The sync resumes in ${minutes} min.`, {
    retryAfterSeconds,
  });
}

async function expect200(url: string, authorization: string): Promise<unknown> {
  const { status, json } = await call(url, { authorization });
  if (status !== 200) throw unreadable(status);
  return json;
}

/** Missing, or hidden from us; any other status is the host's failure. */
function none(status: number): null {
  if ([401, 403, 404, 410, 422].includes(status)) return null;
  throw unreadable(status);
}

function unreadable(status?: number): AppError {
  const words = status === undefined ? "with an unreadable response" : String(status);
  return new AppError("source_unreachable", `The repository host returned ${words}. Try again in a minute.`);
}

function segment(text: string): string {
  return encodeURIComponent(text);
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textIn(value: unknown, name: string): string | null {
  const found = field(value, name);
  return typeof found === "string" && found !== "" ? found : null;
}

function numberIn(value: unknown, name: string): number | null {
  const found = field(value, name);
  return Number.isSafeInteger(found) ? (found as number) : null;
}

function listIn(value: unknown, name: string): unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}
