"use client";

import { Type } from "lucide-react";
import { useId } from "react";
import type { KindEditor, StaticFormProps } from "@/components/dashboards/kinds/kind-editor";
import { lazyComponent } from "@/components/ui/lazy-component";
import { later } from "@/lib/platform/browser/load-again";

const loadMarkdown = later(() => import("@/components/markdown/markdown"));
const Markdown = lazyComponent(loadMarkdown, (module) => module.Markdown);

export const textEditor: KindEditor = { icons: { text: Type }, Static: TextForm };

function TextForm({ spec, onChange }: StaticFormProps) {
  const text = String(spec.text ?? "");
  const id = useId();
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Text</label>
        <div className="input edit-text tall">
          <textarea
            id={id}
            value={text}
            onChange={({ target }) => onChange({ ...spec, text: target.value }, "Edit text", "text")}
          />
        </div>
        <div className="help">Markdown: # heading, **bold**, - list, [link](https://...)</div>
      </div>
      <section className="edit-part" aria-label="Preview">
        <h3>Preview</h3>
        <div className="edit-preview">
          <Markdown text={text} />
        </div>
      </section>
    </>
  );
}
