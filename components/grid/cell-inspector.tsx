"use client";

import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "@/components/ui/copy-text";
import type { MenuAction } from "@/components/ui/menu-actions";
import { Modal } from "@/components/ui/modal";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { toPlainText } from "@/lib/features/results/browser/cell-text";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";

export type Inspected = { field: ResultField; value: CellValue | undefined; rowNumber: number };

type CellInspectorProps = { inspected: Inspected | null; actions: readonly MenuAction[]; onClose: () => void };

/**
 * Shows one whole value: JSON formatted, long text wrapped, with its type and length.
 * @param inspected null while closed
 * @param actions actions of its row
 */
export function CellInspector({ inspected, actions, onClose }: CellInspectorProps) {
  const [copied, setCopied] = useState<Inspected | null>(null);
  if (inspected === null) return null;
  const { field, value, rowNumber } = inspected;
  const text = toLaidOut(value);
  const isNull = value === null || value === undefined;
  const isCopied = copied === inspected;
  return (
    <Modal
      title={field.name}
      isOpen
      onClose={onClose}
      foot={
        <button
          type="button"
          className="btn"
          onClick={async () => (await copyText(toPlainText(value))) && setCopied(inspected)}
        >
          {isCopied ? <Check className="s" /> : <Copy className="s" />}
          {isCopied ? "Value copied" : "Copy value"}
        </button>
      }
    >
      <div className="xs t3 num">
        Row {formatCount(rowNumber)}, {(field.dbType ?? field.type).toLowerCase()}
        {typeof value === "string" ? `, ${formatCountOf([...value].length, "character")}` : ""}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long value scrolls, and the keyboard has to reach it */}
      <pre className={isNull ? "cell-value null" : "cell-value"} tabIndex={0}>
        {isNull ? "null" : text}
      </pre>
      {actions.length > 0 && (
        <div className="cell-actions">
          {actions.map(({ label, icon, run }) => (
            <button
              key={label}
              type="button"
              className="btn"
              onClick={() => {
                onClose();
                run();
              }}
            >
              {icon}
              {label}
            </button>
          ))}
        </div>
      )}
    </Modal>
  );
}

function toLaidOut(value: CellValue | undefined): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value, null, 2);
  const text = toPlainText(value);
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }
  return text;
}
