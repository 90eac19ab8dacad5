import "server-only";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { findPage } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page } from "@/lib/platform/http/paging";
import type { ListQuery } from "@/lib/platform/http/schema";
import { collections } from "../collections";
import { getAppDocOrThrow } from "../service";
import { thumbnailIn } from "./builds";
import { toDeployment, toOperation } from "./model";
import { ANSWER_WITHIN_MS, readyData, type Started, startAndWait } from "./publish";
import type { Deployment, Operation } from "./schema";

/** Lists the versions of an app that can be rolled back to, newest first. @throws AppError not_found */
export async function listDeployments(caller: Caller, ref: string, page: ListQuery): Promise<Page<Deployment>> {
  const { _id: appId, workspaceId, deploymentId } = await getAppDocOrThrow(caller, ref);
  return findPage(collections.appDeployments(), { workspaceId, appId }, page, { order: "newest" }, (doc) =>
    toDeployment(doc, deploymentId),
  );
}

/** Lists the operations of an app, newest first, without the logs of their builds. @throws AppError not_found */
export async function listOperations(
  caller: Caller,
  ref: string,
  page: ListQuery,
): Promise<Page<Omit<Operation, "log" | "problems">>> {
  const { _id: appId, workspaceId } = await getAppDocOrThrow(caller, ref);
  return findPage(collections.appOperations(), { workspaceId, appId }, page, { order: "newest" }, (doc) => {
    const { log: _log, problems: _problems, ...operation } = toOperation(doc);
    return operation;
  });
}

/** Returns the state or result of a publish or a rollback. @throws AppError not_found */
export async function getOperation(caller: Caller, ref: string, operationId: ObjectId): Promise<Operation> {
  const { _id: appId, workspaceId } = await getAppDocOrThrow(caller, ref);
  const doc = await collections.appOperations().findOne({ _id: operationId, workspaceId, appId });
  if (!doc) throw new AppError("not_found", "Operation not found or older than 30 days.");
  return toOperation(doc);
}

/**
 * Serves an earlier version again; main is not changed.
 * @throws AppError not_found when the app no longer has a deployment of that commit
 */
export async function rollBack(
  caller: Caller,
  ref: string,
  sha: string,
  withinMs = ANSWER_WITHIN_MS,
): Promise<Started> {
  const app = await getAppDocOrThrow(caller, ref);
  const { _id: appId, workspaceId } = app;
  const find = () => collections.appDeployments().findOne({ workspaceId, appId, sha }, { sort: { _id: -1 } });
  if (!(await find())) throw noDeployment();
  const work = async (hold: Parameters<Parameters<typeof startAndWait>[3]>[0]) => {
    const deployment = await find();
    if (!deployment) throw noDeployment();
    await hold.begin("bindings");
    await readyData(caller, app, deployment, hold);
    await hold.begin("pointer");
    hold.signal.throwIfAborted();
    const thumbnail = await thumbnailIn({ _id: deployment.buildId, workspaceId });
    return { sha, deploymentId: deployment._id, thumbnail, note: null };
  };
  return startAndWait(caller, app, "rollback", work, withinMs);
}

function noDeployment(): AppError {
  return new AppError("not_found", "No published version for this commit.");
}
