/** A failure that the operator can act on: its message is printed without a stack. */
export class CommandError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CommandError";
  }
}

/** Runs work whose errors are all meant for the operator. @throws CommandError */
export function forOperator<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
