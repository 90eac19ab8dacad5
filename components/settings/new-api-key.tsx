"use client";

import { type FormEvent, useId, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useChange } from "@/components/settings/use-settings";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import { KEY_LIFETIMES, type KeyLifetime, toExpiry } from "@/lib/features/accounts/browser/lifetimes";
import { type CreatedApiKey, workspaceApi } from "@/lib/features/workspaces/browser/client";
import { ApiError } from "@/lib/platform/browser/request";

type Problems = { name?: string; expiresAt?: string };
type KeyAccess = CreatedApiKey["access"];
type NewApiKeyProps = {
  isOpen: boolean;
  /** Initial choice. */
  access?: KeyAccess;
  onClose: () => void;
  onMade: (key: CreatedApiKey) => void;
};

const ACCESS: { value: KeyAccess; label: string }[] = [
  { value: "read", label: "Read only" },
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

function KeyForm({ access: first = "full", onClose, onMade }: Omit<NewApiKeyProps, "isOpen">) {
  const id = useId();
  const { workspace } = useWorkspace();
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<KeyLifetime>("90");
  const [day, setDay] = useState("");
  const [access, setAccess] = useState(first);
  const [problems, setProblems] = useState<Problems>({});
  const [failure, setFailure] = useState<string | null>(null);
  const create = useChange(["api-keys"], (body: { name: string; expiresAt: string | null; access: KeyAccess }) =>
    workspaceApi.createApiKey(workspace.id, body),
  );

  // With two keys, the secret of the first would be lost.
  const [submit] = useSingleFlight(async () => {
    setFailure(null);
    const found: Problems = {};
    if (name.trim() === "") found.name = "Enter a name.";
    let expiresAt: string | null = null;
    try {
      expiresAt = toExpiry(lifetime, day, new Date());
    } catch (error) {
      found.expiresAt = error instanceof Error ? error.message : "Select an expiry date.";
    }
    setProblems(found);
    if (found.name || found.expiresAt) return;
    try {
      onMade(await create.mutateAsync({ name: name.trim(), expiresAt, access }));
    } catch (error) {
      const placed: Problems = Object.fromEntries(
        (error instanceof ApiError ? error.problems : []).map(({ path, message }) => [path, message]),
      );
      setProblems(placed);
      if (!placed.name && !placed.expiresAt) setFailure(toMessage(error));
    }
  });

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };

  return (
    <form className="form dlg-form" onSubmit={onSubmit} noValidate aria-label="New API key">
      {failure && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
      <TextField
        label="Name"
        isDense
        autoFocus
        autoComplete="off"
        placeholder="Nightly export job"
        value={name}
        maxLength={80}
        error={problems.name}
        onChange={(event) => setName(event.target.value)}
      />
      <div className="field">
        <span className="flabel" id={`${id}-may`}>
          Access
        </span>
        <Select labelId={`${id}-may`} value={access} onChange={setAccess} options={ACCESS} />
      </div>
      <div className="field">
        <span className="flabel" id={`${id}-ends`}>
          Expires
        </span>
        <Select
          labelId={`${id}-ends`}
          value={lifetime}
          onChange={setLifetime}
          options={KEY_LIFETIMES.map(({ value, label }) => ({ value, label }))}
        />
        {lifetime === "never" && (
          <div className="help">This key works until revoked. Set an expiry date where possible.</div>
        )}
      </div>
      {lifetime === "date" && (
        <TextField
          label="Expiry date"
          isDense
          type="date"
          value={day}
          error={problems.expiresAt}
          onChange={(event) => setDay(event.target.value)}
        />
      )}
      <div className="row acts dlg-acts">
        <button type="button" className="btn ghost" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="btn primary" disabled={create.isPending}>
          {create.isPending ? "Creating key" : "Create key"}
        </button>
      </div>
    </form>
  );
}
