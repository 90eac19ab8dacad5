import { deflateSync } from "node:zlib";

/** Pixels in row order, four bytes each. The alpha byte is dropped: pixels are assumed to be opaque. */
export type Pixels = { width: number; height: number; rgba: Uint8Array };

/** Width of a sheet: A4, in points. The height follows from the content. */
const SHEET_WIDTH_PT = 595.28;

/**
 * Returns an image as a PDF with several sheets (ISO 32000-1: 7.5 for the file, 8.9.5 for images).
 * @param ends the row of pixels below each sheet, in rising order
 */
export function toPdf(title: string, { width, height, rgba }: Pixels, ends: readonly number[]): Buffer {
  const objects: Buffer[] = [];
  /** @returns the object's number */
  const add = (body: string, stream?: Buffer): number => {
    const head = `${objects.length + 1} 0 obj\n${body}\n`;
    const parts = stream ? [head, "stream\n", stream, "\nendstream\n", "endobj\n"] : [head, "endobj\n"];
    objects.push(Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part))));
    return objects.length;
  };
  const catalogue = add("<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /DisplayDocTitle true >> >>");
  const tree = objects.push(Buffer.alloc(0));
  const sheets: number[] = [];
  let from = 0;
  for (const end of ends) {
    const rows = Math.min(end, height) - from;
    if (rows <= 0) continue;
    const pixels = deflateSync(withoutAlpha(rgba.subarray(from * width * 4, (from + rows) * width * 4)));
    const shape = `/Type /XObject /Subtype /Image /Width ${width} /Height ${rows} /ColorSpace /DeviceRGB /BitsPerComponent 8`;
    const image = add(`<< ${shape} /Filter /FlateDecode /Length ${pixels.length} >>`, pixels);
    const heightPt = ((rows / width) * SHEET_WIDTH_PT).toFixed(2);
    const drawing = Buffer.from(`q ${SHEET_WIDTH_PT} 0 0 ${heightPt} 0 0 cm /P Do Q`);
    const content = add(`<< /Length ${drawing.length} >>`, drawing);
    const box = `/MediaBox [0 0 ${SHEET_WIDTH_PT} ${heightPt}]`;
    sheets.push(
      add(
        `<< /Type /Page /Parent ${tree} 0 R ${box} /Resources << /XObject << /P ${image} 0 R >> >> /Contents ${content} 0 R >>`,
      ),
    );
    from += rows;
  }
  const kids = sheets.map((sheet) => `${sheet} 0 R`).join(" ");
  objects[tree - 1] = Buffer.from(
    `${tree} 0 obj\n<< /Type /Pages /Kids [${kids}] /Count ${sheets.length} >>\nendobj\n`,
  );
  const info = add(`<< /Title ${toPdfText(title)} /Producer (Millrace) >>`);
  return toFile(objects, `<< /Size ${objects.length + 1} /Root ${catalogue} 0 R /Info ${info} 0 R >>`);
}

function toFile(objects: readonly Buffer[], trailer: string): Buffer {
  // Four non-ASCII bytes mark the file as binary.
  const head = Buffer.from("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "latin1");
  let at = head.length;
  const places = objects.map((object) => {
    const place = `${String(at).padStart(10, "0")} 00000 n \n`;
    at += object.length;
    return place;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  return Buffer.concat([head, ...objects, Buffer.from(`${table}trailer\n${trailer}\nstartxref\n${at}\n%%EOF\n`)]);
}

function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    rgb[to] = rgba[from] ?? 0;
    rgb[to + 1] = rgba[from + 1] ?? 0;
    rgb[to + 2] = rgba[from + 2] ?? 0;
  }
  return rgb;
}

/** Encodes text as UTF-16 in hexadecimal digits, which needs no escaping. */
function toPdfText(text: string): string {
  return `<FEFF${Buffer.from(text.toWellFormed(), "utf16le").swap16().toString("hex").toUpperCase()}>`;
}
