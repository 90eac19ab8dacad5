import "server-only";
import { ObjectId } from "mongodb";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import {
  type Dataset,
  type DatasetLimits,
  keepNewest,
  readDatasets,
  refreshDataset,
} from "@/lib/features/results/datasets/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "../collections";
import { listFiles, readBytesOf } from "../files";
import type { AppDoc, BindingDoc, BindingSetDoc } from "../model";
import { getAppDocOrThrow } from "../service";
import { toBuild, withError } from "./build";
import {
  type Binding,
  type BrokenBinding,
  bindingPath,
  isBindingPath,
  isBroken,
  parseBinding,
  readBindings,
} from "./front-matter";
import { BINDING_BYTES_MAX, BINDINGS_MAX } from "./limits";
import { publishedOwner, resolveBinding, sourceKeyOf, workOwner, workPlace } from "./places";
import { bindingIn, findLiveSet } from "./published";
import type { BindingItem } from "./schema";

const MIB = 1024 * 1024;
/** Limits of test rows: enough to check an app, a fraction of those of published rows. */
const TRIED_LIMITS: DatasetLimits = { rows: 200_000, bytes: 32 * MIB, workspaceBytes: 2048 * MIB };
/** Per app and all of its editors: a few versions of each binding. */
const TRIED_MAX = 100;
/** A user who returns the next day sees fresh rows. */
const TRIED_MS = 24 * 60 * 60 * 1000;

/**
 * Lists the bindings of an app in the caller's version, drafts included, with the state of their rows. Reads no rows.
 * @throws AppError not_found
 */
export async function listBindings(caller: Caller, ref: string): Promise<BindingItem[]> {
  const app = await getAppDocOrThrow(caller, ref);
  const read = readBindings(await filesOf(caller, app));
  const set = await findLiveSet(app);
  const { workspaceId, _id: appId } = app;
  const docs = await collections.appBindings().find({ workspaceId, appId }).toArray();
  const docOf = new Map(docs.map((doc) => [doc.name, doc]));
  const published = await readDatasets(
    publishedOwner(app),
    new Map((set?.bindings ?? []).map(({ sourceKey }) => [sourceKey, sourceKey])),
  );
  const whole = read.filter((each) => !isBroken(each)) as Binding[];
  const tried = await readDatasets(
    workOwner(app),
    new Map(
      whole.map((each) => {
        const sourceKey = sourceKeyOf(caller.user._id, each);
        return [workPlace(app, caller.user._id, sourceKey).name, sourceKey];
      }),
    ),
  );
  const stand: Stand = { app, set, docOf, published, tried };
  return Promise.all(read.map((each) => toItem(caller, each, stand)));
}

/**
 * Reads a binding in the caller's version, with the caller's rights and only for the caller; published rows are not
 * changed.
 * @throws AppError not_found; invalid_request for an invalid file; errors of the source
 */
export async function tryBinding(caller: Caller, ref: string, name: string, signal: AbortSignal): Promise<Dataset> {
  const app = await getAppDocOrThrow(caller, ref);
  return readTried(caller, app, await ownBinding(caller, app, name), signal);
}

/**
 * Returns the caller's test rows of a binding, and reads them if there are none.
 * @throws AppError as `tryBinding`
 */
export async function triedBinding(caller: Caller, app: AppDoc, name: string, signal: AbortSignal): Promise<Dataset> {
  const binding = await ownBinding(caller, app, name);
  const sourceKey = sourceKeyOf(caller.user._id, binding);
  const place = workPlace(app, caller.user._id, sourceKey);
  const there = (await readDatasets(place.owner, new Map([[place.name, sourceKey]]))).get(place.name);
  return there?.kept ? there : readTried(caller, app, binding, signal, there);
}

type Stand = {
  app: AppDoc;
  set: BindingSetDoc | null;
  docOf: ReadonlyMap<string, BindingDoc>;
  published: ReadonlyMap<string, Dataset>;
  tried: ReadonlyMap<string, Dataset>;
};

async function toItem(caller: Caller, read: Binding | BrokenBinding, stand: Stand): Promise<BindingItem> {
  const { app, set, docOf } = stand;
  const { name, path } = read;
  const kept = set?.bindings.find((each) => each.name === name);
  const served = kept && stand.published.get(kept.sourceKey);
  const published = set && kept ? toBuild(served, docOf.get(name) ?? null, set.sha) : null;
  if (isBroken(read)) {
    const build = withError(toBuild(undefined, null, null), read.error);
    const nothing = {
      description: null,
      connectionId: null,
      schedule: null,
      params: null,
      frontMatter: null,
      fields: null,
    };
    return { name, path, ...nothing, line: read.line, build, published };
  }
  const { frontMatter, schedule } = read;
  const { description = null, connectionId, params = null } = frontMatter;
  const asPublished = set ? bindingIn(set, name) : null;
  const isAsPublished = published && asPublished && isSameText(asPublished, read);
  const userId = caller.user._id;
  const tried = stand.tried.get(workPlace(app, userId, sourceKeyOf(userId, read)).name);
  const build = isAsPublished ? published : toBuild(tried, null, null);
  const rows = (isAsPublished ? served : tried)?.kept;
  const gone = await reasonAgainst(caller, connectionId);
  return {
    name,
    path,
    description,
    connectionId,
    schedule,
    params,
    frontMatter,
    line: null,
    fields: rows?.fields.map((field) => ({ name: field.name, type: field.type })) ?? null,
    build: gone === null ? build : withError(build, gone),
    published,
  };
}

function isSameText(one: Binding, other: Binding): boolean {
  return one.sql === other.sql && JSON.stringify(one.frontMatter) === JSON.stringify(other.frontMatter);
}

/**
 * Returns the reason why a connection cannot be read. It is the same for an unknown, a deleted and another workspace's
 * connection.
 */
async function reasonAgainst(caller: Caller, connectionId: string): Promise<string | null> {
  try {
    await getConnectionDocOrThrow(caller, new ObjectId(connectionId));
    return null;
  } catch (error) {
    if (error instanceof AppError && error.kind === "not_found") return error.message;
    throw error;
  }
}

async function ownBinding(caller: Caller, app: AppDoc, name: string): Promise<Binding> {
  const path = bindingPath(name);
  const { content } = await readBytesOf(caller, app._id.toHexString(), path);
  const read = parseBinding(path, content);
  if (!isBroken(read)) return read;
  const { line, error } = read;
  throw new AppError("invalid_request", `${path}${line === null ? "" : `, line ${line}`}: ${error}`, {
    details: [{ path, message: error }],
  });
}

async function readTried(
  caller: Caller,
  app: AppDoc,
  binding: Binding,
  signal: AbortSignal,
  seen?: Dataset,
): Promise<Dataset> {
  const userId = caller.user._id;
  const place = workPlace(app, userId, sourceKeyOf(userId, binding));
  const source = await resolveBinding(caller, binding, { kind: "draft", id: app._id });
  await keepNewest(place.owner, TRIED_MAX, new Date(Date.now() - TRIED_MS));
  return refreshDataset(caller, place, source, signal, TRIED_LIMITS, seen);
}

/** Returns the binding files; null instead of the content for files that are too large or too many. */
async function filesOf(caller: Caller, app: AppDoc): Promise<Map<string, Uint8Array | null>> {
  const ref = app._id.toHexString();
  const items = (await listFiles(caller, ref)).filter(({ path }) => isBindingPath(path));
  const contents = await Promise.all(
    items.map(async ({ path, bytes }, index): Promise<[string, Uint8Array | null]> => {
      if (bytes > BINDING_BYTES_MAX || index >= BINDINGS_MAX) return [path, null];
      return [path, (await readBytesOf(caller, ref, path)).content];
    }),
  );
  return new Map(contents);
}
