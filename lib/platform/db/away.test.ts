import * as driver from "mongodb";
import { describe, expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { isStoreAway } from "./away";

/** Errors of the driver's programming interface, of features that are not used, and the server's, which have codes. */
const OWN = new Set([
  "MongoAPIError",
  "MongoAWSError",
  "MongoAzureError",
  "MongoBatchReExecutionError",
  "MongoChangeStreamError",
  "MongoClientBulkWriteCursorError",
  "MongoClientBulkWriteError",
  "MongoClientBulkWriteExecutionError",
  "MongoCompatibilityError",
  "MongoCryptAzureKMSRequestError",
  "MongoCryptCreateDataKeyError",
  "MongoCryptCreateEncryptedCollectionError",
  "MongoCryptError",
  "MongoCryptInvalidArgumentError",
  "MongoCryptKMSRequestNetworkTimeoutError",
  "MongoCursorExhaustedError",
  "MongoCursorInUseError",
  "MongoDecompressionError",
  "MongoDriverError",
  "MongoError",
  "MongoGCPError",
  "MongoGridFSChunkError",
  "MongoGridFSStreamError",
  "MongoInvalidArgumentError",
  "MongoKerberosError",
  "MongoMissingCredentialsError",
  "MongoMissingDependencyError",
  "MongoOIDCError",
  "MongoParseError",
  "MongoRuntimeError",
  "MongoServerError",
  "MongoSystemError",
  "MongoTailableCursorError",
  "MongoTransactionError",
  "MongoWriteConcernError",
]);

type ErrorClass = { name: string; prototype: Error };

/** An error of a class as its name alone shows it, since the constructors differ. */
function named({ prototype }: ErrorClass): Error {
  return Object.create(prototype, { message: { value: "x" }, errorLabelSet: { value: new Set() } });
}

const classes = Object.values(driver).filter(
  (each) => typeof each === "function" && each.prototype instanceof Error,
) as unknown as ErrorClass[];

describe("isStoreAway", () => {
  it.each(classes.map((each) => [each.name, each] as const))("judges the driver's %s", (name, each) => {
    expect(isStoreAway(named(each))).toBe(!OWN.has(name));
  });

  it.each(["MongoPoolClearedError", "PoolClearedOnNetworkError", "MongoPoolClosedError", "MongoWaitQueueTimeoutError"])(
    "knows the pool's %s, which the driver does not export",
    (name) => {
      expect(isStoreAway(Object.assign(new Error("x"), { name }))).toBe(true);
    },
  );

  it.each([
    [91, "ShutdownInProgress"],
    [10_107, "NotWritablePrimary"],
    [11_600, "InterruptedAtShutdown"],
    [13_435, "NotPrimaryNoSecondaryOk"],
    [189, "PrimarySteppedDown"],
    [43, "CursorNotFound"],
  ])("treats a member that changes its role, and a forgotten cursor, as unavailable: %d %s", (code, errmsg) => {
    expect(isStoreAway(new driver.MongoServerError({ code, errmsg }))).toBe(true);
  });

  it.each(["TransientTransactionError", "UnknownTransactionCommitResult", "RetryableWriteError"])(
    "knows a request that can be repeated by its label %s",
    (label) => {
      expect(isStoreAway(new driver.MongoServerError({ code: 251, errorLabels: [label] }))).toBe(true);
    },
  );

  it("finds the store's error as a cause, and leaves an error with a meaning of its own", () => {
    const cause = new driver.MongoNetworkError("read ECONNRESET");
    expect(isStoreAway(new Error("adapter", { cause }))).toBe(true);
    expect(isStoreAway(new AppError("source_unreachable", "No answer.", { cause }))).toBe(false);
  });

  it.each([new Error("x"), new TypeError("fetch failed"), null, "text", Object.assign(new Error("x"), { code: 91 })])(
    "leaves %s alone",
    (error) => {
      expect(isStoreAway(error)).toBe(false);
    },
  );
});
