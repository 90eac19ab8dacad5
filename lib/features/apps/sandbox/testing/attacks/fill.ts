import { appendFileSync } from "node:fs";

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

// Everywhere that takes a file, until nowhere does; then says how much that was.
const chunk = Buffer.alloc(8 * 1024 * 1024, 1);
const BYTES_MAX = 2 * 1024 * 1024 * 1024;
let written = 0;
for (const folder of ["/app", "/tmp", "/", "/dev/shm", "/carried", "/sandbox"]) {
  try {
    for (let n = 0; written < BYTES_MAX; n++) {
      appendFileSync(`${folder}/fill-${n}`, chunk);
      written += chunk.length;
    }
  } catch (error) {
    print(`${folder}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
print(`written ${written}`);
