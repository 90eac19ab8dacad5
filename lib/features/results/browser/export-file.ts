import { saveFile } from "@/lib/platform/browser/save-file";

/** Target of an export. `abort` leaves nothing behind. */
export type ExportFile = {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  close: () => Promise<void>;
  abort: () => Promise<void>;
};

type SaveOptions = { suggestedName: string; types: { accept: Record<string, string[]> }[] };
type PickingWindow = { showSaveFilePicker?: (options: SaveOptions) => Promise<FileSystemFileHandle> };

/** Size of the parts passed to the browser, which may store them on disk. */
const PARCEL_BYTES = 8 * 1024 * 1024;

/**
 * Opens a file for an export: directly on disk where the browser supports it, so that nothing is held in memory; else a
 * download assembled from parts.
 * @returns null when the user closed the browser's dialog
 */
export async function openExportFile(name: string, contentType: string): Promise<ExportFile | null> {
  const { showSaveFilePicker } = window as unknown as PickingWindow;
  if (showSaveFilePicker === undefined) return toDownload(name, contentType);
  try {
    const ending = name.slice(name.lastIndexOf("."));
    const handle = await showSaveFilePicker.call(window, {
      suggestedName: name,
      types: [{ accept: { [contentType]: [ending] } }],
    });
    const stream = await handle.createWritable();
    return {
      write: (bytes) => stream.write(bytes),
      close: () => stream.close(),
      abort: () => stream.abort(),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return null;
    // Refused by a policy, or the file is not writable: a download still works.
    return toDownload(name, contentType);
  }
}

function toDownload(name: string, contentType: string): ExportFile {
  const parcels: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let waitingBytes = 0;
  const pack = () => {
    if (waiting.length > 0) parcels.push(new Blob(waiting));
    waiting = [];
    waitingBytes = 0;
  };
  return {
    write: async (bytes) => {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= PARCEL_BYTES) pack();
    },
    close: async () => {
      pack();
      saveFile(new Blob(parcels, { type: contentType }), name);
    },
    abort: async () => {
      parcels.length = 0;
      waiting = [];
    },
  };
}
