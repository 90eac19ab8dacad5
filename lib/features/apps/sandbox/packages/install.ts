import "server-only";
import { createHash } from "node:crypto";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import { INSTALL_MS_MAX, PACKAGE_BYTES_MAX, PACKAGE_FILES_MAX, PACKAGES_AT_ONCE, PACKAGES_BYTES_MAX } from "../limits";
import type { AppFiles } from "../sandbox";
import { type LockedPackage, lockedPackages, PackageProblem } from "./lock";
import { BadTarball, filesOfTarball } from "./tarball";

const LOCK = "package-lock.json";
const HTTP_OK = 200;
const MIB = 1024 * 1024;

/**
 * Downloads and unpacks the packages in an app's lock file, as files below a folder with `node_modules`. No code in
 * them is run. Returns null if the server has no registry.
 * @throws PackageProblem for errors that the author can fix; AppError unavailable while the registry does not respond
 */
export async function installPackages(files: AppFiles, signal: AbortSignal): Promise<AppFiles | null> {
  const registry = env().APP_REGISTRY_URL;
  if (registry === undefined) return null;
  // The root needs a package.json, from which the resolution of packages starts.
  const installed = new Map<string, Buffer>([["package.json", Buffer.from("{}")]]);
  const waiting = lockedPackages(files);
  if (waiting.length === 0) return installed;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(INSTALL_MS_MAX)]);
  const door = new KeepAliveClient("platform");
  let bytes = 0;
  const takeNext = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const made = await unpack(next, await fetchPackage(door, registry, next, limit));
      for (const [path, content] of made) {
        bytes += content.length;
        installed.set(`node_modules/${next.folder}/${path}`, content);
      }
      if (bytes > PACKAGES_BYTES_MAX || installed.size > PACKAGE_FILES_MAX) {
        throw new PackageProblem(
          LOCK,
          `The app's packages exceed ${PACKAGES_BYTES_MAX / MIB} MiB or ${PACKAGE_FILES_MAX} files. Use smaller ones.`,
        );
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: PACKAGES_AT_ONCE }, takeNext));
    return installed;
  } catch (error) {
    signal.throwIfAborted();
    throw limit.aborted ? unreachable(`The registry took longer than ${INSTALL_MS_MAX / 1000} seconds.`, error) : error;
  } finally {
    waiting.length = 0;
    await door.close();
  }
}

/** The URL is built from name and version: a lock file could contain any URL. */
async function fetchPackage(
  door: KeepAliveClient,
  registry: string,
  { name, version, integrity }: LockedPackage,
  signal: AbortSignal,
): Promise<Buffer> {
  const file = `${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
  const answer = await door
    .fetch(`${registry}/${name}/-/${encodeURIComponent(file)}`, {
      headers: { "accept-encoding": "identity", "user-agent": "Millrace" },
      timeoutMs: INSTALL_MS_MAX,
      maxResponseBytes: PACKAGE_BYTES_MAX,
      signal,
    })
    .catch((error: unknown) => {
      throw unreachable("The package registry is not responding.", error);
    });
  if (answer.status !== HTTP_OK) {
    throw new PackageProblem(LOCK, `The registry returned ${answer.status} for “${name}” ${version}.`);
  }
  if (answer.isTruncated) {
    throw new PackageProblem(LOCK, `“${name}” exceeds ${PACKAGE_BYTES_MAX / MIB} MiB. Use a smaller package.`);
  }
  if (`sha512-${createHash("sha512").update(answer.body).digest("base64")}` !== integrity) {
    throw new PackageProblem(LOCK, `Checksum mismatch for “${name}” ${version}.`);
  }
  return answer.body;
}

async function unpack({ name, version }: LockedPackage, packed: Buffer): Promise<Map<string, Buffer>> {
  try {
    return await filesOfTarball(packed, PACKAGES_BYTES_MAX);
  } catch (error) {
    if (error instanceof BadTarball) throw new PackageProblem(LOCK, `“${name}” ${version}: ${error.message}`);
    throw error;
  }
}

function unreachable(message: string, cause: unknown): AppError {
  return new AppError("unavailable", `${message} Try again in a moment.`, { cause });
}
