import type { Sample } from '../../../contract/probe.ts'
import { MASK } from '../../../lib/mask.ts'
import { type SentSettings, secretsOf } from './collect.ts'
import { type View, viewsOf } from './undo-escapes.ts'

/** Shorter secrets are not hidden: they are part of many words. */
const MIN_CHARS = 4
/** So much of the beginning of a long secret is hidden wherever the rest is missing. */
const MIN_BEGINNING = 32
/** So much of the beginning of a secret is hidden where the text is cut. */
const MIN_BEFORE_CUT = 3
/** Secrets and their parts; more are hidden only as a whole. */
const MAX_SECRETS = 300
/** Characters that are compared in all texts of an attempt. Texts after that are hidden as a whole. */
const MAX_COMPARED = 1_000_000

/** Members of a sample that are not texts of others. */
const MACHINE_VALUES = new Set(['outcome', 'code', 'kind', 'key', 'fingerprint', 'ip', 'triedIp'])

/** The secrets of one attempt, which its target may repeat in what it answers. */
export class EchoedSecrets {
  readonly #settings: SentSettings
  readonly #added: string[] = []
  #index: Index | undefined
  #comparisonsLeft = MAX_COMPARED

  constructor(settings: SentSettings = {}) {
    this.#settings = settings
  }

  /** Secrets that the attempt received or computed itself, such as a token. */
  add(...secrets: readonly string[]): void {
    this.#added.push(...secrets)
    this.#index = undefined
  }

  /** The sample with `***` in place of the secrets. */
  hideIn(sample: Sample): Sample {
    return mapTexts(sample, (text) => this.hide(text)) as Sample
  }

  hide(text: string): string {
    this.#index ??= indexOf(this.#secrets())
    if (this.#index.size === 0) return text
    const ranges: Range[] = []
    for (const view of viewsOf(text)) {
      this.#findIn(view, this.#index, ranges)
      if (this.#comparisonsLeft < 0) return MASK
    }
    return ranges.length === 0 ? text : maskRanges(text, ranges)
  }

  *#secrets(): Generator<string> {
    yield* this.#added
    yield* secretsOf(this.#settings)
  }

  #findIn({ text, offsetOf }: View, index: Index, ranges: Range[]): void {
    for (let i = 0; i + 1 < text.length && this.#comparisonsLeft >= 0; i += 1) {
      for (const spelling of index.get(pairAt(text, i)) ?? []) {
        const length = commonLength(text, i, spelling)
        this.#comparisonsLeft -= length
        if (isSecret(text, i + length, length, spelling)) ranges.push([offsetOf(i), offsetOf(i + length)])
      }
    }
  }
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    MACHINE_VALUES.has(name) ? member : mapTexts(member, map),
  ])
  return Object.fromEntries(members)
}

/** The spellings of secrets by their first two characters. */
type Index = ReadonlyMap<number, readonly string[]>

function indexOf(secrets: Iterable<string>): Index {
  const long = new Set(Array.from(secrets).filter(isLong))
  const spellings = new Set(long.values().take(MAX_SECRETS).flatMap(spellingsOf).filter(isLong))
  return Map.groupBy(spellings, (spelling) => pairAt(spelling, 0))
}

function isLong({ length }: string): boolean {
  return length >= MIN_CHARS
}

/** Escapes are undone in the text instead. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64')
  // UTF-8 may be read as Latin-1, as in headers and escapes of bytes, and Latin-1 as UTF-8.
  const texts = [secret, bytes.toString('latin1'), Buffer.from(secret, 'latin1').toString()]
  // Forms have + for a space, and evidence is on one line.
  const spaced = texts.flatMap((text) => [text, text.replaceAll(' ', '+'), text.replaceAll(/\s+/g, ' ')])
  return [...spaced, base64, base64.replace(/=+$/, ''), bytes.toString('base64url')]
}

function pairAt(text: string, index: number): number {
  return text.charCodeAt(index) * 0x1_00_00 + text.charCodeAt(index + 1)
}

type Range = readonly [start: number, end: number]

function commonLength(text: string, start: number, spelling: string): number {
  const most = Math.min(spelling.length, text.length - start)
  let length = 0
  while (length < most && text.charCodeAt(start + length) === spelling.charCodeAt(length)) length += 1
  return length
}

/** `end`: where the text and the spelling differ, or one of them ends. */
function isSecret(text: string, end: number, length: number, spelling: string): boolean {
  if (length === spelling.length || length >= MIN_BEGINNING) return true
  // A cut ends the text, is marked, or has left half of a character.
  const isCut = end === text.length || text[end] === '…' || text[end] === '\ufffd'
  return isCut && length >= MIN_BEFORE_CUT
}

/** Ranges that overlap or touch become one. */
function maskRanges(text: string, ranges: readonly Range[]): string {
  let masked = ''
  let hiddenTo = -1
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (start > hiddenTo) masked += `${text.slice(Math.max(0, hiddenTo), start)}${MASK}`
    hiddenTo = Math.max(hiddenTo, end)
  }
  return masked + text.slice(hiddenTo)
}
