import type { Doc } from "./bson/values.ts";

/** MongoDB error codes that this store uses, by name (error_codes.yml of server 7.0). */
export const ERROR_CODES = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  IllegalOperation: 20,
  InvalidBSON: 22,
  LockTimeout: 24,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  ShutdownInProgress: 91,
  WriteConflict: 112,
  CommandNotSupported: 115,
  DocumentValidationFailure: 121,
  CursorInUse: 127,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  OperationNotSupportedInTransaction: 263,
  TransactionTooOld: 225,
  ConversionFailure: 241,
  Interrupted: 11601,
  MaxTimeMSExpired: 50,
  IDLUnknownField: 40415,
  IDLFailedToParse: 40414,
  CannotIndexParallelArrays: 171,
  CommandNotSupportedOnView: 166,
  InvalidPipelineOperator: 168,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  ExceededMemoryLimit: 146,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  MechanismUnavailable: 334,
  OutOfDiskSpace: 14031,
  UnrecognizedStage: 40324,
} as const;

export type ErrorName = keyof typeof ERROR_CODES;

const NAME_OF_CODE = new Map<number, string>(Object.entries(ERROR_CODES).map(([name, code]) => [code, name]));

type StoreErrorOptions = {
  /** The answer's `errorLabels`. */
  labels?: string[];
  /** Additional fields of the answer, such as keyPattern and keyValue of a duplicate key. */
  info?: Doc;
  cause?: unknown;
};

/** An error that the client gets as MongoDB would send it: code, code name and message. */
export class StoreError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly labels: string[];
  readonly info: Doc | undefined;

  /** @param code a name of the table, or the number of an assertion without a name ("Location40353"). */
  constructor(code: ErrorName | number, message: string, options: StoreErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "StoreError";
    this.code = typeof code === "number" ? code : ERROR_CODES[code];
    this.codeName = typeof code === "number" ? (NAME_OF_CODE.get(code) ?? `Location${code}`) : code;
    if (code === "UnrecognizedStage") this.codeName = "Location40324";
    if (code === "IDLUnknownField") this.codeName = "Location40415";
    if (code === "IDLFailedToParse") this.codeName = "Location40414";
    this.labels = options.labels ?? [];
    this.info = options.info;
  }
}

/** Creates the most frequent error. */
export function badValue(message: string): StoreError {
  return new StoreError("BadValue", message);
}

export function failedToParse(message: string): StoreError {
  return new StoreError("FailedToParse", message);
}

export function typeMismatch(message: string): StoreError {
  return new StoreError("TypeMismatch", message);
}
