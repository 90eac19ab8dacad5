"use client";

import { Check } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { TagDot } from "@/components/ui/colour-tag";
import { FieldMessage, messageIdOf } from "@/components/ui/form-parts";
import { Select } from "@/components/ui/select";
import { COLOUR_NAMES, isPreset, TAG_PRESETS } from "@/lib/features/connections/browser/connection-tag";
import type { Tag } from "@/lib/features/connections/schema";

const NAME_MAX = 24;
const HELP = "Shown on tabs, in the explorer and next to Run.";
const OWN = "own";
const NONE = "none";

type TagFieldProps = {
  tag: Tag | null;
  problem: string | undefined;
  isDisabled: boolean;
  onChange: (tag: Tag | null) => void;
};

/** No tag, one of the usual tags, or a custom one with a name and a colour. */
export function TagField({ tag, problem, isDisabled, onChange }: TagFieldProps) {
  const id = useId();
  const [isOwn, setIsOwn] = useState(tag !== null && !isPreset(tag));
  const chosen = isOwn ? OWN : (tag?.name ?? NONE);
  const choices = [
    { value: NONE, label: "None", tag: null },
    ...TAG_PRESETS.map((preset) => ({ value: preset.name, label: preset.name, tag: preset })),
    { value: OWN, label: "Custom", tag: isOwn ? tag : null },
  ];
  const choose = (value: string) => {
    setIsOwn(value === OWN);
    if (value === OWN) onChange({ name: "", colour: tag?.colour ?? "indigo" });
    else onChange(TAG_PRESETS.find(({ name }) => name === value) ?? null);
  };
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined || isDisabled) return;
    event.preventDefault();
    const next = (choices.findIndex(({ value }) => value === chosen) + step + choices.length) % choices.length;
    choose(choices[next]?.value ?? NONE);
    event.currentTarget.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div className="field span-6">
      <span className="flabel" id={`${id}-label`}>
        Tag
      </span>
      <div
        className="row tag-choices"
        role="radiogroup"
        aria-labelledby={`${id}-label`}
        aria-describedby={messageIdOf(id, problem, HELP)}
        onKeyDown={move}
      >
        {choices.map((choice) => (
          // biome-ignore lint/a11y/useSemanticElements: a choice is drawn as a chip, and a radio cannot be
          <button
            key={choice.value}
            type="button"
            role="radio"
            className="chip tag-choice"
            aria-checked={choice.value === chosen}
            tabIndex={choice.value === chosen ? 0 : -1}
            disabled={isDisabled}
            onClick={() => choice.value !== chosen && choose(choice.value)}
          >
            {choice.tag && <TagDot colour={choice.tag.colour} />}
            {choice.label}
            {choice.value === chosen && <Check className="xs" />}
          </button>
        ))}
      </div>
      {isOwn && tag !== null && (
        <div className="tag-own">
          <div className={problem ? "input err" : "input"}>
            <input
              aria-label="Tag name"
              aria-invalid={problem ? true : undefined}
              aria-describedby={problem ? `${id}-problem` : undefined}
              value={tag.name}
              placeholder="Tag name"
              maxLength={NAME_MAX}
              autoComplete="off"
              disabled={isDisabled}
              onChange={(event) => onChange({ ...tag, name: event.target.value })}
            />
          </div>
          <Select
            label="Tag colour"
            value={tag.colour}
            options={COLOUR_NAMES.map(({ colour, name }) => ({
              value: colour,
              label: name,
              note: <TagDot colour={colour} />,
            }))}
            onChange={(colour) => onChange({ ...tag, colour })}
            isDisabled={isDisabled}
          />
        </div>
      )}
      <FieldMessage id={id} problem={problem} help={HELP} />
    </div>
  );
}
