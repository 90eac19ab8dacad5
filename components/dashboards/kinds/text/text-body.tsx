"use client";

import { WidgetSkeleton } from "@/components/dashboards/widget-skeleton";
import { lazyComponent } from "@/components/ui/lazy-component";
import { later } from "@/lib/platform/browser/load-again";
import "./text.css";

// A page of charts loads no Markdown parser.
const loadMarkdown = later(() => import("@/components/markdown/markdown"));
const Markdown = lazyComponent(loadMarkdown, (module) => module.Markdown, WidgetSkeleton);

/** A text in Markdown. */
export function TextBody({ spec }: { spec: Record<string, unknown> }) {
  const text = String(spec.text ?? "");
  return text.trim() === "" ? (
    <p className="widget-said">No text</p>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: no fields stand in it
    <div className="widget-text" role="group" aria-label="Text" tabIndex={0}>
      <Markdown text={text} />
    </div>
  );
}
