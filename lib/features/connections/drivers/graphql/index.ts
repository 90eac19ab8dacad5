import "server-only";
import type { Driver } from "../../data-source";
import { checkWebConfig, WEB_REFUSALS, webFields } from "../shared/web-config";
import { CURSOR_MARK, parseGraphqlConfig } from "./config";
import { GraphqlSource } from "./source";

const RESOURCES_EXAMPLE = JSON.stringify(
  [
    {
      name: "orders",
      query:
        "query ($after: String, $since: DateTime) { orders(first: 100, after: $after, updatedSince: $since) { nodes { id updatedAt } pageInfo { hasNextPage endCursor } } }",
      path: "orders",
      primaryKey: "id",
      cursorField: "updatedAt",
      variables: { since: CURSOR_MARK },
    },
  ],
  null,
  2,
);

/** Services that speak GraphQL over HTTP. */
export const graphql: Driver = {
  type: "graphql",
  label: "GraphQL",
  category: "source",
  language: null,
  fields: [
    webFields.address("endpoint", "Endpoint", "https://api.example.com/graphql"),
    ...webFields.auth,
    webFields.headers,
    {
      name: "resources",
      label: "Resources",
      kind: "json",
      required: false,
      secret: false,
      help: `A list of what can be read. Each has a name, a query, and the path of the list or connection in its data. Of a connection ask for pageInfo { hasNextPage endCursor }, and take the next cursor as $after. ${CURSOR_MARK} in variables stands for the newest cursorField that was read.`,
      example: RESOURCES_EXAMPLE,
    },
    webFields.rateLimit,
  ],
  refusals: {
    ...WEB_REFUSALS,
    endpoint: "No web address that may be reached",
    resources: "Another form than the help describes, or a query that changes something",
  },
  async check({ config }) {
    await checkWebConfig(parseGraphqlConfig(config).web);
  },
  async open({ config, connectionId }) {
    return new GraphqlSource(parseGraphqlConfig(config), connectionId);
  },
};
