import { confirmAddressOf } from '../notifications/contacts/confirmation.ts'
import { contactWithId } from '../notifications/contacts/queries.ts'
import { renderContact } from '../notifications/contacts/render.ts'
import { recordCommand } from './audit.ts'
import { cleanLine } from './clean-text.ts'
import { CommandError, type DatabaseAction } from './command.ts'

/** The operator vouches for an address, for example while there is no mail server. Everything else about contacts uses the API. */
export const confirmContact: DatabaseAction = async (database, { positionals }, now, config) => {
  const id = positionals[0] as string
  const contact = await database.read(contactWithId(id))
  if (contact === undefined)
    throw new CommandError(`Alert contact "${id}" not found; run "pharos contacts list" to see all`)
  const described = `${cleanLine(contact.name)} (${contact.channel.toLowerCase()}, ${id})`
  if (contact.confirmed === 1) throw new CommandError(`${described} is already confirmed`)
  const entry = { orgId: contact.org_id, command: 'confirm-contact', target: id, targetName: contact.name }
  await database.write(function* () {
    yield* confirmAddressOf(contact)
    yield* recordCommand(entry, now)
  })
  return { text: `Confirmed ${described}`, json: renderContact({ ...contact, confirmed: 1 }, config) }
}
