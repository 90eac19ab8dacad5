/** Lifetime of the file's address, in ms: the browser reads it after the click. */
const ADDRESS_LIVES_MS = 60_000;

/** Saves a file, as a download. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_LIVES_MS);
}
