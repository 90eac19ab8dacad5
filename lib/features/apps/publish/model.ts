import type { Binary, ObjectId } from "mongodb";
import type { BuildProblem } from "../sandbox/sandbox";
import type { Deployment, Operation, StepName } from "./schema";

/** One state of an app as it is, or was, served. It never changes. */
export type DeploymentDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  /** The repository and the commit that it was made of. */
  repositoryId: ObjectId;
  folder: string;
  sha: string;
  buildId: ObjectId;
  files: number;
  bytes: number;
  /** What the commit says, and who published it. */
  message: string;
  by: { id: ObjectId; name: string };
  createdAt: Date;
};

/** The files that a state of an app's folder gives, by a key of all that goes into them. */
export type BuildDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  appId: ObjectId;
  key: string;
  files: number;
  bytes: number;
  createdAt: Date;
};

/** One file of a build; its content is kept once for all builds of the app. */
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

/** A part of a content. */
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

/** Why an operation failed, as its caller is told. */
export type Failure = { code: string; message: string; details?: unknown };

/** A publish or a rollback. While it works nothing else changes what the app shows. */
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
  /** The app, while it is this operation's turn. */
  runsFor?: ObjectId;
  /** Alive until then, by the store's clock; its server moves it on. */
  until: Date;
  sha: string | null;
  publishedAt: Date | null;
  failure: Failure | null;
  /** What came out otherwise than one might expect. */
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
