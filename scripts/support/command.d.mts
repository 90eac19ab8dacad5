/** Bundles the commands of operators into a folder. */
export function bundleCommands(outdir: string): Promise<void>;
/** Sources of the commands by their names. */
export const COMMAND_ENTRIES: Readonly<Record<string, string>>;
