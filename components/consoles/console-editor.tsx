"use client";

import { useState } from "react";
import type { CodeEditor as Editor } from "@/components/consoles/code-editor";
import { EditorSkeleton } from "@/components/consoles/editor-skeleton";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { later } from "@/lib/platform/browser/load-again";

export const loadEditor = later(() => import("@/components/consoles/code-editor"));
const CodeEditor = lazyComponent(loadEditor, (module) => module.CodeEditor, EditorSkeleton);

/** The editor of a console. Until it was used once, a hint tells how to leave it by keyboard. */
export function ConsoleEditor(props: Omit<Parameters<typeof Editor>[0], "onCommand">) {
  const { workbench: store, commands } = useWorkspace();
  const isHintSeen = useWorkbench()?.isEditorHintSeen ?? true;
  const [isHinting, setIsHinting] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches the focus come and go
    <div
      className="editor-pane"
      data-region
      onFocus={() => setIsHinting(!isHintSeen)}
      onBlur={() => {
        setIsHinting(false);
        if (!isHintSeen) store.change((each) => ({ ...each, isEditorHintSeen: true }));
      }}
    >
      <CodeEditor {...props} onCommand={(command) => commands.run(command)} />
      {isHinting && <p className="editor-hint">Tab indents. To leave the editor, press Esc, then Tab.</p>}
    </div>
  );
}
