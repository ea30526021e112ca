import { field, type MonitorTypeDefinition } from '../definition.ts'
import { anyValue, httpUrl } from '../required-fields.ts'
import { type KeywordTarget, probeKeyword } from './probe.ts'

export const keyword = {
  label: 'Keyword',
  fields: {
    keyword: field<string | null>(
      { type: ['string', 'null'], maxLength: 500, description: 'KEYWORD: the text to look for' },
      null,
    ),
    keywordMatch: field<KeywordTarget['keywordMatch']>(
      {
        type: 'string',
        enum: ['EXISTS', 'NOT_EXISTS'],
        description: 'KEYWORD: whether the keyword must or must not be there',
      },
      'EXISTS',
    ),
  },
  required: { url: httpUrl, keyword: anyValue },
  usesCredentialsInUrl: true,
  targetText: ({ url }) => url,
  expiry: { of: 'certificate', isDegraded: false },
  createProbe: (network) => (target: KeywordTarget, signal) => probeKeyword(target, network, signal),
  example: { name: 'Home page', url: 'https://shop.example/', keyword: 'Add to cart' },
} satisfies MonitorTypeDefinition
