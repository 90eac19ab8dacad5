import "server-only";
import { findConnectionsNamed } from "@/lib/features/connections/by-name";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import type { ItemDoc } from "@/lib/features/folders/model";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { type Model, type Problem, parseMetricFile } from "./file";
import type { MetricDoc } from "./model";

/** Returns the stored fields that follow from the text of a file. */
export function fieldsOfMetricFile(text: string): Omit<MetricDoc, keyof ItemDoc> {
  const file = parseMetricFile(text);
  const models = "models" in file ? file.models : [];
  const [first] = models;
  const datasets = models.flatMap((model) => model.datasets);
  return {
    title: first ? titleOf(first.name) : "",
    description: first?.description ?? "",
    metrics: models.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
    datasets: datasets.map(({ name }) => name),
    dimensions: datasets.flatMap(({ name, fields }) => fields.map((field) => `${name}.${field.name}`)),
    connections: connectionsOf(models),
    error: "problems" in file ? sentenceOf(file.problems[0]) : null,
  };
}

/** Returns a problem as one sentence with its line. */
export function sentenceOf(problem: Problem | undefined): string {
  if (!problem) return "The file is not valid.";
  const { path, line, message } = problem;
  return `${line === null ? "" : `line ${line}: `}${path === "" ? "" : `${path}: `}${message}`;
}

/** Returns the problems of a text that is saved: of its format, and of the connections that it names. */
export async function findProblems({ workspaceId }: Pick<Caller, "workspaceId">, text: string): Promise<Problem[]> {
  const file = parseMetricFile(text);
  if ("problems" in file) return file.problems;
  const problems: Problem[] = [];
  const faults = new Map<string, string | null>();
  for (const label of connectionsOf(file.models)) {
    const [found, other] = await findConnectionsNamed(workspaceId, label);
    faults.set(label, connectionFault(label, found && driverOf(found.type).dialect, other !== undefined));
  }
  for (const { source, place } of file.models.flatMap(({ datasets }) => datasets)) {
    const message = faults.get(source.connection);
    if (message) problems.push({ path: `${place.path}.source`, line: place.line, message });
  }
  return problems;
}

/** @throws AppError invalid_request with the problems of the text */
export async function requireValid(caller: Pick<Caller, "workspaceId">, text: string): Promise<void> {
  const problems = await findProblems(caller, text);
  if (problems.length === 0) return;
  throw new AppError("invalid_request", "The metric file is not valid. Fix the listed lines.", {
    details: problems.map(({ path, line, message }) => ({ path: path || "content", line, message })),
  });
}

function connectionFault(label: string, dialect: string | undefined, isAmbiguous: boolean): string | null {
  if (isAmbiguous) return `Several connections are named “${label}”. Use the ID of one.`;
  return dialect ? null : `Connection “${label}” not found. Use the name of an SQL connection of this workspace.`;
}

function connectionsOf(models: readonly Model[]): string[] {
  return [...new Set(models.flatMap(({ datasets }) => datasets.map(({ source }) => source.connection)))];
}

function titleOf(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
