export function toInstallAdvice(output: string): string;
export function refuseWhatCannotInstall(folder: string, free?: number): void;
