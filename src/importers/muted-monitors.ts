/** In the document of an import: two tools must not alert the same people. */
export const mutedMonitors = { defaults: { monitors: { mutedAtFirst: true } } }

/** The document of an import whose monitors alert contacts from the start. */
export function notMuted({ defaults: _, ...document }: Readonly<Record<string, unknown>>) {
  return document
}
