import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { Reader } from './message.ts'

/** The language and time zone of the messages to a contact. */
export function readerOf(_contact: ContactTable, { timezone }: { readonly timezone: string }): Reader {
  return { language: 'en', timezone }
}
