import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolderCheck } from "../data-folder.ts";

/**
 * Checks a folder in a place of its own, such as a small disk: fills it with `fillBytes` if told, frees it, and prints one
 * line for each look: ok or the reason.
 */
const [folder = "", freeMinBytes = "0", fillBytes = "0"] = process.argv.slice(2);
const check = dataFolderCheck(folder, { everyMs: 0, freeMinBytes: Number(freeMinBytes) });
const look = async () => {
  const said = await check().then(
    () => "ok",
    (error: Error) => error.message,
  );
  process.stdout.write(`${said}\n`);
};

await look();
if (Number(fillBytes) > 0) {
  const filler = join(folder, "filler");
  try {
    writeFileSync(filler, Buffer.alloc(Number(fillBytes)));
  } catch {
    // The disk is full, as it shall be.
  }
  await look();
  writeFileSync(filler, "");
  await look();
}
