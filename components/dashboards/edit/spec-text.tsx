"use client";

import { useEffect, useId, useState } from "react";
import { isSameJson } from "@/lib/base/values/same-json";
import { parseSpec } from "@/lib/features/dashboards/browser/edit/shelves";

type SpecTextProps = {
  spec: Readonly<Record<string, unknown>>;
  /** Properties that are lists of dimensions. */
  lists: readonly string[];
  onChange: (spec: Record<string, unknown>) => void;
};

/** The specification as text. Valid text applies at once; for invalid text the place of the error is shown. */
export function SpecText({ spec, lists, onChange }: SpecTextProps) {
  const id = useId();
  const [text, setText] = useState(() => toText(spec));
  // Changes from elsewhere, and undo, replace the text; otherwise it stays as typed.
  useEffect(() => {
    setText((before) => {
      const read = parseSpec(before, lists);
      return "spec" in read && isSameJson(read.spec, spec) ? before : toText(spec);
    });
  }, [spec, lists]);
  const read = parseSpec(text, lists);
  const problem = "problem" in read ? read.problem : null;
  return (
    <div className="field">
      <label htmlFor={id}>JSON</label>
      <div className={`input edit-text tall${problem ? " err" : ""}`}>
        <textarea
          id={id}
          value={text}
          spellCheck={false}
          autoCapitalize="off"
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-said`}
          onChange={({ target }) => {
            setText(target.value);
            const next = parseSpec(target.value, lists);
            if ("spec" in next) onChange(next.spec);
          }}
        />
      </div>
      <div id={`${id}-said`} className={problem ? "help bad" : "help"} aria-live="polite">
        {problem ?? "JSON: dimensions, measures, sort, limit, mark and stack, or Vega-Lite."}
      </div>
    </div>
  );
}

function toText(spec: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(spec, null, 2);
}
