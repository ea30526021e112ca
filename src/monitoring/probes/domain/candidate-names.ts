import { isIP } from 'node:net'
import { withoutTrailingDots } from '../../../outbound/urls.ts'

/** No registration has more labels than some.k12.ca.us; what is longer is a host below one. */
const MOST_LABELS = 4
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/

// What country registries keep for themselves at the second level, to sell names below it.
const CATEGORIES = new Set([
  ...['ac', 'co', 'com', 'edu', 'go', 'gob', 'gouv', 'gov', 'govt', 'ltd', 'mil', 'ne', 'net', 'nom', 'or', 'org'],
  ...['plc', 'sch'],
])

/**
 * The names that a host may be registered under, longest first, never a top-level domain; [] when it can have no
 * registration. Which of them it is, the registries tell: they deny what is not registered. This takes a question or
 * two more than a list of public suffixes would, and never goes out of date. The names are plain ASCII labels, so
 * that nothing else can be smuggled into a question.
 */
export function candidatesOf(host: string): readonly string[] {
  const labels = withoutTrailingDots(host).toLowerCase().split('.')
  if (isIP(host) !== 0 || !TOP_LABEL.test(labels.at(-1) ?? '')) return []
  const unfit = labels.findLastIndex((label) => !LABEL.test(label))
  const usable = labels.slice(unfit + 1).slice(-MOST_LABELS)
  return usable.slice(0, -1).map((_label, i) => usable.slice(i).join('.'))
}

/** Such as co.uk: that it exists does not say that a name below it is registered. */
export function looksLikeSuffix(name: string): boolean {
  const [second = '', top = '', ...more] = name.split('.')
  return more.length === 0 && top.length === 2 && CATEGORIES.has(second)
}

/** The name that people most likely registered: the shortest that is no suffix. */
export function mostLikelyName(names: readonly string[]): string {
  return names.findLast((name) => !looksLikeSuffix(name)) ?? names[0] ?? ''
}

export function isHostName(text: string): boolean {
  const labels = text.split('.')
  return labels.length > 1 && text.length <= 253 && labels.every((label) => LABEL.test(label))
}
