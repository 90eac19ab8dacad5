"use client";

import { CalendarDays } from "lucide-react";
import { useState } from "react";
import { lazyComponent } from "@/components/ui/lazy-component";
import { Popover } from "@/components/ui/popover";
import { isDay } from "@/lib/base/values/date-presets";
import { later } from "@/lib/platform/browser/load-again";

const Calendar = lazyComponent(
  later(() => import("@/components/ui/calendar")),
  (module) => module.default,
);

type CalendarButtonProps = {
  /** Text of the field: a day as `YYYY-MM-DD`, or anything else. */
  value: string;
  onChange: (day: string) => void;
};

/** Opens a calendar for a field that takes a day as `YYYY-MM-DD`. */
export function CalendarButton({ value, onChange }: CalendarButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover
      label="Calendar"
      isOpen={isOpen}
      onOpen={setIsOpen}
      trigger={
        <button type="button" className="input-btn" aria-label="Open calendar">
          <CalendarDays className="s" />
        </button>
      }
    >
      <Calendar
        value={isDay(value) ? value : ""}
        onChange={(day) => {
          onChange(day);
          setIsOpen(false);
        }}
      />
    </Popover>
  );
}
