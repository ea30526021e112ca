/**
 * What a check saw, as short texts. The order is that of the summary: the first field is named first if several changed equally
 * rarely. A field is not named if one of those that explain it changed too.
 */
const fields = {
  certificate: { label: 'certificate', explainedBy: ['issuer', 'certificateNames'] },
  issuer: { label: 'issuer of the certificate' },
  certificateNames: { label: 'names in the certificate' },
  tlsVersion: { label: 'TLS version' },
  dns: { label: 'DNS answer' },
  network: { label: 'network of the address', explainedBy: ['dns'] },
  address: { label: 'address', explainedBy: ['network', 'dns'] },
  finalUrl: { label: 'final URL' },
  redirects: { label: 'redirects', explainedBy: ['finalUrl'] },
  status: { label: 'status code' },
  location: { label: 'location header' },
  contentType: { label: 'content type', explainedBy: ['status'] },
  server: { label: 'server header', explainedBy: ['status'] },
  cache: { label: 'cache headers', explainedBy: ['status', 'contentType', 'finalUrl'] },
  title: { label: 'title of the page', explainedBy: ['status', 'contentType', 'finalUrl'] },
  scripts: { label: 'hosts of scripts', explainedBy: ['status', 'contentType', 'finalUrl', 'title'] },
  size: {
    label: 'size of the response',
    explainedBy: ['status', 'contentType', 'finalUrl', 'title', 'scripts', 'text'],
  },
  text: { label: 'text of the page', explainedBy: ['status', 'contentType', 'finalUrl', 'title', 'scripts'] },
} as const

export type EvidenceField = keyof typeof fields
export type Fingerprint = Readonly<Partial<Record<EvidenceField, string>>>

export const evidenceFields = Object.keys(fields) as EvidenceField[]

export function labelOf(field: EvidenceField): string {
  return fields[field].label
}

/** Whether a change of the field says nothing beyond the other changes. */
export function isExplained(field: EvidenceField, changed: ReadonlySet<EvidenceField>): boolean {
  const { explainedBy = [] }: { label: string; explainedBy?: readonly EvidenceField[] } = fields[field]
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
