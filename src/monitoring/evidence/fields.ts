/** What a check saw, as short texts. The order is that of the summary: the first field is named first if several changed equally rarely. */
export const evidenceFields = [
  'certificate',
  'issuer',
  'certificateNames',
  'tlsVersion',
  'dns',
  'network',
  'address',
  'finalUrl',
  'redirects',
  'status',
  'location',
  'contentType',
  'server',
  'cache',
  'title',
  'scripts',
  'size',
  'text',
] as const
export type EvidenceField = (typeof evidenceFields)[number]
export type Fingerprint = Readonly<Partial<Record<EvidenceField, string>>>

/** Fields that follow from another one that is named instead. */
const explainedBy: Readonly<Partial<Record<EvidenceField, readonly EvidenceField[]>>> = {
  certificate: ['issuer', 'certificateNames'],
  address: ['network', 'dns'],
  network: ['dns'],
  redirects: ['finalUrl'],
  contentType: ['status'],
  title: ['status', 'contentType', 'finalUrl'],
  scripts: ['status', 'contentType', 'finalUrl', 'title'],
  size: ['status', 'contentType', 'finalUrl', 'title', 'scripts', 'text'],
  text: ['status', 'contentType', 'finalUrl', 'title', 'scripts'],
  cache: ['status', 'contentType', 'finalUrl'],
  server: ['status'],
}

/** Whether a change of the field says nothing beyond the other changes. */
export function isExplained(field: EvidenceField, changed: ReadonlySet<EvidenceField>): boolean {
  return explainedBy[field]?.some((other) => changed.has(other)) ?? false
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
