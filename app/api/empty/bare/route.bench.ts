import { bareWork } from "@/bench/support/bare-work";

/** Runs the minimum of a query: built for `npm run bench` alone (next.config.ts), never for a start. */
export const POST = async (request: Request): Promise<Response> => {
  const { uri } = await request.json();
  return Response.json({ rows: await bareWork(uri) });
};
