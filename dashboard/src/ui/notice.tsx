import type { ComponentChildren } from 'preact'
import { isTemporary, toRequestError } from '../api/api-error.ts'
import { useAutoRetry } from '../lib/auto-retry.ts'
import { t } from '../lib/i18n.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Mark } from './mark.tsx'

const UNREACHABLE_RETRY_MS = 4000
/** The server responds but cannot do it now: its load must not grow. */
const REFUSED_RETRY_MS = 30_000

interface ErrorNoticeProps {
  /** Undefined: nothing is shown. */
  readonly problem: unknown
  readonly onRetry?: () => void
  readonly class?: string
}

/** An error with its request id and a retry button. What may be over soon is retried automatically. */
export function ErrorNotice({ problem, onRetry, class: className = '' }: ErrorNoticeProps) {
  const { message, requestId, status } = toRequestError(problem)
  const retriesItself = onRetry !== undefined && isTemporary(problem)
  // For support, of a fault of the server or the network, and of what cannot be loaded. A refusal says what to do.
  const reported = status === 0 || status >= 500 || onRetry !== undefined ? requestId : null
  useAutoRetry(retriesItself ? onRetry : null, status === 0 ? UNREACHABLE_RETRY_MS : REFUSED_RETRY_MS)
  if (problem === undefined) return null
  return (
    <div role="alert" class={`rounded-md border border-down bg-down-soft p-4 ${className}`}>
      <p class="font-medium text-down-text">{message}</p>
      {(onRetry !== undefined || reported) && (
        <div class="mt-2 flex flex-wrap items-center gap-3">
          {onRetry && <Button onClick={onRetry}>{t('Retry')}</Button>}
          {retriesItself && <span>{t('Retrying automatically.')}</span>}
          {reported && (
            <span class="inline-flex items-center gap-1 text-xs">
              <span class="shrink-0">{t('Request ID')}</span> <code>{reported}</code>
              <CopyButton text={reported} label={t('Copy request ID')} />
            </span>
          )}
        </div>
      )}
    </div>
  )
}

/** Explains an empty list and offers an action. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string
  children?: ComponentChildren
  action?: ComponentChildren
}) {
  return (
    <div class="card bg-radial-[at_50%_0%] from-accent-soft to-70% px-6 py-12 text-center">
      <span class="mx-auto mb-4 flex size-16 items-center justify-center rounded-full border border-line bg-surface">
        <Mark size={32} />
      </span>
      <p class="text-base font-semibold">{title}</p>
      {children && <div class="mx-auto mt-1 max-w-prose text-muted">{children}</div>}
      {action && <div class="mt-4 flex justify-center gap-2">{action}</div>}
    </div>
  )
}

/** A neutral message. */
export function InfoNotice({ class: className = '', children }: { class?: string; children: ComponentChildren }) {
  return <div class={`rounded-md border border-line bg-accent-soft p-3 ${className}`}>{children}</div>
}
