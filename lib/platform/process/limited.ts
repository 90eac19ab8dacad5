const KIB_PER_MIB = 1024;
/** Unit of the shell's file size, in bytes. */
const BLOCK_BYTES = 512;
/** A shell sets the limits: it exists everywhere. A limit that the kernel does not have is skipped. */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; ulimit -f "$1" 2>/dev/null; shift; exec "$@"';

/**
 * Returns a command whose processes have limits that the kernel enforces.
 * @param dataMib memory of a process, beside its program and its shared mappings
 * @param fileBytes size of each file that a process writes; writes beyond it fail with EFBIG
 */
export function withLimits(
  [command, ...args]: readonly [string, ...string[]],
  { dataMib, fileBytes }: { dataMib: number; fileBytes?: number },
): { command: string; args: string[] } {
  const blocks = fileBytes === undefined ? "unlimited" : String(Math.floor(fileBytes / BLOCK_BYTES));
  return { command: "/bin/sh", args: ["-c", LIMITED, String(dataMib * KIB_PER_MIB), blocks, command, ...args] };
}
