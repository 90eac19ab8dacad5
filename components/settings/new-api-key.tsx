"use client";

import { useId } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useChange } from "@/components/settings/use-settings";
import { CalendarButton } from "@/components/ui/calendar-button";
import { FormFailure } from "@/components/ui/form-parts";
import { Modal } from "@/components/ui/modal";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { type FieldProblems, useServerForm } from "@/components/ui/use-server-form";
import type { CreatedApiKey } from "@/lib/features/accounts/api-key-schema";
import { KEY_LIFETIMES, type KeyLifetime, toExpiry } from "@/lib/features/accounts/browser/lifetimes";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";

type KeyAccess = CreatedApiKey["access"];
type NewApiKeyProps = {
  isOpen: boolean;
  /** Initial choice. */
  access?: KeyAccess;
  onClose: () => void;
  onMade: (key: CreatedApiKey) => void;
};

const ACCESS: { value: KeyAccess; label: string }[] = [
  { value: "read", label: "Read-only" },
  { value: "full", label: "Full access" },
];

/** Dialog that creates a key with its purpose and its expiry. */
export function NewApiKey({ isOpen, access, onClose, onMade }: NewApiKeyProps) {
  return (
    <Modal title="New API key" isOpen={isOpen} onClose={onClose}>
      <KeyForm access={access} onClose={onClose} onMade={onMade} />
    </Modal>
  );
}

type KeyFields = { name: string; lifetime: KeyLifetime; day: string; access: KeyAccess };

function KeyForm({ access = "full", onClose, onMade }: Omit<NewApiKeyProps, "isOpen">) {
  const id = useId();
  const { workspace } = useWorkspace();
  const create = useChange(["api-keys"], (body: { name: string; expiresAt: string | null; access: KeyAccess }) =>
    workspaceApi.createApiKey(workspace.id, body),
  );
  const { formProps, failure, isBusy, text, control } = useServerForm<KeyFields>({
    initial: { name: "", lifetime: "90", day: "", access },
    fields: ["name", "day"],
    fieldOf: (path) => (path === "name" ? "name" : path === "expiresAt" ? "day" : null),
    check: findProblems,
    send: async ({ name, lifetime, day, access }) =>
      onMade(await create.mutateAsync({ name: name.trim(), expiresAt: toExpiry(lifetime, day, new Date()), access })),
  });
  const lifetime = control("lifetime");

  return (
    <form {...formProps} className="form dlg-form" aria-label="New API key">
      <FormFailure text={failure} />
      <TextField
        label="Name"
        isDense
        autoFocus
        autoComplete="off"
        placeholder="Nightly export job"
        maxLength={80}
        {...text("name")}
      />
      <div className="field">
        <span className="flabel" id={`${id}-may`}>
          Access
        </span>
        <Select labelId={`${id}-may`} {...control("access")} options={ACCESS} />
      </div>
      <div className="field">
        <span className="flabel" id={`${id}-ends`}>
          Expires
        </span>
        <Select
          labelId={`${id}-ends`}
          {...lifetime}
          options={KEY_LIFETIMES.map(({ value, label }) => ({ value, label }))}
        />
        {lifetime.value === "never" && (
          <div className="help">This key works until revoked. Set an expiry date where possible.</div>
        )}
      </div>
      {lifetime.value === "date" && (
        <TextField
          label="Expiry date"
          isDense
          placeholder="YYYY-MM-DD"
          {...text("day")}
          end={<CalendarButton {...control("day")} />}
        />
      )}
      <div className="row acts dlg-acts">
        <button type="button" className="btn ghost" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="btn primary" disabled={isBusy}>
          {isBusy ? "Creating key" : "Create key"}
        </button>
      </div>
    </form>
  );
}

function findProblems({ name, lifetime, day }: KeyFields): FieldProblems<KeyFields> {
  const problems: FieldProblems<KeyFields> = {};
  if (name.trim() === "") problems.name = "Enter a name.";
  try {
    toExpiry(lifetime, day, new Date());
  } catch (error) {
    problems.day = error instanceof RangeError ? error.message : "Select an expiry date.";
  }
  return problems;
}
