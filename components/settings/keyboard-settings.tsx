"use client";

import { ShortcutGroups } from "@/components/layout/shortcut-groups";
import { useFrame } from "@/components/layout/use-frame";
import { SettingsPage } from "@/components/settings/settings-page";
import { SwitchRow } from "@/components/ui/switch-row";

/** Turns one-letter keys on or off, and lists every shortcut. */
export function KeyboardSettings() {
  const { frame, update } = useFrame();
  return (
    <SettingsPage title="Keyboard">
      <SwitchRow
        label="Single-key shortcuts"
        help="For example C, ?, or G then C. Turn off for speech control."
        isOn={frame.areLettersOn}
        onChange={(areLettersOn) => update({ areLettersOn })}
      />
      <section className="part" aria-labelledby="shortcuts">
        <h2 id="shortcuts">Shortcuts</h2>
        <div className="shortcut-box">
          <ShortcutGroups />
        </div>
      </section>
    </SettingsPage>
  );
}
