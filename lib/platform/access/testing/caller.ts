import { ObjectId } from "mongodb";
import type { BySession, Caller, Person } from "../caller";
import type { Role } from "../roles";

type Facts = { role?: Role } & Partial<Pick<Person, "_id" | "name" | "email">>;

/** A member of a workspace, signed in, for tests of what stands below the routes. Somebody new unless `_id` is given. */
export function callerIn(workspaceId: ObjectId, facts: Facts = {}): Caller<BySession> {
  const { role = "member", _id = new ObjectId(), name = "Ana", email = `${name.toLowerCase()}@example.com` } = facts;
  const user = { _id, name, email, createdAt: new Date(0) };
  return { workspaceId, role, user, via: { kind: "session", sessionId: new ObjectId() } };
}
