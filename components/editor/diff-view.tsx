"use client";

import { useEffect, useEffectEvent, useRef } from "react";
import { showSideBySide, showUnified, type TextLanguage } from "@/components/editor/diff-editor";

type DiffViewProps = {
  before: string;
  after: string;
  kind: "unified" | "split";
  dialect: TextLanguage;
  labels?: { before: string; after: string };
};

/** Shows the difference between two texts. Use a new key for another kind or other texts. */
export function DiffView({ before, after, kind, dialect, labels }: DiffViewProps) {
  const hostRef = useRef<HTMLDivElement>(null);
  const mount = useEffectEvent((host: HTMLElement) => {
    const show = kind === "split" ? showSideBySide : showUnified;
    return show(host, {
      before,
      after,
      beforeLabel: labels?.before ?? "Before this version",
      afterLabel: kind === "unified" ? "Changes" : (labels?.after ?? "After this version"),
      dialect,
    });
  });
  useEffect(() => {
    if (hostRef.current) return mount(hostRef.current);
  }, []);
  return <div ref={hostRef} className="diff-host" />;
}
