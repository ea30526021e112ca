import { writePrivateFile } from '../lib/private-files.ts'
import { isoTimestampOrNull } from '../lib/timestamp.ts'
import { parseAddress } from '../notifications/subscribers/address.ts'
import { pageBySlug, type SubscriberRow, subscriberOf, subscribersAfter } from '../notifications/subscribers/queries.ts'
import { removeAddress, unsubscribe } from '../notifications/subscribers/unsubscribe.ts'
import type { Database } from '../storage/database.ts'
import type { DbWork } from '../storage/query.ts'
import { CommandError, type DatabaseAction, displayTime, readAll, table } from './command.ts'

export const listSubscribers: DatabaseAction = async (database, { options }) => {
  const rows = await allSubscribers(database, await requirePage(database, options.page as string))
  const json = rows.map(subscriberJson)
  const cells = json.map(({ id, kind, address, state, confirmedAt, lastError }) => [
    id,
    kindNames[kind],
    address,
    state.toLowerCase(),
    confirmedAt === null ? '-' : displayTime(confirmedAt),
    lastError ?? '',
  ])
  return { text: table(['ID', 'KIND', 'ADDRESS', 'STATUS', 'CONFIRMED', 'LAST ERROR'], cells), json }
}

export const exportSubscribers: DatabaseAction = async (database, { options }) => {
  const rows = await allSubscribers(database, await requirePage(database, options.page as string))
  const json = rows.map(subscriberJson)
  const lines = json.map(({ kind, address, state, createdAt, confirmedAt }) =>
    [kind, address, state, createdAt, confirmedAt ?? ''].map(csvCell).join(','),
  )
  const text = ['kind,address,state,created_at,confirmed_at', ...lines].join('\n')
  if (options.file === undefined) return { text, json }
  writeFile(options.file, `${text}\n`)
  return {
    text: `Exported ${rows.length} subscriber${rows.length === 1 ? '' : 's'} to ${options.file}`,
    json: { file: options.file, subscribers: rows.length },
  }
}

export const removeSubscriber: DatabaseAction = async (database, { positionals, options }) => {
  const slug = options.page as string
  const { orgId, pageId } = await requirePage(database, slug)
  const given = positionals[0] as string
  const address = parseAddress(given)
  const isRemoved = await database.write(() => removeSubscribers(orgId, pageId, given, address))
  if (!isRemoved)
    throw new CommandError(
      `${given} is not a subscriber of ${slug}; run "pharos subscribers list --page ${slug}" to see all`,
    )
  return { text: `Removed subscriber ${address ?? given}`, json: { page: pageId, address: address ?? given } }
}

function writeFile(file: string, text: string): void {
  try {
    writePrivateFile(file, text)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'EEXIST' ? `${file} already exists; choose another file name` : `Cannot write ${file}: ${message}`,
    )
  }
}

interface PageIds {
  readonly orgId: string
  readonly pageId: string
}

async function requirePage(database: Database, slug: string): Promise<PageIds> {
  const found = await database.read(pageBySlug(slug))
  if (found === undefined) throw new CommandError(`Status page "${slug}" not found; check the slug`)
  return found
}

async function allSubscribers(database: Database, { orgId, pageId }: PageIds): Promise<SubscriberRow[]> {
  return readAll(database, (last, limit) => subscribersAfter(orgId, pageId, last?.num ?? 0, limit))
}

function subscriberJson(row: SubscriberRow) {
  return {
    id: row.id,
    kind: row.kind,
    address: row.label ?? row.address,
    state: row.state,
    rejections: row.rejections,
    lastError: row.last_error,
    createdAt: isoTimestampOrNull(row.created_at),
    confirmedAt: isoTimestampOrNull(row.confirmed_at),
  }
}

const kindNames = { EMAIL: 'E-mail', WEBHOOK: 'Webhook', SLACK: 'Slack' } as const

/** By e-mail address, or by the id that the list shows: the URLs of endpoints are secret. */
function* removeSubscribers(
  orgId: string,
  pageId: string,
  given: string,
  address: string | undefined,
): DbWork<boolean> {
  if (address !== undefined) return yield* removeAddress(orgId, pageId, address)
  if ((yield* subscriberOf(orgId, given))?.page_id !== pageId) return false
  return yield* unsubscribe(orgId, given)
}

/** Valid addresses cannot start with a character that spreadsheets read as a formula (see subscribers/address.ts). */
function csvCell(text: string | null): string {
  return `"${(text ?? '').replaceAll('"', '""')}"`
}
