import type { Sealer } from '../lib/seal.ts'
import { contactWithId } from '../notifications/contacts/queries.ts'
import type { Config } from '../server/config/config.ts'
import { claimSealKey, loadSealer } from '../server/seal-keys.ts'
import type { Database } from '../storage/database.ts'
import type { ContactTable } from '../storage/schema/contacts.ts'
import { cleanLine } from './clean-text.ts'
import { CommandError } from './command.ts'

export async function requireContact(database: Database, id: string): Promise<ContactTable> {
  const contact = await database.read(contactWithId(id))
  if (contact === undefined)
    throw new CommandError(`Alert contact "${id}" not found; run "pharos admin contacts list" to see all`)
  return contact
}

export function describeContact({ name, channel, id }: ContactTable): string {
  return `${cleanLine(name)} (${channel.toLowerCase()}, ${id})`
}

export function contactAuditEntry(word: string, { org_id: orgId, id, name }: ContactTable) {
  return { orgId, command: `contacts ${word}`, target: id, targetName: name }
}

/** Uses the servers' key: they must be able to decrypt what is sealed here. */
export async function sealerOf(database: Database, config: Config): Promise<Sealer> {
  const sealer = loadSealer(config.secretKeys, config.dataDir)
  await claimSealKey(database, sealer)
  return sealer
}
