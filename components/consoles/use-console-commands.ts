"use client";

import {
  CopyPlus,
  History,
  Link2,
  MessageSquareText,
  Play,
  Save,
  Search,
  SquareSlash,
  TextCursorInput,
  Trash2,
  WandSparkles,
  WrapText,
} from "lucide-react";
import { useScriptLanguage } from "@/components/connections/use-connection-types";
import { formatQuery } from "@/components/consoles/format-query";
import type { ConsoleRun } from "@/components/consoles/run-store";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { copyLink } from "@/components/folders/copy-link";
import { useFrame } from "@/components/layout/use-frame";
import { useOffer } from "@/components/layout/use-offer";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Command } from "@/components/palette/command-store";
import { useDatabases, useFindConnection } from "@/components/schema/use-schema";

type ViewCommands = {
  run: () => void;
  runAll: () => void;
  save: () => void;
  saveWithMessage: () => void;
  isRunning: boolean;
  latest: ConsoleRun | null;
};

/** Registers the palette's commands and shortcuts for the visible console. */
export function useConsoleCommands(open: OpenConsole, view: ViewCommands): void {
  const { editors } = useWorkspace();
  const databases = useDatabases();
  const find = useFindConnection();
  const { duplicate, remove, openHistory, toLink } = useConsoleActions();
  const { id, name, saved } = open;
  const database = find(open.connectionId) ?? databases[0];
  const language = useScriptLanguage(database?.type);
  const { frame, update } = useFrame();
  const executionId = view.latest?.statements.at(-1)?.executionId;
  const commands: Command[] = [
    { id: "run", name: "Run statement at cursor", detail: name, icon: Play, keys: "mod+enter", run: view.run },
    { id: "run-all", name: "Run all statements", detail: name, icon: Play, keys: "mod+shift+enter", run: view.runAll },
    { id: "save", name: `Save ${name}`, icon: Save, keys: "mod+s", run: view.save },
    {
      id: "save-message",
      name: `Save ${name} with message`,
      icon: MessageSquareText,
      keys: "mod+shift+s",
      run: view.saveWithMessage,
    },
    {
      id: "format",
      name: "Format statement at cursor",
      detail: name,
      icon: WandSparkles,
      keys: "shift+alt+f",
      run: () => void formatQuery(editors, language),
    },
    {
      id: "comment",
      name: "Toggle comment",
      icon: SquareSlash,
      keys: "mod+/",
      run: () => editors.active?.toggleComment(),
    },
    {
      id: "rename-alias",
      name: "Rename alias",
      icon: TextCursorInput,
      keys: "F2",
      run: () => editors.active?.renameName(),
    },
    {
      id: "wrap",
      name: frame.wrapLines ? "Turn off line wrap" : "Turn on line wrap",
      icon: WrapText,
      keys: "alt+z",
      run: () => update({ wrapLines: !frame.wrapLines }),
    },
    {
      id: "find",
      name: "Find and replace",
      icon: Search,
      keys: "mod+f",
      run: () => editors.active?.find(),
    },
    { id: "duplicate", name: `Duplicate ${name}`, icon: CopyPlus, run: () => void duplicate(id) },
    { id: "delete", name: `Delete ${name}`, icon: Trash2, run: () => remove(id) },
  ];
  if (saved) {
    commands.push(
      { id: "history", name: `View history of ${name}`, icon: History, run: () => openHistory(id) },
      { id: "link", name: `Copy link to ${name}`, icon: Link2, run: () => void copyLink(toLink(id), saved) },
    );
    if (executionId !== undefined && !view.isRunning) {
      const run = () => void copyLink(toLink(id, executionId), saved, { isRun: true });
      commands.push({ id: "run-link", name: "Copy link to last run", detail: name, icon: Link2, run });
    }
  }
  useOffer("console", commands);
}
