"use client";

import type { ComponentProps } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ChoiceGroup } from "@/components/ui/choice-group";
import { TextField } from "@/components/ui/text-field";
import { DESCRIPTION_CHARS_MAX, TITLE_CHARS_MAX } from "@/lib/features/apps/limits";
import type { App } from "@/lib/features/apps/schema";

/** Properties of a text field, as a form gives them. */
type TextProps = Omit<ComponentProps<typeof TextField>, "label">;

export function TitleField(props: TextProps) {
  return <TextField label="Title" isDense maxLength={TITLE_CHARS_MAX} autoComplete="off" {...props} />;
}

export function DescriptionField(props: TextProps) {
  return <TextField label="Description" isDense maxLength={DESCRIPTION_CHARS_MAX} autoComplete="off" {...props} />;
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
