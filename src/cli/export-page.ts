import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { maskUrl, userInfoOf } from '../lib/mask.ts'
import type { DomainRules } from '../publishing/custom-domains/served.ts'
import { exportedFiles } from '../publishing/public-site/export.ts'
import { publishedPage, type StoredPage } from '../publishing/public-site/queries/pages.ts'
import type { Database } from '../storage/database.ts'
import { cleanLine } from './clean-text.ts'
import { baseUrlOf, CommandError, type DatabaseAction, UsageError } from './command.ts'

export const exportPage: DatabaseAction = async (database, { positionals, options }, now, config) => {
  const [slug, directory] = positionals as [string, string]
  const publicUrl = options['base-url'] === undefined ? undefined : addressIn(options['base-url'])
  const folder = resolve(directory)
  if (options.force === undefined) requireEmptyFolder(folder)
  const baseUrl = baseUrlOf(config)
  const page = await requirePage(database, slug, { baseUrl, requiresDomainProof: config.requiresDomainProof })
  if (page.visibility === 'PASSWORD' && options['allow-password-page'] === undefined) {
    throw new CommandError(
      `Status page ${slug} is password-protected, but exported files are not; add --allow-password-page to export it anyway`,
    )
  }
  const rootPlaceholder = `/-${randomBytes(16).toString('hex')}`
  const files: string[] = []
  let bytes = 0
  const { poweredBy } = config
  const source = { database, page, baseUrl, publicUrl, now, rootPlaceholder, poweredBy }
  for await (const { name, text } of exportedFiles(source)) {
    write(join(folder, name), text, options['world-readable'] !== undefined)
    files.push(name)
    bytes += Buffer.byteLength(text)
  }
  return {
    text: `Exported ${cleanLine(page.name)} to ${folder} (${files.length} files, ${Math.ceil(bytes / 1024)} KB): ${described(files)}`,
    json: { page: page.id, slug, directory: folder, bytes, files },
  }
}

async function requirePage(database: Database, slug: string, rules: DomainRules): Promise<StoredPage> {
  const page = await database.read(publishedPage({ slug }, rules))
  if (page === undefined) throw new CommandError(`Published status page "${slug}" not found; check the slug`)
  return page
}

function addressIn(text: string): string {
  const url = URL.parse(text)
  const isSound = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
  if (!isSound || userInfoOf(text) !== undefined || /[<>&"'\s]/.test(text)) {
    throw new UsageError(`--base-url must be a URL such as https://status.example.com, not "${maskUrl(text)}"`)
  }
  return text.replace(/\/+$/, '')
}

function requireEmptyFolder(folder: string): void {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new CommandError(`Cannot write to ${folder}: ${message}`)
  }
  if (names.length > 0) throw new CommandError(`${folder} is not empty; choose another folder or add --force`)
}

/** Replaces an existing file instead of writing into it, which would keep its mode and follow a symbolic link. */
function write(file: string, text: string, isWorldReadable: boolean): void {
  const modes = isWorldReadable
    ? { file: 0o644, folder: 0o755, umask: 0o022 }
    : { file: 0o600, folder: 0o700, umask: 0o077 }
  const umask = process.umask(modes.umask)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: modes.folder })
    rmSync(file, { force: true })
    writeFileSync(file, text, { flag: 'wx', mode: modes.file })
  } catch (error) {
    throw new CommandError(`Cannot write ${file}: ${(error as Error).message}`)
  } finally {
    process.umask(umask)
  }
}

const kinds: readonly (readonly [one: string, several: string, name: RegExp])[] = [
  ['1 page', 'pages', /^index\.html$/],
  ['1 month of history', 'months of history', /^history\/.+\/index\.html$/],
  ['1 day', 'days', /^days\//],
  ['1 incident', 'incidents', /^incidents\//],
  ['1 monitor', 'monitors', /^monitors\/.+\/index\.html$/],
  ['1 feed', 'feeds', /^feed\./],
  ['1 calendar', 'calendars', /\.ics$/],
  ['1 JSON file', 'JSON files', /\.json$/],
  ['1 badge', 'badges', /\.svg$/],
  ['1 stylesheet', 'stylesheets', /\.css$/],
]

function described(files: readonly string[]): string {
  return kinds
    .flatMap(([one, several, name]) => {
      const count = files.filter((file) => name.test(file)).length
      return count === 0 ? [] : [count === 1 ? one : `${count} ${several}`]
    })
    .join(', ')
}
