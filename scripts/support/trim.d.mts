export function trimPackages(root: string): void;
