// @module-tag heavy
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { expect, it } from "vitest";
import { makePreview } from "./preview-picture";

const drawn = (width: number, height: number, background = "#204060") =>
  sharp({ create: { width, height, channels: 3, background } });
/** Returns noise, which no encoder compresses well. */
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: "#808080", noise: { type: "gaussian", mean: 128, sigma: 60 } },
  });
const metaOf = async (picture: Buffer | null) => sharp(picture ?? Buffer.alloc(0)).metadata();

function crc(bytes: Buffer): number {
  let c = 0xffffffff;
  for (const byte of bytes) {
    c ^= byte;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  }
  return (c ^ 0xffffffff) >>> 0;
}
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, sum]);
}
/** Returns a PNG of one colour with any dimensions, in a small file. */
function bomb(side: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([1, 0, 0, 0, 0], 8);
  const row = Buffer.alloc(Math.ceil(side / 8) + 1);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

it.each(["png", "jpeg", "webp"] as const)(
  "T97: converts a %s to a JPEG of at most 1200 pixels width",
  async (format) => {
    const picture = await makePreview(await drawn(2400, 1260)[format]().toBuffer());
    expect(await metaOf(picture)).toMatchObject({ format: "jpeg", width: 1200, height: 630 });
  },
);

it("T97: does not enlarge small images, and puts white behind transparency", async () => {
  const clear = sharp({ create: { width: 40, height: 20, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
  const picture = await makePreview(await clear.png().toBuffer());
  expect(await metaOf(picture)).toMatchObject({ width: 40, height: 20 });
  const { dominant } = await sharp(picture ?? Buffer.alloc(0)).stats();
  expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(240);
});

it("T97: fits an image that compresses badly into 300 KB", async () => {
  const picture = await makePreview(await noise(1600, 900).jpeg({ quality: 90 }).toBuffer());
  expect(picture?.length).toBeLessThanOrEqual(300_000);
  expect((await metaOf(picture)).format).toBe("jpeg");
});

it("T97: removes camera and location, and applies the rotation", async () => {
  const exif = { IFD0: { Make: "Canary Camera", Copyright: "canary" }, IFD3: { GPSLatitudeRef: "N" } };
  const source = await drawn(60, 30).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const picture = await makePreview(source);
  const meta = await metaOf(picture);
  expect(meta).toMatchObject({ width: 30, height: 60 });
  expect([meta.exif, meta.icc, meta.xmp]).toEqual([undefined, undefined, undefined]);
  expect(picture?.includes("anary")).toBe(false);
});

it("T97: converts CMYK to screen colours, and an animation to its first frame", async () => {
  const cmyk = await drawn(50, 50).toColourspace("cmyk").jpeg().toBuffer();
  expect(await metaOf(await makePreview(cmyk))).toMatchObject({ format: "jpeg", space: "srgb", channels: 3 });
  const frames = await Promise.all(["#ff0000", "#00ff00"].map((colour) => drawn(30, 30, colour).png().toBuffer()));
  const moving = await sharp(frames, { join: { animated: true } })
    .webp({ loop: 0 })
    .toBuffer();
  expect(await metaOf(await makePreview(moving))).toMatchObject({ format: "jpeg", width: 30, height: 30 });
});

it.each([
  ["a drawing in XML", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ["a page", Buffer.from("<!doctype html><script>alert(1)</script>")],
  ["nothing", Buffer.alloc(0)],
  [
    "the beginning of a PNG and then a page",
    Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from("<script>")]),
  ],
  ["a cut JPEG", Buffer.from("ffd8ffe000104a464946", "hex")],
  ["a PNG of 196 million pixels", bomb(14_000)],
])("T97: rejects %s as an image", async (_, source) => {
  const before = process.memoryUsage().rss;
  expect(await makePreview(source)).toBeNull();
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});

it("T97: rejects other formats, and files above 5 MB", async () => {
  for (const format of ["gif", "tiff", "avif"] as const) {
    expect(await makePreview(await drawn(20, 20)[format]().toBuffer()), format).toBeNull();
  }
  expect(await makePreview(Buffer.concat([await drawn(9, 9).png().toBuffer(), Buffer.alloc(6_000_000)]))).toBeNull();
});
