import { z } from "zod";
import { type AnyChannel, CHANNELS } from "./registry";

type Definitions = typeof CHANNELS;
type Definition = Definitions[number];
type Bodies<Common extends z.ZodRawShape, List extends readonly Definition[]> = {
  [At in keyof List]: z.ZodObject<
    Common & { channelType: z.ZodLiteral<List[At]["type"]> } & List[At]["fields"] & List[At]["options"]
  >;
};
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Optional<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends z.ZodOptional
    ? Fields[Name]
    : Fields[Name] extends z.ZodType
      ? z.ZodOptional<Fields[Name]>
      : never;
};
type FieldsOf<D> = D extends Definition ? D["fields"] : never;
type OptionsOf<D> = D extends Definition ? D["options"] : never;
type Fields = Optional<Intersection<FieldsOf<Definition>>>;
type Options = Intersection<OptionsOf<Definition>>;

export const CHANNEL_TYPES = CHANNELS.map(({ type }) => type);

/** Returns the bodies of requests that create something with a channel, one for each channel. */
export function channelBodies<Common extends z.ZodRawShape>(common: Common): Bodies<Common, Definitions> {
  const bodies: unknown = CHANNELS.map(({ type, fields, options }) =>
    z.object({ ...common, channelType: z.literal(type), ...fields, ...options }),
  );
  return bodies as Bodies<Common, Definitions>;
}

/** Fields of every channel. None is required, since the type decides. */
export const channelFields = Object.fromEntries(
  CHANNELS.flatMap(({ fields }) => Object.entries(fields)).map(([name, field]) => [
    name,
    field instanceof z.ZodOptional ? field : field.optional(),
  ]),
) as Fields;

/** Further fields that only rules and snapshots have. */
export const channelOptions = Object.assign({}, ...CHANNELS.map(({ options }) => options)) as Options;

/** Returns the addresses of a request that messages go to, of any channel. */
export function recipientsOf(request: Readonly<Record<string, unknown>>): string[] {
  return CHANNELS.flatMap((channel) => (channel as AnyChannel).recipientsOf(request));
}

type Shown<List extends readonly Definition[]> = { -readonly [At in keyof List]: List[At]["shown"] };

/** Channels in responses, one schema for each. */
export const shownChannels = CHANNELS.map(({ type, shown }) => shown.describe(type)) as unknown as Shown<Definitions>;
