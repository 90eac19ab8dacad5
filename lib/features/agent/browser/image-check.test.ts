import { describe, expect, it } from "vitest";
import { checkImages, IMAGES_BYTES_MAX } from "./image-check";

const image = (name: string, size: number, type = "image/png") => ({ name, size, type });

describe("checkImages", () => {
  it("takes images up to the limit, counting those that are attached", () => {
    const first = image("a.png", IMAGES_BYTES_MAX - 10);
    expect(checkImages([first], 10)).toEqual({ taken: [first], refusals: [] });
    expect(checkImages([first], 11)).toMatchObject({ taken: [], refusals: [expect.stringContaining("exceed 5 MB")] });
  });

  it("rejects other files by name and keeps the images beside them", () => {
    const good = image("a.webp", 1, "image/webp");
    expect(checkImages([image("notes.pdf", 1, "application/pdf"), good], 0)).toEqual({
      taken: [good],
      refusals: [expect.stringContaining("notes.pdf isn't supported")],
    });
  });
});
