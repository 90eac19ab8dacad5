import { create } from "zustand";

/** A file that was dropped outside of the import page, until the page uploads it. */
export const usePendingFile = create<{ file: File | null }>(() => ({ file: null }));

export function setPendingFile(file: File | null): void {
  usePendingFile.setState({ file });
}
