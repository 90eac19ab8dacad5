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
  Trash2,
  WandSparkles,
} from "lucide-react";
import { copyLink } from "@/components/consoles/console-menu";
import { formatQuery } from "@/components/consoles/format-query";
import type { Command } from "@/components/workspace/command-store";
import type { ConsoleRun } from "@/components/workspace/run-store";
import { useDialect } from "@/components/workspace/use-connection-types";
import { useConsoleActions } from "@/components/workspace/use-console-actions";
import type { OpenConsole } from "@/components/workspace/use-consoles";
import { useOffer } from "@/components/workspace/use-offer";
import { useDatabases } from "@/components/workspace/use-schema";
import { useWorkspace } from "@/components/workspace/workspace-context";

type ViewCommands = {
  run: () => void;
  runAll: () => void;
  saveWithMessage: () => void;
  isRunning: boolean;
  latest: ConsoleRun | null;
};

/** What the palette and the keys can do with the console that is shown. */
export function useConsoleCommands(open: OpenConsole, view: ViewCommands): void {
  const { editors } = useWorkspace();
  const databases = useDatabases();
  const { save, duplicate, remove, openHistory, toLink } = useConsoleActions();
  const { id, name, saved } = open;
  const database = databases.find((each) => each.id === open.connectionId) ?? databases[0];
  const dialect = useDialect(database?.type);
  const executionId = view.latest?.statements.at(-1)?.executionId;
  const commands: Command[] = [
    { id: "run", name: "Run the statement at the cursor", detail: name, icon: Play, keys: "mod+enter", run: view.run },
    { id: "run-all", name: "Run all statements", detail: name, icon: Play, keys: "mod+shift+enter", run: view.runAll },
    { id: "save", name: `Save ${name}`, icon: Save, keys: "mod+s", run: () => void save(id) },
    {
      id: "save-message",
      name: `Save ${name} with a message`,
      icon: MessageSquareText,
      keys: "mod+shift+s",
      run: view.saveWithMessage,
    },
    {
      id: "format",
      name: "Format the query",
      detail: name,
      icon: WandSparkles,
      keys: "shift+alt+f",
      run: () => void formatQuery(editors, dialect, saved?.language ?? "sql"),
    },
    {
      id: "comment",
      name: "Turn lines into comments, or back",
      icon: SquareSlash,
      keys: "mod+/",
      run: () => editors.active?.toggleComment(),
    },
    {
      id: "find",
      name: "Find and replace in the editor",
      icon: Search,
      keys: "mod+f",
      run: () => editors.active?.find(),
    },
    { id: "duplicate", name: `Duplicate ${name}`, icon: CopyPlus, run: () => void duplicate(id) },
    { id: "delete", name: `Delete ${name}`, icon: Trash2, run: () => remove(id) },
  ];
  if (saved) {
    commands.push(
      { id: "history", name: `History of ${name}`, icon: History, run: () => openHistory(id) },
      { id: "link", name: `Copy the link to ${name}`, icon: Link2, run: () => void copyLink(toLink(id), saved) },
    );
    if (executionId !== undefined && !view.isRunning) {
      const run = () => void copyLink(toLink(id, executionId), saved, { isRun: true });
      commands.push({ id: "run-link", name: "Copy the link to the last run", detail: name, icon: Link2, run });
    }
  }
  useOffer("console", commands);
}
