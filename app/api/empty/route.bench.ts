/**
 * Measures the cost of a request without our work. Built only for `npm run bench` (next.config.ts), never for a start.
 */
export const POST = (): Response => Response.json({});
