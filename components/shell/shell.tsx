"use client";

import dynamic from "next/dynamic";
import { usePathname } from "next/navigation";
import { type ReactNode, useRef, useState } from "react";
import { AgentDock } from "@/components/agent/agent-dock";
import { Explorer } from "@/components/shell/explorer";
import { OfflineBanner } from "@/components/shell/offline-banner";
import { Rail } from "@/components/shell/rail";
import { StatusBar } from "@/components/shell/status-bar";
import { useKeptPreferences } from "@/components/shell/use-kept-preferences";
import { useKeptWorkbench } from "@/components/shell/use-kept-workbench";
import { useShellCommands } from "@/components/shell/use-shell-commands";
import { useShellKeys } from "@/components/shell/use-shell-keys";
import { LiveRegion } from "@/components/ui/live-region";
import { TipGroup } from "@/components/ui/tip";
import { useIsPhone } from "@/components/ui/use-browser";
import { updateFrame } from "@/components/workspace/use-frame";
import { loadAgain } from "@/lib/client/load-again";
import type { PaletteMode } from "@/lib/ui/palette-items";
import "./shell.css";

// Not needed for the first paint of a wide page.
const BottomBar = dynamic(
  () => loadAgain(() => import("@/components/shell/bottom-bar")).then((module) => module.BottomBar),
  {
    ssr: false,
  },
);
const ShortcutList = dynamic(
  () => loadAgain(() => import("@/components/shell/shortcut-list")).then((module) => module.ShortcutList),
  {
    ssr: false,
  },
);
const Palette = dynamic(
  () => loadAgain(() => import("@/components/palette/palette")).then((module) => module.Palette),
  { ssr: false },
);
const Toaster = dynamic(() => loadAgain(() => import("@/components/ui/toaster")).then((module) => module.Toaster), {
  ssr: false,
});

/** A press on what the explorer lies over, on a narrow page, puts the explorer away. */
function uncover(): void {
  if (matchMedia("(max-width: 900px)").matches) updateFrame({ explorerOpen: false });
}

/** The frame around every view of a workspace (docs/design.md, Layout): rail, explorer, main and status bar; on a phone the bottom bar. */
export function Shell({ children }: { children: ReactNode }) {
  const [isListOpen, setIsListOpen] = useState(false);
  const [paletteMode, setPaletteMode] = useState<PaletteMode | null>(null);
  const frameRef = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const pathname = usePathname();
  useKeptPreferences();
  useKeptWorkbench();
  useShellKeys({
    frameRef,
    isCovered: isListOpen || paletteMode !== null,
    onShowShortcuts: () => setIsListOpen(true),
    onShowPalette: setPaletteMode,
  });
  useShellCommands({ showPalette: setPaletteMode, showShortcuts: () => setIsListOpen(true) });
  const isListPane = /^\/w\/[^/]+(\/settings)?\/?$/.test(pathname);
  return (
    <TipGroup>
      <a className="skip" href="#main">
        Go to the content
      </a>
      <div ref={frameRef} className={isListPane ? "app at-list" : "app"}>
        <Rail />
        <Explorer />
        <div className="main" tabIndex={-1} id="main" onPointerDownCapture={uncover}>
          <OfflineBanner />
          {children}
        </div>
        <AgentDock />
        {isPhone ? <BottomBar /> : <StatusBar onShowShortcuts={() => setIsListOpen(true)} />}
      </div>
      {isListOpen && <ShortcutList isOpen onClose={() => setIsListOpen(false)} />}
      {paletteMode !== null && <Palette mode={paletteMode} onClose={() => setPaletteMode(null)} />}
      <LiveRegion />
      <Toaster />
    </TipGroup>
  );
}
