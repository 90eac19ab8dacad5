import { readdirSync, readFileSync } from "node:fs";
import sharp from "sharp";
import { expect, it } from "vitest";
import { pictureProcessPid } from "./process";
import { makeThumbnail } from "./thumbnail";

const drawn = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#204060" } });

it("C1 decodes an image in a process without network, data and settings of the server (T97)", async () => {
  const jpeg = await makeThumbnail(await drawn(40, 20).png().toBuffer());
  expect(await sharp(jpeg ?? Buffer.alloc(0)).metadata()).toMatchObject({ format: "jpeg", width: 40, height: 20 });
  const pid = pictureProcessPid("thumbnails");
  expect(pid).not.toBeNull();
  const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
  expect(limits).toMatch(/Max data size +1610612736 /);
  expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toMatch(/MONGODB_URI|AUTH_SECRET|ENCRYPTION_KEYS/);
});

it("C1 takes nothing down when it is killed while decoding, and the next image gets a new one", async () => {
  const large = await drawn(6000, 6000).png().toBuffer();
  await makeThumbnail(large);
  const pid = pictureProcessPid("thumbnails") ?? 0;
  const decoded = makeThumbnail(large);
  setTimeout(() => process.kill(pid, "SIGKILL"), 60);
  // Null if it was decoding, a picture of a new process if it had not started.
  await decoded;
  expect(await makeThumbnail(await drawn(10, 10).png().toBuffer())).not.toBeNull();
  expect(pictureProcessPid("thumbnails")).not.toBe(pid);
});

it("C1 draws many images one after another", async () => {
  const sources = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      drawn(10 + at, 10)
        .png()
        .toBuffer(),
    ),
  );
  const made = await Promise.all(sources.map(makeThumbnail));
  const widths = await Promise.all(made.map(async (jpeg) => (await sharp(jpeg ?? Buffer.alloc(0)).metadata()).width));
  expect(widths).toEqual(Array.from({ length: 10 }, (_, at) => 10 + at));
  expect(readdirSync("/proc").filter((id) => id === String(pictureProcessPid("thumbnails")))).toHaveLength(1);
});
