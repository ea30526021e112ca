import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { Reader } from './message.ts'

/** Organizations have a time zone and no language. */
const DEFAULT_LANGUAGE = 'en'

/** The language and time zone of the messages to a contact. */
export function readerOf(
  { language, timezone }: Pick<ContactTable, 'language' | 'timezone'>,
  organization: { readonly timezone: string },
): Reader {
  return { language: language ?? DEFAULT_LANGUAGE, timezone: timezone ?? organization.timezone }
}
