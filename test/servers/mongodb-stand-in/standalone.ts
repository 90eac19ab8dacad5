import { COMMANDS } from "../../../lib/platform/embedded/mongo/commands/table.ts";

/** Fields by which a client recognises the member of a replica set. */
const SET_FIELDS = ["hosts", "setName", "setVersion", "primary", "me", "electionId", "lastWrite"];

/** Makes the store a server without a replica set, to which clients send no transactions. */
export function withoutReplicaSet(): void {
  for (const name of ["hello", "ismaster"]) {
    const command = COMMANDS.get(name);
    if (!command) continue;
    COMMANDS.set(name, {
      ...command,
      run: async (context) => {
        const answer = await command.run(context);
        for (const field of SET_FIELDS) answer.delete(field);
        return answer;
      },
    });
  }
}
