"use client";

import { Autocomplete } from "@base-ui/react/autocomplete";
import { ChevronDown } from "lucide-react";
import { useId, useState } from "react";
import { FieldProblem } from "@/components/ui/form-parts";
import { deviceZone } from "@/lib/base/values/names";
import "@/components/ui/page.css";

/** Maximum number of listed zones, out of some 420: as many as people look through. */
const SHOWN_MAX = 60;

type ZoneFieldProps = {
  label?: string;
  value: string;
  onChange: (value: string) => void;
  /** Called when the field loses focus, with its current text. */
  onLeave?: () => void;
  readOnly?: boolean;
  /** Error message; null if there is none. */
  error: string | null;
};

/** A time zone: typed by name, or searched in the list. */
export function ZoneField({ label = "Time zone", value, onChange, onLeave, readOnly = false, error }: ZoneFieldProps) {
  const id = useId();
  const [zones] = useState(listZones);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <Autocomplete.Root
        items={zones}
        value={value}
        onValueChange={onChange}
        limit={SHOWN_MAX}
        openOnInputClick
        readOnly={readOnly}
      >
        <div className={`input${error === null ? "" : " err"}`}>
          <Autocomplete.Input
            id={id}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={error === null ? undefined : true}
            aria-describedby={error === null ? undefined : `${id}-error`}
            onFocus={(event) => event.target.select()}
            onBlur={onLeave}
          />
          {!readOnly && <ChevronDown className="s t3" />}
        </div>
        <Autocomplete.Portal>
          <Autocomplete.Positioner className="menu-pos pick-pos" sideOffset={4} collisionPadding={8}>
            <Autocomplete.Popup className="menu pick-menu zone-menu">
              <Autocomplete.List>
                {(zone: string) => (
                  <Autocomplete.Item key={zone} value={zone} className="menu-item">
                    <span className="trunc">{zone.replaceAll("_", " ")}</span>
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
      <FieldProblem id={`${id}-error`} text={error} />
    </div>
  );
}

/** Returns the reader's zone first, then UTC. */
function listZones(): string[] {
  return [...new Set([deviceZone(), "UTC", ...Intl.supportedValuesOf("timeZone")])];
}
