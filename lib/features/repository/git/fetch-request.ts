import { AppError } from "@/lib/platform/http/errors";
import { type Packet, PktReader, textOf } from "./pkt-line";

/** One command of protocol version 2. */
export type V2Request =
  | { command: "ls-refs"; peel: boolean; symrefs: boolean; unborn: boolean; prefixes: string[] }
  | ({ command: "fetch" } & FetchRequest);

export type FetchRequest = {
  wants: string[];
  haves: string[];
  shallow: string[];
  isDone: boolean;
  waitForDone: boolean;
  ofsDelta: boolean;
  deepen: number | null;
  deepenSince: number | null;
  deepenNot: string[];
  deepenRelative: boolean;
};

const OID = /^[0-9a-f]{40}$/;
/** Arguments without a value that have no effect here: all packs are complete, and there are no tags. */
const IGNORED = new Set(["thin-pack", "no-progress", "include-tag"]);

/** Null for an empty message. @throws AppError invalid_request */
export function parseV2(bytes: Buffer): V2Request | null {
  const reader = new PktReader(bytes);
  const lines: string[] = [];
  let packet: Packet | null = reader.next();
  if (packet === null || packet.kind === "flush") return null;
  let command = "";
  for (; packet?.kind === "line"; packet = reader.next()) {
    const text = textOf(packet.data);
    if (text.startsWith("command=")) command = text.slice("command=".length);
    else if (text.startsWith("object-format=") && text !== "object-format=sha1") {
      throw bad("This repository uses SHA-1 object IDs.");
    }
  }
  if (packet?.kind === "delimiter") {
    for (packet = reader.next(); packet?.kind === "line"; packet = reader.next()) lines.push(textOf(packet.data));
  }
  if (packet?.kind !== "flush") throw bad("The message is truncated.");
  if (command === "ls-refs") return parseLsRefs(lines);
  if (command === "fetch") return { command, ...parseFetch(lines) };
  throw bad(`Unknown command “${command.slice(0, 40)}”.`);
}

function parseLsRefs(lines: string[]): V2Request {
  return {
    command: "ls-refs",
    peel: lines.includes("peel"),
    symrefs: lines.includes("symrefs"),
    unborn: lines.includes("unborn"),
    prefixes: lines.filter((line) => line.startsWith("ref-prefix ")).map((line) => line.slice("ref-prefix ".length)),
  };
}

function parseFetch(lines: string[]): FetchRequest {
  const request: FetchRequest = {
    wants: [],
    haves: [],
    shallow: [],
    isDone: false,
    waitForDone: false,
    ofsDelta: false,
    deepen: null,
    deepenSince: null,
    deepenNot: [],
    deepenRelative: false,
  };
  for (const line of lines) {
    const space = line.indexOf(" ");
    const word = space < 0 ? line : line.slice(0, space);
    const value = space < 0 ? "" : line.slice(space + 1);
    if (word === "want") request.wants.push(oid(value));
    else if (word === "have") request.haves.push(oid(value));
    else if (word === "shallow") request.shallow.push(oid(value));
    else if (word === "deepen") request.deepen = positive(value);
    else if (word === "deepen-since") request.deepenSince = positive(value);
    else if (word === "deepen-not") request.deepenNot.push(value);
    else if (word === "deepen-relative") request.deepenRelative = true;
    else if (word === "done") request.isDone = true;
    else if (word === "wait-for-done") request.waitForDone = true;
    else if (word === "ofs-delta") request.ofsDelta = true;
    else if (!IGNORED.has(word)) throw bad(`“${word.slice(0, 40)}” was not offered.`);
  }
  if (request.deepen !== null && (request.deepenSince !== null || request.deepenNot.length > 0)) {
    throw bad("A depth can't be combined with a date or an excluded branch.");
  }
  return request;
}

function oid(value: string): string {
  if (!OID.test(value)) throw bad("Object IDs have 40 hexadecimal digits.");
  return value;
}

function positive(value: string): number {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : 0;
  if (number === 0) throw bad("A depth or a date must be a number above 0.");
  return number;
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
