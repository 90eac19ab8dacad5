"use client";

import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import { type ComponentProps, useRef, useState } from "react";
import { TextEditor } from "@/components/editor/text-editor";
import { yamlLanguage } from "@/components/editor/yaml-language";
import { type KnownConnection, type MetricOffer, offerMetricWords } from "@/lib/features/metrics/browser/offers";

type MetricEditorProps = Omit<ComponentProps<typeof TextEditor>, "language" | "takesFocus"> & {
  connections: readonly KnownConnection[];
};

/** Editor of a metric file, which completes keys, tables, columns and metrics. */
export function MetricEditor({ connections, ...props }: MetricEditorProps) {
  const latest = useRef(connections);
  latest.current = connections;
  const [language] = useState(() => [
    yamlLanguage(),
    autocompletion({ override: [(context) => complete(context, latest.current)], icons: false }),
  ]);
  return <TextEditor {...props} language={language} />;
}

function complete(context: CompletionContext, connections: readonly KnownConnection[]): CompletionResult | null {
  const { state, pos, explicit } = context;
  const text = state.doc.toString();
  const before = text.slice(0, pos);
  const line = state.doc.lineAt(pos);
  const isSource = /^\s*(?:- +)?source:\s/.test(line.text);
  // A source is one word with spaces and dots: the connection, the schema and the table.
  const word = context.matchBefore(isSource ? /(?<=source:\s+)\S.*/ : /\w*/);
  const isAtOnce = /(?:source|from|to|dialect|datatype): $|\.$/.test(line.text.slice(0, pos - line.from));
  if (!explicit && !isAtOnce && (word === null || word.from === word.to)) return null;
  const offers = offerMetricWords(before, text, connections);
  if (offers.length === 0) return null;
  return { from: word?.from ?? pos, options: offers.map(toCompletion), ...(!isSource && { validFor: /^\w*$/ }) };
}

function toCompletion({ label, detail, kind }: MetricOffer) {
  const base = { label, detail, type: kind };
  // A connection and a key are followed by more.
  if (!label.endsWith(".") && kind !== "key") return base;
  const apply = (view: EditorView, _: unknown, from: number, to: number) => {
    view.dispatch({ changes: { from, to, insert: label }, selection: { anchor: from + label.length } });
    startCompletion(view);
  };
  return { ...base, label: label.trimEnd(), apply };
}
