import type { Binary, ObjectId } from "mongodb";
import type { Work } from "@/lib/platform/work/model";
import type { BuildProblem } from "../frame/messages";
import type { Deployment, Operation, StepName } from "./schema";

/** One served state of an app, current or past. It never changes. */
export type DeploymentDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  /** Repository and commit that it was built from. */
  repositoryId: ObjectId;
  folder: string;
  sha: string;
  buildId: ObjectId;
  files: number;
  bytes: number;
  /** Commit message and publisher. */
  message: string;
  by: { id: ObjectId; name: string };
  createdAt: Date;
};

/** Output of a build, by a key of all its inputs. */
export type BuildDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  key: string;
  files: number;
  bytes: number;
  createdAt: Date;
};

/** One file of a build; its content is stored once for all builds of the app. */
export type BuiltFileDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  buildId: ObjectId;
  path: string;
  /** SHA-256 of the content. */
  hash: string;
  bytes: number;
};

/** A chunk of a content. */
export type BlobPartDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  hash: string;
  n: number;
  data: Binary;
};

export type Step = {
  name: StepName;
  state: "waiting" | "running" | "done" | "failed";
  startedAt: Date | null;
  endedAt: Date | null;
};

/** Failure of an operation, as reported to its caller. */
export type Failure = { code: string; message: string; details?: unknown };

/** A publish or a rollback. While it runs, nothing else changes the served version. */
export type OperationDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  kind: "publish" | "rollback";
  by: { id: ObjectId; name: string };
  state: "queued" | "running" | "done" | "failed";
  steps: Step[];
  log: string[];
  problems: BuildProblem[];
  /** The app, while this operation is running. */
  runsFor?: ObjectId;
  /** The claim of the server that does it. Absent from operations that ended in earlier versions. */
  work?: Work;
  sha: string | null;
  publishedAt: Date | null;
  failure: Failure | null;
  /** Remark on an unexpected result, for the user. */
  note: string | null;
  createdAt: Date;
  endedAt: Date | null;
};

export function toDeployment(doc: DeploymentDoc, currentId: ObjectId | undefined): Deployment {
  return {
    id: doc._id.toHexString(),
    sha: doc.sha,
    message: doc.message,
    publishedBy: { id: doc.by.id.toHexString(), name: doc.by.name },
    createdAt: doc.createdAt.toISOString(),
    files: doc.files,
    bytes: doc.bytes,
    isCurrent: currentId !== undefined && doc._id.equals(currentId),
  };
}

export function toOperation(doc: OperationDoc): Operation {
  const iso = (date: Date | null) => date?.toISOString() ?? null;
  return {
    id: doc._id.toHexString(),
    kind: doc.kind,
    state: doc.state,
    by: { id: doc.by.id.toHexString(), name: doc.by.name },
    steps: doc.steps.map(({ name, state, startedAt, endedAt }) => ({
      ...{ name, state },
      ...{ startedAt: iso(startedAt), endedAt: iso(endedAt) },
    })),
    log: doc.log,
    problems: doc.problems,
    sha: doc.sha,
    publishedAt: iso(doc.publishedAt),
    error: doc.failure && {
      code: doc.failure.code,
      message: doc.failure.message,
      details: doc.failure.details ?? null,
    },
    note: doc.note,
    createdAt: doc.createdAt.toISOString(),
    endedAt: iso(doc.endedAt),
  };
}
