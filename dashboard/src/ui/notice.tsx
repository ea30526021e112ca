import type { ComponentChildren } from 'preact'
import { toRequestError } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'

/** An error with its request id and a retry button. */
export function ErrorNotice({ problem, onRetry }: { problem: unknown; onRetry?: () => void }) {
  const { message, requestId } = toRequestError(problem)
  return (
    <div role="alert" class="rounded-md border border-down bg-down-soft p-4">
      <p class="font-medium text-down-text">{message}</p>
      <div class="mt-2 flex flex-wrap items-center gap-3">
        {onRetry && <Button onClick={onRetry}>Retry</Button>}
        {requestId && (
          <span class="inline-flex items-center gap-1 text-xs">
            <span class="shrink-0">Request ID</span> <code>{requestId}</code>
            <CopyButton text={requestId} label="Copy request ID" />
          </span>
        )}
      </div>
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
    <div class="card px-6 py-12 text-center">
      <p class="text-base font-semibold">{title}</p>
      {children && <div class="mx-auto mt-1 max-w-prose text-muted">{children}</div>}
      {action && <div class="mt-4 flex justify-center gap-2">{action}</div>}
    </div>
  )
}

/** A neutral message. */
export function InfoNotice({ children }: { children: ComponentChildren }) {
  return <div class="rounded-md border border-line bg-accent-soft p-3">{children}</div>
}
