"use client";

import { useId, useState } from "react";
import { FieldProblem } from "@/components/ui/form-parts";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { formatOrdinal } from "@/lib/features/runs/browser/ordinal";
import type { ScheduleChoice } from "@/lib/features/runs/browser/schedule-choice";

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const LAST = "last";
const DATES = [
  ...Array.from({ length: 31 }, (_, index) => ({ value: String(index + 1), label: formatOrdinal(index + 1) })),
  { value: LAST, label: "Last day" },
];

type ChoiceFieldsProps = {
  choice: ScheduleChoice;
  onChange: (choice: ScheduleChoice) => void;
  readOnly: boolean;
  /** Problem of the expression; null if there is none. */
  error: string | null;
};

/** Fields of a kind of schedule: the minute, the time, the days, or the expression itself. */
export function ChoiceFields({ choice, onChange, readOnly, error }: ChoiceFieldsProps) {
  const id = useId();
  if (choice.kind === "custom") {
    return (
      <TextField
        label="Cron expression"
        value={choice.cron}
        onChange={({ target }) => onChange({ kind: "custom", cron: target.value })}
        error={error}
        help="Minute, hour, day of month, month, day of week"
        readOnly={readOnly}
        autoComplete="off"
        spellCheck={false}
        className="mono"
        isDense
      />
    );
  }
  if (choice.kind === "hourly") {
    return (
      <TextField
        label="At minute"
        type="number"
        min={0}
        max={59}
        value={Number.isNaN(choice.minute) ? "" : choice.minute}
        onChange={({ target }) => onChange({ ...choice, minute: target.valueAsNumber })}
        error={error && "Enter a minute from 0 to 59."}
        readOnly={readOnly}
        isDense
      />
    );
  }
  return (
    <>
      {choice.kind === "weekly" && (
        <fieldset className="field schedule-days" data-invalid={error === null ? undefined : true}>
          <legend className="flabel">Days</legend>
          <div className="row">
            {DAYS.map((day, index) => {
              const number = index + 1;
              const isOn = choice.days.includes(number);
              const days = isOn ? choice.days.filter((each) => each !== number) : [...choice.days, number].sort();
              return (
                <button
                  key={day}
                  type="button"
                  className={isOn ? "chip on" : "chip"}
                  aria-pressed={isOn}
                  onClick={() => onChange({ ...choice, days })}
                >
                  {day}
                </button>
              );
            })}
          </div>
          <FieldProblem text={error} />
        </fieldset>
      )}
      {choice.kind === "monthly" && (
        <div className="field">
          <span id={id} className="flabel">
            Day of month
          </span>
          <Select
            labelId={id}
            value={choice.day === null ? LAST : String(choice.day)}
            options={DATES}
            onChange={(day) => onChange({ ...choice, day: day === LAST ? null : Number(day) })}
            isDisabled={readOnly}
          />
          {choice.day !== null && choice.day > 28 && (
            <div className="help">Months without a {formatOrdinal(choice.day)} are skipped.</div>
          )}
        </div>
      )}
      <TimeField value={choice.time} onChange={(time) => onChange({ ...choice, time })} readOnly={readOnly} />
    </>
  );
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

type TimeProps = {
  /** Such as 07:30. */
  value: string;
  onChange: (time: string) => void;
  readOnly: boolean;
};

/** A time of 24 hours; a browser in English would show its own field with AM and PM. An incomplete one is replaced. */
function TimeField({ value, onChange, readOnly }: TimeProps) {
  const [text, setText] = useState<string | null>(null);
  return (
    <TextField
      label="Time"
      inputMode="numeric"
      placeholder="07:30"
      maxLength={5}
      value={text ?? value}
      onChange={({ target }) => {
        setText(target.value);
        if (TIME.test(target.value)) onChange(target.value);
      }}
      onBlur={() => setText(null)}
      error={text === null || TIME.test(text) ? undefined : "Enter a time such as 07:30."}
      readOnly={readOnly}
      isDense
    />
  );
}
