"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { type ReactNode, useRef, useState } from "react";
import { AgentDock } from "@/components/agent/agent-dock";
import { WindowDrop } from "@/components/connections/import/window-drop";
import { uncoverFromExplorer } from "@/components/layout/use-frame";
import { useEarlyClicks } from "@/components/shell/early-clicks";
import { Explorer } from "@/components/shell/explorer";
import { OfflineBanner } from "@/components/shell/offline-banner";
import { OutdatedBanner } from "@/components/shell/outdated-banner";
import { Rail } from "@/components/shell/rail";
import { StatusBar } from "@/components/shell/status-bar";
import { useKeptPreferences } from "@/components/shell/use-kept-preferences";
import { useKeptWorkbench } from "@/components/shell/use-kept-workbench";
import { useLoadAhead } from "@/components/shell/use-load-ahead";
import { useShellCommands } from "@/components/shell/use-shell-commands";
import { useShellKeys } from "@/components/shell/use-shell-keys";
import { lazyComponent } from "@/components/ui/lazy-component";
import { LiveRegion } from "@/components/ui/live-region";
import { TipGroup } from "@/components/ui/tip";
import { useIsPhone } from "@/components/ui/use-browser";
import type { PaletteMode } from "@/lib/features/workspaces/browser/palette-items";
import { later } from "@/lib/platform/browser/load-again";
import "./shell.css";

// Not needed for the first paint of a wide page.
const loadBottomBar = later(() => import("@/components/shell/bottom-bar"));
const BottomBar = lazyComponent(loadBottomBar, (module) => module.BottomBar);
const loadShortcutList = later(() => import("@/components/shell/shortcut-list"));
const ShortcutList = lazyComponent(loadShortcutList, (module) => module.ShortcutList);
const loadPalette = later(() => import("@/components/palette/palette"));
const Palette = lazyComponent(loadPalette, (module) => module.Palette);
const loadTextSearch = later(() => import("@/components/palette/text-search"));
const TextSearch = lazyComponent(loadTextSearch, (module) => module.TextSearch);
const loadToaster = later(() => import("@/components/ui/toaster"));
const Toaster = lazyComponent(loadToaster, (module) => module.Toaster);

/**
 * Frame around every view of a workspace (docs/develop/design.md, Layout): rail, explorer, main and status bar; on a
 * phone the bottom bar.
 */
export function Shell({ children }: { children: ReactNode }) {
  const [isListOpen, setIsListOpen] = useState(false);
  const [paletteMode, setPaletteMode] = useState<PaletteMode | null>(null);
  const [isTextSearch, setIsTextSearch] = useState(false);
  const frameRef = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const pathname = usePathname();
  useLoadAhead();
  useKeptPreferences();
  useKeptWorkbench();
  useEarlyClicks();
  useShellKeys({
    frameRef,
    isCovered: isListOpen || isTextSearch || paletteMode !== null,
    onShowShortcuts: () => setIsListOpen(true),
    onShowPalette: setPaletteMode,
    onShowTextSearch: () => setIsTextSearch(true),
  });
  useShellCommands({
    showPalette: setPaletteMode,
    showShortcuts: () => setIsListOpen(true),
    showTextSearch: () => setIsTextSearch(true),
  });
  const query = useSearchParams();
  // A page on a wall is read from afar, and no one is there to click.
  const isWall = /^\/w\/[^/]+\/dashboards\/[0-9a-f]{24}\/?$/.test(pathname) && query.get("wall") === "1";
  const isListPane = /^\/w\/[^/]+(\/settings)?\/?$/.test(pathname);
  return (
    <TipGroup>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div ref={frameRef} className={isWall ? "app at-wall" : isListPane ? "app at-list" : "app"}>
        {!isWall && <Rail onShowShortcuts={() => setIsListOpen(true)} />}
        {!isWall && <Explorer />}
        <div className="main" tabIndex={-1} id="main" onPointerDownCapture={uncoverFromExplorer}>
          <OfflineBanner />
          <OutdatedBanner />
          {children}
        </div>
        {!isWall && <AgentDock />}
        {isWall ? null : isPhone ? <BottomBar /> : <StatusBar onShowShortcuts={() => setIsListOpen(true)} />}
      </div>
      {isListOpen && <ShortcutList isOpen onClose={() => setIsListOpen(false)} />}
      {isTextSearch && <TextSearch onClose={() => setIsTextSearch(false)} />}
      {paletteMode !== null && <Palette mode={paletteMode} onClose={() => setPaletteMode(null)} />}
      {!isWall && <WindowDrop />}
      <LiveRegion />
      <Toaster />
    </TipGroup>
  );
}
