import type { ComponentChildren } from 'preact'

/** A list of items with details and actions; stacked on phones. */
export function Rows({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <ul aria-label={label} class="card divide-y divide-line">
      {children}
    </ul>
  )
}

interface RowProps {
  readonly title: ComponentChildren
  /** Text below the title. */
  readonly details?: ComponentChildren
  /** Actions on the right. */
  readonly aside?: ComponentChildren
  readonly actions?: ComponentChildren
}

export function Row({ title, details, aside, actions }: RowProps) {
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div class="min-w-0 grow basis-64">
        <div class="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">{title}</div>
        {details && <div class="text-muted">{details}</div>}
      </div>
      {aside && <div class={`text-muted ${actions ? 'grow sm:grow-0 sm:text-end' : 'text-end'}`}>{aside}</div>}
      {actions && <div class="ms-auto flex flex-wrap items-center justify-end gap-2">{actions}</div>}
    </li>
  )
}

const tones = {
  plain: 'border-line-strong text-muted',
  good: 'border-up text-up-text',
  warn: 'border-degraded text-degraded-text',
  bad: 'border-down text-down-text',
} as const

/** A status label. */
export function Tag({ tone = 'plain', children }: { tone?: keyof typeof tones; children: ComponentChildren }) {
  return <span class={`rounded-full border px-2 text-xs font-medium whitespace-nowrap ${tones[tone]}`}>{children}</span>
}

/** Facts in one line, separated by dots. */
export function Facts({ children }: { children: readonly ComponentChildren[] }) {
  const facts = children.filter((fact) => fact !== null && fact !== undefined && fact !== false && fact !== '')
  return (
    // The dot before the first fact of each line is outside of the box.
    <span class="block overflow-x-clip">
      <span class="-ms-3.5 flex flex-wrap">
        {facts.map((fact, i) => (
          <span key={i} class="relative ps-3.5 before:absolute before:start-1.25 before:content-['·'_/_'']">
            {fact}
          </span>
        ))}
      </span>
    </span>
  )
}
