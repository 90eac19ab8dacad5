"use client";

import { type ComponentProps, useRef, useState } from "react";
import type { KnownBinding } from "@/components/editor/app-completion";
import { writtenLanguage } from "@/components/editor/file-languages";
import { TextEditor } from "@/components/editor/text-editor";
import type { FileKind } from "@/lib/features/apps/browser/app-files";

type FileEditorProps = Omit<ComponentProps<typeof TextEditor>, "language" | "takesFocus"> & {
  kind: FileKind;
  /** Bindings of the app, for completion in its scripts. */
  bindings: readonly KnownBinding[];
};

/** Editor of one file of an app. Use a new key for another file. */
export function FileEditor({ kind, bindings, ...props }: FileEditorProps) {
  const latest = useRef(bindings);
  latest.current = bindings;
  const [language] = useState(() => writtenLanguage(kind, () => latest.current));
  return <TextEditor {...props} language={language} takesFocus />;
}
