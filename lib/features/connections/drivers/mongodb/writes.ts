import type { StatementWrite } from "@/lib/base/sql/writes";
import { AppError } from "@/lib/platform/http/errors";
import { type Operation, readOperation } from "./operation";

/** Returns what an operation writes; null if it only reads or is invalid. */
export function findMongoWrite(query: string | Record<string, unknown>): StatementWrite | null {
  let operation: Operation;
  try {
    operation = readOperation(query);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
  const write = (reason: StatementWrite["reason"]) => ({ reason, table: { schema: null, name: operation.collection } });
  switch (operation.kind) {
    case "find":
    case "countDocuments":
    case "estimatedDocumentCount":
    case "distinct":
      return null;
    case "aggregate":
      return operation.pipeline.some((stage) => "$out" in stage || "$merge" in stage) ? write("write") : null;
    case "updateMany":
      return write(isEmpty(operation.filter) ? "update_without_where" : "write");
    case "deleteMany":
      return write(isEmpty(operation.filter) ? "delete_without_where" : "write");
    default:
      return write("write");
  }
}

function isEmpty(filter: Record<string, unknown>): boolean {
  return Object.keys(filter).length === 0;
}
