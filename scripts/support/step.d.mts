export function step<T>(
  title: string,
  work: () => Promise<T>,
  out?: { write(text: string): unknown; isTTY?: boolean },
): Promise<T>;
