import { createHash } from 'node:crypto'
import Type from 'typebox'
import { faultFor, invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { body, documented } from '../../contract/schema.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pageJson } from './page-json.ts'
import { ofPage, StatusPage } from './schema.ts'
import { savePatch } from './update.ts'

const MAX_BYTES = 256 * 1024

/** By their first bytes, in hex. No SVG: it can contain scripts. */
const formats = [
  { type: 'png', starts: /^89504e470d0a1a0a/ },
  { type: 'jpeg', starts: /^ffd8ff/ },
  { type: 'gif', starts: /^474946383[79]61/ },
  { type: 'webp', starts: /^52494646.{8}57454250/ },
] as const

/** Below the path of all assets of status pages, on every host. */
const LOGO_URL = /\/status\/-\/(logo-([0-9a-f]{32})\.(?:png|jpeg|gif|webp))$/

/** The path of an uploaded logo on the host of the visitor; undefined for other URLs. */
export function uploadedLogo(url: string | null): string | undefined {
  const name = LOGO_URL.exec(url ?? '')?.[1]
  return name && `/status/-/${name}`
}

/** An uploaded logo by the name of its file; undefined if there is none. */
export function* logoNamed(name: string): DbWork<{ readonly type: string; readonly bytes: Buffer } | undefined> {
  const hash = LOGO_URL.exec(`/status/-/${name}`)?.[2]
  if (hash === undefined) return undefined
  // The hash is of the image, so it identifies it without an organization.
  const logo = q.selectFrom('status_page_logos').select(['type', 'image']).where('hash', '=', hash)
  const [row] = yield* execute(logo.limit(1))
  return row && { type: `image/${row.type}`, bytes: Buffer.from(row.image, 'base64') }
}

export const setStatusPageLogo = operation({
  ...ofPage,
  id: 'setStatusPageLogo',
  extension: true,
  method: 'PUT',
  path: '/status-pages/:statusPageId/logo',
  summary: 'Upload the logo of a status page',
  description:
    'Stores an image, which this server then serves, and sets `logoUrl` to its address. It replaces the image uploaded before. To ' +
    'remove the logo, set `logoUrl` to null.',
  body: body('SetStatusPageLogo', {
    image: documented(
      Type.String({
        minLength: 1,
        maxLength: Math.ceil(MAX_BYTES / 3) * 4,
        description: 'A PNG, JPEG, GIF or WebP image of at most 256 KiB, as base64',
      }),
      // The first bytes of these formats, as base64.
      { pattern: '^(iVBORw0KGgo|/9j/|R0lGODdh|R0lGODlh|UklGR)[A-Za-z0-9+/]*={0,2}$' },
    ),
  }),
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: { status: 200, schema: StatusPage, description: 'The status page with its logo' },
  *handle({ caller: { orgId }, now, installation }, { params: { statusPageId }, body: { image: text } }) {
    const bytes = Buffer.from(text, 'base64')
    const start = bytes.toString('hex', 0, 12)
    const format = formats.find(({ starts }) => starts.test(start))
    if (bytes.toString('base64') !== text || format === undefined || bytes.length > MAX_BYTES) {
      throw invalid([faultFor('image', reason('not_an_image'))])
    }
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32)
    const logoUrl = `${installation.baseUrl}/status/-/logo-${hash}.${format.type}`
    yield* savePatch({ orgId, pageId: statusPageId }, { logoUrl }, now)
    const logo = { hash, type: format.type, image: text }
    yield* execute(
      q
        .insertInto('status_page_logos')
        .values({ org_id: orgId, page_id: statusPageId, ...logo })
        .onConflict((known) => known.columns(['org_id', 'page_id']).doUpdateSet(logo)),
    )
    return yield* pageJson({ orgId, rules: installation, now }, statusPageId)
  },
})
