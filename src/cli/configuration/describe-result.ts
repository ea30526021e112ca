import { cleanLine } from '../clean-text.ts'
import type { Change } from './describe-plan.ts'

/** A change that was made. */
export interface AppliedChange extends Change {
  readonly id: string
  readonly heartbeatUrl?: string
  readonly secret?: string
}

/** Resources without a secret. A secret is always shown: there is no second time. */
const MAX_LISTED = 20

/** What applying a plan has created, for people: first what they have to copy. */
export function describeResult(changes: readonly AppliedChange[]): string {
  const created = changes.filter(({ action }) => action === 'CREATE')
  const secrets = created.filter(({ secret }) => secret !== undefined)
  const others = created
    .filter(({ secret }) => secret === undefined)
    .sort((a, b) => Number(b.heartbeatUrl !== undefined) - Number(a.heartbeatUrl !== undefined))
  const listed = [...secrets, ...others.slice(0, MAX_LISTED)]
  const hidden = created.length - listed.length
  const lines = listed.map(({ kind, key, id, heartbeatUrl, secret }) => {
    const signing = secret && `signing secret ${secret}`
    return cleanLine(['', `${kind}.${key}`, id, heartbeatUrl ?? signing ?? ''].join('  ').trimEnd())
  })
  return [
    ...(lines.length > 0 ? ['Created:', ...lines] : []),
    ...(hidden > 0 ? [`  and ${hidden} more; --json prints all`] : []),
    ...(secrets.length > 0 ? ['Save the signing secrets now: they are not shown again.'] : []),
    'Applied.',
  ].join('\n')
}
