/**
 * A cache of immutable values, up to a total weight of `maxBytes`; the least recently used are evicted.
 * Content-addressed objects need no invalidation.
 */
export class ObjectCache<T> {
  private readonly items = new Map<string, { value: T; bytes: number }>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): T | undefined {
    const item = this.items.get(key);
    if (!item) return undefined;
    this.items.delete(key);
    this.items.set(key, item);
    return item.value;
  }

  set(key: string, value: T, bytes: number): void {
    const known = this.items.get(key);
    if (known) {
      this.items.delete(key);
      this.bytes -= known.bytes;
    }
    this.items.set(key, { value, bytes });
    this.bytes += bytes;
    for (const [oldest, item] of this.items) {
      if (this.bytes <= this.maxBytes) break;
      this.items.delete(oldest);
      this.bytes -= item.bytes;
    }
  }
}
