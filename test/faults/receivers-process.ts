import { startLocalServer } from "@/test/security/local-server";

/**
 * Counters of receivers in a separate process. They count there, so that the senders have their processor to
 * themselves.
 */
export type Seen = { messages: number; repeated: number; busiest: number };

/** Receivers that accept everything. Arguments: their number, and the response time of each, in ms. */
const [count = 0, answerMs = 0] = process.argv.slice(2).map(Number);
const hits = new Map<string, number>();
let busiest = 0;
const urls: string[] = [];
for (let i = 0; i < count; i += 1) {
  let underWay = 0;
  const { url } = await startLocalServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    hits.set(id, (hits.get(id) ?? 0) + 1);
    underWay += 1;
    busiest = Math.max(busiest, underWay);
    request.resume();
    setTimeout(() => {
      underWay -= 1;
      response.writeHead(200).end("ok");
    }, answerMs);
  });
  urls.push(url);
}
process.send?.(urls);
process.on("message", () => {
  const repeated = [...hits.values()].filter((times) => times > 1).length;
  process.send?.({ messages: hits.size, repeated, busiest } satisfies Seen);
});
process.on("disconnect", () => process.exit(0));
