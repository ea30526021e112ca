import type { MonitorTypeDefinition } from '../definition.ts'
import { choice, text } from '../fields.ts'
import { anyValue, httpUrl } from '../required-fields.ts'
import { type KeywordTarget, probeKeyword } from './probe.ts'

export const keyword = {
  label: 'Keyword',
  fields: {
    keyword: text(500, 'KEYWORD: the text to look for'),
    keywordMatch: choice(['EXISTS', 'NOT_EXISTS'], 'KEYWORD: whether the keyword must or must not be there'),
  },
  required: { url: httpUrl, keyword: anyValue },
  usesCredentialsInUrl: true,
  targetText: ({ url }) => url,
  expiry: { of: 'certificate', isDegraded: false },
  createProbe: (network) => (target: KeywordTarget, signal) => probeKeyword(target, network, signal),
  example: { name: 'Home page', url: 'https://shop.example/', keyword: 'Add to cart' },
} satisfies MonitorTypeDefinition
