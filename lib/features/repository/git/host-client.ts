import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { safeFetch } from "@/lib/platform/net/safe-fetch";
import { MAX_PACK_BYTES } from "./limits";
import { DELIMITER, FLUSH, PktReader, pktLine, textOf } from "./pkt-line";
import { AGENT } from "./upload-pack";

/** A repository on another host: its URL and its authorization. */
export type HostedRepository = { url: string; authorization: string };

const ADVERTISEMENT_BYTES_MAX = 4 * 1024 * 1024;
const ASK_TIMEOUT_MS = 30_000;
/** Enough for a pack of the largest size over a slow connection. */
const PACK_TIMEOUT_MS = 5 * 60_000;
/** Besides the pack: headers of its packets, and progress. */
const FRAMING_BYTES = 1024 * 1024;
const NOTHING = "0".repeat(40);
const OID = /^[0-9a-f]{40}$/;

/** The state of one branch in a repository. `head` is null if the branch does not exist. */
export type HostedBranch = { head: string | null; isEmpty: boolean; canFilter: boolean };

/** Looks up a branch. @throws AppError source_unreachable, timeout, not_found for a repository hidden from the key */
export async function findHostedBranch(
  repository: HostedRepository,
  branch: string,
  signal?: AbortSignal,
): Promise<HostedBranch> {
  const ref = `refs/heads/${branch}`;
  const found = await ask(repository, "GET", "info/refs?service=git-upload-pack", { signal });
  const abilities = linesOf(found);
  if (!abilities.includes("version 2")) throw new AppError("source_unreachable", "The host uses an old git protocol.");
  const canFilter = abilities.some((line) => /^fetch=(?:.* )?filter(?: |$)/.test(line));
  const question = Buffer.concat([
    pktLine("command=ls-refs\n"),
    pktLine(`agent=${AGENT}\n`),
    pktLine("object-format=sha1\n"),
    DELIMITER,
    pktLine("ref-prefix HEAD\n"),
    pktLine(`ref-prefix ${ref}\n`),
    FLUSH,
  ]);
  const refs = linesOf(await ask(repository, "POST", "git-upload-pack", { body: question, signal }));
  const pairs = refs.map((line) => line.split(" "));
  const head = pairs.find(([, name]) => name === ref)?.[0] ?? null;
  if (head !== null && !OID.test(head)) throw malformed();
  return { head, isEmpty: pairs.length === 0, canFilter };
}

/**
 * Fetches the pack with some objects of a repository: for commits, their folders without history, and without files if
 * the host supports that.
 * @throws AppError too_large for a pack over the limit
 */
export async function fetchHosted(
  repository: HostedRepository,
  wants: readonly string[],
  { withoutFiles, signal }: { withoutFiles: boolean; signal?: AbortSignal },
): Promise<Buffer> {
  const question = Buffer.concat([
    pktLine("command=fetch\n"),
    pktLine(`agent=${AGENT}\n`),
    pktLine("object-format=sha1\n"),
    DELIMITER,
    pktLine("no-progress\n"),
    pktLine("ofs-delta\n"),
    pktLine("deepen 1\n"),
    ...(withoutFiles ? [pktLine("filter blob:none\n")] : []),
    ...wants.map((oid) => pktLine(`want ${oid}\n`)),
    pktLine("done\n"),
    FLUSH,
  ]);
  const answer = await ask(repository, "POST", "git-upload-pack", {
    body: question,
    signal,
    bytesMax: MAX_PACK_BYTES + FRAMING_BYTES,
    timeoutMs: PACK_TIMEOUT_MS,
  });
  const reader = new PktReader(answer);
  let isPack = false;
  const pieces: Buffer[] = [];
  for (let packet = reader.next(); packet; packet = reader.next()) {
    if (packet.kind !== "line") continue;
    if (isPack) {
      const [channel] = packet.data;
      if (channel === 1) pieces.push(packet.data.subarray(1));
      else if (channel === 3) throw refused(packet.data.subarray(1));
    } else if (textOf(packet.data) === "packfile") isPack = true;
    else if (textOf(packet.data).startsWith("ERR ")) throw refused(packet.data);
  }
  if (!isPack) throw malformed();
  return Buffer.concat(pieces);
}

/**
 * Moves a branch by compare-and-set.
 * @param before the branch's current head; null if it must not exist
 * @returns null if it moved; otherwise the reason in the host's words
 */
export async function pushHosted(
  repository: HostedRepository,
  { branch, before, after, pack }: { branch: string; before: string | null; after: string; pack: Buffer },
  signal?: AbortSignal,
): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  // Shows whether the key may write before anything is sent.
  await ask(repository, "GET", "info/refs?service=git-receive-pack", { signal });
  const command = `${before ?? NOTHING} ${after} ${ref}\0report-status object-format=sha1 agent=${AGENT}\n`;
  const answer = await ask(repository, "POST", "git-receive-pack", {
    body: Buffer.concat([pktLine(command), FLUSH, pack]),
    signal,
    timeoutMs: PACK_TIMEOUT_MS,
  });
  const lines = linesOf(answer);
  const unpack = lines.find((line) => line.startsWith("unpack "));
  if (unpack === undefined) throw malformed();
  if (unpack !== "unpack ok") return unpack.slice("unpack ".length);
  if (lines.includes(`ok ${ref}`)) return null;
  const why = lines.find((line) => line.startsWith(`ng ${ref} `));
  return why ? why.slice(`ng ${ref} `.length) : "it was not accepted";
}

async function ask(
  { url, authorization }: HostedRepository,
  method: "GET" | "POST",
  path: string,
  {
    body,
    signal,
    bytesMax = ADVERTISEMENT_BYTES_MAX,
    timeoutMs = ASK_TIMEOUT_MS,
  }: { body?: Buffer; signal?: AbortSignal | undefined; bytesMax?: number; timeoutMs?: number },
): Promise<Buffer> {
  const service = path.replace(/^.*service=/, "");
  const answer = await safeFetch(`${url}/${path}`, {
    // The host's URL is a setting of the installation.
    purpose: "platform",
    method,
    headers: {
      authorization,
      "user-agent": `git/${AGENT}`,
      ...(service === "git-upload-pack" && { "git-protocol": "version=2" }),
      ...(method === "POST" && { "content-type": `application/x-${service}-request` }),
    },
    ...(body && { body }),
    timeoutMs,
    maxResponseBytes: bytesMax,
    ...(signal && { signal }),
  });
  if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
    throw new AppError("not_found", "Repository not found on the host, or access is denied.");
  }
  const kind = method === "GET" ? "advertisement" : "result";
  const isGit = answer.headers.get("content-type") === `application/x-${service}-${kind}`;
  if (answer.status !== 200 || !isGit) {
    throw new AppError("source_unreachable", `Unexpected response from the host (HTTP ${answer.status}).`);
  }
  if (answer.isTruncated) {
    throw new AppError("too_large", `The fetch exceeds ${MAX_PACK_BYTES / 1024 / 1024} MiB.`);
  }
  return answer.body;
}

function linesOf(bytes: Buffer): string[] {
  const reader = new PktReader(bytes);
  const lines: string[] = [];
  for (let packet = reader.next(); packet; packet = reader.next()) {
    if (packet.kind === "line") lines.push(textOf(packet.data));
  }
  const failed = lines.find((line) => line.startsWith("ERR "));
  if (failed !== undefined) throw refused(Buffer.from(failed));
  return lines;
}

function refused(words: Buffer): AppError {
  // The text of a foreign server is shown to users, so it is shortened and stripped of control characters.
  const said = words
    .toString("utf8")
    .replace(/[^\P{Cc}]/gu, " ")
    .trim()
    .slice(0, 200);
  return new AppError("source_unreachable", `The host rejected the request: ${said}`);
}

function malformed(): AppError {
  return new AppError("source_unreachable", "The host did not return a git response.");
}
