"use client";

import { Maximize2, X } from "lucide-react";
import type { ReactNode } from "react";
import { SqlCode } from "@/components/editor/sql-code";

type PhoneConsoleProps = {
  content: string;
  dialect: Parameters<typeof SqlCode>[0]["dialect"];
  isEditorOpen: boolean;
  onEditor: (isOpen: boolean) => void;
  editor: ReactNode;
  strip: ReactNode;
  result: ReactNode;
};

/** A console on a phone: the editor covers the result while it is open. */
export function PhoneConsole(props: PhoneConsoleProps) {
  const { content, dialect, isEditorOpen, onEditor, editor, strip, result } = props;
  return (
    <>
      <div className={isEditorOpen ? "phone-editor open" : "phone-editor"}>
        {isEditorOpen ? (
          <>
            <button type="button" className="phone-close" onClick={() => onEditor(false)}>
              <X />
              Close editor
            </button>
            {editor}
          </>
        ) : (
          <button type="button" className="phone-preview" onClick={() => onEditor(true)}>
            <code className="code">
              <SqlCode text={toPreview(content)} dialect={dialect} />
            </code>
            <span className="row xs">
              <Maximize2 className="s" />
              {toOpenLabel(content)}
            </span>
          </button>
        )}
      </div>
      {!isEditorOpen && result}
      {strip}
    </>
  );
}

/** Returns the first two lines with content. */
function toPreview(content: string): string {
  const lines = content.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("--"));
  if (lines.length === 0) return "Write a query";
  return lines.slice(0, 2).join("\n") + (lines.length > 2 ? " ..." : "");
}

function toOpenLabel(content: string): string {
  const count = content.split("\n").length;
  return count < 2 ? "Open editor" : `View all ${count} lines`;
}
