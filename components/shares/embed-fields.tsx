"use client";

import { X } from "lucide-react";
import { useId, useState } from "react";
import { CopyButton } from "@/components/ui/copy-button";
import { SwitchRow } from "@/components/ui/switch-row";
import { toEmbedCode, toOrigin } from "@/lib/features/dashboards/browser/embed";

type EmbedFieldsProps = {
  isOn: boolean;
  origins: readonly string[];
  onChange: (isOn: boolean, origins: readonly string[]) => void;
  /** Page to embed; null without a link, and while changes are unsaved. */
  page: { url: string; title: string } | null;
  error: string | undefined;
  isDisabled: boolean;
};

/** Selects the sites that may embed the page, and shows the code to paste there. */
export function EmbedFields({ isOn, origins, onChange, page, error, isDisabled }: EmbedFieldsProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const add = () => {
    if (typed.trim() === "") return setFault(null);
    const origin = toOrigin(typed);
    if (origin === null) return setFault("Enter a URL such as https://wiki.example.com.");
    setFault(null);
    setTyped("");
    if (!origins.includes(origin)) onChange(isOn, [...origins, origin]);
  };
  const said = fault ?? error;
  const code = page && toEmbedCode(page);
  return (
    <div className="share-embed">
      <SwitchRow
        label="Allow embedding"
        help="Only listed sites can embed it"
        isOn={isOn}
        onChange={(next) => onChange(next, origins)}
        isDisabled={isDisabled}
      />
      {isOn && (
        <div className="field">
          <label htmlFor={id}>Allowed sites</label>
          <div className="input share-origins">
            {origins.map((origin) => (
              <span key={origin} className="chip mono">
                <span className="trunc">{origin}</span>
                <button
                  type="button"
                  aria-label={`Remove ${origin}`}
                  disabled={isDisabled}
                  onClick={() =>
                    onChange(
                      isOn,
                      origins.filter((each) => each !== origin),
                    )
                  }
                >
                  <X className="xs" />
                </button>
              </span>
            ))}
            <input
              id={id}
              value={typed}
              placeholder="Add a site"
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              aria-invalid={said !== undefined}
              aria-describedby={said ? `${id}-said` : undefined}
              onChange={({ target }) => setTyped(target.value)}
              onBlur={add}
              onKeyDown={(event) => {
                if (event.key !== "Enter" && event.key !== ",") return;
                event.preventDefault();
                add();
              }}
            />
          </div>
          {said && (
            <div id={`${id}-said`} className="help bad" role="alert">
              {said}
            </div>
          )}
        </div>
      )}
      {isOn && code !== null && (
        <div className="share-link">
          <code className="trunc" title={code}>
            {code}
          </code>
          <CopyButton text={code} name="Copy embed code" />
        </div>
      )}
    </div>
  );
}
