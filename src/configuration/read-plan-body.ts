import { documentReader } from '../contract/json-body.ts'
import { isObject } from '../lib/json.ts'
import { splitDocument } from './split-document.ts'
import { outline, withoutContent } from './without-content.ts'

/** 15,000 monitors have 25 keys each. */
const BOUNDS = { keys: 400_000, items: 400_000, depth: 32, noun: 'document' }

/** The body of a plan with its document in pieces. */
export const readPlanBody = documentReader('readPlanBody', BOUNDS, (body) => {
  if (!isObject(body)) return { value: withoutContent(body) }
  if (!isObject(body.document)) return { value: outline(body) }
  const split = splitDocument(body.document, 'document')
  return 'faults' in split ? split : { value: { ...outline(body), document: split } }
})
