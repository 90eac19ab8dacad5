"use client";

import { useEffect, useEffectEvent, useRef } from "react";
import { showMerge } from "@/components/editor/diff-editor";
import { DiffView } from "@/components/editor/diff-view";
import { fileLanguage } from "@/components/editor/file-languages";
import { useMediaQuery } from "@/components/ui/use-browser";
import { fileKindOf } from "@/lib/features/apps/browser/app-files";

type TextDiffProps = { path: string; before: string; after: string; beforeLabel: string; afterLabel: string };

/** Shows the changes to a file between two states. */
export function TextDiff({ path, before, after, beforeLabel, afterLabel }: TextDiffProps) {
  return (
    <DiffView
      key={`${before.length} ${after.length} ${path}`}
      before={before}
      after={after}
      kind="unified"
      dialect={{ extension: fileLanguage(fileKindOf(path)) }}
      labels={{ before: beforeLabel, after: afterLabel }}
    />
  );
}

type TextMergeProps = { path: string; theirs: string; mine: string; onChange: (merged: string) => void };

/**
 * Shows the server's text beside the user's, which can be edited and accept single chunks. Use a new key for other
 * texts.
 */
export function TextMerge({ path, theirs, mine, onChange }: TextMergeProps) {
  const hostRef = useRef<HTMLElement>(null);
  const isNarrow = useMediaQuery("(max-width: 1100px)");
  const mount = useEffectEvent((host: HTMLElement) =>
    showMerge(host, { theirs, mine, dialect: { extension: fileLanguage(fileKindOf(path)) }, isNarrow, onChange }),
  );
  useEffect(() => {
    if (hostRef.current !== null && isNarrow !== undefined) return mount(hostRef.current);
  }, [isNarrow]);
  return <section ref={hostRef} className="merge-host" aria-label="Diff" />;
}
