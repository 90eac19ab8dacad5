/** The browser reads the file after the press: its address has to live for a while. */
const ADDRESS_LIVES_MS = 60_000;

/** Gives the person a file, as a download. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), ADDRESS_LIVES_MS);
}
