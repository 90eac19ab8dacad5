import "server-only";
import type { ObjectId } from "mongodb";
import { findConnectionsNamed, labelsOf } from "@/lib/features/connections/by-name";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { positionOf } from "@/lib/features/connections/drivers/shared/text-position";
import { mayOnlyRead } from "@/lib/features/connections/model";
import type { FollowedItem, ItemFile, PushedFile } from "@/lib/features/folders/item-kind";
import { findSyntaxError } from "@/lib/features/query/syntax";
import { pauseSchedule, putSchedule, removeSchedule, schedulesOf } from "@/lib/features/runs/schedules/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { ENDINGS } from "./browser/languages";
import { type ConsoleSettings, contentOfFile, formatConsoleFile, parseConsoleFile } from "./file";
import type { ConsoleDoc } from "./model";
import { RESOURCE_TYPE } from "./run-status";
import { LANGUAGES, type Language } from "./schema";

/** Returns the files of consoles by id: their settings as front matter, followed by the text. */
export async function textsOfConsoles(
  workspaceId: ObjectId,
  docs: readonly ConsoleDoc[],
): Promise<Map<string, string>> {
  const [labels, schedules] = await Promise.all([
    labelsOf(
      workspaceId,
      docs.flatMap(({ connectionId }) => connectionId ?? []),
    ),
    schedulesOf(
      workspaceId,
      RESOURCE_TYPE,
      docs.map(({ _id }) => _id),
    ),
  ]);
  return new Map(
    docs.map(({ _id, connectionId, chart, content, ...doc }) => {
      const id = _id.toHexString();
      const { cron, timezone, enabled } = schedules.get(id) ?? {};
      const schedule = cron && timezone ? { cron, timezone, enabled: enabled ?? true } : null;
      const connection = connectionId && (labels.get(connectionId.toHexString()) ?? null);
      const settings = {
        connection,
        description: doc.description || null,
        variables: isEmpty(doc.variables) ? null : doc.variables,
        choices: isEmpty(doc.choices) ? null : doc.choices,
        schedule,
        expect: isEmpty(doc.expect) ? null : doc.expect,
        chart: chart === null ? null : JSON.parse(chart),
        question: doc.question ? JSON.parse(doc.question) : null,
      };
      return [id, formatConsoleFile({ settings, content })];
    }),
  );
}

/**
 * Returns the fields that a pushed file defines. A setting changes only if its part of the file does: files from before
 * they had front matter keep theirs.
 */
export async function fieldsOfConsoleFile({
  workspaceId,
  path,
  text,
  previous,
  before,
}: ItemFile): Promise<Partial<ConsoleDoc>> {
  const { settings, isChanged } = settingsOf({ text, previous });
  const { connection, description, variables, choices, expect, chart, question } = settings;
  const [found = null] = connection ? await findConnectionsNamed(workspaceId, connection) : [];
  return {
    ...(before ? {} : { connectionId: null, chart: null }),
    content: contentOfFile(text),
    language: languageOfFile(path),
    ...(isChanged("connection") && { connectionId: found?._id ?? null }),
    ...(isChanged("description") && { description: description ?? "" }),
    ...(isChanged("variables") && { variables: variables ?? {} }),
    ...(isChanged("choices") && { choices: choices ?? {} }),
    ...(isChanged("expect") && { expect: expect ?? null }),
    ...(isChanged("chart") && { chart: chart ? JSON.stringify(chart) : null }),
    ...(isChanged("question") && { question: question ? JSON.stringify(question) : null }),
  };
}

/**
 * @throws AppError invalid_request for a connection that does not fit, for a schedule of nothing, and for a query that
 * cannot run
 */
export async function checkConsoleFile(caller: Caller, file: PushedFile): Promise<void> {
  await checkSettings(caller, file);
  await checkQuery(caller, file);
}

async function checkSettings(caller: Caller, { text, previous, before }: PushedFile): Promise<void> {
  const { settings, isChanged } = settingsOf({ text, previous });
  const { connection } = settings;
  if (connection && isChanged("connection")) {
    const [found, other] = await findConnectionsNamed(caller.workspaceId, connection);
    if (!found) throw bad(`connection: “${connection}” not found. Use the name of a connection of this workspace.`);
    if (other) throw bad(`connection: Several connections are named “${connection}”. Use the ID of one.`);
    if (!driverOf(found.type).language) throw bad(`connection: “${connection}” works only in flows. Use a database.`);
  }
  if (!settings.schedule || !isChanged("schedule")) return;
  const kept = !isChanged("connection") && (before as ConsoleDoc | null)?.connectionId;
  if (!connection && !kept) throw bad("schedule: Add a connection, which the schedule needs.");
  if (contentOfFile(text).trim() === "") throw bad("schedule: Add a query, which the schedule runs.");
}

/** Checks the query of a file if the push wrote it: unfinished ones may have been saved in Millrace. */
async function checkQuery(
  { workspaceId }: Caller,
  { path, text, previous, before, isKnown }: PushedFile,
): Promise<void> {
  const { settings, isChanged } = settingsOf({ text, previous });
  const content = contentOfFile(text);
  const isEdited = previous === null || contentOfFile(previous) !== content || isChanged("connection");
  if (isKnown || !isEdited) return;
  const label = settings.connection ?? (before as ConsoleDoc | null)?.connectionId?.toHexString();
  const [connection] = label ? await findConnectionsNamed(workspaceId, label) : [];
  const driver = connection && driverOf(connection.type);
  if (!driver || driver.language !== languageOfFile(path)) return;
  const error = await findSyntaxError(content, driver, { workspaceId, readOnly: mayOnlyRead(connection) });
  if (error === null) return;
  if (error.offset === null) throw bad(error.message);
  const { line, column } = positionOf(text, text.length - content.length + error.offset);
  throw bad(`line ${line}, column ${column}: ${error.message}`);
}

/**
 * Sets or removes the schedule, if a push has changed it. Its runs have the rights of the user who pushed. A change from
 * a repository host, whose author may be no member, pauses the schedule until a member enables it. Restoring a console
 * keeps the state and owner of its schedule. A schedule that was lost is restored paused: git does not tell whether the
 * host's change had paused it.
 */
export async function followConsoleFile(
  { workspaceId, text, previous }: ItemFile,
  { id, userId, isFromHost, isRestored }: FollowedItem,
): Promise<void> {
  const { settings, isChanged } = settingsOf({ text, previous });
  const resource = { resourceType: RESOURCE_TYPE, resourceId: id };
  if (!isChanged("schedule")) {
    const isOtherQuery = previous !== null && contentOfFile(previous) !== contentOfFile(text);
    if (isFromHost && (isOtherQuery || isChanged("connection"))) await pauseSchedule({ workspaceId }, resource);
    return;
  }
  const { schedule } = settings;
  if (!schedule) {
    await removeSchedule({ workspaceId }, resource);
    return;
  }
  const { enabled = false, ownerId = userId } = isRestored
    ? ((await schedulesOf(workspaceId, RESOURCE_TYPE, [id])).get(id.toHexString()) ?? {})
    : { enabled: schedule.enabled && !isFromHost };
  await putSchedule({ workspaceId, user: { _id: ownerId } }, resource, { ...schedule, enabled });
}

function languageOfFile(path: string): Language {
  return LANGUAGES.find((language) => path.endsWith(ENDINGS[language])) ?? "sql";
}

function settingsOf({ text, previous }: Pick<ItemFile, "text" | "previous">) {
  const settings = readSettings(text);
  const old = previous === null ? {} : readSettings(previous);
  const isChanged = (key: keyof ConsoleSettings) =>
    JSON.stringify(settings[key] ?? null) !== JSON.stringify(old[key] ?? null);
  return { settings, isChanged };
}

function readSettings(text: string): ConsoleSettings {
  const file = parseConsoleFile(text);
  return "error" in file ? {} : file.settings;
}

function isEmpty(settings: object | null | undefined): boolean {
  return Object.keys(settings ?? {}).length === 0;
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
