"use client";

import { SettingsPage } from "@/components/settings/settings-page";
import { SwitchRow } from "@/components/ui/switch-row";
import { ShortcutGroups } from "@/components/workspace/shortcut-groups";
import { useFrame } from "@/components/workspace/use-frame";

/** One-letter keys on or off, and every shortcut there is. */
export function KeyboardSettings() {
  const { frame, update } = useFrame();
  return (
    <SettingsPage title="Keyboard">
      <SwitchRow
        label="One-letter shortcuts"
        help="Keys such as C, ? and G then C. They never work while you type. Turn them off if they get in the way of speech control."
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
