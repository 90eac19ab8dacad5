export const BUILT: string;
export function isBuildCurrent(): boolean;
export function clearBuildStamp(): void;
export function writeBuildStamp(hash: string): void;
export function hashSources(root?: string): string;
