import Type from 'typebox'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'

const domainStates = ['NONE', 'NOT_REQUIRED', 'WAITING', 'VERIFIED', 'FAILING', 'UNPROVEN', 'RESERVED'] as const
export type DomainState = (typeof domainStates)[number]

const purposes = ['ADDRESS', 'PROOF', 'ADDRESS_AND_PROOF'] as const

const nullableTime = (description: string) => nullable(Timestamp, { description })

export const StatusPageDomain = resource('StatusPageDomain', {
  domain: nullable(Type.String()),
  state: oneOf(domainStates, {
    description:
      'WAITING: not proven yet, not served. VERIFIED: served. FAILING: the proof is missing, served until servedUntil. ' +
      'UNPROVEN: the proof was missing for too long, not served. NOT_REQUIRED: served without proof. RESERVED: a name of ' +
      'the installation itself, not served.',
  }),
  isServed: Type.Boolean({ description: 'Whether the page is served on the domain' }),
  records: Type.Array(
    resource('DomainRecord', {
      purpose: oneOf(purposes),
      type: oneOf(['TXT', 'CNAME', 'A', 'AAAA']),
      name: Type.String(),
      value: Type.String(),
    }),
    { description: 'The DNS records to create' },
  ),
  verifiedAt: nullableTime('Since when the domain is proven'),
  checkedAt: nullableTime('When DNS last gave a definite answer about the proof'),
  failingSince: nullableTime('Since when the proof is missing'),
  servedUntil: nullableTime('When the page stops being served on a domain whose proof is missing'),
  expiresAt: nullableTime('When a claim without proof ends and the domain is free for others'),
  found: Type.Array(Type.String(), { description: 'The records that were found in place of the proof' }),
  checkError: nullable(Type.String(), { description: 'Why the last check had no definite answer' }),
  lost: nullable(
    resource('LostDomain', {
      domain: Type.String(),
      reason: oneOf(['EXPIRED', 'TAKEN_OVER']),
      at: Timestamp,
    }),
    { description: 'The domain that the page lost in the last 30 days because it was not proven' },
  ),
  dns: nullable(
    resource('DomainAddresses', {
      cname: nullable(Type.String()),
      addresses: Type.Array(Type.String()),
      pointsHere: Type.Boolean(),
      message: Type.String({ description: 'What is wrong, and which record to create' }),
    }),
    { description: 'Where the domain points. Only in the response to a check.' },
  ),
})
