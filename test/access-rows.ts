import type { World } from "./seed";

/** The expected responses of one route for all principals. */
export type Row = {
  /**
   * One status for each of PRINCIPALS, in their order:
   * anonymous, bad key beside a good cookie, member, admin, owner, owner's key, member's key,
   * removed member, removed member's key, another workspace's owner, another workspace's key
   */
  statuses: string;
  /** Path parameters that replace those of `ids` below. */
  ids?: (world: World) => Record<string, string>;
  query?: (world: World) => string;
  body?: (world: World) => unknown;
  headers?: Record<string, string>;
};

/** The rows of one domain, declared in its folder; test/access-matrix.int.test.ts requests all of them. */
export type AccessRows = {
  /** Creates the objects that the rows use, before all of them. */
  seed?: (world: World) => Promise<void>;
  /** Path parameters in the first workspace; a missing one gets an id that does not exist. */
  ids?: Record<string, (world: World) => string>;
  /** The same in the other workspace. */
  foreignIds?: Record<string, (world: World) => string>;
  /** By verb and path. Requested in this order, each by every principal. */
  rows: Record<string, Row>;
};

export const OPEN = "200 200 200 200 200 200 200 200 200 200 200";
export const ABSENT = "404 404 404 404 404 404 404 404 404 404 404";
export const SIGN_IN = "200 401 200 200 200 403 403 200 401 200 403";
export const ACCOUNT = "401 401 200 200 200 403 403 200 401 200 403";
export const MEMBER = "401 401 200 200 200 200 200 403 401 403 403";
export const CREATED_BY_MEMBER = "401 401 201 201 201 201 201 403 401 403 403";
/** The first permitted caller succeeds; for the others it is gone. */
export const FIRST_MEMBER = "401 401 200 404 404 404 404 403 401 403 403";
export const ADMIN = "401 401 403 200 200 200 403 403 401 403 403";
export const ADMIN_IN_PERSON = "401 401 403 200 200 403 403 403 401 403 403";
