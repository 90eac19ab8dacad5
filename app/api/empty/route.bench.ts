/** What a request costs before any of our work: built for `npm run bench` alone (next.config.ts), never for a start. */
export const POST = (): Response => Response.json({});
