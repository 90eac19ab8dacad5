"use client";

import { Lock, Plus, X } from "lucide-react";
import type { ConnectionForm } from "@/components/connections/use-connection-form";
import { type NamedRow, toNamedRows, toNamedText } from "@/lib/features/connections/browser/connection-form";
import type { ConfigField } from "@/lib/features/connections/schema";

type NamedSecretsProps = {
  id: string;
  field: ConfigField;
  form: ConnectionForm;
  isDisabled: boolean;
  labelId: string;
  describedBy: string | undefined;
};

/** Named secrets, such as headers: the names are shown, a stored value is not. */
export function NamedSecretsInput({ id, field, form, isDisabled, labelId, describedBy }: NamedSecretsProps) {
  const rows = toNamedRows(String(form.values[field.name] ?? ""));
  const isInvalid = form.problemOf(field.name) !== undefined;
  const put = (next: NamedRow[]) => form.set(field.name, toNamedText(next));
  const change = (index: number, part: Partial<NamedRow>) =>
    put(rows.map((row, each) => (each === index ? { ...row, ...part } : row)));
  const look = isInvalid ? "input err" : "input";
  const common = { autoComplete: "off", spellCheck: false, disabled: isDisabled, onBlur: () => form.check(field.name) };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend would be inside, the label is above
    <div
      className="named"
      id={id}
      role="group"
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      data-invalid={isInvalid || undefined}
    >
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is nothing but its place while its name is typed
        <div className="named-row" key={index}>
          <div className={`${look} mono-input`}>
            <input
              {...common}
              aria-label={`${field.label} name ${index + 1}`}
              placeholder="Name"
              autoCapitalize="none"
              value={row.name}
              // A stored value belongs to its name.
              readOnly={row.text === null}
              onChange={(event) => change(index, { name: event.target.value })}
            />
          </div>
          {row.text === null ? (
            <div className="input secret-set">
              <Lock className="xs t3" />
              <span className="grow t2">Saved and encrypted</span>
              {!isDisabled && (
                <button
                  type="button"
                  className="link secret-replace"
                  aria-label={`Replace ${row.name}`}
                  onClick={() => change(index, { text: "" })}
                >
                  Replace
                </button>
              )}
            </div>
          ) : (
            <div className={look}>
              <input
                {...common}
                type="password"
                autoComplete="new-password"
                data-1p-ignore
                aria-label={`${field.label} value for ${row.name || `name ${index + 1}`}`}
                placeholder="Value"
                value={row.text}
                onChange={(event) => change(index, { text: event.target.value })}
              />
              <span className="row xs t3 secret-mark">
                <Lock className="xs" />
                Encrypted
              </span>
            </div>
          )}
          {!isDisabled && (
            <button
              type="button"
              className="btn ghost icon"
              aria-label={`Remove ${row.name || `name ${index + 1}`}`}
              onClick={() => put(rows.filter((_, each) => each !== index))}
            >
              <X className="s" />
            </button>
          )}
        </div>
      ))}
      {!isDisabled && (
        <button type="button" className="btn sm" onClick={() => put([...rows, { name: "", text: "" }])}>
          <Plus className="s" />
          Add row
        </button>
      )}
    </div>
  );
}
