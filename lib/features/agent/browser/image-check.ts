export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Maximum size of all images of a message, in bytes: a body takes 8 MiB, and base64 adds a third. */
export const IMAGES_BYTES_MAX = 5 * 1024 * 1024;

type FileFacts = { name: string; type: string; size: number };

/**
 * Splits files into images that fit a message, and reasons to reject the others.
 * @param attachedBytes size of the images that the message already has
 */
export function checkImages<T extends FileFacts>(
  files: Iterable<T>,
  attachedBytes: number,
): { taken: T[]; refusals: string[] } {
  const taken: T[] = [];
  const refusals: string[] = [];
  let bytes = attachedBytes;
  for (const file of files) {
    bytes += file.size;
    if (!IMAGE_TYPES.includes(file.type))
      refusals.push(`${file.name} isn't supported. Attach a PNG, JPEG, GIF or WebP image.`);
    else if (bytes > IMAGES_BYTES_MAX) refusals.push("Images exceed 5 MB in total. Attach fewer or smaller images.");
    else taken.push(file);
  }
  return { taken, refusals };
}

/** Returns the approximate size of a data URL's content, in bytes. */
export function bytesOfDataUrl(url: string): number {
  return url.length * 0.75;
}
