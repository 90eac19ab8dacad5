import "server-only";
import { DAY_SECONDS, declareCollection } from "@/lib/db/collection";
import type {
  ConsoleDoc,
  ConsoleDraftDoc,
  ConsoleFolderDoc,
  ConsoleJournalDoc,
  DeletedConsoleDoc,
  PrivateRepositoryDoc,
} from "./model";

/** A deleted console can be brought back for this long; git keeps its text for good. */
const DELETED_CONSOLE_DAYS = 30;
/** A draft that nobody has touched for this long is forgotten. */
const DRAFT_DAYS = 90;

export const collections = {
  consoles: declareCollection<ConsoleDoc>("consoles", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, space: 1, key: 1 }, unique: true, serves: "one console a place, on every file system" },
      { key: { workspaceId: 1, space: 1, folderId: 1 }, serves: "the consoles of a folder" },
      { key: { workspaceId: 1, space: 1, updatedAt: -1 }, serves: "searches read what was saved last first" },
      { key: { workspaceId: 1, space: 1, file: 1 }, serves: "which console a file of git is" },
      { key: { workspaceId: 1, _id: 1 }, serves: "the consoles of a workspace, in the order of their making" },
    ],
  }),
  consoleFolders: declareCollection<ConsoleFolderDoc>("console_folders", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, space: 1, key: 1 }, unique: true, serves: "one folder a place, on every file system" },
    ],
  }),
  deletedConsoles: declareCollection<DeletedConsoleDoc>("deleted_consoles", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1 }, serves: "the end of a workspace" },
      {
        key: { deletedAt: 1 },
        expireAfterSeconds: DELETED_CONSOLE_DAYS * DAY_SECONDS,
        serves: "deleted consoles can be brought back for 30 days",
      },
    ],
  }),
  consoleDrafts: declareCollection<ConsoleDraftDoc>("console_drafts", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, consoleId: 1, userId: 1 },
        unique: true,
        serves: "a person's draft of a console, of which there is one",
      },
      { key: { updatedAt: 1 }, expireAfterSeconds: DRAFT_DAYS * DAY_SECONDS, serves: "old drafts are forgotten" },
    ],
  }),
  consoleJournals: declareCollection<ConsoleJournalDoc>("console_journals", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1 }, unique: true, serves: "a workspace's changes of consoles go one after another" },
    ],
  }),
  privateRepositories: declareCollection<PrivateRepositoryDoc>("private_repositories", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, ownerId: 1 }, unique: true, serves: "the repository of a member's private consoles" },
    ],
  }),
};
