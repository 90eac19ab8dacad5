import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type LocalServer, startLocalServer } from "@/test/security/local-server";

type Entry = { path: string; content?: string; type?: string };

export type Registry = Omit<LocalServer, "url"> & {
  url: string;
  /** Packs a package as npm does, and gives it to whoever asks. @returns its entry in a lock file */
  add: (
    name: string,
    version: string,
    files: Record<string, string> | Entry[],
  ) => { version: string; integrity: string };
  /** What was asked for. */
  asked: string[];
};

/** A registry of packages: the addresses of tarballs, below a path as mirrors have one. */
export async function startRegistry(): Promise<Registry> {
  const tarballs = new Map<string, Buffer>();
  const asked: string[] = [];
  const server = await startLocalServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    asked.push(path);
    const found = tarballs.get(path);
    response.writeHead(found ? 200 : 404).end(found);
  });
  return {
    close: server.close,
    url: `${server.url}/npm`,
    asked,
    add(name, version, files) {
      const entries = Array.isArray(files)
        ? files
        : Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content }));
      const packed = gzipSync(Buffer.concat([...entries.map(toTar), Buffer.alloc(1024)]));
      tarballs.set(`/npm/${name}/-/${name.slice(name.indexOf("/") + 1)}-${version}.tgz`, packed);
      return { version, integrity: `sha512-${createHash("sha512").update(packed).digest("base64")}` };
    },
  };
}

/** One entry of an archive in the form of POSIX. */
function toTar({ path, content = "", type = "0" }: Entry): Buffer {
  const body = Buffer.from(content);
  const head = Buffer.alloc(512);
  head.write(path, 0, 100);
  head.write("0000644\0", 100);
  head.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
  head.write(type, 156);
  head.write("ustar\0" + "00", 257);
  return Buffer.concat([head, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}
