"use client";

import { Image as ImageIcon, X } from "lucide-react";
import { useRef } from "react";
import type { FileUIPart } from "@/components/agent/sdk";
import { Tip } from "@/components/ui/tip";
import { showFailure } from "@/components/ui/toast";
import { bytesOfDataUrl, checkImages, IMAGE_TYPES } from "@/lib/features/agent/browser/image-check";

/**
 * Returns a function that attaches files to a message, and one that returns whether files are still loading.
 * @param onAttached called with the loaded images
 */
export function useAttachments(images: readonly FileUIPart[], onAttached: (images: FileUIPart[]) => void) {
  /** Number of selections that are still loading. */
  const reading = useRef(0);
  const attach = async (files: Iterable<File>) => {
    const { taken, refusals } = checkImages(
      files,
      images.reduce((sum, { url }) => sum + bytesOfDataUrl(url), 0),
    );
    for (const refusal of refusals) showFailure(refusal);
    reading.current += 1;
    try {
      const loaded: FileUIPart[] = [];
      for (const file of taken) {
        loaded.push({ type: "file", mediaType: file.type, filename: file.name, url: await toDataUrl(file) });
      }
      onAttached(loaded);
    } finally {
      reading.current -= 1;
    }
  };
  return { attach, isReading: () => reading.current > 0 };
}

type AttachedImagesProps = { images: readonly FileUIPart[]; onRemove: (at: number) => void };

/** Images attached to the message, each with a button that removes it. */
export function AttachedImages({ images, onRemove }: AttachedImagesProps) {
  if (images.length === 0) return null;
  return (
    <ul className="attached">
      {images.map(({ url, filename }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same image may be attached twice
        <li key={at}>
          {/* biome-ignore lint/performance/noImgElement: it is in the page already */}
          <img src={url} alt={filename ?? "Image"} />
          <button type="button" aria-label={`Remove ${filename ?? "image"}`} onClick={() => onRemove(at)}>
            <X className="xs" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Button that opens the browser's file dialog. */
export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const fileRef = useRef<HTMLInputElement>(null);
  return (
    <>
      <Tip label="Attach image">
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Attach image"
          onClick={() => fileRef.current?.click()}
        >
          <ImageIcon className="s" />
        </button>
      </Tip>
      <input
        ref={fileRef}
        type="file"
        hidden
        multiple
        accept={IMAGE_TYPES.join(",")}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
  );
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
