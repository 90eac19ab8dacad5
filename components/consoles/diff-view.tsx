"use client";

import { useEffect, useEffectEvent, useRef } from "react";
import { showSideBySide, showUnified } from "@/components/editor/diff-editor";
import type { SqlDialect } from "@/lib/sql/dialects";

type DiffViewProps = { before: string; after: string; kind: "unified" | "split"; dialect: SqlDialect };

/** What changed between two texts. Mount it anew for another kind or other texts. */
export function DiffView({ before, after, kind, dialect }: DiffViewProps) {
  const hostRef = useRef<HTMLDivElement>(null);
  const mount = useEffectEvent((host: HTMLElement) => {
    const show = kind === "split" ? showSideBySide : showUnified;
    return show(host, {
      before,
      after,
      beforeLabel: "The text before this save",
      afterLabel: kind === "split" ? "The text after this save" : "What changed",
      dialect,
    });
  });
  useEffect(() => {
    if (hostRef.current) return mount(hostRef.current);
  }, []);
  return <div ref={hostRef} className="diff-host" />;
}
