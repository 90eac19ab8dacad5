export const OUTPUT: string;
export function makeAppTypes(): Promise<string>;
