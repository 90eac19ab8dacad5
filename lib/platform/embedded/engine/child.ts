/** Runs the program of an engine's process. A failure is sent to the parent and ends the process. */
export function runChild(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    if (process.connected) process.send?.({ type: "failed", message });
    process.stderr.write(`${message}\n`);
    process.exitCode = 1;
    if (process.connected) process.disconnect();
  });
}

/** Ends with the parent, even if the parent exits while the file is being opened. */
export function endWithParent(): void {
  const isForked = process.send !== undefined;
  process.on("disconnect", () => process.exit(0));
  if (isForked && !process.connected) process.exit(0);
}

/** Tells the parent that the engine listens. From now on `stop` runs when the process should end. */
export function announceReady(stop: () => void): void {
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.removeAllListeners("disconnect").on("disconnect", stop);
  if (process.connected) process.send?.({ type: "ready" });
}
