/** Bundles the child programs into a folder, that of the build unless told. */
export function bundleChildren(outdir?: string): Promise<void>;
