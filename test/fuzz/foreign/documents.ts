import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { hostileDocuments, hostileHistories } from '../../attacks/hostile-documents.ts'
import { everything } from '../../configuration/support.ts'
import { mutatedText, someBytes } from '../attacks.ts'
import { brokenJson, junk } from '../values.ts'
import { mutatedJson, otherNumbers } from './mutate-json.ts'

/** A request with a configuration document or a history. */
export interface DocumentCase {
  readonly path: '/configuration/plan' | '/configuration/history'
  /** Every character is one byte. */
  readonly body: string
  readonly isGzip: boolean
  readonly isReadOnly: boolean
  /** Whether a plan is applied. */
  readonly applies: boolean
}

const KIB = 1024
const HOUR = 3_600
const DAY = 24 * HOUR
/** Hours are imported for eight days. */
const TWO_DAYS_AGO = Math.floor(Date.now() / 1000 / DAY) * DAY - 2 * DAY

/** Monitors that have a history afterwards. */
export const documentOfHistories = {
  version: 1,
  source: 'fuzz',
  monitors: { shop: { name: 'Shop', type: 'CRON' }, job: { name: 'Job', type: 'CRON' } },
}

const periods = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, i) => [TWO_DAYS_AGO - i * seconds, seconds - 60, 60, 0, 60, 1, 80])

const history = {
  source: 'fuzz',
  monitors: ['shop', 'job'].map((key) => ({ key, hours: periods(5, HOUR), days: periods(5, DAY) })),
}

/** Without the slug, which one organization alone can have. */
const { slug: _slug, ...page } = everything.statusPages.main
const whole = { document: { ...everything, statusPages: { main: page } }, delete: false }

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

/** Texts of up to 256 KiB that are expensive to read; those of megabytes are in test/attacks. */
const expensive = (texts: Readonly<Record<string, string>>) => fc.constantFrom(...Object.values(texts))

function bodyOf(valid: object, hostile: Readonly<Record<string, string>>): fc.Arbitrary<string> {
  const text = JSON.stringify(valid)
  return fc.oneof(
    { arbitrary: mutatedJson(valid).map(utf8), weight: 10 },
    { arbitrary: otherNumbers(valid).map(utf8), weight: 3 },
    { arbitrary: mutatedText([utf8(text)]), weight: 3 },
    { arbitrary: brokenJson(fc.constant(text)).map(utf8), weight: 1 },
    { arbitrary: expensive(hostile), weight: 2 },
    { arbitrary: junk.map(utf8), weight: 1 },
    { arbitrary: someBytes(300), weight: 1 },
  )
}

const document = bodyOf(whole, hostileDocuments(256 * KIB))
const histories = bodyOf(history, hostileHistories(256 * KIB))

type Packing = 'as it is' | 'gzip' | 'cut gzip' | 'changed gzip' | 'no gzip' | 'bomb'

/** Compresses a body, not always rightly. */
function packed(body: string, packing: Packing, at: number): Pick<DocumentCase, 'body' | 'isGzip'> {
  if (packing === 'as it is') return { body, isGzip: false }
  if (packing === 'no gzip') return { body, isGzip: true }
  // At most 2 MiB are unpacked.
  const content = packing === 'bomb' ? `${body.slice(0, 1_000)}${' '.repeat(2_000 * KIB)}` : body
  const bytes = gzipSync(Buffer.from(content, 'latin1'), { level: 1 })
  if (packing === 'changed gzip') bytes[at % bytes.length] = at % 256
  const end = packing === 'cut gzip' ? at % bytes.length : bytes.length
  return { body: bytes.toString('latin1', 0, end), isGzip: true }
}

const packing: fc.Arbitrary<Packing> = fc.oneof(
  { arbitrary: fc.constant<Packing>('as it is'), weight: 8 },
  fc.constantFrom<Packing[]>('gzip', 'gzip', 'cut gzip', 'changed gzip', 'no gzip', 'bomb'),
)

export const documentCase: fc.Arbitrary<DocumentCase> = fc
  .oneof(
    { arbitrary: fc.tuple(fc.constant('/configuration/plan' as const), document), weight: 2 },
    fc.tuple(fc.constant('/configuration/history' as const), histories),
  )
  .chain(([path, body]) =>
    fc
      .record({
        packing,
        at: fc.nat(),
        isReadOnly: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
        applies: fc.boolean(),
      })
      .map(({ packing: how, at, isReadOnly, applies }) => ({ path, isReadOnly, applies, ...packed(body, how, at) })),
  )
