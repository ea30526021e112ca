import { createMonitor } from '../support/monitors.ts'
import { bodyOf, type Client } from '../support/server.ts'

/** Monitors of these names that watch one target; gives their ids by name. */
export async function createMonitors(
  client: Client,
  url: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const name of names) ids[name] = (await createMonitor(client, { name, type: 'HTTP', url })).id
  return ids
}

// biome-ignore lint/suspicious/noExplicitAny: a resource as it came, to be looked at
export type Body = any

/** What the API has at a path. */
export async function got(client: Client, path: string): Promise<Body> {
  return bodyOf(await client.get(path))
}

/** Makes something that must be accepted. */
export async function createAt(client: Client, path: string, sent: object): Promise<Body> {
  return bodyOf(await client.post(path, sent), 201)
}
