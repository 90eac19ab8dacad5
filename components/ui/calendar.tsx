"use client";

import "cally";
import type { CalendarDateProps } from "cally";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { HTMLAttributes } from "react";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "calendar-date": Omit<HTMLAttributes<HTMLElement>, "onchange"> &
        Pick<CalendarDateProps, "value" | "locale" | "firstDayOfWeek"> & {
          onchange: (event: Event & { target: { value: string } }) => void;
        };
      "calendar-month": HTMLAttributes<HTMLElement>;
    }
  }
}

const MONDAY = 1;

type CalendarProps = {
  /** `YYYY-MM-DD`, empty if no day is chosen. */
  value: string;
  onChange: (day: string) => void;
};

/** The days of a month, moved through with the arrow keys. Weeks start on Monday, as those of charts. */
export default function Calendar({ value, onChange }: CalendarProps) {
  return (
    <calendar-date
      className="calendar"
      locale="en-GB"
      firstDayOfWeek={MONDAY}
      value={value}
      onchange={({ target }) => onChange(target.value)}
    >
      <ChevronLeft slot="previous" aria-label="Previous month" className="s" />
      <ChevronRight slot="next" aria-label="Next month" className="s" />
      <calendar-month />
    </calendar-date>
  );
}
