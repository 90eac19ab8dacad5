import type { Plain } from "./matching.ts";

export type Requirement = {
  minServerVersion?: string;
  maxServerVersion?: string;
  topologies?: string[];
  serverless?: string;
  auth?: boolean;
};
export type Operation = {
  object: string;
  name: string;
  arguments?: Record<string, Plain>;
  expectResult?: Plain;
  expectError?: ExpectedError;
  saveResultAsEntity?: string;
  ignoreResultAndError?: boolean;
};
export type ExpectedError = {
  isError?: boolean;
  isClientError?: boolean;
  errorCode?: number;
  errorCodeName?: string;
  errorContains?: string;
  errorResponse?: Plain;
  expectResult?: Plain;
};
export type Entity = { client?: ClientEntity; database?: DatabaseEntity; collection?: CollectionEntity };
export type ClientEntity = {
  id: string;
  observeEvents?: string[];
  ignoreCommandMonitoringEvents?: string[];
  uriOptions?: Record<string, Plain>;
  useMultipleMongoses?: boolean;
};
export type DatabaseEntity = {
  id: string;
  client: string;
  databaseName: string;
  databaseOptions?: Record<string, Plain>;
};
export type CollectionEntity = {
  id: string;
  database: string;
  collectionName: string;
  collectionOptions?: Record<string, Plain>;
};
export type Contents = { collectionName: string; databaseName: string; documents: Record<string, Plain>[] };
export type SpecTest = {
  description: string;
  skipReason?: string;
  runOnRequirements?: Requirement[];
  operations: Operation[];
  expectEvents?: { client: string; events: Record<string, Record<string, Plain>>[] }[];
  outcome?: Contents[];
};
export type SpecFile = {
  description: string;
  createEntities?: Entity[];
  initialData?: Contents[];
  runOnRequirements?: Requirement[];
  tests: SpecTest[];
};

/** Returns true when a replica set of the version meets one of the requirements. */
export function isMet(requirements: readonly Requirement[] | undefined, version: string): boolean {
  if (requirements === undefined || requirements.length === 0) return true;
  return requirements.some(
    ({ minServerVersion, maxServerVersion, topologies }) =>
      (minServerVersion === undefined || compareVersions(version, minServerVersion) >= 0) &&
      (maxServerVersion === undefined || compareVersions(version, maxServerVersion) <= 0) &&
      (topologies === undefined || topologies.includes("replicaset")),
  );
}

function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split(".").map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (x?.[i] ?? 0) - (y?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
