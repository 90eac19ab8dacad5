import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const unzip = promisify(gunzip);
const BLOCK = 512;
/** Files for editors and people, not for browsers. */
const LEFT_OUT = /\.(?:d\.[cm]?ts|map|md|markdown|flow)$/i;

/** The archive does not have the format of an npm package. */
export class BadTarball extends Error {}

/**
 * Returns the files of a package by path. Links and other special entries are skipped.
 * @param bytesMax limit for the unpacked size
 * @throws BadTarball
 */
export async function filesOfTarball(packed: Buffer, bytesMax: number): Promise<Map<string, Buffer>> {
  let archive: Buffer;
  try {
    archive = await unzip(packed, { maxOutputLength: bytesMax });
  } catch (cause) {
    throw new BadTarball("It is broken or too large.", { cause });
  }
  const files = new Map<string, Buffer>();
  /** Name of the next entry, if it is too long for its header. */
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const head = archive.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) break;
    const size = numberOf(head.subarray(124, 136));
    const body = archive.subarray(at + BLOCK, at + BLOCK + size);
    if (body.length < size) throw new BadTarball("It is truncated.");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(head[156] ?? 0);
    if (type === "x") longName = paxPath(body) ?? longName;
    else if (type === "L") longName = textOf(body);
    else {
      const path = innerPath(longName ?? nameOf(head));
      longName = null;
      // In the oldest format, a zero byte marks a file.
      if ((type === "0" || type === "\0") && path !== null && !LEFT_OUT.test(path)) files.set(path, body);
    }
  }
  return files;
}

/** Returns the path below the package's root folder; null for a path outside it. */
function innerPath(path: string): string | null {
  const [, ...parts] = path.split("/").filter((part) => part !== ".");
  const isPlace = parts.length > 0 && parts.every((part) => part !== "" && part !== ".." && !/[\\\0]/.test(part));
  return isPlace && !path.startsWith("/") ? parts.join("/") : null;
}

function nameOf(head: Buffer): string {
  const prefix = textOf(head.subarray(257, 262)) === "ustar" ? textOf(head.subarray(345, 500)) : "";
  const name = textOf(head.subarray(0, 100));
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Parses lines of "length key=value". */
function paxPath(body: Buffer): string | null {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(body.toString("utf8"))?.[1] ?? null;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString("utf8");
}

function numberOf(field: Buffer): number {
  const text = textOf(field).trim();
  if (!/^[0-7]+$/.test(text)) throw new BadTarball("It contains an invalid length.");
  return Number.parseInt(text, 8);
}
