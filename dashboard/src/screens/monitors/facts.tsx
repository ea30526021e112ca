import type { ComponentChildren } from 'preact'
import { t } from '../../lib/i18n.ts'
import { CopyButton } from '../../ui/copy.tsx'

/** A list of names and values, one below the other where it is narrow. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="@container divide-y divide-line">{children}</dl>
}

interface FactProps {
  readonly name: string
  readonly children: ComponentChildren
  /** Text for a copy button. */
  readonly copy?: string
}

export function Fact({ name, children, copy }: FactProps) {
  return (
    <div class="grid gap-x-4 py-2 @md:grid-cols-[9rem_minmax(0,1fr)]">
      <dt class="text-muted">{name}</dt>
      <dd class="flex min-w-0 items-center gap-2">
        <div class="min-w-0 grow break-words">{children}</div>
        {copy !== undefined && <CopyButton text={copy} label={t('Copy {name}', { name: name.toLowerCase() })} />}
      </dd>
    </div>
  )
}
