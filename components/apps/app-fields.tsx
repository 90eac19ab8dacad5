"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { ChoiceGroup } from "@/components/ui/choice-group";
import { TextField } from "@/components/ui/text-field";
import type { App } from "@/lib/features/apps/browser/client";
import { DESCRIPTION_CHARS_MAX, TITLE_CHARS_MAX } from "@/lib/features/apps/limits";

type TextProps = { value: string; error: string | undefined; onChange: (value: string) => void };

/** @param isFirst whether the field takes the focus when the dialog opens */
export function TitleField({ value, error, onChange, isFirst = false }: TextProps & { isFirst?: boolean }) {
  return (
    <TextField
      label="Title"
      isDense
      autoFocus={isFirst}
      value={value}
      maxLength={TITLE_CHARS_MAX}
      autoComplete="off"
      error={error}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

export function DescriptionField({ value, error, help, onChange }: TextProps & { help?: string }) {
  return (
    <TextField
      label="Description"
      isDense
      value={value}
      maxLength={DESCRIPTION_CHARS_MAX}
      autoComplete="off"
      error={error}
      help={help}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

type AccessProps = {
  value: App["access"];
  error?: string;
  isDisabled: boolean;
  /** Explains what private access means for this app. */
  privateHelp: string;
  onChange: (value: App["access"]) => void;
};

export function AccessField({ value, error, isDisabled, privateHelp, onChange }: AccessProps) {
  const { workspace } = useWorkspace();
  return (
    <ChoiceGroup
      label="Visibility"
      value={value}
      onChange={onChange}
      isDisabled={isDisabled}
      error={error}
      options={[
        { value: "private", label: "Only you", help: privateHelp },
        { value: "workspace", label: `Everyone in ${workspace.name}`, help: "Visible once published" },
      ]}
    />
  );
}
