"use client";

import { SettingsPage } from "@/components/settings/settings-page";
import { useFrame } from "@/components/workspace/use-frame";
import type { Density, Theme } from "@/lib/ui/frame-preferences";

const THEMES: { value: Theme; name: string; help: string }[] = [
  { value: "light", name: "Light", help: "White sheets" },
  { value: "dark", name: "Dark", help: "Deep water" },
  { value: "system", name: "As the system", help: "Follows this device" },
];
const DENSITIES: { value: Density; name: string; help: string }[] = [
  { value: "compact", name: "Compact", help: "24 px rows" },
  { value: "normal", name: "Normal", help: "28 px rows" },
  { value: "roomy", name: "Roomy", help: "34 px rows" },
];

/** Theme and density. A choice shows at once, and goes with the account to other browsers. */
export function AppearanceSettings() {
  const { frame, update } = useFrame();
  return (
    <SettingsPage title="Appearance">
      <p className="lead">What you choose shows at once and goes with your account to your other browsers.</p>
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
        <legend>Density of rows</legend>
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
    </SettingsPage>
  );
}

type ChoiceProps = {
  group: string;
  name: string;
  help: string;
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
          <span className="xs t3 choice-help">{help}</span>
        </span>
      </span>
    </label>
  );
}

/** A small frame in the theme's own colours, whatever theme the page has now. */
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
