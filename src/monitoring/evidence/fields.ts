/**
 * What a check compares as one: each part has a key, and one that changes at every check is compared less often than the others.
 * The keys of `dns` to `body` come from the probe (page.ts).
 */
export const fingerprintParts = ['connection', 'certificate', 'dns', 'head', 'title', 'body'] as const
export type FingerprintPart = (typeof fingerprintParts)[number]

interface Field {
  readonly part: FingerprintPart
  /** Fields with the same subject are one sentence, about the first of them that changed. */
  readonly subject?: 'address' | 'certificate' | 'redirect'
  /** Not named if one of these changed too: another status brings another page. */
  readonly explainedBy?: readonly string[]
}

/** What a check saw, as short texts. The most telling first: so they are named if they changed together. */
const fields = {
  server: { part: 'head' },
  address: { part: 'connection', subject: 'address' },
  network: { part: 'connection', subject: 'address' },
  dns: { part: 'dns', subject: 'address' },
  certificate: { part: 'certificate', subject: 'certificate' },
  issuer: { part: 'certificate', subject: 'certificate' },
  certificateNames: { part: 'certificate', subject: 'certificate' },
  tlsVersion: { part: 'certificate' },
  finalUrl: { part: 'head', subject: 'redirect' },
  redirects: { part: 'head', subject: 'redirect' },
  location: { part: 'head', subject: 'redirect' },
  status: { part: 'certificate' },
  cache: { part: 'head', explainedBy: ['status', 'contentType', 'finalUrl'] },
  title: { part: 'title', explainedBy: ['status', 'contentType', 'finalUrl'] },
  contentType: { part: 'head', explainedBy: ['status'] },
  scripts: { part: 'body', explainedBy: ['status', 'contentType', 'finalUrl', 'title'] },
  text: { part: 'body', explainedBy: ['status', 'contentType', 'finalUrl', 'title', 'scripts'] },
  size: {
    part: 'body',
    explainedBy: ['status', 'contentType', 'finalUrl', 'title', 'scripts', 'text'],
  },
} as const satisfies Readonly<Record<string, Field>>

export type EvidenceField = keyof typeof fields
/** `certificateDates` is not compared: it makes a certificate readable. */
export type Fingerprint = Readonly<Partial<Record<EvidenceField | 'certificateDates', string>>>

export const evidenceFields = Object.keys(fields) as EvidenceField[]

export function partOf(field: EvidenceField): FingerprintPart {
  return fields[field].part
}

export function subjectOf(field: EvidenceField): string | undefined {
  const { subject }: Field = fields[field]
  return subject
}

/** Whether a change of the field says nothing beyond the other changes. */
export function isExplained(field: EvidenceField, changed: ReadonlySet<string>): boolean {
  const { explainedBy = [] }: Field = fields[field]
  return explainedBy.some((other) => changed.has(other))
}

/** Texts with fewer different bits than this are the same page with another clock, nonce or advertisement. */
const MAX_EQUAL_BITS = 12

function isSame(field: EvidenceField, before: string, after: string): boolean {
  return before === after || (field === 'text' && differentBits(before, after) <= MAX_EQUAL_BITS)
}

function differentBits(a: string, b: string): number {
  if (!/^[0-9a-f]{16}$/.test(a) || !/^[0-9a-f]{16}$/.test(b)) return 64
  let bits = 0
  for (let rest = BigInt(`0x${a}`) ^ BigInt(`0x${b}`); rest > 0n; rest &= rest - 1n) bits += 1
  return bits
}

/** The fields that both have and that differ. What a check did not see is not a change. */
export function changedFields(before: Fingerprint, after: Fingerprint): EvidenceField[] {
  return evidenceFields.filter((field) => {
    const [old, now] = [before[field], after[field]]
    return old !== undefined && now !== undefined && !isSame(field, old, now)
  })
}

/** The value of a field as it is listed. A fingerprint has 95 characters that nobody compares. */
export function shownValue(field: EvidenceField, of: Fingerprint): string {
  const value = of[field] ?? ''
  if (field !== 'certificate') return value
  return [of.issuer, of.certificateDates, `…${value.slice(-5)}`].filter((part) => part !== undefined).join(', ')
}
