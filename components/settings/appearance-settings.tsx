"use client";

import { useState } from "react";
import { useFrame } from "@/components/layout/use-frame";
import { SettingsPage } from "@/components/settings/settings-page";
import { Segments } from "@/components/ui/segments";
import { ZoneField } from "@/components/ui/zone-field";
import { TIME_LOOKS, type TimesLook } from "@/lib/base/values/cell-look";
import { deviceZone, toZoneName } from "@/lib/base/values/names";
import type { Density, Theme } from "@/lib/features/accounts/browser/frame-preferences";

const THEMES: { value: Theme; name: string; help?: string }[] = [
  { value: "light", name: "Light" },
  { value: "dark", name: "Dark" },
  { value: "system", name: "System", help: "Matches this device" },
];
const DENSITIES: { value: Density; name: string; help: string }[] = [
  { value: "compact", name: "Compact", help: "24 px rows" },
  { value: "normal", name: "Normal", help: "28 px rows" },
  { value: "roomy", name: "Comfortable", help: "34 px rows" },
];

/** Theme, density, and the format of numbers and times. A choice applies at once, and is stored with the account. */
export function AppearanceSettings() {
  const { frame, update } = useFrame();
  return (
    <SettingsPage title="Appearance">
      <p className="lead">Saved to your account and used on all your devices.</p>
      <fieldset className="part choice-set">
        <legend>Theme</legend>
        {THEMES.map(({ value, name, help }) => (
          <Choice
            key={value}
            group="theme"
            name={name}
            help={help}
            isOn={frame.theme === value}
            onChoose={() => update({ theme: value })}
            picture={<ThemePicture theme={value} />}
          />
        ))}
      </fieldset>
      <fieldset className="part choice-set">
        <legend>Row density</legend>
        {DENSITIES.map(({ value, name, help }) => (
          <Choice
            key={value}
            group="density"
            name={name}
            help={help}
            isOn={frame.density === value}
            onChoose={() => update({ density: value })}
            picture={<DensityPicture density={value} />}
          />
        ))}
      </fieldset>
      <div className="part field">
        <span className="flabel">Number format</span>
        <Segments
          label="Number format"
          value={frame.digits}
          options={[
            { value: "grouped", label: "1,284.50" },
            { value: "plain", label: "1284.50" },
          ]}
          onChange={(digits) => update({ digits })}
        />
      </div>
      <Times value={frame.times} onChange={(times) => update({ times })} />
    </SettingsPage>
  );
}

const ZONE = "zone";

/** Selects the clock for times. A custom zone has a separate field and applies once it is valid. */
function Times({ value, onChange }: { value: TimesLook; onChange: (times: TimesLook) => void }) {
  const named = TIME_LOOKS.find((look) => look === value);
  const [typed, setTyped] = useState<string | null>(null);
  /** The typed text filters the list first, and is validated when the field loses focus. */
  const [isLeft, setIsLeft] = useState(false);
  const shown = typed ?? value;
  const isWrong = isLeft && toZoneName(shown) === null;
  return (
    <div className="part field">
      <span className="flabel">Time zone</span>
      <Segments
        label="Time zone"
        value={named ?? ZONE}
        options={[
          { value: "local", label: "This device" },
          { value: "utc", label: "UTC" },
          { value: ZONE, label: "Other" },
          { value: "raw", label: "As stored" },
        ]}
        onChange={(times) => {
          setTyped(null);
          onChange(times === ZONE ? deviceZone() : times);
        }}
      />
      {named === undefined && (
        <ZoneField
          label="Time zone"
          value={shown}
          error={isWrong ? "Unknown time zone. Select one from the list." : null}
          onLeave={() => setIsLeft(true)}
          onChange={(text) => {
            setTyped(text);
            setIsLeft(false);
            const zone = toZoneName(text);
            if (zone !== null) onChange(zone);
          }}
        />
      )}
      <p className="xs t3">Copies, exports and cell tooltips keep the exact value.</p>
    </div>
  );
}

type ChoiceProps = {
  group: string;
  name: string;
  help?: string | undefined;
  isOn: boolean;
  onChoose: () => void;
  picture: React.ReactNode;
};

function Choice({ group, name, help, isOn, onChoose, picture }: ChoiceProps) {
  return (
    <label className="choice">
      <span className="choice-picture" aria-hidden="true">
        {picture}
      </span>
      <span className="row choice-name">
        <input type="radio" name={group} checked={isOn} onChange={onChoose} />
        <span>
          <span className="b5">{name}</span>
          {help !== undefined && <span className="xs t3 choice-help">{help}</span>}
        </span>
      </span>
    </label>
  );
}

/** Previews the frame in the colours of the given theme, not of the page's. */
function ThemePicture({ theme }: { theme: Theme }) {
  const halves = theme === "system" ? (["light", "dark"] as const) : ([theme] as const);
  return halves.map((each) => (
    <span key={each} className="mini-frame" data-theme={each}>
      <i className="mini-rail" />
      <i className="mini-side" />
      <span className="mini-main">
        <i style={{ width: "70%" }} />
        <i className="accent" style={{ width: "45%" }} />
        <i style={{ width: "60%" }} />
      </span>
    </span>
  ));
}

const ROW_GAPS: Record<Density, number> = { compact: 7, normal: 10, roomy: 15 };

function DensityPicture({ density }: { density: Density }) {
  const count = Math.floor(60 / ROW_GAPS[density]);
  return (
    <span className="mini-rows">
      {Array.from({ length: count }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a picture never move
        <i key={i} style={{ height: ROW_GAPS[density] }} />
      ))}
    </span>
  );
}
