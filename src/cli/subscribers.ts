import { writePrivateFile } from '../lib/private-files.ts'
import { parseAddress } from '../notifications/subscribers/address.ts'
import { pageBySlug, type SubscriberRow, subscribersAfter } from '../notifications/subscribers/queries.ts'
import { removeAddress } from '../notifications/subscribers/unsubscribe.ts'
import type { Database } from '../storage/database.ts'
import { CommandError, type DatabaseCommand, readAll, table, timestamp } from './command.ts'

const page = { value: 'SLUG', required: true, help: 'slug of the status page' } as const

export const listSubscribers: DatabaseCommand = {
  name: 'subscribers list',
  summary: 'List the e-mail subscribers of a status page',
  options: { page },
  async run(database, { options }) {
    const rows = await allSubscribers(database, await requirePage(database, options.page as string))
    const json = rows.map(subscriberJson)
    const cells = json.map(({ address, state, confirmedAt, lastError }) => [
      address,
      state.toLowerCase(),
      confirmedAt ?? '-',
      lastError ?? '',
    ])
    return { text: table(['ADDRESS', 'STATE', 'CONFIRMED', 'LAST ERROR'], cells), json }
  },
}

export const exportSubscribers: DatabaseCommand = {
  name: 'subscribers export',
  summary: 'Print the e-mail subscribers of a status page as CSV, or write them to a file',
  options: { page, file: { value: 'FILE', help: 'write a new file that only you can read' } },
  async run(database, { options }) {
    const rows = await allSubscribers(database, await requirePage(database, options.page as string))
    const json = rows.map(subscriberJson)
    const lines = json.map(({ address, state, createdAt, confirmedAt }) =>
      [address, state, createdAt, confirmedAt ?? ''].map(csvCell).join(','),
    )
    const text = ['address,state,created_at,confirmed_at', ...lines].join('\n')
    if (options.file === undefined) return { text, json }
    writeFile(options.file, `${text}\n`)
    return {
      text: `Wrote ${rows.length} subscribers to ${options.file}`,
      json: { file: options.file, subscribers: rows.length },
    }
  },
}

export const removeSubscriber: DatabaseCommand = {
  name: 'subscribers remove',
  summary: 'Remove an e-mail subscriber of a status page',
  positionals: ['ADDRESS'],
  options: { page },
  async run(database, { positionals, options }) {
    const slug = options.page as string
    const { orgId, pageId } = await requirePage(database, slug)
    const given = positionals[0] as string
    const address = parseAddress(given)
    const isRemoved = address !== undefined && (await database.write(() => removeAddress(orgId, pageId, address)))
    if (!isRemoved)
      throw new CommandError(`${given} is not a subscriber of ${slug}; see "pharos subscribers list --page ${slug}"`)
    return { text: `Removed ${address}`, json: { page: pageId, address } }
  },
}

function writeFile(file: string, text: string): void {
  try {
    writePrivateFile(file, text)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'EEXIST' ? `${file} exists already; name a new file` : `${file} cannot be written (${message})`,
    )
  }
}

interface PageIds {
  readonly orgId: string
  readonly pageId: string
}

async function requirePage(database: Database, slug: string): Promise<PageIds> {
  const found = await database.read(pageBySlug(slug))
  if (found === undefined) throw new CommandError(`There is no status page with the slug "${slug}"`)
  return found
}

async function allSubscribers(database: Database, { orgId, pageId }: PageIds): Promise<SubscriberRow[]> {
  return readAll(database, (last, limit) => subscribersAfter(orgId, pageId, last?.num ?? 0, limit))
}

function subscriberJson(row: SubscriberRow) {
  return {
    id: row.id,
    address: row.address,
    state: row.state,
    rejections: row.rejections,
    lastError: row.last_error,
    createdAt: timestamp(row.created_at),
    confirmedAt: timestamp(row.confirmed_at),
  }
}

/** Valid addresses cannot start with a character that spreadsheets read as a formula (see subscribers/address.ts). */
function csvCell(text: string | null): string {
  return `"${(text ?? '').replaceAll('"', '""')}"`
}
