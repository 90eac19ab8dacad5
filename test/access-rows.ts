import type { World } from "./seed";

/** What everybody is answered by one route. */
export type Row = {
  /**
   * One status for each of PRINCIPALS, in their order:
   *   nobody, bad key beside a good cookie, member, admin, owner, owner's key, member's key,
   *   removed member, removed member's key, another workspace's owner, another workspace's key
   */
  statuses: string;
  /** Other ids in its path than those of `ids` below. */
  ids?: (world: World) => Record<string, string>;
  query?: (world: World) => string;
  body?: (world: World) => unknown;
  headers?: Record<string, string>;
};

/** What a domain declares of its routes, in its folder; test/access-matrix.int.test.ts asks all of them. */
export type AccessRows = {
  /** Makes what the rows name, before all of them. */
  seed?: (world: World) => Promise<void>;
  /** What the parameters of paths name in the first workspace; without one, nothing that is there. */
  ids?: Record<string, (world: World) => string>;
  /** The same in the other workspace. */
  foreignIds?: Record<string, (world: World) => string>;
  /** By verb and path. They are asked in this order, each by everybody. */
  rows: Record<string, Row>;
};

export const OPEN = "200 200 200 200 200 200 200 200 200 200 200";
export const ABSENT = "404 404 404 404 404 404 404 404 404 404 404";
export const SIGN_IN = "200 401 200 200 200 403 403 200 401 200 403";
export const ACCOUNT = "401 401 200 200 200 403 403 200 401 200 403";
export const MEMBER = "401 401 200 200 200 200 200 403 401 403 403";
export const CREATED_BY_MEMBER = "401 401 201 201 201 201 201 403 401 403 403";
/** The first who may, does; for the others it is gone. */
export const FIRST_MEMBER = "401 401 200 404 404 404 404 403 401 403 403";
export const ADMIN = "401 401 403 200 200 200 403 403 401 403 403";
export const ADMIN_IN_PERSON = "401 401 403 200 200 403 403 403 401 403 403";
