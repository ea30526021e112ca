import { isIP } from 'node:net'
import { withoutTrailingDots } from '../../../outbound/urls.ts'

/** Registered names have at most this many labels, as in some.k12.ca.us. */
const MAX_LABELS = 4
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/

// Second-level names that country registries reserve, to register names below them.
const CATEGORIES = new Set([
  ...['ac', 'co', 'com', 'edu', 'go', 'gob', 'gouv', 'gov', 'govt', 'ltd', 'mil', 'ne', 'net', 'nom', 'or', 'org'],
  ...['plc', 'sch'],
])

/**
 * The names that a host may be registered under, longest first, without the top-level domain; [] when it cannot be
 * registered. The registries decide which one it is. That takes a query or two more than a list of public suffixes would,
 * but never goes out of date. All labels are plain ASCII, so that nothing can be injected into a query.
 */
export function candidatesOf(host: string): readonly string[] {
  const labels = withoutTrailingDots(host).toLowerCase().split('.')
  if (isIP(host) !== 0 || !TOP_LABEL.test(labels.at(-1) ?? '')) return []
  const lastInvalid = labels.findLastIndex((label) => !LABEL.test(label))
  const usable = labels.slice(lastInvalid + 1).slice(-MAX_LABELS)
  return usable.slice(0, -1).map((_label, i) => usable.slice(i).join('.'))
}

/** Such as co.uk: it exists whether or not a name below it is registered. */
export function looksLikeSuffix(name: string): boolean {
  const [second = '', top = '', ...more] = name.split('.')
  return more.length === 0 && top.length === 2 && CATEGORIES.has(second)
}

/** The name that was most likely registered: the shortest that is not a suffix. */
export function mostLikelyName(names: readonly string[]): string {
  return names.findLast((name) => !looksLikeSuffix(name)) ?? names[0] ?? ''
}

export function isHostName(text: string): boolean {
  const labels = text.split('.')
  return labels.length > 1 && text.length <= 253 && labels.every((label) => LABEL.test(label))
}
