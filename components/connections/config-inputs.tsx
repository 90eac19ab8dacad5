"use client";

import { Lock } from "lucide-react";
import { useId, useState } from "react";
import { FileInput } from "@/components/connections/file-input";
import { NamedSecretsInput } from "@/components/connections/named-secrets-input";
import type { ConnectionForm } from "@/components/connections/use-connection-form";
import { FieldMessage, messageIdOf } from "@/components/ui/form-parts";
import { Select } from "@/components/ui/select";
import { SwitchRow } from "@/components/ui/switch-row";
import type { ConfigField } from "@/lib/features/connections/schema";

/** Widths in a grid of six columns. The default is half; long texts and files take all. */
const SPANS: Record<string, number> = {
  host: 4,
  port: 2,
  connectionString: 6,
  baseUrl: 6,
  file: 6,
  "ssh.host": 4,
  "ssh.port": 2,
  "ssh.hostKeySha256": 6,
  schemas: 3,
};
const WIDE_KINDS = new Set<ConfigField["kind"]>(["textarea", "json", "file", "boolean"]);
/** Kinds with code-like values, which are easier to check in a monospaced font. */
const MONO_KINDS = new Set<ConfigField["kind"]>(["text", "number", "file"]);

type ConfigInputProps = { field: ConfigField; form: ConnectionForm; isDisabled: boolean };

/** An input of a connection's form, as its type declares it. */
export function ConfigInput({ field, form, isDisabled }: ConfigInputProps) {
  const id = useId();
  const span = SPANS[field.name] ?? (WIDE_KINDS.has(field.kind) ? 6 : 3);
  const problem = form.problemOf(field.name);
  const value = form.values[field.name] ?? "";
  if (field.kind === "boolean") {
    return (
      <div className="span-6">
        <SwitchRow
          label={field.label}
          help={field.help ?? ""}
          isOn={form.values[field.name] === true}
          onChange={(isOn) => form.set(field.name, isOn)}
          isDisabled={isDisabled}
        />
      </div>
    );
  }
  const isMoved = form.moved.has(field.name);
  const help = isMoved ? "The host changed. Enter this again." : field.help;
  return (
    <div className={`field span-${span}`}>
      {field.kind === "select" || field.namesShown ? (
        <span className="flabel" id={`${id}-label`}>
          {field.label}
        </span>
      ) : (
        <label htmlFor={id}>
          {field.label}
          {field.required && <span className="sr-only"> (required)</span>}
        </label>
      )}
      <Control id={id} field={field} form={form} isDisabled={isDisabled} describedBy={messageIdOf(id, problem, help)} />
      <FieldMessage id={id} problem={problem} help={help} isWarning={isMoved} />
      {field.kind === "json" && field.example !== undefined && value === "" && !isDisabled && (
        <div className="help">
          <button type="button" className="link" onClick={() => form.set(field.name, field.example ?? "")}>
            Use example
          </button>
        </div>
      )}
    </div>
  );
}

type ControlProps = ConfigInputProps & { id: string; describedBy: string | undefined };

function Control({ id, field, form, isDisabled, describedBy }: ControlProps) {
  const value = String(form.values[field.name] ?? "");
  const isInvalid = form.problemOf(field.name) !== undefined;
  const common = {
    id,
    name: field.name,
    value,
    disabled: isDisabled,
    "aria-invalid": isInvalid ? (true as const) : undefined,
    "aria-describedby": describedBy,
    onBlur: () => form.check(field.name),
  };
  const look = `input${MONO_KINDS.has(field.kind) || field.names ? " mono-input" : ""}${isInvalid ? " err" : ""}`;
  if (field.kind === "select") {
    return (
      <Select
        labelId={`${id}-label`}
        describedBy={describedBy}
        placeholder="Not set"
        value={value}
        options={field.options ?? []}
        onChange={(next) => form.set(field.name, next)}
        isDisabled={isDisabled}
        isInvalid={isInvalid}
      />
    );
  }
  if (field.namesShown)
    return <NamedSecretsInput {...{ id, field, form, isDisabled, describedBy }} labelId={`${id}-label`} />;
  if (field.kind === "file") return <FileInput {...{ id, field, form, isDisabled, describedBy }} />;
  if (field.kind === "textarea" && field.secret && form.kept.has(field.name)) {
    return <SecretControl {...{ id, field, form, isDisabled, describedBy }} />;
  }
  if ((field.kind === "textarea" || field.kind === "json") && !field.names) {
    return (
      <div className={`${look} area`}>
        <textarea
          {...common}
          rows={field.kind === "json" ? 12 : 4}
          placeholder={field.example}
          spellCheck={false}
          onChange={(event) => form.set(field.name, event.target.value)}
        />
      </div>
    );
  }
  if (field.secret) return <SecretControl {...{ id, field, form, isDisabled, describedBy }} />;
  return (
    <div className={look}>
      <input
        {...common}
        placeholder={field.example}
        inputMode={field.kind === "number" ? "numeric" : undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => form.set(field.name, event.target.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData("text");
          if (field.name === "host" && form.hasTwoWays && form.fillIn(pasted)) event.preventDefault();
        }}
      />
    </div>
  );
}

/** A secret whose stored value is never shown; Replace opens a field for a new one. */
function SecretControl({ id, field, form, isDisabled, describedBy }: ControlProps) {
  const isInvalid = form.problemOf(field.name) !== undefined;
  const [isAsked, setIsAsked] = useState(false);
  if (form.kept.has(field.name)) {
    return (
      <div className="input secret-set">
        <Lock className="xs t3" />
        <span className="grow t2" id={id}>
          Saved and encrypted
        </span>
        {!isDisabled && (
          <button
            type="button"
            className="link secret-replace"
            aria-label={`Replace ${field.label}`}
            onClick={() => {
              setIsAsked(true);
              form.replace(field.name);
            }}
          >
            Replace
          </button>
        )}
      </div>
    );
  }
  return (
    <div className={`input${field.name === "connectionString" ? " mono-input" : ""}${isInvalid ? " err" : ""}`}>
      <input
        id={id}
        name={field.name}
        type="password"
        // Not a user's password: password managers must not offer or store it.
        autoComplete="new-password"
        data-1p-ignore
        // biome-ignore lint/a11y/noAutofocus: the field appears because it was asked for
        autoFocus={isAsked}
        spellCheck={false}
        value={String(form.values[field.name] ?? "")}
        disabled={isDisabled}
        aria-invalid={isInvalid ? true : undefined}
        aria-describedby={describedBy}
        onBlur={() => form.check(field.name)}
        onChange={(event) => form.set(field.name, event.target.value)}
      />
      {form.stored.has(field.name) && !form.moved.has(field.name) ? (
        <button
          type="button"
          className="link secret-replace"
          aria-label={`Keep current ${field.label}`}
          onClick={() => form.keep(field.name)}
        >
          Keep current
        </button>
      ) : (
        <span className="row xs t3 secret-mark">
          <Lock className="xs" />
          Encrypted
        </span>
      )}
    </div>
  );
}

/** Fills the individual fields from one string, or keeps the string. */
export function AddressWayPicker({ form }: { form: ConnectionForm }) {
  const id = useId();
  const [text, setText] = useState("");
  const [said, setSaid] = useState<string | null>(null);
  if (form.way === "string") {
    return (
      <div className="span-6">
        <button type="button" className="link" onClick={() => form.setWay("fields")}>
          Enter fields instead
        </button>
      </div>
    );
  }
  const take = (pasted: string) => {
    if (pasted.trim() === "") return setSaid(null);
    if (form.fillIn(pasted)) {
      setText("");
      setSaid("Fields filled in. Review them, then test.");
    } else {
      setSaid("Can't parse this connection string. Check it, or use it as is.");
    }
  };
  return (
    <div className="field span-6">
      <label htmlFor={id}>Connection string</label>
      <div className="input mono-input">
        <input
          id={id}
          value={text}
          placeholder="scheme://user:password@host:port/database"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-describedby={`${id}-help`}
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            event.preventDefault();
            const pasted = event.clipboardData.getData("text");
            setText(pasted);
            take(pasted);
          }}
          onBlur={() => take(text)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            take(text);
          }}
        />
      </div>
      <div id={`${id}-help`} className="help" role="status">
        {said ?? "Paste to fill in the fields below."}{" "}
        <button type="button" className="link" onClick={() => form.setWay("string")}>
          Use connection string as is
        </button>
      </div>
    </div>
  );
}
