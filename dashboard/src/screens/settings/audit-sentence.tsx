import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { fieldLabel } from '../../lib/labels.ts'
import { actorKinds, describeEntry, screenOf } from './describe-audit-entry.ts'

/** "First key (API key) paused Old blog", with a link to what was changed. */
export function AuditSentence({ entry }: { entry: PublicSchemas['AuditEntry'] }) {
  const { actor, fields } = entry
  const kind = actorKinds[actor.type]
  const { before, target, after } = describeEntry(entry)
  const screen = screenOf(entry)
  return (
    <>
      <strong class="font-medium">{actor.name}</strong>
      {kind && <span class="text-muted"> ({kind})</span>} {before}
      {target !== '' && screen !== undefined ? (
        <Link href={screen} class="link">
          {target}
        </Link>
      ) : (
        target
      )}
      {after}
      {fields.length > 0 && <span class="text-muted">: {fields.map(fieldLabel).join(', ')}</span>}
    </>
  )
}
