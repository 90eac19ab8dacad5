"use client";

import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Tip } from "@/components/ui/tip";

type Act = {
  label: string;
  keys?: string;
  icon: ReactNode;
  onPress: () => void;
  isPressed?: boolean;
  isDisabled?: boolean;
};

type ExplorerSectionProps = {
  title: string;
  className: string;
  /** Actions on the whole section, at the end of its header. */
  acts: Act[];
  /** Notice that is shown whether the section is open or not. */
  notice?: ReactNode;
  children: ReactNode;
};

/** A section of the explorer with a header that collapses it. */
export function ExplorerSection({ title, className, acts, notice, children }: ExplorerSectionProps) {
  const [isOpen, setIsOpen] = useState(true);
  return (
    <section className={`sec-box ${className}`} aria-label={title}>
      <div className="sec">
        <button type="button" className="sec-name" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? <ChevronDown className="xs" /> : <ChevronRight className="xs" />}
          <h2>{title}</h2>
        </button>
        <span className="acts">
          {acts.map(({ label, keys, icon, onPress, isPressed, isDisabled }) => (
            <Tip key={label} label={label} keys={keys}>
              <button
                type="button"
                aria-label={label}
                aria-pressed={isPressed}
                aria-disabled={isDisabled}
                onClick={() => !isDisabled && onPress()}
              >
                {icon}
              </button>
            </Tip>
          ))}
        </span>
      </div>
      {notice}
      {isOpen && children}
    </section>
  );
}

/** Placeholder bars for the rows of a section. @param widths of the rows, in percent */
export function ExplorerBars({ label, widths }: { label: string; widths: number[] }) {
  return (
    <div className="bars" role="status" aria-label={label}>
      {widths.map((width) => (
        <i key={width} className="bone" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** Says why a section could not be loaded. */
export function ExplorerFailure({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <div className="sec-note">
      <p>{message}</p>
      <button type="button" className="btn sm" onClick={onRetry}>
        Retry
      </button>
    </div>
  );
}
