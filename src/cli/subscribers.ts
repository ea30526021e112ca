import { parseAddress } from '../notifications/subscribers/address.ts'
import { pageBySlug, type SubscriberRow, subscribersAfter } from '../notifications/subscribers/queries.ts'
import { removeAddress } from '../notifications/subscribers/unsubscribe.ts'
import type { Database } from '../storage/database.ts'
import { CommandError, type DatabaseCommand, moment, table } from './command.ts'

const PAGE = 500
const page = { value: 'SLUG', required: true, help: 'slug of the status page' } as const

export const listSubscribers: DatabaseCommand = {
  name: 'subscribers list',
  summary: 'Show who is told of a status page by mail',
  options: { page },
  async run(database, { options }) {
    const rows = await all(database, await requirePage(database, options.page as string))
    const shown = rows.map(rendered)
    const cells = shown.map((each) => [
      each.address,
      each.state.toLowerCase(),
      each.confirmedAt ?? '-',
      each.lastError ?? '',
    ])
    return { text: table(['ADDRESS', 'STATE', 'CONFIRMED', 'LAST ERROR'], cells), json: shown }
  },
}

export const exportSubscribers: DatabaseCommand = {
  name: 'subscribers export',
  summary: 'Print who is told of a status page by mail as a table that other programs read (CSV)',
  options: { page },
  async run(database, { options }) {
    const rows = await all(database, await requirePage(database, options.page as string))
    const shown = rows.map(rendered)
    const lines = shown.map(({ address, state, createdAt, confirmedAt }) =>
      [address, state, createdAt, confirmedAt ?? ''].map(cell).join(','),
    )
    return { text: ['address,state,created_at,confirmed_at', ...lines].join('\n'), json: shown }
  },
}

export const removeSubscriber: DatabaseCommand = {
  name: 'subscribers remove',
  summary: 'Forget an address, so that it is told of a status page no more',
  positionals: ['ADDRESS'],
  options: { page },
  async run(database, { positionals, options }) {
    const slug = options.page as string
    const { orgId, pageId } = await requirePage(database, slug)
    const given = positionals[0] as string
    const address = parseAddress(given)
    const isGone = address !== undefined && (await database.write(() => removeAddress(orgId, pageId, address)))
    if (!isGone)
      throw new CommandError(`${given} is no subscriber of ${slug}; see "pharos subscribers list --page ${slug}"`)
    return { text: `Forgot ${address}`, json: { page: pageId, address } }
  },
}

interface Place {
  readonly orgId: string
  readonly pageId: string
}

async function requirePage(database: Database, slug: string): Promise<Place> {
  const found = await database.read(pageBySlug(slug))
  if (found === undefined) throw new CommandError(`There is no status page with the slug "${slug}"`)
  return found
}

async function all(database: Database, { orgId, pageId }: Place): Promise<SubscriberRow[]> {
  const rows: SubscriberRow[] = []
  for (;;) {
    const some = await database.read(subscribersAfter(orgId, pageId, rows.at(-1)?.num ?? 0, PAGE))
    rows.push(...some)
    if (some.length < PAGE) return rows
  }
}

function rendered(row: SubscriberRow) {
  return {
    id: row.id,
    address: row.address,
    state: row.state,
    rejections: row.rejections,
    lastError: row.last_error,
    createdAt: moment(row.created_at),
    confirmedAt: moment(row.confirmed_at),
  }
}

/** Addresses begin with nothing that a table takes for a formula (see subscribers/address.ts). */
function cell(text: string | null): string {
  return `"${(text ?? '').replaceAll('"', '""')}"`
}
