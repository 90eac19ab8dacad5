export function generateRoutes(root?: string): void;
export function toPath(file: string): string;
